"""A history that goes on in another wire: its messages are written anew from their parts, under the ordinals and keys they had."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace

from sostenuto.engine._folds import folding
from sostenuto.ladder import History
from sostenuto.messages import Call, Media, Message, Opaque, Part, Repair, Result, Source, key_of
from sostenuto.protocols import Codec
from sostenuto.tokens import Ruler


@dataclass(frozen=True, slots=True)
class Loss:
    """One thing that the other wire does not hold as it was: what, in words, and its key (D20)."""

    what: str
    key: str


def neutral(messages: Iterable[Message]) -> list[Message]:
    """Messages that every wire can write: each call has an id, its result the same one and the name, no input is free text.

    Calls without an id are answered by name and order, as the wire they come from does.
    """
    waiting: dict[str, deque[str]] = {}
    names: dict[str, str] = {}
    out: list[Message] = []
    for ordinal, message in enumerate(messages):
        parts: list[Part] = []
        for index, part in enumerate(message.parts):
            if isinstance(part, Call):
                call = _whole(part, ordinal, index)
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


def _whole(call: Call, ordinal: int, index: int) -> Call:
    call_id = call.id or f"call_{ordinal}_{index}"
    if call.free:
        return Call(call_id, call.name, json.dumps({"input": call.arguments}, ensure_ascii=False))
    return call if call.id else replace(call, id=call_id)


def crossed(history: History, codec: Codec, *, ruler: Ruler) -> History:
    """The history for another wire: the same ordinals and parts, folded by its rules, without the reasoning of the other model."""
    fresh = History(ruler, folding(codec, foreign=len(history.messages), foreign_items=history.folding.itemised))
    for ordinal, message in enumerate(neutral(history.messages)):
        if message is not history.messages[ordinal]:
            fresh.prints[ordinal] = history.first_print(ordinal)
        fresh.add(message, pinned=ordinal in history.pinned)
    fresh.prints.update(history.prints)
    return fresh


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
    return tuple(Loss(repair.what, key_of(repair.ordinal + first, repair.index)) for repair in repairs)


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
