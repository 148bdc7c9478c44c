"""The parts of an Anthropic message, one per content block: reading them, and writing changed ones back in place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sostenuto.formats import _media, _results
from sostenuto.formats._blocks import fields, opaque, settled, words
from sostenuto.formats._changes import Change, effective
from sostenuto.formats._text import MARKER, dumped, word
from sostenuto.messages import Call, Media, Part, Result, Text, Thinking

NO_INPUT = "{}"


def parts(content: Any) -> tuple[Part, ...]:
    """The parts of a message's content: one text of a string, one part per block of a list, none of an empty content."""
    if isinstance(content, str):
        return (Text(content),) if content else ()
    if isinstance(content, list | tuple):
        return tuple([_part(block) for block in content])
    return () if content is None else (opaque(content),)


def _part(value: Any) -> Part:
    block = value if type(value) is dict else fields(value)
    if block is None:
        return Text(value) if isinstance(value, str) else opaque(value)
    kind = block.get("type")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    return (reader(block) if reader is not None else None) or opaque(block)


def _text(block: dict[str, Any]) -> Part | None:
    text = block.get("text")
    return Text(text) if isinstance(text, str) else None


def _thinking(block: dict[str, Any]) -> Part | None:
    return Thinking(word(block.get("thinking")), word(block.get("signature")))


def _redacted(block: dict[str, Any]) -> Part | None:
    return Thinking("", word(block.get("data")), redacted=True)


def _call(block: dict[str, Any]) -> Part | None:
    given = block.get("input")
    return Call(word(block.get("id")), word(block.get("name")), NO_INPUT if given is None else dumped(given))


def _result(block: dict[str, Any]) -> Part | None:
    text, media = _results.read(block.get("content"), media_of=attachment)
    failed = block.get("is_error")
    return Result(word(block.get("tool_use_id")), text, None if failed is None else not failed, media)


def attachment(block: dict[str, Any]) -> Media | None:
    """The attachment of an image or document block; None for other blocks and for documents that hold plain text."""
    kind = block.get("type")
    if kind == "image":
        return _media.sourced(block.get("source"), kind="image")
    if kind != "document":
        return None
    source = block.get("source")
    if isinstance(source, dict) and source.get("type") in ("base64", "url", "file"):
        return _media.sourced(source, kind="pdf", label=word(block.get("title")))
    return None


def media_block(media: Media) -> dict[str, Any] | None:
    """A block with the attachment's own bytes or address; None where this wire cannot carry it."""
    source = media.source
    if source is None or media.kind not in ("image", "pdf") or not (source.url or source.media_type):
        return None
    held = {"type": "url", "url": source.url} if source.url else {"type": "base64", "media_type": source.media_type, "data": source.data}
    return {"type": "image" if media.kind == "image" else "document", "source": held}


_READERS = {
    "document": attachment,
    "image": attachment,
    "redacted_thinking": _redacted,
    "text": _text,
    "thinking": _thinking,
    "tool_result": _result,
    "tool_use": _call,
}


# Writing


def rewritten(raw: dict[str, Any], changes: Mapping[int, Change], *, carry: bool = True) -> dict[str, Any] | None:
    """A copy of `raw` in which only the named parts differ; None when no part remains. `carry`: see `settled`."""
    content = raw.get("content")
    held = parts(content)
    wanted = effective(held, changes)
    if held and sum(new is None for new in wanted.values()) == len(held):
        return None
    if not wanted:
        return dict(raw)
    if not isinstance(content, list | tuple):
        new = wanted[0]
        return {**raw, "content": new.text if isinstance(new, Text) else content}
    pairs = [(block, _new_block(block, held[i], new=wanted[i]) if i in wanted else block) for i, block in enumerate(content)]
    return {**raw, "content": settled(pairs, carry=carry)}


def result_block(raw: dict[str, Any], index: int, *, result: Result) -> dict[str, Any] | None:
    """A copy of the result block at `index`, reading as `result`; None where no such block stands there."""
    content = raw.get("content")
    value = content[index] if isinstance(content, list | tuple) and 0 <= index < len(content) else None
    block, old = fields(value), _part(value)
    return _new_result(block, old, new=result) if block is not None and isinstance(old, Result) else None


def _new_block(value: Any, old: Part, *, new: Change) -> Any:
    block = fields(value) or {}
    if isinstance(new, Text):
        if isinstance(value, str):
            return new.text
        if words(block) is not None:
            return {**block, "text": new.text}
        return {"type": "text", "text": new.text, **({MARKER: block[MARKER]} if MARKER in block else {})}
    if isinstance(new, Call) and isinstance(old, Call):
        return _new_call(block, old, new=new)
    if isinstance(new, Result) and isinstance(old, Result):
        return _new_result(block, old, new=new)
    return None


def _new_call(block: dict[str, Any], old: Call, *, new: Call) -> dict[str, Any]:
    out = dict(block)
    if new.id != old.id:
        out["id"] = new.id
    if new.name != old.name:
        out["name"] = new.name
    if new.arguments != old.arguments:
        out["input"] = input_of(new.arguments)
    return out


def _new_result(block: dict[str, Any], old: Result, *, new: Result) -> dict[str, Any]:
    out = dict(block)
    if new.call_id != old.call_id:
        out["tool_use_id"] = new.call_id
    if (new.text, new.media) != (old.text, old.media):
        out["content"] = _results.rewritten(block.get("content"), old, new=new, media_of=attachment)
    if new.succeeded != old.succeeded:
        out.pop("is_error", None)
        if new.succeeded is not None:
            out["is_error"] = not new.succeeded
    return out


def input_of(arguments: str) -> dict[str, Any]:
    """The object a call's `arguments` stand for; other text is kept under ``arguments``, for this wire takes objects only."""
    if not arguments.strip():
        return {}
    try:
        found = json.loads(arguments)
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else {"arguments": arguments}
