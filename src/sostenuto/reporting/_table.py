"""Every different message of a run once, and which of them each request held, as ranges behind what it shares with the one before."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from sostenuto.messages import Message, key_of, parse_key
from sostenuto.replaying import MENDED, Row, dumped, items
from sostenuto.reporting._bodies import BANDS, pieces, role, shares, words
from sostenuto.reporting._folding import Piece
from sostenuto.reporting._original import Originals
from sostenuto.reporting._story import Story

LEVELS = ("whole", "clipped", "cleared", "mended", "thinking left out", "changed", "written by Sostenuto", "whole, with a nudge")
WHOLE, CLIPPED, CLEARED, MENDED_LEVEL, UNTHOUGHT, CHANGED, OURS, NUDGED = range(len(LEVELS))
BY_RUNG = {
    "clear": CLEARED,
    "strip": UNTHOUGHT,
    "flatten": UNTHOUGHT,
    "admit": CLIPPED,
    "clip": CLIPPED,
    "trim": CLIPPED,
    "compact": CLIPPED,
    "recover": CLIPPED,
    MENDED: MENDED_LEVEL,
    "repair": MENDED_LEVEL,
}
"""Rung -> how a piece reads that it named and that is still there."""
STRONGEST = (CLEARED, UNTHOUGHT, CLIPPED, MENDED_LEVEL)
"""What a message is called whose pieces read differently for several reasons."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One message as some request held it. `ordinal` is -1 where it stands for no message of the history; `body` its text's number."""

    role: str
    ordinal: int
    tokens: int
    level: int
    body: int
    shares: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """What a request held: the first `shared` of the one before, then `entries`. `known` messages had arrived in its history.

    `bands` are its tokens by band, `lost` the tokens of the originals of every key its events name.
    """

    shared: int
    entries: tuple[int, ...]
    known: int
    bands: tuple[int, ...]
    lost: tuple[tuple[int | None, ...], ...]


@dataclass(slots=True)
class Table:
    """The messages of a run. `epochs` are (first request, entries of the history) for each history that did not continue the one before."""

    entries: list[Entry] = field(default_factory=list)
    bodies: list[list[Piece]] = field(default_factory=list)
    listings: list[Listing] = field(default_factory=list)
    epochs: list[tuple[int, list[int]]] = field(default_factory=list)


def table(story: Story) -> Table:
    """The table of a story; linear in the requests and their messages."""
    made = Table()
    walk = _Walk(story, made)
    for row, handed in zip(story.rows, story.histories, strict=True):
        made.listings.append(walk.listing(row, handed))
    return made


@dataclass(slots=True)
class _Walk:
    """Where the walk over the requests stands."""

    story: Story
    made: Table
    originals: Originals = field(default_factory=Originals)
    history: list[int] = field(default_factory=list)
    decoded: list[Message] = field(default_factory=list)
    sums: list[int] = field(default_factory=lambda: [0])
    rungs: dict[str, int] = field(default_factory=dict)
    taken: int = 0
    previous: list[object] = field(default_factory=list)
    listed: list[int] = field(default_factory=list)
    running: list[tuple[int, ...]] = field(default_factory=list)
    _by_object: dict[int, tuple[object, int]] = field(default_factory=dict)
    _by_form: dict[tuple[bytes, int, str], int] = field(default_factory=dict)
    _bodies: dict[bytes, int] = field(default_factory=dict)

    def listing(self, row: Row, handed: Sequence[object]) -> Listing:
        """The listing of the next request."""
        self._arrive(row, handed)
        for event in row.events:
            self.rungs.update((key, level) for key in event.keys if (level := BY_RUNG.get(event.rung)) is not None)
        current = items(row.native)
        stable = len(current) - row.nudges
        shared = _shared(self.previous, current[:stable], upto=len(self.listed))
        del self.listed[shared:], self.running[shared:]
        for index in range(shared, len(current)):
            self._list(current[index], is_nudge=index >= stable)
        self.previous = current[:stable]
        entries = tuple(self.listed[shared:])
        bands = self._bands(row)
        del self.listed[stable:], self.running[stable:]  # a nudge lives in this request only
        return Listing(shared, entries, len(self.history), bands, tuple(tuple(map(self._tokens, event.keys)) for event in row.events))

    def _arrive(self, row: Row, handed: Sequence[object]) -> None:
        """Take in what the history brought; one that does not continue the one before starts again."""
        if row.arrived.restart or not self.made.epochs:
            self.history, self.decoded, self.sums, self.rungs = [], [], [0], {}
            self.originals, self._by_object, self.taken = Originals(), {}, 0
            self.previous, self.listed, self.running = [], [], []
            self.made.epochs.append((len(self.made.listings), self.history))
        lead = self.story.codec.split_system(handed)
        for raw in handed[max(lead, self.taken) :]:
            message = self.story.codec.decode(raw)
            entry = self._entry(raw, message, ordinal=len(self.history), level=WHOLE)
            self._by_object.setdefault(id(raw), (raw, entry))
            self.originals.add(message)
            self.history.append(entry)
            self.decoded.append(message)
            self.sums.append(self.sums[-1] + self.made.entries[entry].tokens)
        self.taken = len(handed)

    def _list(self, raw: object, *, is_nudge: bool) -> None:
        known = self._by_object.get(id(raw))
        if known is not None and not is_nudge:
            entry = known[1]
        else:
            entry = self._new(raw, is_nudge=is_nudge)
            self._by_object[id(raw)] = (raw, entry)  # holding the object keeps its id from being used again
        self.listed.append(entry)
        before = self.running[-1] if self.running else (0,) * len(BANDS)
        self.running.append(tuple(map(sum, zip(before, self.made.entries[entry].shares, strict=True))))

    def _new(self, raw: object, *, is_nudge: bool) -> int:
        """The entry of a message that is no object of the history: ours, a changed one, or an equal copy."""
        message = self.story.codec.decode(raw)
        if is_nudge:
            return self._entry(raw, message, ordinal=-1, level=OURS, who="nudge")
        if words(message) in self.story.written:
            return self._entry(raw, message, ordinal=-1, level=OURS, who="checkpoint")
        if message.role == "system":
            return self._entry(raw, message, ordinal=-1, level=WHOLE)
        after = next((o for entry in reversed(self.listed) if (o := self.made.entries[entry].ordinal) >= 0), -1)
        ordinal = self.originals.ordinal(message, after=after)
        if ordinal is None:
            # an answer to a call that has none was made up, so that the request is valid (D20)
            return self._entry(raw, message, ordinal=-1, level=OURS if role(message) == "results" else CHANGED)
        if message == self.decoded[ordinal]:
            return self.history[ordinal]
        original = self.decoded[ordinal].parts
        if original and message.parts[: len(original)] == original:
            return self._entry(raw, message, ordinal=ordinal, level=NUDGED)
        keys = (key_of(ordinal, index) for index in range(len(original)))
        levels = {self.rungs[key] for key in keys if key in self.rungs}
        return self._entry(raw, message, ordinal=ordinal, level=next((level for level in STRONGEST if level in levels), CHANGED))

    def _entry(self, raw: object, message: Message, *, ordinal: int, level: int, who: str = "") -> int:
        """The number of the entry, made where there is none yet."""
        print_ = hashlib.blake2b(dumped(raw).encode("utf-8", "surrogatepass"), digest_size=16).digest()
        form = (print_, ordinal, who)
        if form not in self._by_form:
            tokens = self.story.by.tokens(self.story.by.measure(message))
            if print_ not in self._bodies:
                self._bodies[print_] = len(self.made.bodies)
                self.made.bodies.append(pieces(message))
            parts = (0,) * (len(BANDS) - 1) + (tokens,) if who else shares(message, by=self.story.by, tokens=tokens)
            self._by_form[form] = len(self.made.entries)
            self.made.entries.append(Entry(who or role(message), ordinal, tokens, level, self._bodies[print_], parts))
        return self._by_form[form]

    def _bands(self, row: Row) -> tuple[int, ...]:
        """Tools and whatever else a request holds first, then the bands of its messages; together the tokens of the request."""
        found = self.running[-1] if self.running else (0,) * len(BANDS)
        total = sum(found)
        if total <= row.tokens or not total:
            return (max(0, row.tokens - total), *found)
        edges = [row.tokens * edge // total for edge in accumulate(found, initial=0)]  # another count than the engine's: in proportion
        return (0, *(high - low for low, high in pairwise(edges)))

    def _tokens(self, key: str) -> int | None:
        """Tokens of the original under a key; None where the key belongs to no message of this history."""
        found = parse_key(key)
        if found is None or found[0] >= len(self.history):
            return None
        first, index, last = found
        if index is not None:
            parts = self.decoded[first].parts
            return self.story.by.tokens(self.story.by.part(parts[index])) if index < len(parts) else None
        return self.sums[min(last if last is not None else first, len(self.history) - 1) + 1] - self.sums[first]


def _shared(previous: Sequence[object], current: Sequence[object], *, upto: int) -> int:
    """How many messages at the beginning are the same objects; a system text that stands apart is wrapped anew each time."""
    number = 0
    for one, other in zip(previous, current[:upto], strict=False):
        if one is not other and (number or one != other):
            break
        number += 1
    return number


def ranges(numbers: Iterable[int]) -> list[int]:
    """Numbers as (first, count) pairs in one flat list: 4, 5, 6, 9 are [4, 3, 9, 1]."""
    found: list[int] = []
    for number in numbers:
        if found and number == found[-2] + found[-1]:
            found[-1] += 1
        else:
            found += (number, 1)
    return found
