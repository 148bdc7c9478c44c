"""Gemini's two spellings: camelCase as the endpoint writes, snake_case as the Python client does; and what both carry."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sostenuto.formats import _media
from sostenuto.formats._blocks import fields
from sostenuto.formats._text import word
from sostenuto.messages import Media, Source

SNAKE = {
    "displayName": "display_name",
    "fileData": "file_data",
    "fileUri": "file_uri",
    "functionCall": "function_call",
    "functionDeclarations": "function_declarations",
    "functionResponse": "function_response",
    "inlineData": "inline_data",
    "mimeType": "mime_type",
    "systemInstruction": "system_instruction",
    "thoughtSignature": "thought_signature",
}
_STANDARD = str.maketrans("-_", "+/")
_UPLOADED = "https://generativelanguage.googleapis.com/"
"""Where files live that were uploaded to Google: nobody else can fetch them."""


def held(block: Mapping[str, Any], name: str) -> Any:
    """The value of the field `name` (camelCase) in either spelling; None where there is none."""
    value = block.get(name)
    return block.get(SNAKE[name]) if value is None else value


def spelled(block: Mapping[str, Any], name: str) -> str:
    """The field `name` as this block spells it."""
    return SNAKE[name] if block.get(name) is None and SNAKE[name] in block else name


def inner(block: Mapping[str, Any], name: str) -> dict[str, Any] | None:
    """The object in the field `name`; None where there is none."""
    return fields(held(block, name))


def encoded(value: Any) -> str:
    """Bytes as base64 text: a string is that text already, the Python client holds them raw; "" for anything else."""
    if isinstance(value, str):
        return value
    return b64encode(value).decode() if isinstance(value, bytes | bytearray) else ""


def signature(block: Mapping[str, Any]) -> str:
    """The thought signature on a part; "" if none."""
    return encoded(held(block, "thoughtSignature"))


def attachment(block: Mapping[str, Any]) -> Media | None:
    """The attachment of a part with inline bytes or a file's address; None for other parts."""
    blob = inner(block, "inlineData")
    data = None if blob is None else blob.get("data")
    if blob is not None and isinstance(data, str | bytes | bytearray):
        media_type = word(held(blob, "mimeType"))
        # the client writes base64 in its URL alphabet, the endpoint in the standard one: one picture, one digest
        text = encoded(data).translate(_STANDARD) if isinstance(data, str) and ("-" in data or "_" in data) else encoded(data)
        label = word(held(blob, "displayName")) or media_type
        return _media.inline(text, kind=_media.kind_of(media_type), label=label, media_type=media_type)
    file = inner(block, "fileData")
    uri = None if file is None else held(file, "fileUri")
    if file is None or not isinstance(uri, str):
        return None
    media_type = word(held(file, "mimeType"))
    found = _media.addressed(uri, kind=_media.kind_of(media_type), label=word(held(file, "displayName")))
    if found.source is None or not found.source.url:
        return found
    is_public = uri.startswith(("https://", "http://")) and not uri.startswith(_UPLOADED)
    return replace(found, source=Source(media_type, url=uri) if is_public else None)


def media_part(media: Media) -> dict[str, Any] | None:
    """A part with the attachment's own bytes or address; None where this wire cannot carry it."""
    source = media.source
    if source is not None and source.url:
        typed = {"mimeType": source.media_type} if source.media_type else {}
        return {"fileData": {**typed, "fileUri": source.url}}
    if source is None or not source.data or not source.media_type:
        return None
    return {"inlineData": {"mimeType": source.media_type, "data": source.data}}
