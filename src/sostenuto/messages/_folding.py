"""Messages fold into units, one by one; every boundary between units is a legal cut (algorithms 3)."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from sostenuto.messages._message import Message
from sostenuto.messages._parts import Call, Part, Placed, Result, Text, Thinking
from sostenuto.messages._unit import Slot, Unit, UnitKind


@dataclass(frozen=True, slots=True)
class Repair:
    """One thing found broken in a history as it was handed over, and what the smallest mending is (D20).

    `what`: ``unanswered`` | ``orphan`` | ``duplicate id`` | ``illegal id`` | ``arguments`` | ``empty`` | ``blank`` | ``displaced``.
    """

    what: str
    ordinal: int
    index: int | None = None


@dataclass(slots=True)
class Folding:
    """The units of a growing history. The only writer is `add`; `units[settled:]` may still change.

    `unique_ids`, `legal_id` and `strict` say what the wire demands: ids that never repeat, their form, and neither blank text nor
    arguments that are no object (D57).
    `mended` holds the parts that must read differently to be legal (None: left out); `displaced` the indexes of cycles whose
    results do not directly follow their calls, so that the messages have to be built again in logical order.
    """

    units: list[Unit] = field(default_factory=list)
    settled: int = 0
    open_cycle: int | None = None
    waiting: dict[str, deque[int]] = field(default_factory=dict)
    seen_ids: dict[str, int] = field(default_factory=dict)
    mended: dict[tuple[int, int], Part | None] = field(default_factory=dict)
    displaced: set[int] = field(default_factory=set)
    empty: set[int] = field(default_factory=set)
    repairs: list[Repair] = field(default_factory=list)
    unique_ids: bool = False
    legal_id: Callable[[str], str] | None = None
    strict: bool = False

    def add(self, ordinal: int, message: Message) -> None:
        """Take in one more message."""
        blank = self._blank(message)
        thoughts = sum(isinstance(part, Thinking) for part in message.parts)
        if len(blank) + thoughts == len(message.parts):  # reasoning alone says nothing, and is refused as an empty message
            self.empty.add(ordinal)
            self.repairs.append(Repair("empty", ordinal))
        elif message.role == "assistant":
            self._close()
            self._open(ordinal, message)
        else:
            self._answer(ordinal, message)
        for index in blank if ordinal not in self.empty else ():
            self.mended[ordinal, index] = None
            self.repairs.append(Repair("blank", ordinal, index))
        # everything before an open cycle is settled, whatever runs of cycles there are
        self.settled = len(self.units) if self.open_cycle is None else self.open_cycle

    def _blank(self, message: Message) -> list[int]:
        if not self.strict:
            return []
        return [index for index, part in enumerate(message.parts) if isinstance(part, Text) and not part.text.strip()]

    def _open(self, ordinal: int, message: Message) -> None:
        placed = [Placed(ordinal, index, part) for index, part in enumerate(message.parts)]
        slots: list[Slot] = []
        self.waiting = {}
        for place in placed:
            if isinstance(place.part, Call):
                self.waiting.setdefault(place.part.id, deque()).append(len(slots))
                slots.append(Slot(self._legal_call(place)))
        kind: UnitKind = "cycle" if slots else "text"
        self.units.append(Unit(kind, ordinal, ordinal, tuple(placed), tuple(slots)))
        if slots:
            self.open_cycle = len(self.units) - 1

    def _legal_call(self, place: Placed) -> Placed:
        """Note what must read differently: an id used before, arguments that are not JSON. The slot keeps the original."""
        call = place.part
        assert isinstance(call, Call)
        mended = call
        legal = self.legal_id(call.id) if self.legal_id else call.id
        if legal != call.id:
            mended = replace(mended, id=legal)
            self.repairs.append(Repair("illegal id", place.ordinal, place.index))
        in_message = self.seen_ids.get(call.id) == place.ordinal
        if in_message or (self.unique_ids and call.id in self.seen_ids):
            mended = replace(mended, id=f"{legal}-{place.ordinal}-{place.index}")
            self.repairs.append(Repair("duplicate id", place.ordinal, place.index))
        self.seen_ids[call.id] = place.ordinal
        if not call.free and not _is_json(call.arguments, objects=self.strict):
            mended = replace(mended, arguments=json.dumps({"unparsed_arguments": call.arguments}, ensure_ascii=False))
            self.repairs.append(Repair("arguments", place.ordinal, place.index))
        if mended is not call:
            self.mended[place.ordinal, place.index] = mended
        return place

    def _answer(self, ordinal: int, message: Message) -> None:
        words: list[Placed] = []
        for index, part in enumerate(message.parts):
            if isinstance(part, Result):
                self._fill(Placed(ordinal, index, part))
            else:
                words.append(Placed(ordinal, index, part))
        if words:
            kind: UnitKind = "system" if message.role == "system" else "user"
            self.units.append(Unit(kind, ordinal, ordinal, tuple(words)))

    def _fill(self, place: Placed) -> None:
        result = place.part
        assert isinstance(result, Result)
        queue = self.waiting.get(result.call_id)
        if self.open_cycle is None or not queue:
            self.mended[place.ordinal, place.index] = None
            self.repairs.append(Repair("orphan", place.ordinal, place.index))
            return
        number = queue.popleft()
        unit = self.units[self.open_cycle]
        slots = list(unit.slots)
        slots[number] = slots[number]._replace(result=place)
        call = self.mended.get((slots[number].call.ordinal, slots[number].call.index))
        if isinstance(call, Call) and call.id != result.call_id:
            self.mended[place.ordinal, place.index] = replace(result, call_id=call.id)
        own = tuple(p for p in unit.parts if p.ordinal == unit.first)
        results = tuple(slot.result for slot in slots if slot.result)
        self.units[self.open_cycle] = replace(unit, last=max(unit.last, place.ordinal), parts=own + results, slots=tuple(slots))

    def _close(self) -> None:
        """The next assistant message settles the open cycle: what is unanswered now stays so for ever."""
        if self.open_cycle is None:
            return
        unit = self.units[self.open_cycle]
        for slot in unit.slots:
            if slot.result is None:
                self.repairs.append(Repair("unanswered", slot.call.ordinal, slot.call.index))
        if is_displaced(self.units, self.open_cycle):
            self.displaced.add(self.open_cycle)
            if all(slot.result for slot in unit.slots):
                self.repairs.append(Repair("displaced", unit.first))
        self.open_cycle = None


def is_displaced(units: Sequence[Unit], number: int) -> bool:
    """True if the cycle `number` cannot leave as it stands: a call without a result, or words before or between the results."""
    unit = units[number]
    if unit.kind != "cycle":
        return False
    if any(slot.result is None for slot in unit.slots):
        return True
    for later in units[number + 1 :]:
        if later.first >= unit.last:
            # words in the very message of the last result stand behind it, unless they come first there
            if later.first == unit.last:
                highest = max(slot.result.index for slot in unit.slots if slot.result and slot.result.ordinal == unit.last)
                return later.parts[0].index < highest
            return False
        return True
    return False


def _is_json(text: str, *, objects: bool) -> bool:
    """Whether arguments are JSON; with `objects`, whether they are an object, as some wires demand."""
    if not text:
        return True
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) or not objects
