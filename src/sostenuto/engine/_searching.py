"""Searching in what was said: through an index that is brought up to date on the way, or by reading all of it (D39)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from sostenuto.engine._recall import Hit, part_text, read, source_of
from sostenuto.engine._state import State, branch_key
from sostenuto.errors import UnknownKey
from sostenuto.ladder import Settings
from sostenuto.messages import Message, key_of
from sostenuto.protocols import Finder
from sostenuto.results import excerpt, scanned, wanted

MOST_HITS = 20
_DIGITS = 12  # of a number of messages: a mark comes out of a file
_PASSES = 2
"""An index may be given up at the first attempt, for one in memory or an empty one; the second one fills that."""


def search(state: State, words: str, *, finder: Finder | None = None, offset: int = 0, limit: int = MOST_HITS) -> tuple[Hit, ...]:
    """The pieces with these words, the best first; those that are not sent whole come before the others (D39).

    Args:
        finder: an index of this conversation; it is brought up to date. Without one all messages are read.
        offset, limit: which of the hits.
    """
    visible = _visible(state)
    if finder is not None:
        for _ in range(_PASSES):
            synchronize(state, finder)
            found = finder.search(words, limit=limit, offset=offset, last=visible)
            if finder.synced()[1] == mark(state):
                return tuple(hit for one in found if (hit := _hit(state, one.key, one.source, one.excerpt)) is not None)
    return _read_through(state, words, visible=visible, window=(offset, limit))


def synchronize(state: State, finder: Finder) -> None:
    """Bring an index up to this state: what came since is added; where the log went another way, all of it is made again."""
    wished = mark(state)
    for _ in range(_PASSES):
        held = finder.synced()[1]
        if held == wished:
            return
        first = _extended(state, held)
        if first is None:
            finder.clear()
        finder.add(_pieces(state, first=first or 0, with_branches=first is None), mark=wished)


def mark(state: State) -> str:
    """What an index of this state was made from: how many messages, which they are (D32), and how many branches."""
    return f"{state.length}.{len(state.branches)}.{state.history.guard(state.length - 1).hex()}"


def _extended(state: State, held: str) -> int | None:
    """The first message that an index with this mark lacks; None if it is of another log."""
    length, _, rest = held.partition(".")
    branches, _, guard = rest.partition(".")
    known = int(length) if length.isdecimal() and len(length) < _DIGITS else state.length + 1
    if known > state.length or branches != str(len(state.branches)):
        return None
    return known if state.history.guard(known - 1).hex() == guard else None


def _pieces(state: State, *, first: int, with_branches: bool) -> Iterator[tuple[str, str, str]]:
    """Every part with a text from a message on, and those of the branches: key, source, text."""
    said = [("", first, state.history.messages[first : state.length])]
    if with_branches:
        left = [(branch_key("", number), branch.at, list(branch.messages)) for number, branch in enumerate(state.branches)]
        said = [*left, *said]
    for where, start, messages in said:
        for ordinal, message in enumerate(messages, start):
            yield from _of_message(message, ordinal, where)


def _of_message(message: Message, ordinal: int, where: str) -> Iterator[tuple[str, str, str]]:
    for index, part in enumerate(message.parts):
        text = part_text(part)
        if text.strip():
            yield key_of(ordinal, index) + where, source_of(message, part), text


def _visible(state: State) -> frozenset[str]:
    """The keys of what the next request holds whole."""
    view, units = state.view, state.history.units
    if not (view.start or view.forms or state.branches):
        return frozenset()  # everything is sent: nothing comes before anything else
    numbers = [*(number for number in view.standing if number < view.start), *range(view.start, len(units))]
    places = {(place.ordinal, place.index) for number in numbers for place in units[number].parts}
    return frozenset(key_of(ordinal, index) for ordinal, index in places if (ordinal, index) not in view.forms)


def _read_through(state: State, words: str, *, visible: frozenset[str], window: tuple[int, int]) -> tuple[Hit, ...]:
    query = wanted(words)
    pieces = list(_pieces(state, first=0, with_branches=True))
    found = [number for number, _ in scanned(((number, text) for number, (_, _, text) in enumerate(pieces)), query)]
    ordered = sorted(found, key=lambda number: pieces[number][0] in visible)
    shown = [pieces[number] for number in islice(ordered, window[0], sum(window))]
    return tuple(hit for key, source, text in shown if (hit := _hit(state, key, source, excerpt(text, query))) is not None)


def _hit(state: State, key: str, source: str, shown: str) -> Hit | None:
    """A find with the tokens of the whole; None for a key that this conversation no longer has."""
    with suppress(UnknownKey):
        return Hit(key, shown, read(state, key, settings=Settings()).tokens, source)
    return None
