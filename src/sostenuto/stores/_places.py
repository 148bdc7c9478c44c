"""Where things lie in a data home: the agents, their conversations at hand and in the archive, and their work."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from sostenuto.errors import UnusableInput
from sostenuto.stores._names import checked_name
from sostenuto.stores._stock import FOLDER as RESULTS
from sostenuto.stores._walking import Measure, entries, files_below, is_folder

KINDS = ("history", "work", "tool-results", "scratchpad", "cache", "telemetry", "archive")
"""What is measured and purged by itself."""

ARCHIVE = ".archive"
INDEXES = "recall"
TRANSCRIPT, EDITS = "transcript.jsonl", "edits.jsonl"
"""The two files of a conversation."""


class Places:
    """The folders of a data home. Names that cannot be an agent's or a conversation's are passed over; links are not followed."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def history(self, agent: str, conversation: str) -> Path:
        """Where a conversation at hand lies."""
        return self.home / "history" / agent / conversation

    def archived(self, agent: str, conversation: str) -> Path:
        """Where it lies once it was put away."""
        return self.home / "history" / agent / ARCHIVE / conversation

    def work(self, agent: str, conversation: str) -> Path:
        """Where its work lies, in both cases."""
        return self.home / "work" / agent / conversation

    def indexes(self, agent: str, conversation: str) -> tuple[Path, Path]:
        """Where its full-text indexes are, or would be, at hand and in the archive: of what was said, and of whole results."""
        folder = self.home / "cache" / INDEXES / agent
        return folder / f"{conversation}.sqlite", folder / f"{conversation}~results.sqlite"  # no name holds a ~

    def agents(self) -> list[str]:
        """Every agent that has a history or work. Never raises."""
        found: set[str] = set()
        for kind in ("history", "work"):
            with suppress(OSError):
                found.update(name for name in self._named(self.home / kind) if not os.path.islink(self.home / kind / name))
        return sorted(found)

    def conversations(self, agent: str) -> list[tuple[str, Path]]:
        """Every conversation of an agent with the folder of its history, which is missing where there is only work.

        Raises:
            OSError: a folder of the agent cannot be read.
        """
        live = self._named(self.home / "history" / agent)
        away = self._named(self.home / "history" / agent / ARCHIVE)
        bare = set(self._named(self.home / "work" / agent)).difference(live, away)
        found = [(name, self.history(agent, name)) for name in (*live, *sorted(bare))]
        return found + [(name, self.archived(agent, name)) for name in away]

    def live(self, agent: str) -> list[str]:
        """The conversations of an agent that are at hand. Raises OSError when they cannot be read."""
        names = self._named(self.home / "history" / agent)
        return [name for name in names if self.is_there(self.history(agent, name))]

    def is_there(self, folder: Path) -> bool:
        """Whether a folder is there, and is reached through no link."""
        return is_folder(folder, home=self.home)

    def is_free(self, folder: Path) -> bool:
        """Whether a folder is there or could be made: nothing else, and no link, lies on the way."""
        steps = [folder, *folder.parents]
        below = steps[: steps.index(self.home)]
        return all(self.is_there(step) for step in below if os.path.lexists(step))

    def works(self) -> Iterator[tuple[str, str, Path]]:
        """Agent, conversation and folder of all work. Raises OSError when some cannot be read."""
        for agent in self.agents():
            for name in self._named(self.home / "work" / agent):
                if self.is_there(folder := self.work(agent, name)):
                    yield agent, name, folder

    def sizes(self) -> dict[str, Measure]:
        """How much of each of `KINDS` there is, as far as it can be read. Never raises."""
        found = dict.fromkeys(KINDS, Measure())
        for kind in ("history", "work", "scratchpad", "cache", "telemetry"):
            root = self.home / kind
            for path, status in files_below(root) if self.is_there(root) else ():
                found[_kind(kind, path.relative_to(root).parts)] += Measure(status.st_size, 1)
        return found

    def _named(self, folder: Path) -> list[str]:
        """What lies in a folder under a name of ours, folders and links, by name."""
        if not self.is_there(folder):
            return []
        return [
            entry.name for entry in entries(folder) if _is_name(entry.name) and (entry.is_dir(follow_symlinks=False) or entry.is_symlink())
        ]


def _kind(root: str, parts: tuple[str, ...]) -> str:
    if root == "history" and ARCHIVE in parts[1:2]:
        return "archive"
    if root == "work" and RESULTS in parts[2:3]:
        return "tool-results"
    return root


def _is_name(text: str) -> bool:
    try:
        checked_name(text, what="name")
    except UnusableInput:
        return False
    return True
