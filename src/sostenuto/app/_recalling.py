"""Reading back what a kept conversation holds: from its index while that is fresh, and without ever writing to the conversation (D39)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from sostenuto.app._home import work_folder
from sostenuto.errors import UnknownKey
from sostenuto.messages import parse_key
from sostenuto.protocols import KeptResult, KeptResults
from sostenuto.results import about_tokens

if TYPE_CHECKING:
    from sostenuto.engine import Hit
    from sostenuto.manager import ContextManager
    from sostenuto.stores.index import Index

MOST_HITS = 20
_RESULT, _WHOLE = "tool result of call ", "whole result of "
"""How the sources of a result begin: of what came in, and of the whole."""
_TOLD = re.compile(r'retrieve_tool_result\(tool_call_id="([^"\n]{1,200})"')
_NOT_ALL = 3
"""The rank of a find that has only most of the words (see `Found`)."""
_DIGITS = 9  # of a number of results: a mark comes out of a file


@dataclass(frozen=True, slots=True)
class KeptConversation:
    """A conversation of the data home, not yet read.

    Attributes:
        index: where its index is, or would be; None where none may be written. `whole_index` the same for `results`.
        stamp: says which transcript it is: another one, or a longer one, has another stamp. Made without reading it; "" for unknown.
        load: reads all of it and writes nothing.
        results: whole results that were cut before they came in.
    """

    index: Path | None
    stamp: str
    load: Callable[[], ContextManager]
    results: KeptResults
    whole_index: Path | None = None


def recallable(home: Path, *, agent: str, conversation: str) -> KeptConversation:
    """A conversation of an agent, at hand or in the archive. That there is none at all is said by its `load`.

    Raises:
        UnknownSetting: that cannot be the name of an agent or a conversation.
    """
    from sostenuto.stores.index import place_of, place_of_results
    from sostenuto.stores.results import FileResults

    def load() -> ContextManager:
        from sostenuto.app._kept import kept_conversation

        return kept_conversation(home, agent=agent, conversation=conversation)

    index, stamp = place_of(home, agent=agent, conversation=conversation)
    results = FileResults(work_folder(home, agent=agent, conversation=conversation), home=home)
    return KeptConversation(index, stamp, load, results, place_of_results(home, agent=agent, conversation=conversation))


def recalled_from(kept: KeptConversation, wanted: str) -> tuple[Hit, ...]:
    """What a kept conversation has for a key or a query, the best first; nothing found is an empty tuple.

    A piece by its key, a result by the id of its call, and a search come from the index; a range or a listing reads the conversation.
    A search also finds what stands in whole results alone, under the ids of their calls.

    Raises:
        UnknownKey: it is a key and names nothing, or more than one thing.
        UnknownSetting: there is no such conversation. UnusableInput: it cannot be read.
    """
    from sostenuto.stores.index import Index

    index = Index(kept.index)
    try:
        read = _current(index, kept)
        return _by_key(kept, index, wanted) or _by_reading(kept, wanted, read) or _searched(index, kept, wanted)
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
        return _searched(index, kept, words)
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
        return (_hit(wanted, whole.text, source=_whole_source(whole)),)
    keys = index.keys_from(f"{_RESULT}{wanted}")
    if len(keys) > 1:
        raise UnknownKey(f"{wanted[:80]!r} names {len(keys)} results of this conversation: ask for one of {', '.join(keys)}")
    piece = index.piece(keys[0]) if keys else None
    return (_hit(keys[0], piece[1], source=piece[0]),) if piece is not None else ()


def _by_reading(kept: KeptConversation, wanted: str, read: ContextManager | None) -> tuple[Hit, ...]:
    """What only the whole conversation can say: a message, a range, a branch, a listing."""
    from sostenuto.engine import LISTINGS

    is_address = parse_key(wanted.partition("~")[0]) is not None or wanted in LISTINGS
    return (read or kept.load()).recall(wanted) if is_address else ()


def _searched(index: Index, kept: KeptConversation, wanted: str) -> tuple[Hit, ...]:
    """What was said with these words, and whole results that hold them where what came in does not; the best first."""
    from sostenuto.stores.index import Index

    found = _ranked(index, wanted)
    keys = tuple(kept.results.listed())
    if keys:
        wholes = Index(kept.whole_index)
        try:
            _bring_up_to_date(wholes, kept.results, keys=keys)
            found += _ranked(wholes, wanted)
        finally:
            wholes.close()
    if any(rank < _NOT_ALL for rank, _ in found):
        found = [(rank, hit) for rank, hit in found if rank < _NOT_ALL]
    came_in = {hit.source.removeprefix(_RESULT) for _, hit in found}
    held = [(rank, hit) for rank, hit in found if not (hit.source.startswith(_WHOLE) and hit.key in came_in)]
    return tuple(hit for _, hit in sorted(held, key=lambda one: one[0])[:MOST_HITS])


def _ranked(index: Index, wanted: str) -> list[tuple[int, Hit]]:
    """The finds of one index, each with its rank (see `Found`)."""
    found = []
    for one in index.search(wanted, limit=MOST_HITS):
        piece = index.piece(one.key)
        whole = piece[1] if piece is not None else one.excerpt
        found.append((one.rank, _hit(one.key, one.excerpt, source=one.source, whole=whole)))
    return found


def _bring_up_to_date(index: Index, results: KeptResults, *, keys: Sequence[str]) -> None:
    """Make the index one of these results: what came since is added; where some had to make room, all of it is made again."""
    held, _, print_ = index.synced()[1].partition(".")
    known = int(held) if held.isdecimal() and len(held) < _DIGITS else 0
    if not (0 < known <= len(keys) and print_ == _print(keys[:known])):
        if known:
            index.clear()
        known = 0
    if known < len(keys):
        texts = ((key, whole) for key in keys[known:] if (whole := results.kept(key)) is not None)
        index.add(((key, _whole_source(whole), whole.text) for key, whole in texts), mark=f"{len(keys)}.{_print(keys)}")


def _print(keys: Sequence[str]) -> str:
    """Says which keys they are."""
    return blake2b("\0".join(keys).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _whole_source(whole: KeptResult) -> str:
    return f"{_WHOLE}{whole.tool}, call {whole.call_id}"


def whole_of(kept: KeptConversation, hit: Hit) -> str:
    """The id under which the whole of a result is kept that was cut before it came in; "" where the hit has all there is."""
    from sostenuto.stores.index import Index

    if not hit.source.startswith(_RESULT):
        return ""
    index = Index(kept.index)
    try:
        piece = index.piece(hit.key)
    finally:
        index.close()
    text = piece[1] if piece is not None else hit.text
    told = _TOLD.search(text)
    keys: tuple[str, ...] = (hit.source.removeprefix(_RESULT), *((told.group(1),) if told else ()))
    for key in keys:
        whole = kept.results.kept(key)
        if whole is not None and len(whole.text) > len(text):
            return key
    return ""


def _hit(key: str, text: str, *, source: str, whole: str = "") -> Hit:
    from sostenuto.engine import Hit

    return Hit(key, text, about_tokens(len(whole or text)), source)
