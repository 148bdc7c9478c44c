"""From the view to native messages: untouched messages leave as the very objects they came in as (DESIGN 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice

from sostenuto.engine._items import Unled, unled
from sostenuto.ladder import History, View, checkpoint_messages, unanswered
from sostenuto.messages import Message, Part, Placed, Result, Role, Text, Unit, is_displaced, trailing_thoughts
from sostenuto.protocols import Codec, Raw

OPENING = "(The conversation goes on from here.)"
"""Stands where a wire demands a user's turn and the history has none: in front of a first answer, behind a last one (D25)."""
TURN = Message("user", (Text(OPENING),), kind="continuation")


@dataclass(slots=True)
class Made:
    """Changed messages as they leave, by ordinal; those in `gone` do not leave at all.

    Remembered between requests: complete from `start` on for these very `forms` and for the first `mended` parts of the folding.
    `units` are those that came in another wire, as they leave in this one.
    """

    forms: Mapping[tuple[int, int], Part | None]
    start: int
    mended: int = 0
    swapped: dict[int, Raw] = field(default_factory=dict)
    gone: set[int] = field(default_factory=set)
    unled: Unled | None = None
    units: dict[int, list[Raw]] = field(default_factory=dict)

    def knows(self, ordinal: int, message: Message, forms: Mapping[tuple[int, int], Part | None]) -> bool:
        """Whether a message was already changed, and to these very forms; items are always looked at again."""
        if self.unled is not None or (ordinal not in self.swapped and ordinal not in self.gone):
            return False
        places = [(ordinal, index) for index in range(len(message.parts))]
        return all(self.forms.get(place, place) is forms.get(place, place) for place in places)


@dataclass(slots=True)
class Emission:
    """A request's messages in the making, with what stands where (`segments`; `built` for units that were put together).

    `made` remembers changed messages between requests.

    `trailing` are items of reasoning at the very end: until their item follows, they do not leave. Messages before the ordinal
    `crossed` were handed over in another wire: they are written from their parts.
    """

    history: History
    view: View
    raws: list[Raw]
    codec: Codec
    out: list[Raw] = field(default_factory=list)
    segments: list[tuple[int, int, int]] = field(default_factory=list)
    built: list[tuple[int, int, int]] = field(default_factory=list)
    made: Made | None = None
    trailing: set[int] = field(default_factory=set)
    crossed: int = 0

    def head(self, known: tuple[Raw, ...]) -> tuple[Raw, ...]:
        """Units that stand, the checkpoint and the continuation. `known` are the last two as they were sent before."""
        cover = self.view.cover
        if cover is None:
            return ()
        for number in cover.standing:
            self._unit(number)
        known = known or tuple(self.codec.encode(message) for message in checkpoint_messages(cover))
        self.out += known
        return known

    def body(self, number: int) -> None:
        """All units from `number` on."""
        units, total = self.history.units, len(self.history.messages)
        if number >= len(units):
            return
        ordinal = units[number].first
        running = self.history.folding.running
        if running is not None and running >= number:
            self.trailing = {place.ordinal for place in trailing_thoughts(units[running])}
        self.made = self._remembered(ordinal)
        if self.history.before(number) >= ordinal:
            number, ordinal = self._shared(number)
        if ordinal < self.crossed:
            number, ordinal = self._from_other_wire(number, ordinal)
        whole = self.raws[ordinal:total]
        for changed, raw in self.made.swapped.items():
            if changed >= ordinal:
                whole[changed - ordinal] = raw
        at = base = ordinal
        for first, last, cycle in self._breaks(number, ordinal):
            if first < at:
                continue
            if cycle is not None:
                self._copied(whole, base, at, first)
                self.group(cycle)
            else:
                is_gone = first in self.made.gone or first in self.history.folding.empty or first in self.trailing
                self._copied(whole, base, at, first if is_gone else first + 1)
                self._inserted(first)
            at = last + 1
        self._copied(whole, base, at, total)

    def _from_other_wire(self, number: int, ordinal: int) -> tuple[int, int]:
        """Units of another wire, and those tangled with them; the number of the first that is neither, and its first ordinal.

        What was written for an earlier request leaves as the same objects again.
        """
        units, written, last = self.history.units, self.made.units if self.made else {}, self.crossed - 1
        inserted = sorted(after for after in self.view.inserted if after >= ordinal)
        while number < len(units) and units[number].first <= last:
            before, unit = len(self.out), units[number]
            last = max(last, unit.last)
            if number in written:
                self.out += written[number]
                self.built.append((before, unit.first, len(written[number])))
            else:
                self._unit(number)
                if unit.last < self.crossed and number < self.history.folding.settled:
                    written[number] = self.out[before:]
            number += 1
            while inserted and inserted[0] <= unit.last:
                self._inserted(inserted.pop(0))
        return number, last + 1

    def _copied(self, whole: list[Raw], base: int, first: int, stop: int) -> None:
        if stop > first:
            self.segments.append((len(self.out), first, stop - first))
            piece = whole if stop - first == len(whole) else whole[first - base : stop - base]
            self.out = self.out + piece if self.out else piece

    def _shared(self, number: int) -> tuple[int, int]:
        """Kept units tangled with covered ones, whose results stand in or behind their messages: only their own parts stay.

        Returns the first unit that is not, and the first ordinal that is still to be sent.
        """
        units, last = self.history.units, self.history.before(number)
        first = units[number].first
        while number < len(units) and units[number].first <= last:
            self._unit(number)
            number += 1
        for ordinal in range(first, last + 1):
            self._inserted(ordinal)
        return number, last + 1

    def _remembered(self, start: int) -> Made:
        """Every message from `start` on that leaves changed. What was changed for an earlier request is not made again."""
        mended, forms, old = self.history.folding.mended, self.view.forms, self.made
        touched: Iterable[int]
        if old is not None and old.forms is forms and old.start == start:
            made, touched = old, (place[0] for place in islice(mended, old.mended, None))
        else:
            made, touched = Made(forms, start), dict.fromkeys([place[0] for place in forms] + [place[0] for place in mended])
            made.unled = unled(self.history, start) if self.codec.itemised else None
        self.made = made
        if made.unled is not None:
            touched = [*touched, *made.unled.extend(self.history, self.view)]
        for ordinal in touched:
            if ordinal < max(start, self.crossed):
                continue
            if old is not None and old is not made and old.knows(ordinal, self.history.messages[ordinal], forms):
                raw = old.swapped.get(ordinal)
            else:
                raw = self._rewritten(ordinal, None)
            if raw is None:
                made.gone.add(ordinal)
            else:
                made.swapped[ordinal] = raw
        made.mended = len(mended)
        return made

    def _breaks(self, number: int, ordinal: int) -> list[tuple[int, int, int | None]]:
        """Where the messages from `ordinal` on are more or fewer than the log's: (first, last ordinal, cycle to build), in order."""
        folding, units, made = self.history.folding, self.history.units, self.made
        found: dict[int, tuple[int, int | None]] = {empty: (empty, None) for empty in folding.empty if empty >= ordinal}
        found.update((gone, (gone, None)) for gone in (made.gone if made else ()))
        found.update((thought, (thought, None)) for thought in self.trailing)
        found.update((after, (after, None)) for after in self.view.inserted if after >= ordinal)
        groups = {cycle for cycle in folding.displaced if cycle >= number}
        newest = folding.open_cycle
        if newest is not None and newest >= number and is_displaced(units, newest, one_answer=folding.one_answer):
            groups.add(newest)
        groups.update(flat for flat in self.view.flattened if flat >= number)
        found.update((units[cycle].first, (self._group_end(cycle), cycle)) for cycle in groups)
        return [(first, last, cycle) for first, (last, cycle) in sorted(found.items())]

    def _group_end(self, cycle: int) -> int:
        units, last = self.history.units, self.history.units[cycle].last
        for number in range(cycle + 1, len(units)):
            if units[number].first > last:
                break
            last = max(last, units[number].last)
        return last

    def _inserted(self, ordinal: int) -> None:
        if ordinal in self.view.inserted:
            self.out.append(self.codec.encode(self.view.inserted[ordinal]))

    def group(self, cycle: int) -> None:
        """A cycle that cannot leave as it stands, and the units tangled with it, in logical order."""
        last, number = self._group_end(cycle), cycle
        while number < len(self.history.units) and self.history.units[number].first <= last:
            self._unit(number)
            number += 1
        for ordinal in range(self.history.units[cycle].first, last + 1) if self.view.inserted else ():
            self._inserted(ordinal)

    def _unit(self, number: int) -> None:
        """One whole unit, wherever its parts stand."""
        before, unit = len(self.out), self.history.units[number]
        self._put_together(number, unit)
        self.built.append((before, unit.first, len(self.out) - before))

    def _put_together(self, number: int, unit: Unit) -> None:
        if number in self.view.flattened:
            self.out.append(self.codec.encode(self.view.flattened[number]))
            return
        own: dict[int, set[int]] = {}
        for place in unit.parts:
            if unit.kind != "cycle" or not isinstance(place.part, Result):
                own.setdefault(place.ordinal, set()).add(place.index)
        if self.crossed:
            self.out += self._written([(ordinal, index) for ordinal in own if ordinal < self.crossed for index in own[ordinal]])
        for ordinal in sorted(own.keys() - self.trailing):
            if ordinal < self.crossed:
                continue
            made = self._rewritten(ordinal, own[ordinal])
            if made is not None:
                self.out.append(made)
        if unit.kind == "cycle":
            self.out += self.codec.results(self._answers(unit))

    def _answers(self, unit: Unit) -> list[tuple[Raw | None, int, Result]]:
        pieces: list[tuple[Raw | None, int, Result]] = []
        for slot in unit.slots:
            call = self._form(slot.call)
            call_id = getattr(call, "id", slot.call_part.id)
            if slot.result is None:
                made = unanswered(slot)
                name = slot.call_part.name if self.codec.by_name else ""
                # the item of the call tells which kind of output answers it
                call_item = self.raws[slot.call.ordinal] if self.codec.itemised and slot.call.ordinal >= self.crossed else None
                pieces.append((call_item, slot.call.index, Result(call_id, made.text, succeeded=False, name=name)))
                continue
            form = self._form(slot.result)
            if isinstance(form, Result):
                at = slot.result.ordinal
                pieces.append((self.raws[at] if at >= self.crossed else None, slot.result.index, form))
        return pieces

    def _written(self, places: list[tuple[int, int]]) -> list[Raw]:
        """What one turn said in another wire, from the forms of its parts; items of one turn become one message where there are none."""
        if not places:
            return []
        places, messages = sorted(places), self.history.messages
        forms = [self._form(Placed(ordinal, index, messages[ordinal].parts[index])) for ordinal, index in places]
        first = messages[places[0][0]]
        role: Role = "user" if first.role == "tool" else first.role  # words in the message of results are the user's
        return self.codec.items(replace(first, role=role, parts=tuple(form for form in forms if form is not None)))

    def _form(self, place: Placed) -> Part | None:
        key = (place.ordinal, place.index)
        return self.view.forms[key] if key in self.view.forms else self.history.mended_part(*key)

    def _rewritten(self, ordinal: int, keep: set[int] | None) -> Raw | None:
        """The message with the forms of its parts; only the parts in `keep` if given; the caller's object if nothing differs."""
        made, loose = self._reformed(ordinal, keep), self.made.unled if self.made is not None else None
        return self.codec.without_id(made) if loose is not None and made is not None and ordinal in loose.ordinals else made

    def _reformed(self, ordinal: int, keep: set[int] | None) -> Raw | None:
        raw, message = self.raws[ordinal], self.history.messages[ordinal]
        if not self.view.forms and not self.history.folding.mended and (keep is None or len(keep) == len(message.parts)):
            return raw
        changes: dict[int, Part | None] = {}
        for index in range(len(message.parts)) if keep is None else sorted(keep):
            key = (ordinal, index)
            if key in self.view.forms:
                changes[index] = self.view.forms[key]
            elif key in self.history.folding.mended:
                changes[index] = self.history.folding.mended[key]
        if keep is not None and len(keep) < len(message.parts):
            if changes:
                changes.update({index: None for index in range(len(message.parts)) if index not in keep})
                return self.codec.rewrite(raw, changes)
            return self.codec.only(raw, keep)
        return self.codec.rewrite(raw, changes) if changes else raw


def turns(history: History, codec: Codec) -> tuple[bool, bool]:
    """Whether a user's turn of ours must stand in front, and whether one must stand behind.

    Only where the wire demands it: a history that starts with an answer, and one whose last words, the user's, were nothing
    that can be sent (an orphan, an empty message).
    """
    if not codec.strict or not history.messages:
        return False, False
    units = history.units
    front = bool(units) and units[0].kind in ("cycle", "text")
    behind = history.messages[-1].role != "assistant" and (not units or units[-1].kind == "text")
    return front, behind


def opened(out: list[Raw], codec: Codec) -> list[Raw]:
    """The messages, with a user's turn in front where the wire demands one and an answer comes first."""
    if not codec.strict or not out or codec.decode(out[0]).role != "assistant":
        return out
    return [codec.encode(TURN), *out]


def with_nudges(out: list[Raw], nudges: tuple[str, ...], codec: Codec, *, alternating: bool) -> tuple[list[Raw], int]:
    """The messages and the nudges behind them; the number is how many messages of their own the nudges take."""
    if not nudges:
        return out, 0
    text = "\n".join(nudges)
    if alternating:
        return codec.join_nudge(out, text), 0
    return [*out, codec.encode(Message("user", (Text(text),), kind="ephemeral"))], 1
