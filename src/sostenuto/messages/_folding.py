"""Messages fold into units, one by one; every boundary between units is a legal cut (algorithms 3)."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from sostenuto.messages._message import Message
from sostenuto.messages._parts import Call, Opaque, Part, Placed, Result, Text, Thinking
from sostenuto.messages._unit import Slot, Unit, UnitKind

NOTHING = Opaque("empty", "")
"""A part that holds nothing at all, which no provider takes."""
REFERENCE = "item_reference"
"""An item that only names one its server holds; what that is cannot be seen."""
_READ = json.JSONDecoder().raw_decode


@dataclass(frozen=True, slots=True)
class Repair:
    """One thing found broken in a history as it was handed over, and what the smallest mending is (D20).

    `what`: ``unanswered`` | ``orphan`` | ``duplicate id`` | ``illegal id`` | ``arguments`` | ``empty`` | ``blank`` | ``displaced``
    | ``foreign reasoning``.
    """

    what: str
    ordinal: int
    index: int | None = None


@dataclass(slots=True)
class Folding:
    """The units of a growing history. The only writer is `add`; `units[settled:]` may still change.

    `unique_ids`, `legal_id` and `strict` say what the wire demands: ids that never repeat, their form, and neither empty parts (nor
    blank texts, unless `blank_texts`) nor arguments that are no object (D57). `itemised`: one turn of the assistant is several messages
    in a row (items), together one unit. `by_name`: calls may lack an id; then results find them by name and order. `one_answer`: the
    results of one turn must stand in one message. Messages before the ordinal `foreign` come from another model: their reasoning is
    sealed for it, and is left out (D29). `crossings` are the ordinals before which messages came in another wire, in order, each with
    what `itemised` says of that wire. `server_held` are results whose calls only a server has. `mended` holds the parts that must read
    differently to be legal (None: left out); `displaced` the indexes of cycles whose results do not directly follow their calls, so
    that the messages have to be built again in logical order.
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
    blank_texts: bool = False
    itemised: bool = False
    by_name: bool = False
    one_answer: bool = False
    foreign: int = 0
    crossings: tuple[tuple[int, bool], ...] = ()
    running: int | None = None
    server_held: list[int] = field(default_factory=list)

    def alike(self) -> Folding:
        """An empty folding for the same wire."""
        return Folding(
            unique_ids=self.unique_ids,
            legal_id=self.legal_id,
            strict=self.strict,
            blank_texts=self.blank_texts,
            itemised=self.itemised,
            by_name=self.by_name,
            one_answer=self.one_answer,
            foreign=self.foreign,
            crossings=self.crossings,
        )

    def add(self, ordinal: int, message: Message) -> None:
        """Take in one more message."""
        blank = self._blank(message) if self.strict else []
        thoughts = 0
        for part in message.parts:
            if isinstance(part, Thinking):
                thoughts += 1
        itemised = self.itemised
        if self.crossings:
            itemised = next((items for before, items in self.crossings if ordinal < before), itemised)
        if not itemised:
            self._end_run()
        # a reasoning item belongs to the item behind it
        is_item = itemised and message.role == "assistant" and thoughts == len(message.parts) > 0
        if len(blank) + thoughts == len(message.parts) and not is_item:  # reasoning alone says nothing, and is refused as empty
            self.empty.add(ordinal)
            self.repairs.append(Repair("empty", ordinal))
        elif message.role == "assistant" and self.running is not None:
            self._extend(self.running, ordinal, message)
        elif message.role == "assistant":
            self._close()
            self.waiting = {}
            self._extend(len(self.units), ordinal, message)
            self.running = len(self.units) - 1 if itemised else None
        else:
            self._end_run()
            self._answer(ordinal, message)
        if blank and ordinal not in self.empty:
            self._leave_out(ordinal, blank, what="blank")
        if ordinal < self.foreign and thoughts and ordinal not in self.empty:
            self._leave_out(ordinal, [n for n, part in enumerate(message.parts) if isinstance(part, Thinking)], what="foreign reasoning")
        # everything before an open cycle is settled, whatever runs of cycles there are
        number = self.open_cycle if self.open_cycle is not None else self.running
        self.settled = number if number is not None else len(self.units)

    def _leave_out(self, ordinal: int, indexes: Sequence[int], *, what: str) -> None:
        for index in indexes:
            self.mended[ordinal, index] = None
            self.repairs.append(Repair(what, ordinal, index))

    def _blank(self, message: Message) -> list[int]:
        return [index for index, part in enumerate(message.parts) if _is_blank(part, texts=not self.blank_texts)]

    def _extend(self, number: int, ordinal: int, message: Message) -> None:
        """The assistant's turn `number`, which may begin here, has these parts too."""
        placed = [Placed(ordinal, index, part) for index, part in enumerate(message.parts)]
        known = self.units[number] if number < len(self.units) else None
        first = known.first if known is not None else ordinal
        slots = list(known.slots) if known is not None else []
        for place in placed:
            if isinstance(place.part, Call):
                self.waiting.setdefault(self._handle(place.part), deque()).append(len(slots))
                slots.append(Slot(self._legal_call(place, since=first)))
        kind: UnitKind = "cycle" if slots else "text"
        if known is None:
            self.units.append(Unit(kind, first, ordinal, tuple(placed), tuple(slots)))
        else:
            self.units[number] = Unit(kind, first, ordinal, (*known.parts, *placed), tuple(slots))
        if slots:
            self.open_cycle = number

    def _handle(self, call: Call) -> str:
        return call.id or (call.name if self.by_name else "")

    def _end_run(self) -> None:
        """No more items belong to the assistant's turn: reasoning that nothing followed is refused, and left out (D57)."""
        if self.running is None:
            return
        for place in trailing_thoughts(self.units[self.running]):
            self.mended[place.ordinal, place.index] = None
            self.repairs.append(Repair("empty", place.ordinal, place.index))
        self.running = None

    def _legal_call(self, place: Placed, *, since: int) -> Placed:
        """Note what must read differently: an id used before, arguments that are not JSON. The slot keeps the original.

        `since` is the ordinal at which the assistant's turn began: in one turn no wire takes an id twice.
        """
        call = place.part
        assert isinstance(call, Call)
        mended = call
        needs_none = self.by_name and not call.id
        legal = call.id if needs_none or self.legal_id is None else self.legal_id(call.id)
        if legal != call.id:
            mended = replace(mended, id=legal)
            self.repairs.append(Repair("illegal id", place.ordinal, place.index))
        in_turn = self.seen_ids.get(call.id, -1) >= since
        if legal and (in_turn or (self.unique_ids and call.id in self.seen_ids)):
            told_apart = f"{legal}-{place.ordinal}-{place.index}"
            mended = replace(mended, id=self.legal_id(told_apart) if self.legal_id else told_apart)
            self.repairs.append(Repair("duplicate id", place.ordinal, place.index))
        self.seen_ids[call.id] = place.ordinal
        if call.free and self.crossings and place.ordinal < self.crossings[-1][0]:
            mended = replace(mended, arguments=json.dumps({"input": call.arguments}, ensure_ascii=False), free=False)
        elif not call.free and not _is_json(call.arguments, objects=self.strict):
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
        queue = self.waiting.get(result.call_id) or (self.waiting.get(result.name) if self.by_name else None)
        if self.itemised and place.ordinal >= self.foreign and self._is_held_by_server(result):
            self.units.append(Unit("system", place.ordinal, place.ordinal, (place,)))
            self.server_held.append(place.ordinal)
            return
        if self.open_cycle is None or not queue:
            self.mended[place.ordinal, place.index] = None
            self.repairs.append(Repair("orphan", place.ordinal, place.index))
            return
        number = queue.popleft()
        unit = self.units[self.open_cycle]
        slots = list(unit.slots)
        asked = slots[number].call
        slots[number] = Slot(asked, place)
        call = self.mended.get((asked.ordinal, asked.index)) if self.mended else None
        if isinstance(call, Call) and call.id != result.call_id:
            self.mended[place.ordinal, place.index] = replace(result, call_id=call.id)
        results = [slot.result for slot in slots if slot.result is not None]
        own = unit.parts[: len(unit.parts) - (len(results) - 1)]
        self.units[self.open_cycle] = Unit(unit.kind, unit.first, max(unit.last, place.ordinal), (*own, *results), tuple(slots))

    def _is_held_by_server(self, result: Result) -> bool:
        """Whether the call was never handed over: an output in front of every turn of the assistant, or behind a mere reference."""
        if not result.call_id or result.call_id in self.seen_ids:
            return False
        newest = next((unit for unit in reversed(self.units) if unit.kind in ("cycle", "text")), None)
        return newest is None or any(isinstance(place.part, Opaque) and place.part.kind == REFERENCE for place in newest.parts)

    def _close(self) -> None:
        """The next assistant message settles the open cycle: what is unanswered now stays so for ever."""
        if self.open_cycle is None:
            return
        unit = self.units[self.open_cycle]
        for slot in unit.slots:
            if slot.result is None:
                self.repairs.append(Repair("unanswered", slot.call.ordinal, slot.call.index))
        if is_displaced(self.units, self.open_cycle, one_answer=self.one_answer):
            self.displaced.add(self.open_cycle)
            if all(slot.result for slot in unit.slots):
                self.repairs.append(Repair("displaced", unit.first))
        self.open_cycle = None


def trailing_thoughts(unit: Unit) -> list[Placed]:
    """Reasoning at the end of an assistant's turn, with no item behind it."""
    last = next((at for at, place in enumerate(reversed(unit.parts)) if not isinstance(place.part, Thinking)), len(unit.parts))
    return list(unit.parts[len(unit.parts) - last :])


def is_displaced(units: Sequence[Unit], number: int, *, one_answer: bool = False) -> bool:
    """True if the cycle `number` cannot leave as it stands: a call without a result, or words before or between the results.

    With `one_answer` also where the results stand in several messages.
    """
    unit = units[number]
    if unit.kind != "cycle":
        return False
    if any(slot.result is None for slot in unit.slots):
        return True
    if one_answer and len({slot.result.ordinal for slot in unit.slots if slot.result}) > 1:
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


def _is_blank(part: Part, *, texts: bool) -> bool:
    """Whether a part holds nothing; with `texts` also whether it is a text without a letter."""
    if isinstance(part, Text):
        return texts and (not part.text or part.text.isspace())
    return isinstance(part, Opaque) and part == NOTHING


def _is_json(text: str, *, objects: bool) -> bool:
    """Whether arguments are JSON; with `objects`, whether they are an object, as some wires demand."""
    if not text:
        return True
    try:
        found, end = _READ(text) if text[0] == "{" else (None, -1)  # most are an object and nothing else
        if end != len(text):
            found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) or not objects
