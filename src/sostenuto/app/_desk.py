"""Where one run keeps what outlives it: its conversation, work state, scratchpad and whole results (DESIGN 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sostenuto.protocols import Drafts, KeptResults, Papers, Store
from sostenuto.stores.drafts import DraftLimits, FileDrafts
from sostenuto.stores.files import Files
from sostenuto.stores.papers import FilePapers
from sostenuto.stores.results import FileResults
from sostenuto.stores.shelf import Shelf
from sostenuto.tools import DraftsInMemory, PapersInMemory, ResultsInMemory


@dataclass(frozen=True, slots=True)
class Desk:
    """The places of one run. `store` is None where nothing is kept: the others are then in this process too (D42)."""

    papers: Papers
    drafts: Drafts
    results: KeptResults
    store: Store | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """Lines for the person: what could not be kept, what had to make room."""
        return tuple(line for place in (self.papers, self.results) if isinstance(place, FilePapers | FileResults) for line in place.notes())


def bare_desk() -> Desk:
    """One that keeps nothing beyond this process."""
    return Desk(PapersInMemory(), DraftsInMemory(), ResultsInMemory())


def desk_of(home: Path, *, agent: str, conversation: str, settings: Mapping[str, Any] | Any) -> Desk:
    """The desk of a conversation; one that lies in the archive is taken out of it.

    Args:
        home: the data home.
        settings: every setting by its dotted key.

    Raises:
        UnknownSetting, UnusableInput: agent or conversation cannot be a name, or the archive cannot be read.
    """
    Shelf(home).restored(agent, conversation)
    work = home / "work" / agent / conversation
    return Desk(
        FilePapers(work, home=home),
        FileDrafts(home / "scratchpad" / agent, limits=draft_limits(settings), home=home),
        FileResults(work, cap_bytes=settings["results.maxBytes"], home=home),
        Files(home, agent=agent),
    )


def draft_limits(settings: Mapping[str, Any] | Any) -> DraftLimits:
    """What a scratchpad may hold, by the settings."""
    return DraftLimits(
        file_bytes=settings["scratchpad.maxFileBytes"],
        files=settings["scratchpad.maxFiles"],
        total_bytes=settings["scratchpad.maxBytes"],
    )
