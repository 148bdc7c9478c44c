"""A history that goes on in another wire: its messages are written anew from their parts, under the ordinals and keys they had."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace

from sostenuto.engine._folds import folding
from sostenuto.ladder import Edit, History
from sostenuto.messages import Call, Media, Message, Opaque, Part, Repair, Result, Source, key_of
from sostenuto.protocols import Codec
from sostenuto.tokens import Ruler

_WORDS = {
    "arguments": "arguments that are no object, put into one",
    "blank": "text without a letter, left out",
    "displaced": "results moved behind their calls",
    "duplicate id": "call id used twice, made another",
    "empty": "message without words, left out",
    "foreign reasoning": "reasoning of another model, left out",
    "illegal id": "call id not taken there, rewritten",
    "orphan": "result without a call, left out",
    "unanswered": "call without a result, answered by a note",
}
"""What each repair amounts to, for the person who reads of it."""


@dataclass(frozen=True, slots=True)
class Loss:
    """One thing that the other wire does not hold as it was: what, in words, and its key (D20)."""

    what: str
    key: str


def neutral(messages: Iterable[Message]) -> list[Message]:
    """Messages that every wire can write: each call has an id, its result the same one and the name.

    Calls without an id are answered by name and order in their own turn, as the wire they come from does.
    """
    waiting: dict[str, deque[str]] = {}
    names: dict[str, str] = {}
    out: list[Message] = []
    for ordinal, message in enumerate(messages):
        parts: list[Part] = []
        if message.role == "assistant" and ordinal and out[-1].role != "assistant":
            waiting = {}
        for index, part in enumerate(message.parts):
            if isinstance(part, Call):
                call = part if part.id else replace(part, id=f"call_{ordinal}_{index}")
                if not part.id:
                    waiting.setdefault(call.name, deque()).append(call.id)
                names[call.id] = call.name
                parts.append(call)
            elif isinstance(part, Result):
                queue = waiting.get(part.name)
                call_id = part.call_id or (queue.popleft() if queue else "")
                name = part.name or names.get(call_id, "")
                parts.append(part if (call_id, name) == (part.call_id, part.name) else replace(part, call_id=call_id, name=name))
            else:
                parts.append(part)
        same = all(new is old for new, old in zip(parts, message.parts, strict=True))
        out.append(message if same else replace(message, parts=tuple(parts)))
    return out


def crossed(history: History, codec: Codec, *, ruler: Ruler) -> History:
    """The history for another wire: the same ordinals and parts, folded by its rules, without the reasoning of the other model."""
    total = len(history.messages)
    crossings = (*history.folding.crossings, (total, history.folding.itemised))
    fresh = History(ruler, folding(codec, foreign=total, crossings=crossings))
    for ordinal, message in enumerate(neutral(history.messages)):
        if message is not history.messages[ordinal]:
            fresh.prints[ordinal] = history.first_print(ordinal)
        fresh.add(message, pinned=ordinal in history.pinned)
    fresh.prints.update(history.prints)
    return fresh


def carried_over(edits: Iterable[Edit], *, old: History, new: History) -> tuple[Edit, ...]:
    """The edits of `old` for the same messages folded anew: units have other numbers where some of them are nothing (or something) now,
    and what stands for a call or a result has the id and the form that the new wire demands of it.
    """
    starts = [unit.first for unit in new.units]

    def number(unit: int) -> int:
        return bisect_left(starts, old.units[unit].first) if unit < len(old.units) else len(starts)

    def known(unit: int) -> bool:
        return number(unit) < len(starts) and starts[number(unit)] == old.units[unit].first

    out: list[Edit] = []
    for edit in edits:
        if edit.reach >= len(old.messages) or old.guard(edit.reach) != edit.guard:
            out.append(edit)  # of a branch that was left, and never in force again
            continue
        forms = tuple((place, _refitted(form, new.mended_part(*place))) for place, form in edit.forms)
        cover, flat = edit.cover, edit.flattened
        if cover is not None:
            cover = replace(cover, upto=number(cover.upto), standing=tuple(number(unit) for unit in cover.standing if known(unit)))
        if flat is not None:
            flat = (number(flat[0]), flat[1]) if known(flat[0]) else None
        out.append(replace(edit, forms=forms, cover=cover, flattened=flat))
    return tuple(out)


def _refitted(form: Part | None, base: Part | None) -> Part | None:
    if isinstance(form, Result) and isinstance(base, Result):
        return replace(form, call_id=base.call_id, name=base.name)
    if isinstance(form, Call) and isinstance(base, Call):
        arguments = form.arguments if form.free == base.free else json.dumps({"input": form.arguments}, ensure_ascii=False)
        return Call(base.id, base.name, arguments, free=base.free)
    return form if base is not None else None


def losses(before: History, after: History, *, codec: Codec, first: int = 0) -> tuple[Loss, ...]:
    """What reads differently, or is left out, in the other wire. `first` is what the number of the first message is in the keys."""
    found = list(repaired(after.folding.repairs, first=first))
    told = {(repair.ordinal, repair.index) for repair in after.folding.repairs}
    for ordinal, message in enumerate(before.messages):
        for index, part in enumerate(message.parts):
            what = _loss(part, message, codec=codec)
            if what and (ordinal, index) not in told:
                found.append(Loss(what, key_of(ordinal + first, index)))
    return tuple(found)


def repaired(repairs: Iterable[Repair], *, first: int = 0) -> tuple[Loss, ...]:
    """What the rules of a wire or a model changed."""
    return tuple(Loss(_WORDS.get(repair.what, repair.what), key_of(repair.ordinal + first, repair.index)) for repair in repairs)


def _loss(part: Part, message: Message, *, codec: Codec) -> str:
    if isinstance(part, Opaque):
        return f"{part.kind} block given as text"
    if isinstance(part, Media) and not _carried(part, message, codec=codec):
        return f"{part.kind} attachment given as its name"
    if isinstance(part, Call) and part.free:
        return "free-text input of a custom tool put into an object"
    if isinstance(part, Result) and part.media and not _answered_with(part, codec=codec):
        return "attachments of a result given as their names"
    return ""


def _carried(part: Media, message: Message, *, codec: Codec) -> bool:
    """Whether the attachment can be read back from what the codec writes of it."""
    probe = replace(part, source=_short(part.source))
    return any(isinstance(read, Media) for raw in codec.items(Message(message.role, (probe,))) for read in codec.decode(raw).parts)


def _answered_with(part: Result, *, codec: Codec) -> bool:
    probe = replace(part, media=tuple(replace(media, source=_short(media.source)) for media in part.media))
    written = codec.results([(None, 0, probe)])
    return all(len(read.media) == len(part.media) for raw in written for read in codec.decode(raw).parts if isinstance(read, Result))


def _short(source: Source | None) -> Source | None:
    """The same source with hardly any bytes: whether a wire takes them does not depend on how many there are."""
    return source._replace(data=source.data[:8]) if source is not None else None
