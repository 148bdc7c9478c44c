"""A conversation that outlives the process: what a turn costs to write down, how much is written, how long going on takes."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.histories import Raw, chat
from benchmarks.measured import Measured, settle, typical_s
from sostenuto import ContextManager
from sostenuto.stores.files import Files

APPEND_MS, RESUME_S, TIMES_THE_TURN = 2.0, 2.0, 3.0
WINDOW = 1_000_000_000
TURNS = 40
SIZES = (200, 2_000, 20_000)
_RESUMING = """
import sys, time
from pathlib import Path
from sostenuto import ContextManager
from sostenuto.stores.files import Files
began = time.perf_counter()
context = ContextManager("openai:gpt-5", window=%d, store=Files(Path(sys.argv[1])), conversation="long")
print(time.perf_counter() - began, len(context.history))
"""


def rows(size: int) -> Iterator[Measured]:
    """Every figure about keeping; the long conversation has so many messages."""
    for characters in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            yield _bytes_of_a_turn(Path(folder), characters)
    with tempfile.TemporaryDirectory() as folder:
        yield from _of_a_long_one(Path(folder), size)


def _of_a_long_one(home: Path, size: int) -> Iterator[Measured]:
    context, history = _manager(home, "long"), chat(size)
    context.prepare_sync(history)
    turns = iter([_turn(2_000, number=number) for number in range(TURNS)])

    def append() -> None:
        history.extend(next(turns))
        context.note(history)

    append()
    settle()
    took = typical_s(append, times=20)
    yield Measured(f"a turn written behind {size:,} messages", 1_000 * took, APPEND_MS, "ms", note="CPU, so besides the flush")
    context.close()
    found = [_resumed(home) for _ in range(3)]
    took, length = sorted(found)[1]
    yield Measured(f"going on with {length:,} messages", took, RESUME_S, "s", note="in a process of its own, files warm")


def _resumed(home: Path) -> tuple[float, int]:
    done = subprocess.run([sys.executable, "-c", _RESUMING % WINDOW, str(home)], check=True, capture_output=True, text=True)
    took, length = done.stdout.split()
    return float(took), int(length)


def _bytes_of_a_turn(home: Path, characters: int) -> Measured:
    """As a run writes it: the request, the reply before its calls are carried out, their results."""
    context, history = _manager(home, "turns"), chat(20)
    context.prepare_sync(history)
    before, said = _size(home), 0
    for number in range(TURNS):
        question, call, result, answer = _turn(characters, number=number)
        said += len(json.dumps([question, call, result, answer], ensure_ascii=False).encode())
        for asked, replies in ([question], [[call], [result]]), ([], [[answer]]):
            history.extend(asked)
            context.prepare_sync(history)
            context.record({"prompt_tokens": 20_000 + number, "completion_tokens": 100})
            for messages in replies:
                history.extend(messages)
                context.note(history)
    written = _size(home) - before
    context.close()
    note = f"{written / TURNS:,.0f} bytes for a turn of {said / TURNS:,.0f}: four messages, in five steps"
    return Measured(f"written for a turn of {characters:,} characters", written / said, TIMES_THE_TURN, "x the turn", note=note)


def _manager(home: Path, name: str) -> ContextManager:
    return ContextManager("openai:gpt-5", window=WINDOW, store=Files(home), conversation=name)


def _turn(characters: int, *, number: int) -> list[Raw]:
    """A question, a call, its result and an answer of about so many characters together."""
    share = "words of it " * (characters // 48)
    call = {"id": f"call_{number}", "type": "function", "function": {"name": "look", "arguments": json.dumps({"at": share})}}
    return [
        {"role": "user", "content": f"{number}: {share}"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"call_{number}", "content": share},
        {"role": "assistant", "content": share},
    ]


def _size(home: Path) -> int:
    """Bytes below the data home: logs only grow, so what is there was written."""
    return sum(path.stat().st_size for path in home.rglob("*") if path.is_file())
