"""The parts of a Gemini content, one for each of its own: reading them, and writing changed ones back in place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sostenuto.formats import _gemini_responses
from sostenuto.formats._blocks import fields, opaque
from sostenuto.formats._changes import Change, effective
from sostenuto.formats._gemini_fields import SNAKE, attachment, inner, signature, spelled
from sostenuto.formats._text import compact, dumped, well_formed, word
from sostenuto.messages import NOTHING, Call, Opaque, Part, Result, Text, Thinking

UNSIGNED = "skip_thought_signature_validator"
"""What Google documents for a call that no Gemini model signed: one from another model, or one of our own."""

_SIGNATURE = frozenset({"thoughtSignature", SNAKE["thoughtSignature"]})
_ABOUT = _SIGNATURE | {
    *("thought", "videoMetadata", "video_metadata", "partMetadata", "part_metadata"),
    *("mediaResolution", "media_resolution", "mediaProcessing", "media_processing"),
}
"""Fields that say something about a part and are not what it holds."""


def content(raw: Any) -> dict[str, Any]:
    """A content as a dictionary; the client takes a bare string for one of the user's, and so do we."""
    if isinstance(raw, str):
        return {"role": "user", "parts": [{"text": raw}]}
    return fields(raw) or {}


def listed(raw: Mapping[str, Any]) -> list[Any]:
    """The native parts of a content."""
    parts = raw.get("parts")
    if isinstance(parts, list | tuple):
        return list(parts)
    return [] if parts is None else [parts]


def part(value: Any) -> Part:
    """A native part as ours."""
    block = value if type(value) is dict else fields(value)
    if block is None:
        return Text(value) if isinstance(value, str) else opaque(value)
    text = block.get("text")
    if len(block) == 1 and isinstance(text, str):  # most parts are words alone
        return Text(text)
    call = inner(block, "functionCall")
    if call is not None:
        return _call(call)
    response = inner(block, "functionResponse")
    if response is not None:
        return _gemini_responses.result(response)
    if isinstance(text, str) and (text or not signature(block)):
        return Thinking(text, signature(block)) if block.get("thought") is True else Text(text)
    return attachment(block) or _unspoken(block)


def kind(block: Mapping[str, Any]) -> str:
    """What a part holds, in camelCase; "" for nothing."""
    name = next((str(name) for name, value in block.items() if name not in _ABOUT and value is not None), "")
    head, *rest = name.split("_")
    return head + "".join(piece.capitalize() for piece in rest) or name


def _unspoken(block: dict[str, Any]) -> Part:
    """A part without words: a seal that came alone (at the end of a stream it stands on an empty text), nothing, or something unknown."""
    found, seal = kind(block), signature(block)
    if seal and found in ("", "text"):
        return Thinking("", seal, redacted=True)
    if not found:  # refused by the endpoint as a blank text is, and mended alike (D20)
        return NOTHING
    # a signature is no part of what a message is known by (D46)
    return Opaque(found, compact({name: value for name, value in block.items() if name not in _SIGNATURE}))


def _call(call: Mapping[str, Any]) -> Call:
    given = call.get("args")
    return Call(word(call.get("id")), word(call.get("name")), "{}" if given is None else dumped(given))


def bare_call(block: Mapping[str, Any]) -> Call | None:
    """A call that stands alone, as the client hands it out: a name, arguments, perhaps an id; None for anything else."""
    name = block.get("name")
    if not isinstance(name, str) or not name or not ("args" in block or block.keys() <= {"id", "name"}):
        return None
    return _call(block)


# Writing


def rewritten(raw: dict[str, Any], changes: Mapping[int, Change]) -> dict[str, Any] | None:
    """A copy of `raw` in which only the named parts differ; None when no part remains."""
    values = listed(raw)
    old = tuple(map(part, values))
    wanted = effective(old, changes)
    if old and sum(new is None for new in wanted.values()) == len(old):
        return None
    if not wanted:
        return dict(raw)
    new = [_new_part(value, old[i], new=wanted[i]) if i in wanted else value for i, value in enumerate(values)]
    lost = any(after is None and isinstance(old[i], Call) and signature(fields(values[i]) or {}) for i, after in enumerate(new))
    stay = [value for value in new if value is not None]
    return {**raw, **_spoken_by(raw, stay), "parts": _signed(stay) if lost else stay}


def _spoken_by(raw: Mapping[str, Any], parts: list[Any]) -> dict[str, str]:
    """The older role of contents with responses fits none without: the words that are left are the user's."""
    answers = raw.get("role") not in ("function", "tool") or any(isinstance(part(value), Result) for value in parts)
    return {} if answers else {"role": "user"}


def response_part(raw: Mapping[str, Any], index: int, *, result: Result) -> Any:
    """The function response at `index`, or a copy that reads as `result`; None where no such part stands there."""
    values = listed(raw)
    value = values[index] if 0 <= index < len(values) else None
    old = part(value)
    if not isinstance(old, Result):
        return None
    return value if old == result else _new_result(fields(value) or {}, old, new=result)


def _new_part(value: Any, old: Part, *, new: Change) -> Any:
    """The part as it shall be. A signature stays on words and calls that were cut: it seals the thought before them, not them."""
    block = fields(value) or {}
    if isinstance(new, Text):
        if isinstance(value, str):
            return new.text
        return {**block, "text": new.text} if isinstance(old, Text) else {"text": new.text}
    if isinstance(new, Call) and isinstance(old, Call):
        return _new_call(block, old, new=new)
    if isinstance(new, Result) and isinstance(old, Result):
        return _new_result(block, old, new=new)
    return None


def _new_call(block: dict[str, Any], old: Call, *, new: Call) -> dict[str, Any]:
    call = dict(inner(block, "functionCall") or {})
    if new.id != old.id:
        call["id"] = new.id
        if not new.id:
            del call["id"]
    if new.name != old.name:
        call["name"] = new.name
    if new.arguments != old.arguments:
        call["args"] = args_of(new.arguments)
    return {**block, spelled(block, "functionCall"): call}


def _new_result(block: dict[str, Any], old: Result, *, new: Result) -> dict[str, Any]:
    response = inner(block, "functionResponse") or {}
    return {**block, spelled(block, "functionResponse"): _gemini_responses.rewritten(response, old, new=new)}


def _signed(values: list[Any]) -> list[Any]:
    """The parts, with the stand-in for a signature on the first call, where the signature left with a call before it.

    The first call of a step must carry one (D57). The real one is not moved: it belongs to its part.
    """
    for at, value in enumerate(values):
        block = fields(value) or {}
        if inner(block, "functionCall") is not None:
            name = "thoughtSignature" if spelled(block, "functionCall") == "functionCall" else SNAKE["thoughtSignature"]
            return values if signature(block) else [*values[:at], {**block, name: UNSIGNED}, *values[at + 1 :]]
    return values


def args_of(arguments: str) -> dict[str, Any]:
    """The object a call's `arguments` stand for; anything else is kept under ``input``, for this wire takes objects only."""
    if not arguments.strip():
        return {}
    try:
        found = _sendable(json.loads(arguments))
    except (ValueError, RecursionError):
        found = arguments
    return found if isinstance(found, dict) else {"input": found}


def _sendable(value: Any) -> Any:
    """`value` with well-formed texts: JSON may hold half a surrogate pair as an escape."""
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, dict):
        return {well_formed(name): _sendable(each) for name, each in value.items()}
    return [_sendable(each) for each in value] if isinstance(value, list) else value
