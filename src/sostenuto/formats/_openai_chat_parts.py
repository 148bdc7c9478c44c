"""Where the parts of an OpenAI chat message stand: reading them, and writing changed ones back in place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sostenuto.formats import _media, _results
from sostenuto.formats._blocks import content_part, fields, opaque, settled, words
from sostenuto.formats._changes import Change, effective
from sostenuto.formats._text import MARKER, compact, dumped, word
from sostenuto.messages import Call, Media, Opaque, Part, Result, Text, Thinking

Place = tuple[str, int]
"""(field, index in it); index -1 is the whole field, field ``result`` the whole tool message."""

WHOLE = -1
_RESULT: Place = ("result", WHOLE)
_THOUGHT: Place = ("reasoning", WHOLE)
_REASONING = ("reasoning_content", "reasoning", "reasoning_details", "thinking_blocks")
"""Fields in which compatible servers return reasoning; several may hold the same words, so together they are one part."""
_REASONING_FIELDS = frozenset(_REASONING)

_LEGACY_ID = "function_call"
"""How a legacy function message finds its call: neither bears an id, and there is one call at a time."""


def located(raw: dict[str, Any], *, role: str) -> list[tuple[Place, Part]]:
    """Every part with its place, in a fixed order: reasoning, content, refusal, audio, calls."""
    if role == "tool":
        return [(_RESULT, _result(raw))]
    found: list[tuple[Place, Part]] = []
    thought = _thinking(raw)
    if thought is not None:
        found.append((_THOUGHT, thought))
    content = raw.get("content")
    if isinstance(content, str):
        if content:
            found.append((("content", WHOLE), Text(content)))
    elif isinstance(content, list | tuple):
        found.extend((("content", i), content_part(block, attachment)) for i, block in enumerate(content))
    elif content is not None:
        found.append((("content", WHOLE), opaque(content)))
    refusal = raw.get("refusal")
    if refusal and isinstance(refusal, str):
        found.append((("refusal", WHOLE), Text(refusal)))
    if raw.get("audio"):
        found.append((("audio", WHOLE), Opaque("audio", compact(raw["audio"]))))
    _calls(raw, found)
    return found


def _calls(raw: dict[str, Any], found: list[tuple[Place, Part]]) -> None:
    legacy = fields(raw["function_call"]) if raw.get("function_call") is not None else None
    if legacy is not None:
        found.append((("function_call", WHOLE), Call(_LEGACY_ID, word(legacy.get("name")), _arguments(legacy.get("arguments")))))
    calls = raw.get("tool_calls")
    if isinstance(calls, list | tuple):
        found.extend((("tool_calls", i), call_of(call)) for i, call in enumerate(calls))


def call_of(value: Any) -> Part:
    """The call in an element of ``tool_calls``: a function, a custom tool, or what is written like one."""
    call = fields(value)
    if call is None:
        return opaque(value, kind="tool_call")
    function = fields(call.get("function"))
    if function is not None:
        return Call(word(call.get("id")), word(function.get("name")), _arguments(function.get("arguments")))
    custom = fields(call.get("custom"))
    if custom is not None:
        return Call(word(call.get("id")), word(custom.get("name")), _arguments(custom.get("input")), free=True)
    return Call(word(call.get("id")), word(call.get("name")), _arguments(call.get("arguments")))


def _arguments(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else dumped(value)


def _result(raw: dict[str, Any]) -> Result:
    text, media = _results.read(raw.get("content"), media_of=attachment)
    call_id = word(raw.get("tool_call_id")) or (_LEGACY_ID if raw.get("role") == "function" else "")
    return Result(call_id, text, None, media, word(raw.get("name")))


def _thinking(raw: dict[str, Any]) -> Thinking | None:
    if _REASONING_FIELDS.isdisjoint(raw):
        return None
    held = [raw[name] for name in _REASONING if raw.get(name)]
    if not held:
        return None
    text = next((value for value in held if isinstance(value, str)), "")
    details = [block for value in held if isinstance(value, list) for block in map(fields, value) if block is not None]
    sealed = "".join(value for block in details for name in ("signature", "data") if isinstance(value := block.get(name), str))
    if not text:
        spoken = (block.get(name) for block in details for name in ("text", "summary", "thinking"))
        text = "\n".join(value for value in spoken if isinstance(value, str))
    return Thinking(text, sealed, redacted=bool(sealed) and not text)


def attachment(block: dict[str, Any]) -> Media | None:
    """The attachment of a content block (image, audio, video, file), without counting its base64 as text; None for other blocks."""
    kind = block.get("type")
    if kind in ("image_url", "video_url"):
        held = block.get(kind)
        url = held.get("url") if isinstance(held, dict) else held
        detail = word(held.get("detail")) if isinstance(held, dict) else ""
        return _media.addressed(url, kind="image" if kind == "image_url" else "video", detail=detail) if isinstance(url, str) else None
    if kind == "input_audio":
        return _media.audio(fields(block.get("input_audio")) or {})
    if kind == "file":
        return _media.filed(fields(block.get("file")) or {})
    if kind == "image":
        return _media.sourced(block.get("source"), kind="image")
    return None


def media_block(media: Media) -> dict[str, Any] | None:
    """A content block with the attachment's own bytes or address; None where this wire cannot carry it."""
    source = media.source
    if source is None:
        return None
    data_url = f"data:{source.media_type or 'application/octet-stream'};base64,{source.data}"
    if media.kind == "image":
        return {"type": "image_url", "image_url": {"url": source.url or data_url}}
    if source.url:
        return None
    if media.kind == "audio" and source.media_type.rpartition("/")[2] in ("wav", "mp3", "mpeg"):
        name = source.media_type.rpartition("/")[2].replace("mpeg", "mp3")
        return {"type": "input_audio", "input_audio": {"data": source.data, "format": name}}
    return {"type": "file", "file": {"filename": media.label or "file", "file_data": data_url}} if media.kind in ("pdf", "file") else None


# Writing


def rewritten(raw: dict[str, Any], changes: Mapping[int, Change], *, role: str, carry: bool = True) -> dict[str, Any] | None:
    """A copy of `raw` in which only the named parts differ; None when no part remains. `carry`: see `settled`."""
    places = located(raw, role=role)
    wanted = {places[i][0]: (places[i][1], new) for i, new in effective([part for _, part in places], changes).items()}
    if places and sum(new is None for _, new in wanted.values()) == len(places):
        return None
    out = dict(raw)
    for name in dict.fromkeys(field for field, _ in wanted):
        mine = {index: pair for (field, index), pair in wanted.items() if field == name}
        if name == "content" and WHOLE not in mine:
            out["content"] = _blocks(out["content"], mine, carry=carry)
        else:
            _WRITERS[name](out, mine)
    return out


Mine = Mapping[int, tuple[Part, Change]]


def _write_content(out: dict[str, Any], mine: Mine) -> None:
    new = mine[WHOLE][1]
    out["content"] = new.text if isinstance(new, Text) else None


def _blocks(content: Any, mine: Mine, *, carry: bool) -> list[Any] | None:
    pairs = [(block, _new_block(block, mine[i][1]) if i in mine else block) for i, block in enumerate(content)]
    return settled(pairs, carry=carry) or None


def _new_block(value: Any, new: Change) -> Any:
    if not isinstance(new, Text):
        return None
    if isinstance(value, str):
        return new.text
    block = fields(value) or {}
    if block.get("type") == "refusal":
        return {**block, "refusal": new.text}
    if words(block) is not None:
        return {**block, "text": new.text}
    return {"type": "text", "text": new.text, **({MARKER: block[MARKER]} if MARKER in block else {})}


def _write_calls(out: dict[str, Any], mine: Mine) -> None:
    calls = [_new_call(call, mine[i]) if i in mine else call for i, call in enumerate(out["tool_calls"])]
    stay = [call for call in calls if call is not None]
    if stay:
        out["tool_calls"] = stay
    else:
        del out["tool_calls"]  # an empty list of calls is refused


def _new_call(value: Any, pair: tuple[Part, Change]) -> Any:
    old, new = pair
    if not isinstance(new, Call) or not isinstance(old, Call):
        return None
    call = dict(fields(value) or {})
    if new.id != old.id:
        call["id"] = new.id
    for holder, wording in (("function", "arguments"), ("custom", "input")):
        held = fields(call.get(holder))
        if held is not None:
            call[holder] = _named(held, old, new=new, wording=wording)
            return call
    return _named(call, old, new=new, wording="arguments")


def _named(held: dict[str, Any], old: Call, *, new: Call, wording: str) -> dict[str, Any]:
    out = dict(held)
    if new.name != old.name:
        out["name"] = new.name
    if new.arguments != old.arguments:
        out[wording] = _as_object(new.arguments) if isinstance(held.get(wording), dict) else new.arguments
    return out


def _as_object(arguments: str) -> Any:
    try:
        found = json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
    return found if isinstance(found, dict) else arguments


def _write_legacy_call(out: dict[str, Any], mine: Mine) -> None:
    old, new = mine[WHOLE]
    if isinstance(old, Call) and isinstance(new, Call):
        out["function_call"] = _named(fields(out["function_call"]) or {}, old, new=new, wording="arguments")
    else:
        del out["function_call"]


def _write_result(out: dict[str, Any], mine: Mine) -> None:
    old, new = mine[WHOLE]
    if not isinstance(old, Result) or not isinstance(new, Result):
        return
    if (new.text, new.media) != (old.text, old.media):
        out["content"] = _results.rewritten(out.get("content"), old, new=new, media_of=attachment)
    if new.call_id != old.call_id and out.get("role") != "function":  # a legacy function message has no id
        out["tool_call_id"] = new.call_id
    if new.name != old.name and ("name" in out or out.get("role") == "function"):  # a tool message has no field for it
        out["name"] = new.name


def _write_refusal(out: dict[str, Any], mine: Mine) -> None:
    new = mine[WHOLE][1]
    if isinstance(new, Text):
        out["refusal"] = new.text
    else:
        del out["refusal"]


def _drop_reasoning(out: dict[str, Any], _mine: Mine) -> None:
    for name in _REASONING:
        out.pop(name, None)


def _drop_audio(out: dict[str, Any], _mine: Mine) -> None:
    del out["audio"]


_WRITERS = {
    "audio": _drop_audio,
    "content": _write_content,
    "function_call": _write_legacy_call,
    "reasoning": _drop_reasoning,
    "refusal": _write_refusal,
    "result": _write_result,
    "tool_calls": _write_calls,
}
