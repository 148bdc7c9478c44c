"""The conversations that are kept, each with what a list says of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from sostenuto.app._home import readable_home
from sostenuto.app._kept import nothing_there
from sostenuto.app._recalling import recallable, words_in
from sostenuto.app._wires import CODECS
from sostenuto.errors import SostenutoError, UnknownSetting
from sostenuto.messages import Message, Text
from sostenuto.protocols import Record
from sostenuto.stores.shelf import Shelf, Shelved

if TYPE_CHECKING:
    from sostenuto.engine import Hit

FIRST_WORDS = 200
"""Characters of the first user message that stand for a title."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A conversation in a list.

    Attributes:
        agent, conversation: whose it is, and its name.
        title: what it is about: its title, else the first words of its first user message.
        messages: how many it has; None where that cannot be told.
        bytes: of history, work and whole results together.
        started, last_used: None where nothing tells.
        is_archived: whether it lies in the archive, from which it comes back when it goes on.
        trouble: why it, or what is told about it, cannot be read; "" if it can.
    """

    agent: str
    conversation: str
    title: str
    messages: int | None
    bytes: int
    started: datetime | None
    last_used: datetime | None
    is_archived: bool = False
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Amount:
    """How much there is of something, or was removed."""

    bytes: int
    files: int


@dataclass(frozen=True, slots=True)
class Finds:
    """What one conversation has for some words, the best first; `trouble` where it could not be searched."""

    conversation: str
    hits: tuple[Hit, ...] = ()
    trouble: str = ""
    agent: str = ""


def conversations(home: Path, /, *, agent: str | None = None) -> list[Entry]:
    """What is kept of one agent, or of all: the one that was used last comes first.

    Raises:
        UnusableInput: the data home cannot be read.
    """
    shelf = Shelf(readable_home(home))
    return [_entry(shelf, one) for one in shelf.listed(agent)]


def _entry(shelf: Shelf, one: Shelved) -> Entry:
    seen = shelf.glimpse(one)
    size = one.history_bytes + one.work_bytes + one.results_bytes
    title = one.title or first_words(seen.first)
    return Entry(one.agent, one.conversation, title, seen.messages, size, one.started, one.last_used, one.is_archived, one.trouble)


def listed_conversation(home: Path, /, *, agent: str, conversation: str) -> Entry:
    """What a list says of one conversation, at hand or in the archive, or of which only work is left.

    Raises:
        UnknownSetting: there is none of that name. UnusableInput: the data home cannot be read.
    """
    shelf = Shelf(readable_home(home))
    found = shelf.found(agent, conversation)
    if found is None:
        raise UnknownSetting(nothing_there(home, agent=agent, conversation=conversation))
    return _entry(shelf, found)


def delete_conversation(home: Path, /, *, agent: str, conversation: str) -> Amount:
    """Remove a conversation with its work and its index, at hand and in the archive; how much that was.

    Raises:
        ConversationInUse: somebody writes it. UnknownSetting, UnusableInput: there is none, or it cannot be removed.
    """
    gone = Shelf(readable_home(home)).delete(agent, conversation)
    return Amount(gone.bytes, gone.files)


def first_words(records: Sequence[Record], /) -> str:
    """How the first words of a person begin, on one line; "" where nobody spoke. Never raises."""
    wire = ""
    for record in records:
        wire = str(record.get("wire", wire))
        raw = record.get("raw")
        if wire in CODECS and isinstance(raw, Mapping):
            words = _words(CODECS[wire].decode(dict(raw)))
            if words:
                return words
    return ""


def searched(home: Path, words: str, /, *, agent: str | None, but: str = "") -> Iterator[Finds]:
    """What every conversation has for some words, the one that was used last first; those without a find are left out.

    Args:
        agent: whose conversations; None for those of every agent, except `but`.

    Raises:
        UnusableInput: the data home cannot be read.
    """
    for one in Shelf(readable_home(home)).listed(agent):
        if not one.conversation or not one.history_bytes or one.agent == but:
            continue
        try:
            hits = words_in(recallable(home, agent=one.agent, conversation=one.conversation), words)
        except SostenutoError as error:
            yield Finds(one.conversation, trouble=str(error), agent=one.agent)
            continue
        if hits:
            yield Finds(one.conversation, hits, agent=one.agent)


def _words(message: Message) -> str:
    """What a person says in a message; tool results in a user's turn are no words."""
    if message.role != "user" or message.kind != "plain":
        return ""
    said = " ".join(part.text[: 4 * FIRST_WORDS] for part in message.parts if isinstance(part, Text))
    return " ".join(said.split())[:FIRST_WORDS]
