"""What starting costs in CPU, beyond an interpreter that does nothing."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from benchmarks.measured import Measured

IMPORT_MS, COMMAND_MS = 80.0, 200.0
TIMES = 7


def rows() -> Iterator[Measured]:
    """Every figure about starting."""
    bare = _cpu_ms(["-c", "pass"])
    first = 'from sostenuto import ContextManager; ContextManager("{}")'
    for model in ("anthropic:claude-sonnet-5", "openai:gpt-5"):
        took = _cpu_ms(["-c", first.format(model)]) - bare
        yield Measured(f"import and a first ContextManager ({model.partition(':')[0]})", took, IMPORT_MS, "ms", note="CPU beyond `pass`")
    yield Measured("command line, --help", _cpu_ms(["-m", "sostenuto", "--help"]) - bare, COMMAND_MS, "ms", note="CPU beyond `pass`")


def _cpu_ms(arguments: list[str]) -> float:
    """Milliseconds of CPU a child takes, user and system, once its files are compiled and warm: the median of several."""
    found: list[float] = []
    with tempfile.TemporaryDirectory() as compiled:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": compiled}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for _ in range(TIMES + 1):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=environment)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            found.append((after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1e3)
    return statistics.median(found[1:])
