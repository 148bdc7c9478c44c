"""Reading back what a kept conversation holds: from its index while that is fresh, and without ever writing to the conversation (D39)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sostenuto.app._home import work_folder
from sostenuto.errors import UnknownKey
from sostenuto.messages import parse_key
from sostenuto.protocols import KeptResults
from sostenuto.results import about_tokens

if TYPE_CHECKING:
    from sostenuto.engine import Hit
    from sostenuto.manager import ContextManager
    from sostenuto.stores.index import Index

MOST_HITS = 20


@dataclass(frozen=True, slots=True)
class KeptConversation:
    """A conversation of the data home, not yet read.

    Attributes:
        index: where its index is, or would be; None where none may be written.
        stamp: says which transcript it is: another one, or a longer one, has another stamp. Made without reading it; "" for unknown.
        load: reads all of it and writes nothing.
        results: whole results that were cut before they came in.
    """

    index: Path | None
    stamp: str
    load: Callable[[], ContextManager]
    results: KeptResults


def recallable(home: Path, *, agent: str, conversation: str) -> KeptConversation:
    """A conversation of an agent. One in the archive has no index; that there is none at all is said by its `load`.

    Raises:
        UnknownSetting: that cannot be the name of an agent or a conversation.
    """
    from sostenuto.stores.index import place_of
    from sostenuto.stores.results import FileResults

    def load() -> ContextManager:
        from sostenuto.app._kept import kept_conversation

        return kept_conversation(home, agent=agent, conversation=conversation)

    index, stamp = place_of(home, agent=agent, conversation=conversation)
    return KeptConversation(index, stamp, load, FileResults(work_folder(home, agent=agent, conversation=conversation), home=home))


def recalled_from(kept: KeptConversation, wanted: str) -> tuple[Hit, ...]:
    """What a kept conversation has for a key or a query, the best first; nothing found is an empty tuple.

    A piece by its key, a result by the id of its call, and a search come from the index; a range or a listing reads the conversation.

    Raises:
        UnknownKey: it is a key and names nothing, or more than one thing.
        UnknownSetting: there is no such conversation. UnusableInput: it cannot be read.
    """
    from sostenuto.stores.index import Index

    index = Index(kept.index)
    try:
        read = _current(index, kept)
        return _by_key(kept, index, wanted) or _by_reading(kept, wanted, read) or _searched(index, wanted)
    finally:
        index.close()


def words_in(kept: KeptConversation, words: str) -> tuple[Hit, ...]:
    """Every piece with these words, the best first, also where they would be a key; nothing found is an empty tuple.

    Raises:
        UnknownSetting: there is no such conversation. UnusableInput: it cannot be read.
    """
    from sostenuto.stores.index import Index

    index = Index(kept.index)
    try:
        _current(index, kept)
        return _searched(index, words)
    finally:
        index.close()


def _current(index: Index, kept: KeptConversation) -> ContextManager | None:
    """Bring the index up to date; the conversation, if it had to be read for that."""
    if kept.stamp and index.stamp == kept.stamp:
        return None
    conversation = kept.load()
    conversation.search_with(index, now=True)
    index.stamped(kept.stamp)
    return conversation


def _by_key(kept: KeptConversation, index: Index, wanted: str) -> tuple[Hit, ...]:
    """One piece by its key, or a whole result by the id of its call."""
    found = index.piece(wanted)
    if found is not None:
        return (_hit(wanted, found[1], source=found[0]),)
    whole = kept.results.kept(wanted)
    if whole is not None:
        return (_hit(wanted, whole.text, source=f"whole result of {whole.tool}, call {whole.call_id}"),)
    keys = index.keys_from(f"tool result of call {wanted}")
    if len(keys) > 1:
        raise UnknownKey(f"{wanted[:80]!r} names {len(keys)} results of this conversation: ask for one of {', '.join(keys)}")
    piece = index.piece(keys[0]) if keys else None
    return (_hit(keys[0], piece[1], source=piece[0]),) if piece is not None else ()


def _by_reading(kept: KeptConversation, wanted: str, read: ContextManager | None) -> tuple[Hit, ...]:
    """What only the whole conversation can say: a message, a range, a branch, a listing."""
    from sostenuto.engine import LISTINGS

    is_address = parse_key(wanted.partition("~")[0]) is not None or wanted in LISTINGS
    return (read or kept.load()).recall(wanted) if is_address else ()


def _searched(index: Index, wanted: str) -> tuple[Hit, ...]:
    found = []
    for one in index.search(wanted, limit=MOST_HITS):
        piece = index.piece(one.key)
        found.append(_hit(one.key, one.excerpt, source=one.source, whole=piece[1] if piece is not None else one.excerpt))
    return tuple(found)


def _hit(key: str, text: str, *, source: str, whole: str = "") -> Hit:
    from sostenuto.engine import Hit

    return Hit(key, text, about_tokens(len(whole or text)), source)
