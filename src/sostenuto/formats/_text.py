"""Text of things that are not text: JSON as one line, and texts that every client can send."""

from __future__ import annotations

import json
from typing import Any

_DATA_URL_HEAD = 120
"""Characters in which a data URL must name its encoding; the payload itself is never searched."""

_MEDIA_TYPES = frozenset({"media_type", "mime_type", "mimeType", "format"})
"""Fields that say of which type the bytes in ``data`` beside them are."""

MARKER = "cache_control"
"""The field of a block that marks a prefix to cache; it says nothing about what the block is."""

LEFT_OUT = "<base64>"
"""What stands in place of an attachment's bytes, which are never counted as text (D5)."""


_DUMPED = json.JSONEncoder(ensure_ascii=False, default=str, skipkeys=True).encode
_COMPACT = json.JSONEncoder(ensure_ascii=False, default=str, skipkeys=True, separators=(",", ":")).encode


def dumped(value: Any) -> str:
    """JSON text of `value` with non-ASCII letters kept; what JSON cannot hold is written as its ``str``. Never raises."""
    try:
        return _DUMPED(value)
    except Exception:  # circular, too deep, or an object whose own ``str`` fails: still only data
        return "{}"


def compact(value: Any) -> str:
    """One line of JSON without attachment bytes and cache markers: what an unknown block counts, and is known (D46), as. Never raises."""
    try:
        return _COMPACT(_without_bytes(value))
    except Exception:  # as above
        return ""


def _without_bytes(value: Any) -> Any:
    if isinstance(value, dict):
        inline = value.get("type") == "base64" or (value.get("type") != "text" and not _MEDIA_TYPES.isdisjoint(value))
        return {name: LEFT_OUT if inline and name == "data" else _without_bytes(held) for name, held in value.items() if name != MARKER}
    if isinstance(value, list | tuple):
        return [_without_bytes(held) for held in value]
    if isinstance(value, str) and value.startswith("data:") and ";base64," in value[:_DATA_URL_HEAD]:
        return LEFT_OUT
    return value


def well_formed(text: str) -> str:
    """`text` as something UTF-8 can hold: split surrogate pairs are joined, lone halves become U+FFFD (B195).

    A text that is well-formed already is returned as the same object.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def word(value: Any) -> str:
    """An id or a name as a string: ``""`` for None, JSON of anything else that is not a string."""
    if isinstance(value, str):
        return value
    return "" if value is None else dumped(value)
