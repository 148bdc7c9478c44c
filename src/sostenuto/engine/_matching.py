"""Whose history is this? What a caller hands over is matched against what is known (D46, algorithms 1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import is_not
from types import MappingProxyType
from typing import Literal

from sostenuto.engine._state import Sent, State
from sostenuto.messages import Message, fingerprint, frozen_copy
from sostenuto.protocols import Raw

NEWEST = 16
"""Messages compared by content each time; older ones by identity first (D46)."""

_NO_TWINS: Mapping[int, Raw] = MappingProxyType({})

Decode = Callable[[Raw], Message]
Kind = Literal["extension", "rewritten", "dropped", "fork", "new"]


@dataclass(frozen=True, slots=True)
class Match:
    """How a handed-over list relates to the log.

    Attributes:
        kind: what happened.
        taken: positions of the list that are known; the rest is new.
        at: the ordinal at which things differ (fork, rewritten), or the first ordinal that is still there (dropped).
        kept_mode: the caller hands back what the last request held.
        fresh: positions whose native object replaces the one of an ordinal: (position, ordinal).
        own: it is what the caller handed over the last time, not what was sent then, that it goes on from.
    """

    kind: Kind
    taken: int
    at: int = 0
    kept_mode: bool = False
    fresh: tuple[tuple[int, int], ...] = ()
    own: bool = False


def twins(raws: Sequence[Raw], copies: Sequence[Raw]) -> dict[int, Raw]:
    """The newest copies by the identity of what they were made from; the two lists end with the same messages."""
    return dict(zip(map(id, raws[-NEWEST:]), copies[-NEWEST:], strict=False))


def guarded(raws: Sequence[Raw], known: Sequence[Raw] = (), *, equal: int = 0, twins: Mapping[int, Raw] = _NO_TWINS) -> list[Raw]:
    """A list to compare with later: the newest messages as copies, so that a change made in place is seen.

    Copies in `known` are taken over: a frozen copy never changes. The first `equal` messages were found equal to it just now;
    `twins` are copies made just now, by the identity of what they were made from.
    """
    out = list(raws)
    first = max(0, len(out) - NEWEST)
    if twins:
        held = [twin for raw in out[first:] if (twin := twins.get(id(raw))) is not None]
        if len(held) == len(out) - first:  # the usual request: the newest of it are what came in
            out[first:] = held
            return out
    elif first < equal <= len(known) and all(map(is_not, known[first:equal], out[first:equal])):
        out[first:equal] = known[first:equal]  # the usual request: all of them are copies already
        first = equal
    for position in range(first, len(out)):
        raw = out[position]
        if twins and id(raw) in twins:
            out[position] = twins[id(raw)]
            continue
        old = known[position] if position < len(known) else None
        is_copy = old is not None and old is not raw and (position < equal or old == raw)
        out[position] = old if old is not None and is_copy else frozen_copy(raw)
    return out


def match(handed: list[Raw], state: State, *, decode: Decode) -> Match:
    """Relate `handed` (without leading system messages) to the state."""
    if state.length == 0:
        return Match("extension", 0)
    raw, kept = _raw_extension(handed, state), None
    kept_mode = state.kept_mode or _holds_nudge(handed, state.sent)
    if raw is None or kept_mode:
        kept = _kept_extension(handed, state.sent)
        again = _again(handed, state.own.expected)
        if again is not None and (kept is None or again.taken > kept.taken):
            kept = again  # more was noted since the last request
    if kept_mode and kept is not None:
        return kept
    if raw is not None:
        return raw
    if kept is not None:
        return kept
    return _changed(handed, state, decode)


def _holds_nudge(handed: list[Raw], sent: Sent) -> bool:
    """Before the first rewrite raw and kept lists differ in nothing but the nudge that was sent behind them (D55)."""
    count = len(sent.expected)
    return bool(sent.nudges) and len(handed) >= count and handed[count - 1] == sent.expected[count - 1]


def _raw_extension(handed: list[Raw], state: State) -> Match | None:
    count = len(state.expected)
    if len(handed) >= count and handed[:count] == state.expected:
        return Match("extension", count)
    return None


def _kept_extension(handed: list[Raw], sent: Sent) -> Match | None:
    with_nudges = len(sent.expected)
    for count in (with_nudges, with_nudges - sent.nudges):
        if 0 < count <= len(handed) and handed[:count] == sent.expected[:count]:
            return Match("extension", count, kept_mode=True)
    return None


def _again(handed: list[Raw], before: list[Raw]) -> Match | None:
    """A caller who keeps what we return asks once more with what it had handed over: a retry, or a step that a person asked for."""
    count = len(before)
    if 0 < count <= len(handed) and handed[:count] == before:
        return Match("extension", count, kept_mode=True, own=True)
    return None


def _changed(handed: list[Raw], state: State, decode: Decode) -> Match:
    prints = _Prints(handed, decode)
    raw_prefix = _common(handed, state.expected)
    kept_prefix = _common(handed, state.sent.expected)
    placed = bool(state.sent.segments or state.sent.built)
    # what was handed over in another wire is no list to compare with
    is_kept = kept_prefix > raw_prefix or (state.crossed > 0 and state.kept_mode)
    # with equal beginnings a marker in front may hide which of the two lists it is
    kept = _kept_change(handed, state.sent, prints, length=state.length) if placed and (is_kept or kept_prefix == raw_prefix) else None
    if state.own.expected:
        own = replace(_kept_change(handed, state.own, prints, length=state.length), own=True)
        if own.taken > (kept.taken if kept is not None else max(raw_prefix, kept_prefix)):
            return own
    if kept is not None and is_kept:
        return kept
    raw = _raw_change(handed, state, prints, order=state.order if state.order is not None else range(state.length))
    return kept if kept is not None and kept.kind == "extension" and raw.kind != "extension" else raw


def _common(a: Sequence[Raw], b: Sequence[Raw]) -> int:
    for number, (one, other) in enumerate(zip(a, b, strict=False)):
        if one is not other and one != other:
            return number
    return min(len(a), len(b))


class _Prints:
    """Fingerprints, taken once and only where they are asked for."""

    def __init__(self, handed: list[Raw], decode: Decode) -> None:
        self._handed, self.decode = handed, decode
        self._new: dict[int, bytes] = {}
        self._old: dict[int, bytes] = {}

    def new(self, position: int) -> bytes:
        if position not in self._new:
            self._new[position] = fingerprint(self.decode(self._handed[position]))
        return self._new[position]

    def old(self, state: State, ordinal: int) -> bytes:
        if ordinal not in self._old:
            self._old[ordinal] = fingerprint(state.history.messages[ordinal])
        return self._old[ordinal]


def _raw_change(handed: list[Raw], state: State, prints: _Prints, *, order: Sequence[int]) -> Match:
    fresh: list[tuple[int, int]] = []
    position, total = 0, len(order)
    while position < total and position < len(handed):
        ordinal = order[position]
        if handed[position] is not state.expected[position] and handed[position] != state.expected[position]:
            if prints.new(position) != prints.old(state, ordinal):
                break
            fresh.append((position, ordinal))
        position += 1
    if position == total:
        return Match("extension", total, fresh=tuple(fresh))
    if position == len(handed):
        return Match("fork", position, at=order[position], fresh=tuple(fresh))
    ordinal = order[position]
    rewritten = _rewritten_in_place(handed, state, prints, order, position)
    if rewritten is not None:
        return Match("rewritten", total, at=ordinal, fresh=(*fresh, *rewritten))
    dropped = _dropped(handed, state, prints, order, position)
    if dropped is not None:
        return dropped
    return Match("fork" if position else "new", position, at=ordinal, fresh=tuple(fresh))


def _rewritten_in_place(
    handed: list[Raw], state: State, prints: _Prints, order: Sequence[int], at: int
) -> tuple[tuple[int, int], ...] | None:
    """Some messages have new words but the same speaker and calls, and a known message follows: the host rewrote them."""
    fresh: list[tuple[int, int]] = []
    aligned = False
    for position in range(at, len(order)):
        if position >= len(handed):
            return None
        if prints.new(position) == prints.old(state, order[position]):
            aligned = True
            fresh.append((position, order[position]))
        elif _alike(prints.decode(handed[position]), state.history.messages[order[position]]):
            aligned = False
            fresh.append((position, order[position]))
        else:
            return None
    return tuple(fresh) if aligned else None


def _alike(new: Message, old: Message) -> bool:
    if new.role != old.role or len(new.parts) != len(old.parts):
        return False
    return all(
        type(a) is type(b)
        and getattr(a, "id", None) == getattr(b, "id", None)
        and getattr(a, "call_id", None) == getattr(b, "call_id", None)
        for a, b in zip(new.parts, old.parts, strict=True)
    )


def _dropped(handed: list[Raw], state: State, prints: _Prints, order: Sequence[int], at: int) -> Match | None:
    """What follows is known again further on: the host left out what lies between."""
    for number in range(at + 1, len(order)):
        if prints.old(state, order[number]) != prints.new(at):
            continue
        rest = len(order) - number
        if len(handed) - at < rest:
            continue
        if all(prints.new(at + step) == prints.old(state, order[number + step]) for step in range(rest)):
            fresh = tuple((at + step, order[number + step]) for step in range(rest))
            return Match("dropped", at + rest, at=order[number], fresh=fresh)
    return None


def own_end(state: State) -> int:
    """How many messages at the end of what was handed over last are the log's, one for one."""
    known = state.own.expected
    count, most = 0, min(len(known), state.length - state.crossed)
    while count < most and known[-1 - count] == state.raws[state.length - 1 - count]:
        count += 1
    return count


def handed_over(handed: list[Raw], state: State, found: Match) -> Sent:
    """What a caller who keeps our messages hands over now, and what stands where in it."""
    base, taken, new = state.own if found.own else state.sent, found.taken, len(handed) - found.taken
    segments = _before(base.segments, taken)
    position, ordinal, count = segments[-1] if segments else (0, 0, 0)
    if segments and (position + count, ordinal + count) == (taken, state.length):
        segments[-1] = (position, ordinal, count + new)
    elif new:
        segments.append((taken, state.length, new))
    expected = guarded(handed, state.own.expected)
    return Sent(expected, tuple(segments), 0, base.changed, tuple(_before(base.built, taken)))


def _before(runs: Sequence[tuple[int, int, int]], stop: int) -> list[tuple[int, int, int]]:
    return [(position, ordinal, min(count, stop - position)) for position, ordinal, count in runs if position < stop]


def _kept_change(handed: list[Raw], sent: Sent, prints: _Prints, *, length: int) -> Match:
    """The caller keeps what we returned (or goes on with a list that began so), but changed it behind a common beginning."""
    ordinals = _ordinals(sent, len(sent.expected))
    fresh: list[tuple[int, int]] = []
    position = 0
    while position < len(ordinals) and position < len(handed):
        if handed[position] is not sent.expected[position] and handed[position] != sent.expected[position]:
            ordinal = ordinals[position]
            if prints.new(position) != fingerprint(prints.decode(sent.expected[position])):
                break
            if ordinal is not None:
                fresh.append((position, ordinal))
        position += 1
    if position >= len(ordinals) - sent.nudges:
        return Match("extension", position, kept_mode=True, fresh=tuple(fresh))
    places = _places(sent, len(ordinals))
    taken, at = next((place for place in places[position:] if place is not None), (position, length))
    if places[position] is None:
        taken = position  # what differs first is ours, such as the checkpoint
    return Match("fork", taken, at=at, kept_mode=True, fresh=tuple(pair for pair in fresh if pair[1] < at))


def _places(sent: Sent, length: int) -> list[tuple[int, int] | None]:
    """For each position that is no message of ours: where its message, or the unit it was built from, begins, and the ordinal there."""
    out: list[tuple[int, int] | None] = [None] * length
    for position, ordinal, count in sent.segments:
        out[position : position + count] = [(position + step, ordinal + step) for step in range(count)]
    for position, ordinal, count in sent.built:
        out[position : position + count] = [(position, ordinal)] * count
    return out[:length]


def _ordinals(sent: Sent, length: int) -> list[int | None]:
    out: list[int | None] = [None] * length
    for position, ordinal, count in sent.segments:
        for step in range(count):
            if position + step < length and ordinal + step not in sent.changed:
                out[position + step] = ordinal + step
    return out
