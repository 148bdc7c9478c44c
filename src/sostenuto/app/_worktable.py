"""The work of a kept conversation: its state, its todos, what was written down at compactions (origin 11.1)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sostenuto.app._home import readable_home, work_folder
from sostenuto.app._kept import nothing_there
from sostenuto.app._shelf import Amount
from sostenuto.errors import UnknownSetting
from sostenuto.stores.files import Files
from sostenuto.stores.papers import FilePapers
from sostenuto.stores.shelf import Shelf
from sostenuto.work import STATE, TODOS, Recorded, Todo, WorkState, record_in, state_in, todos_in


@dataclass(frozen=True, slots=True)
class Work:
    """What a conversation has besides its history.

    Attributes:
        state, todos: as they were last written.
        records: what was written down at compactions, oldest first.
        bytes: stored for state, todos and journal; `results_bytes` for whole tool results.
        troubles: lines for the person: what cannot be read.
    """

    state: WorkState
    todos: tuple[Todo, ...]
    records: tuple[Recorded, ...]
    bytes: int
    results_bytes: int
    troubles: tuple[str, ...]


def work(home: Path, /, *, agent: str, conversation: str) -> Work:
    """The work of a conversation; nothing is written.

    Raises:
        UnknownSetting: there is no such conversation, or its name cannot be one. UnusableInput: the data home cannot be read.
    """
    there = Shelf(readable_home(home)).found(agent, conversation)
    if there is None:
        raise UnknownSetting(nothing_there(home, agent=agent, conversation=conversation))
    papers = FilePapers(work_folder(home, agent=agent, conversation=conversation), home=home)
    return Work(
        state_in(papers.read(STATE)),
        todos_in(papers.read(TODOS)),
        tuple(record for value in Files(home, agent=agent).journalled(conversation) if (record := record_in(value)) is not None),
        there.work_bytes,
        there.results_bytes,
        papers.notes(),
    )


def clear_work(home: Path, /, *, agent: str, conversation: str) -> Amount:
    """Remove the work of a conversation with its whole tool results. Its history stays.

    Raises:
        ConversationInUse: somebody writes it. UnusableInput: there is none, or it cannot be removed.
    """
    gone = Shelf(readable_home(home)).clear_work(agent, conversation)
    return Amount(gone.bytes, gone.files)
