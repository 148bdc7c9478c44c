"""Where one run keeps what outlives it: its conversation, work state, scratchpad and whole results (DESIGN 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sostenuto.app._home import work_folder
from sostenuto.errors import UnknownSetting, UnusableInput
from sostenuto.protocols import Drafts, KeptResults, Log, Papers, Store
from sostenuto.stores.drafts import FileDrafts
from sostenuto.stores.files import Files
from sostenuto.stores.index import place_of
from sostenuto.stores.papers import FilePapers
from sostenuto.stores.results import FileResults
from sostenuto.stores.shelf import Shelf
from sostenuto.tools import DraftsInMemory, PapersInMemory, ResultsInMemory
from sostenuto.work import DraftLimits


@dataclass(frozen=True, slots=True)
class Desk:
    """The places of one run.

    `store` is None where nothing is kept: the others are then in this process too (D42). `trouble` says why a conversation that was to
    be kept cannot be (D34). `index` is the file of its full-text index, None for one in this process (D39).
    """

    papers: Papers
    drafts: Drafts
    results: KeptResults
    store: Store | None = None
    trouble: str = ""
    index: Path | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """Lines for the person: what could not be kept, what had to make room."""
        return tuple(line for place in (self.papers, self.results) if isinstance(place, FilePapers | FileResults) for line in place.notes())


@dataclass(frozen=True, slots=True)
class Opened:
    """A store of one log that is open already."""

    log: Log

    def open(self, conversation: str, /) -> Log:
        """See `Store`."""
        return self.log


def bare_desk(*, trouble: str = "") -> Desk:
    """One that keeps nothing beyond this process."""
    return Desk(PapersInMemory(), DraftsInMemory(), ResultsInMemory(), trouble=trouble)


def desk_of(home: Path, *, agent: str, conversation: str, settings: Mapping[str, Any] | Any) -> Desk:
    """The desk of a conversation, its log open for writing; one that lies in the archive is taken out of it.

    Where the place cannot be used, the run keeps nothing and goes on (D34).

    Args:
        home: the data home.
        settings: every setting by its dotted key.

    Raises:
        UnknownSetting: agent or conversation cannot be a name. ConversationInUse: somebody else is writing it.
    """
    try:
        Shelf(home).restored(agent, conversation)
        log = Files(home, agent=agent).open(conversation)
    except UnknownSetting:
        raise
    except UnusableInput as error:
        return bare_desk(trouble=str(error))
    work = work_folder(home, agent=agent, conversation=conversation)
    return Desk(
        FilePapers(work, home=home),
        FileDrafts(home / "scratchpad" / agent, limits=draft_limits(settings), home=home),
        FileResults(work, cap_bytes=settings["results.maxBytes"], home=home),
        Opened(log),
        index=place_of(home, agent=agent, conversation=conversation)[0],
    )


def draft_limits(settings: Mapping[str, Any] | Any) -> DraftLimits:
    """What a scratchpad may hold, by the settings."""
    return DraftLimits(
        file_bytes=settings["scratchpad.maxFileBytes"],
        files=settings["scratchpad.maxFiles"],
        total_bytes=settings["scratchpad.maxBytes"],
    )
