"""A long task in a small window, worked on by the program against a server that answers by a plan; what is there is what was seen."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from sostenuto.testing import FakeServer, Reply
from tests.stores.lines import place
from tests.surviving.dying import Told, ended, started

NAME: Final = "c"
WORK_S: Final = 0.9
"""Seconds within which a run is killed at random: about as long as one takes."""
STEPS: Final = 12
WINDOW: Final = 4_800
TOOLS: Final = [
    "read_file", "write_file", "grep", "shell", "manage_todos", "list_todos", "update_work_state", "manage_scratchpad", "summarize_context"
]  # fmt: skip
TASK, GO_ON, DONE = "Write all parts of the report.", "Go on where you were.", "All parts are written."
SUMMARY: Final = """## Goal
Write all parts of the report.
## Constraints & Preferences
(none)
## Covered So Far
The first parts.
## Progress
### Done
Some parts.
### In Progress
(none)
### Blocked
(none)
## Key Decisions
(none)
## Next Steps
The next part.
## Critical Context
The number is 4711.
"""


def part(step: int) -> str:
    """The words of one part of the report."""
    return f"Part {step}. " + f"What was found in place {step} is told here. " * 12


def todos(step: int) -> list[dict[str, str]]:
    """The list as it stands after a step."""
    done = [{"content": f"part {n}", "status": "completed", "verifiedBy": f"read part {n}"} for n in range(step + 1)]
    return [*done, {"content": f"part {step + 1}", "status": "in_progress"}]


def calls(step: int) -> list[tuple[str, Mapping[str, Any]]]:
    """What the model does in a step."""
    written: tuple[str, Mapping[str, Any]] = ("write_file", {"path": f"parts/{step}.txt", "content": part(step)})
    match step % 4:
        case 0:
            return [written, ("manage_todos", {"todos": todos(step)})]
        case 1:
            return [written, ("manage_scratchpad", {"action": "append", "draft": "log.md", "content": f"step {step}\n"})]
        case 2:
            return [
                ("update_work_state", {"goal": "the report", "nextStep": f"step {step + 1}"}),
                ("grep", {"pattern": "line", "path": "big.txt"}),
            ]
        case _:
            return [written, ("read_file", {"path": "big.txt", "start_line": step * 30 + 1, "end_line": step * 30 + 30})]


@dataclass
class Seen:
    """What the server saw when a request came: its body, and how many bytes of each log were on the disk; `changes`
    of the disk before it where they are traced, and `answered` by which reply."""

    body: Mapping[str, Any]
    transcript: int
    edits: int
    changes: int
    answered: Reply = field(default_factory=Reply)

    @property
    def is_summary(self) -> bool:
        """Whether it is the summarizer's."""
        return not self.body.get("tools")


class Work:
    """One life of a conversation: its data home, its folder, the server, and every run of the program so far."""

    def __init__(self, root: Path, server: FakeServer, seen: list[Seen]) -> None:
        self.root, self.home, self.folder = root, root / "home", root / "folder"
        self.server, self.seen = server, seen
        self.runs = 0
        self.came = threading.Event()
        """Set whenever a request came."""
        self.folder.mkdir(parents=True)
        (self.folder / "big.txt").write_text("".join(f"line {number}: {'words of it ' * 5}\n" for number in range(600)))

    def told(self, prompt: str, *, conversation: str = NAME, **more: Any) -> Told:
        """What the next process is told."""
        self.runs += 1
        arguments = ["run", prompt, "--model", "llamacpp:tiny-random", "--conversation", conversation, "--events", "all"]
        arguments += ["--approval-policy", "high-risk", "--agent", "default"]
        self._choose_tools()
        return Told(arguments, self.folder, self.out, self.err, self._own, **more)

    def _choose_tools(self) -> None:
        """In so small a window nobody has all of these tools without asking for them."""
        agents = self.home / "agents"
        with suppress(OSError):  # where nothing can be written, what was written before is there
            agents.mkdir(parents=True, exist_ok=True)
            (agents / "default.json").write_text(json.dumps({"id": "default", "config": {"tools": TOOLS}}))

    @property
    def _own(self) -> dict[str, str]:
        return {"SOSTENUTO_HOME": str(self.home), "LLAMACPP_BASE_URL": self.server.base_url}

    @property
    def environment(self) -> dict[str, str]:
        """The variables of a process that is started without a server to fork from."""
        return {**os.environ, **self._own}

    def run(self, prompt: str, **more: Any) -> int | None:
        """Run the program to its end, however it comes; its exit code."""
        return ended(started(self.told(prompt, **more)))

    @property
    def out(self) -> Path:
        """What the newest run printed."""
        return self.root / f"out{self.runs}"

    @property
    def err(self) -> Path:
        """Its events."""
        return self.root / f"err{self.runs}"

    def events(self, run: int | None = None) -> list[dict[str, Any]]:
        """The events of one run, or of all; the last line of a run that was killed may be torn."""
        numbers = range(1, self.runs + 1) if run is None else [run]
        found = []
        for number in numbers:
            path = self.root / f"err{number}"
            for line in path.read_text(errors="replace").splitlines() if path.exists() else ():
                try:
                    found.append(json.loads(line))
                except ValueError:
                    continue
        return found

    @property
    def history(self) -> Path:
        """The folder of the conversation's logs."""
        return self.home / "history" / "default" / NAME

    @property
    def papers(self) -> Path:
        """The folder of its work."""
        return self.home / "work" / "default" / NAME


@contextmanager
def work(*, steps: int = STEPS, at: Callable[[Work, int], None] | None = None) -> Iterator[Work]:
    """A conversation that has not begun, and a server that knows the plan; `at` is told of every request before it is answered."""
    seen: list[Seen] = []
    begun = 0

    def script(body: Mapping[str, Any]) -> Reply:
        nonlocal begun
        trace = life.root / "trace"
        changes = trace.read_bytes().count(b"\n") if trace.exists() else 0
        now = Seen({"messages": [], **body}, _size(life.history / "transcript.jsonl"), _size(life.history / "edits.jsonl"), changes)
        seen.append(now)
        if now.is_summary:
            now.answered = Reply(SUMMARY)
        elif begun < steps:
            now.answered = Reply(f"Step {begun}.", calls=calls(begun))
            begun += 1
        else:
            now.answered = Reply(DONE)
        life.came.set()
        if at is not None:
            at(life, len(seen))
        return now.answered

    with place() as folder, FakeServer("llamacpp", script, window=WINDOW) as server:
        life = Work(Path(folder), server, seen)
        yield life


def changes() -> int:
    """How many changes of the disk a run makes."""
    with work() as life:
        counted = life.root / "count"
        assert life.run(TASK, counted=counted) == 0
        return int(counted.read_text())


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
