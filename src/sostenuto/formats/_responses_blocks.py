"""Content blocks of OpenAI Responses messages and outputs: reading them, and writing changed ones back in place."""

from __future__ import annotations

from typing import Any

from sostenuto.formats import _media
from sostenuto.formats._blocks import content_part, fields, words
from sostenuto.formats._text import word
from sostenuto.messages import Media, Part

INPUT_TEXT = "input_text"
OUTPUT_TEXT = "output_text"

_MEASURED = ("annotations", "logprobs")
"""Lists of a text block that count in its letters: with other words they point nowhere."""

_DETAILS = ("auto", "high", "low", "original")


def part_of(value: Any) -> Part:
    """The part that a content block is."""
    return content_part(value, attachment)


def attachment(block: dict[str, Any]) -> Media | None:
    """The attachment of a block (picture, screenshot, file, audio), without counting its base64 as text; None for other blocks."""
    kind = block.get("type")
    if kind in ("input_image", "computer_screenshot"):
        return _picture(block)
    if kind == "input_file":
        return _file(block)
    if kind == "input_audio":
        return _media.audio(fields(block.get("input_audio")) or {})
    return None


def _picture(block: dict[str, Any]) -> Media | None:
    url, file_id = block.get("image_url"), block.get("file_id")
    if isinstance(url, str):
        return _media.addressed(url, kind="image", detail=word(block.get("detail")))
    return Media("image", _media.digest(file_id), label=file_id, detail=word(block.get("detail"))) if isinstance(file_id, str) else None


def _file(block: dict[str, Any]) -> Media | None:
    return _media.filed(block, url=block.get("file_url"))


def media_block(media: Media) -> dict[str, Any] | None:
    """A block of the user's, or of an output, with the attachment's own bytes or address; None where this wire cannot carry it."""
    source = media.source
    if source is None:
        return None
    where = source.url or (f"data:{source.media_type};base64,{source.data}" if source.media_type else "")
    if media.kind == "image":
        detail = media.detail if media.detail in _DETAILS else "auto"  # which this wire wants said
        return {"type": "input_image", "image_url": where, "detail": detail} if where else None
    if media.kind not in ("pdf", "file"):
        return None  # audio has a block of its own, but in no message of this wire
    if source.url:
        return {"type": "input_file", "file_url": source.url}
    return {"type": "input_file", "filename": media.label or "file", "file_data": where} if where else None


def text_block(text: str, *, role: str) -> dict[str, Any]:
    """A text block as `role` says it: the assistant's words are output, all others input."""
    return {"type": OUTPUT_TEXT if role == "assistant" else INPUT_TEXT, "text": text}


def reworded(value: Any, text: str, *, role: str) -> Any:
    """The block `value` reading as `text`; an attachment becomes a text block."""
    if isinstance(value, str):
        return text
    block = fields(value) or {}
    if block.get("type") == "refusal":
        return {**block, "refusal": text}
    if words(block) is None:
        return text_block(text, role=role)
    return {**block, "text": text, **{name: [] for name in _MEASURED if block.get(name)}}
