"""A conversation as a run leaves it in a data home: a review in a small window, with results cleared and older messages summarised."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sostenuto.manager import ContextManager
from sostenuto.stores.files import Files

MODEL = "openai:gpt-4o"
WINDOW = 8_000
TASK = "Review src/a.py and say what is wrong."
_MADE: dict[tuple[str, str, int, int, str], tuple[list[dict[str, Any]], dict[str, bytes]]] = {}


def cycle(number: int, *, lines: int = 60) -> list[dict[str, Any]]:
    """A call of a tool and its answer."""
    function = {"name": "read_file", "arguments": json.dumps({"path": f"src/{number}.py"})}
    return [
        {
            "role": "assistant",
            "content": f"Looking at {number}.",
            "tool_calls": [{"id": f"c{number}", "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": f"c{number}", "content": f"line of file {number} with words\n" * lines},
    ]


def reviewed(
    home: Path, *, name: str = "review", agent: str = "default", cycles: int = 40, window: int = WINDOW, task: str = TASK
) -> list[dict[str, Any]]:
    """Make such a conversation; its messages as they were said, without the instructions.

    The same one is worked out once and laid down again.
    """
    wanted = (name, agent, cycles, window, task)
    if wanted in _MADE:
        said, files = _MADE[wanted]
        for path, data in files.items():
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            (home / path).write_bytes(data)
            (home / path).chmod(0o600)
        for folder in home.glob("*/*"):
            folder.chmod(0o700)
        return [*said]
    said = _held(home, name=name, agent=agent, cycles=cycles, window=window, task=task)
    _MADE[wanted] = [*said], {path: data for path, data in files_of(home).items() if f"/{agent}/{name}/" in path}
    return said


def _held(home: Path, *, name: str, agent: str, cycles: int, window: int, task: str) -> list[dict[str, Any]]:
    manager = opened(home, name=name, agent=agent, window=window)
    system = {"role": "system", "content": "Be brief."}
    said: list[dict[str, Any]] = [{"role": "user", "content": task}]
    manager.prepare_sync([system, *said])
    for number in range(cycles):
        said += cycle(number)
        manager.prepare_sync([system, *said])
        if number % 10 == 9:
            said += [{"role": "assistant", "content": f"Done with {number}."}, {"role": "user", "content": f"Go on behind {number}."}]
            manager.prepare_sync([system, *said])
    manager.close()
    return said


def opened(home: Path, *, name: str = "review", agent: str = "default", window: int = WINDOW) -> ContextManager:
    """The conversation, open for writing."""
    return ContextManager(model=MODEL, window=window, store=Files(home, agent=agent), conversation=name)


def transcript_file(home: Path, *, name: str = "review", agent: str = "default") -> Path:
    """Where its transcript lies."""
    return home / "history" / agent / name / "transcript.jsonl"


def files_of(home: Path) -> dict[str, bytes]:
    """Everything that lies in a data home, but for the cache and for who is writing."""
    found = (path for path in home.rglob("*") if path.is_file() and path.name != "lease.json" and path.suffix != ".sqlite")
    return {str(path.relative_to(home)): path.read_bytes() for path in found}
