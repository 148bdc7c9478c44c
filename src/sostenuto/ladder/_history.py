"""A conversation as the ladder sees it: messages, their units, and running sums of what they weigh."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from sostenuto.messages import Folding, Message, Part, Result, Slot, Unit, chained, fingerprint
from sostenuto.tokens import Measure, Ruler

UNANSWERED = "No result was recorded for this call: it was interrupted, or its answer was lost."
"""What a call without a result is answered with, so that the request stays valid (D20). Part of the unit for ever."""


FRAME = Measure(0, 4)
"""Every part is framed like a message of its own; the sum over a message is then never below origin 1.2 (`Ruler.measure`)."""


BATCH = 500
"""Messages that are weighed one after the other before they are folded."""


Weights = Mapping[int, Sequence[tuple[int, int]]]
"""What the parts of messages weigh, by the place of the message: weight and flat tokens of each."""
_NO_WEIGHTS: Weights = MappingProxyType({})


@dataclass(slots=True)
class History:
    """Append-only. Grown by `add` and `extend` alone; cut back only by building it again (a fork, or a `prepare` that failed).

    `weights[i]` and `flats[i]` are what the first `i` settled units weigh, in the ruler's units: a division into tokens happens
    once, at the end. `prints` are the fingerprints of messages that the host rewrote, as they first were: guards speak of the log
    as it was written, which no host changes (D32). `latest` remembers what a unit that
    may still change weighed, as long as it is that very unit; `lacking` what the answer to an unanswered call weighs. `starts`,
    `part_weights` and `part_flats` hold what every part weighs, part by part: no text is weighed twice.
    """

    ruler: Ruler
    folding: Folding
    messages: list[Message] = field(default_factory=list)
    pinned: set[int] = field(default_factory=set)
    weights: array[int] = field(default_factory=lambda: array("q", (0,)))
    flats: array[int] = field(default_factory=lambda: array("q", (0,)))
    starts: array[int] = field(default_factory=lambda: array("q"))
    part_weights: array[int] = field(default_factory=lambda: array("q"))
    part_flats: array[int] = field(default_factory=lambda: array("q"))
    latest: tuple[Unit, tuple[int, int]] | None = None
    lacking: Measure | None = None
    prints: dict[int, bytes] = field(default_factory=dict)
    guards: list[bytes] = field(default_factory=lambda: [b""])
    users: list[int] = field(default_factory=list)
    cycles: list[int] = field(default_factory=list)
    standing: list[int] = field(default_factory=list)
    read_weight: int = 0
    read_flat: int = 0

    @property
    def read(self) -> Measure:
        """What every turn of the assistant had before it, summed."""
        return Measure(self.read_weight, self.read_flat)

    @property
    def units(self) -> Sequence[Unit]:
        """All units, the still open ones included."""
        return self.folding.units

    def add(self, message: Message, *, pinned: bool = False, weights: Sequence[tuple[int, int]] | None = None) -> None:
        """Take in one more message; cost is proportional to it.

        `weights` is what each of its parts weighs by this weigher (`weighed`), where that is known; what has to be mended is weighed again.

        Raises:
            ValueError: there are not as many weights as parts.
        """
        if weights is not None and len(weights) != len(message.parts):
            raise ValueError(f"{len(weights)} weights are not those of {len(message.parts)} parts: give each its weight, or none at all")
        folding, units = self.folding, self.folding.units
        ordinal, known = len(self.messages), len(units)
        self.messages.append(message)
        folding.add(ordinal, message)
        self.starts.append(len(self.part_weights))
        self._weigh(ordinal, message, weights)
        if pinned:
            self.pinned.add(ordinal)
        is_task = message.kind == "task"
        running = folding.running  # one more item of the assistant's turn changes a unit that is known
        for number in range(known if running is None else min(running, known), len(units)):
            self._list(number, units[number], stands=pinned or is_task, is_plain=number >= known and not pinned)
        while len(self.weights) <= folding.settled:
            weight, flat = self._figures(len(self.weights) - 1)
            self.weights.append(self.weights[-1] + weight)
            self.flats.append(self.flats[-1] + flat)
        for number in range(known, len(units)):
            if units[number].kind in ("cycle", "text"):
                weight, flat = self._figures_of(0, number)
                self.read_weight, self.read_flat = self.read_weight + weight, self.read_flat + flat

    def extend(self, messages: Sequence[Message], *, pinned: Collection[int] = (), weights: Weights = _NO_WEIGHTS) -> None:
        """Take in many messages, of which those at the places `pinned` of this list are pinned, and weigh as much as `weights` says.

        They are weighed some hundreds at a time and then folded: each of the two goes faster while the other does not interrupt it.
        """
        for first in range(0, len(messages), BATCH):
            batch = messages[first : first + BATCH]
            weighed = [weights.get(first + place) or [self._framed(part) for part in message.parts] for place, message in enumerate(batch)]
            for place, message in enumerate(batch):
                self.add(message, pinned=first + place in pinned, weights=weighed[place])

    def _weigh(self, ordinal: int, message: Message, given: Sequence[tuple[int, int]] | None) -> None:
        """Note what the parts of the newest message weigh, in their mended form where they have one."""
        mended = self.folding.mended
        for index, part in enumerate(message.parts):
            if mended and (ordinal, index) in mended:
                weight, flat = self._framed(mended[ordinal, index])
            else:
                weight, flat = given[index] if given is not None else self._framed(part)
            self.part_weights.append(weight)
            self.part_flats.append(flat)

    def _framed(self, part: Part | None) -> tuple[int, int]:
        """What `piece` says, as plain numbers."""
        if part is None:
            return 0, 0
        weight, flat = self.ruler.figures(part)
        return weight, flat + FRAME.flat

    def _list(self, number: int, unit: Unit, *, stands: bool, is_plain: bool) -> None:
        """Enter a unit where it belongs; one that is known already may have become a cycle, or stand from now on."""
        if unit.kind == "cycle":
            if number not in self.cycles[-1:]:
                self.cycles.append(number)
        elif unit.kind == "user" and is_plain:  # a pin stands anyway; the task is the first of the others
            self.users.append(number)
        if (stands or unit.kind == "system") and number not in self.standing[-1:]:
            self.standing.append(number)

    def weighed(self, ordinal: int) -> list[tuple[int, int]]:
        """What each part of a message weighs: weight and flat tokens, for `add`."""
        first = self.starts[ordinal]
        last = first + len(self.messages[ordinal].parts)
        return list(zip(self.part_weights[first:last], self.part_flats[first:last], strict=True))

    def unit(self, number: int) -> Measure:
        """What unit `number` weighs before any edit, with the answers made up for unanswered calls."""
        return Measure(*self._figures(number))

    def _figures(self, number: int) -> tuple[int, int]:
        """The same as plain numbers."""
        if number + 1 < len(self.weights):
            return self.weights[number + 1] - self.weights[number], self.flats[number + 1] - self.flats[number]
        unit = self.units[number]
        if self.latest is not None and self.latest[0] is unit:
            return self.latest[1]
        weight = flat = 0
        for place in unit.parts:
            at = self.starts[place.ordinal] + place.index
            weight, flat = weight + self.part_weights[at], flat + self.part_flats[at]
        for slot in unit.slots:
            if slot.result is None:
                measure = self._unanswered()
                weight, flat = weight + measure.weight, flat + measure.flat
        self.latest = (unit, (weight, flat))
        return self.latest[1]

    def _unanswered(self) -> Measure:
        """What the answer made up for a call weighs: the same for every call."""
        if self.lacking is None:
            self.lacking = self.piece(Result("", UNANSWERED))
        return self.lacking

    def part(self, ordinal: int, index: int) -> Measure:
        """What one part weighs, in its mended form if it had to be mended."""
        if not 0 <= index < len(self.messages[ordinal].parts):
            raise IndexError(f"message {ordinal} has no part {index}")
        at = self.starts[ordinal] + index
        return Measure(self.part_weights[at], self.part_flats[at])

    def piece(self, part: Part | None) -> Measure:
        """What a part weighs; nothing weighs nothing."""
        return Measure(*self._framed(part))

    def span(self, first: int, last: int) -> Measure:
        """What the units `first` to `last` (not included) weigh before any edit."""
        return Measure(*self._figures_of(first, last))

    def _figures_of(self, first: int, last: int) -> tuple[int, int]:
        """The same as plain numbers."""
        settled, weight, flat = min(last, len(self.weights) - 1), 0, 0
        if settled > first:
            weight, flat = self.weights[settled] - self.weights[first], self.flats[settled] - self.flats[first]
        for number in range(max(first, settled), last):
            more, further = self._figures(number)
            weight, flat = weight + more, flat + further
        return weight, flat

    def owner(self, place: tuple[int, int]) -> int:
        """Index of the unit that owns a part; -1 for a part of none. A late result stands behind words that are units of their own."""
        number = bisect_right(self.units, place[0], key=lambda unit: unit.first) - 1
        while number >= 0:
            unit = self.units[number]
            if any((own.ordinal, own.index) == place for own in unit.parts):
                return number
            if unit.kind in ("cycle", "text"):
                break
            number -= 1
        return -1

    def before(self, number: int) -> int:
        """The highest ordinal that a unit before `number` owns parts of; -1 where there is none."""
        highest = -1
        while number > 0:
            number -= 1
            highest = max(highest, self.units[number].last)
            if self.units[number].kind in ("cycle", "text"):
                break
        return highest

    def guard(self, reach: int) -> bytes:
        """The chain of fingerprints of the messages up to `reach`, included (D32). Extended only as far as it is asked for."""
        while len(self.guards) <= reach + 1:
            self.guards.append(chained(self.guards[-1], self.first_print(len(self.guards) - 1)))
        return self.guards[reach + 1]

    def first_print(self, ordinal: int) -> bytes:
        """The fingerprint of a message as it first came."""
        return self.prints.get(ordinal) or fingerprint(self.messages[ordinal])

    def newest(self) -> int:
        """Index of the first unread unit: the newest cycle or reply and everything after it (D11)."""
        units = self.folding.units
        number = len(units)
        while number > 0:
            number -= 1
            if units[number].kind in ("cycle", "text"):
                return number
        return 0

    def mended_part(self, ordinal: int, index: int) -> Part | None:
        """A part as it leaves when no rung has touched it."""
        key = (ordinal, index)
        return self.folding.mended[key] if key in self.folding.mended else self.messages[ordinal].parts[index]


def unanswered(slot: Slot) -> Result:
    """The answer made up for a call that has none."""
    return Result(slot.call_part.id, UNANSWERED, succeeded=False)
