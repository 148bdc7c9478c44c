"""A conversation as the ladder sees it: messages, their units, and running sums of what they weigh."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from sostenuto.messages import Folding, Message, Part, Result, Slot, Unit, chained, fingerprint
from sostenuto.tokens import Measure, Ruler

UNANSWERED = "No result was recorded for this call: it was interrupted, or its answer was lost."
"""What a call without a result is answered with, so that the request stays valid (D20). Part of the unit for ever."""


FRAME = Measure(0, 4)
"""Every part is framed like a message of its own; the sum over a message is then never below origin 1.2 (`Ruler.measure`)."""


@dataclass(slots=True)
class History:
    """Append-only. Grown by `add` alone; cut back only by building it again (a fork, or a `prepare` that failed).

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
    latest: tuple[Unit, Measure] | None = None
    lacking: Measure | None = None
    prints: dict[int, bytes] = field(default_factory=dict)
    guards: list[bytes] = field(default_factory=lambda: [b""])
    users: list[int] = field(default_factory=list)
    cycles: list[int] = field(default_factory=list)
    standing: list[int] = field(default_factory=list)
    read: Measure = field(default_factory=Measure)

    @property
    def units(self) -> Sequence[Unit]:
        """All units, the still open ones included."""
        return self.folding.units

    def add(self, message: Message, *, pinned: bool = False) -> None:
        """Take in one more message; cost is proportional to it."""
        units = self.folding.units
        ordinal, known = len(self.messages), len(units)
        self.messages.append(message)
        self.folding.add(ordinal, message)
        self.starts.append(len(self.part_weights))
        for index in range(len(message.parts)):
            measure = self.piece(self.mended_part(ordinal, index))
            self.part_weights.append(measure.weight)
            self.part_flats.append(measure.flat)
        if pinned:
            self.pinned.add(ordinal)
        running = self.folding.running  # one more item of the assistant's turn changes a unit that is known
        for number in range(known if running is None else min(running, known), len(units)):
            self._list(number, pinned=pinned, is_task=message.kind == "task", is_new=number >= known)
        while len(self.weights) <= self.folding.settled:
            measure = self.unit(len(self.weights) - 1)
            self.weights.append(self.weights[-1] + measure.weight)
            self.flats.append(self.flats[-1] + measure.flat)
        for number in range(known, len(units)):
            if units[number].kind in ("cycle", "text"):
                self.read += self.span(0, number)

    def _list(self, number: int, *, pinned: bool, is_task: bool, is_new: bool) -> None:
        """Enter a unit where it belongs; one that is known already may have become a cycle, or stand from now on."""
        unit = self.units[number]
        if unit.kind == "user" and is_new and not pinned:  # a pin stands anyway; the task is the first of the others
            self.users.append(number)
        elif unit.kind == "cycle" and number not in self.cycles[-1:]:
            self.cycles.append(number)
        if (pinned or is_task or unit.kind == "system") and number not in self.standing[-1:]:
            self.standing.append(number)

    def unit(self, number: int) -> Measure:
        """What unit `number` weighs before any edit, with the answers made up for unanswered calls."""
        if number + 1 < len(self.weights):
            return Measure(self.weights[number + 1] - self.weights[number], self.flats[number + 1] - self.flats[number])
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
        self.latest = (unit, Measure(weight, flat))
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
        return Measure(0, 0) if part is None else self.ruler.part(part) + FRAME

    def span(self, first: int, last: int) -> Measure:
        """What the units `first` to `last` (not included) weigh before any edit."""
        settled, weight, flat = min(last, len(self.weights) - 1), 0, 0
        if settled > first:
            weight, flat = self.weights[settled] - self.weights[first], self.flats[settled] - self.flats[first]
        for number in range(max(first, settled), last):
            measure = self.unit(number)
            weight, flat = weight + measure.weight, flat + measure.flat
        return Measure(weight, flat)

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
