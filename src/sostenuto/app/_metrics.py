"""Figures of runs as JSON lines in the data home, one file a day, removed after a while; never a text of a conversation (D35)."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from sostenuto.agent import Event
from sostenuto.errors import reason

FOLDER = "telemetry"
COUNTED = frozenset(("start", "iteration", "request", "usage", "tool-end", "rung", "limit", "stalled", "end"))
"""What is written down: figures."""
WORDS = frozenset(("text", "arguments", "error"))
"""Details that may hold words of a conversation."""


class Metrics:
    """Writes the events of one run. A disk that is full costs the figures, not the run: it is said once (D34).

    Args:
        home: the data home.
        run: a name for the run; `facts` stand in every line.
        keep_days: older files are removed when the first line is written.
        told: told a line for the person.
    """

    def __init__(self, home: Path, *, run: str, facts: dict[str, str], keep_days: int, told: Callable[[str], None]) -> None:
        self._folder = home / FOLDER
        self._facts = {"run": run, **{name: value for name, value in facts.items() if value}}
        self._keep_days = keep_days
        self._told = told
        self._lines: list[str] = []
        self._failed = False

    def take(self, event: Event) -> None:
        """Note one event."""
        if event.kind not in COUNTED:
            return
        figures = {name: value for name, value in event.as_dict().items() if name not in WORDS}
        line = {"at": datetime.now(UTC).isoformat(timespec="milliseconds"), **self._facts, **figures}
        self._lines.append(json.dumps(line, ensure_ascii=False))
        if event.kind in ("usage", "end"):
            self.write()

    def write(self) -> None:
        """Append what was noted; whatever could not be written is lost, and that is said once."""
        if not self._lines or self._failed:
            return
        lines, self._lines = self._lines, []
        path = self._folder / f"{datetime.now(UTC).date().isoformat()}.jsonl"
        try:
            is_new = not path.exists()
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with os.fdopen(handle, "a", encoding="utf-8") as file:
                file.write("".join(f"{line}\n" for line in lines))
            if is_new:
                remove_old(self._folder, today=datetime.now(UTC).date(), keep_days=self._keep_days)
        except OSError as error:
            self._failed = True
            self._told(f"figures of this run are not written: {self._folder}: {reason(error)}")


def remove_old(folder: Path, *, today: date, keep_days: int) -> None:
    """Remove the files of days more than so many days ago; other files stay."""
    for path in folder.glob("*.jsonl"):
        with suppress(ValueError, OSError):
            if date.fromisoformat(path.stem) < today - timedelta(days=keep_days):
                path.unlink()
