"""Nothing of this room is loaded before it is used."""

from __future__ import annotations

import subprocess
import sys


def _loaded(line: str) -> set[str]:
    """The modules that running a line in a fresh interpreter loads."""
    code = f"import sys; sys.path[:0] = {sys.path!r}; {line}; print(chr(10).join(sys.modules))"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def test_importing_the_package_loads_no_tools() -> None:
    """Neither the package nor the door of the room brings in its files, a network or an event loop."""
    assert not {name for name in _loaded("import sostenuto") if name.startswith(("sostenuto.tools", "sostenuto.results"))}
    opened = _loaded("import sostenuto.tools")
    assert not {name for name in opened if name.startswith("sostenuto.tools.")}
    assert not opened & {"asyncio", "ssl", "http.client", "subprocess"}


def test_a_batch_without_the_web_loads_no_network() -> None:
    """The standard tools are made without asyncio and without encryption; those come with their first use."""
    loaded = _loaded("from pathlib import Path; from sostenuto.tools import standard_tools; standard_tools(Path('.'))")
    assert not loaded & {"asyncio", "ssl"}
