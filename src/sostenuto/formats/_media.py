"""An attachment as the wires carry it: inline base64, an address, or the id of an uploaded file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b
from typing import Any

from sostenuto.formats._images import dimensions
from sostenuto.formats._text import word
from sostenuto.messages import Media, MediaKind, Source

_DIGEST_BYTES = 16
_DATA_URL_HEAD = 256


def digest(text: str) -> str:
    """The name of some bytes: 32 hexadecimal letters of BLAKE2b over their base64 text, their address or their file id."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).hexdigest()


def kind_of(media_type: str, /, default: MediaKind = "file") -> MediaKind:
    """The kind a media type such as ``image/png`` belongs to."""
    if media_type.startswith("image/"):
        return "image"
    if media_type.startswith("audio/"):
        return "audio"
    if media_type.startswith("video/"):
        return "video"
    return "pdf" if media_type == "application/pdf" else default


def inline(encoded: str, *, kind: MediaKind, label: str, media_type: str = "") -> Media:
    """An attachment whose base64 text is `encoded`; `size` in bytes follows from its length, pixels from an image's header."""
    size = len(encoded) // 4 * 3 - encoded[-2:].count("=")
    width, height = dimensions(encoded) if kind == "image" else (0, 0)
    return Media(kind, digest(encoded), max(0, size), width, height, label=label, source=Source(media_type, encoded))


def addressed(url: str, *, kind: MediaKind, label: str = "", detail: str = "") -> Media:
    """An attachment named by a URL; a data URL is read as the bytes it holds."""
    if not url.startswith("data:"):
        return Media(kind, digest(url), label=label or url[:_DATA_URL_HEAD], detail=detail, source=Source("", url=url))
    comma = url.find(",", 0, _DATA_URL_HEAD)
    media_type = url[5 : max(5, comma)].partition(";")[0]
    found = inline(url[comma + 1 :], kind=kind_of(media_type, kind), label=label or media_type, media_type=media_type)
    return replace(found, detail=detail) if detail else found


def sourced(source: Any, *, kind: MediaKind, label: str = "") -> Media | None:
    """The attachment of a ``source`` object (base64, url or file); None where it holds no attachment."""
    if not isinstance(source, dict):
        return None
    data, url, file_id = source.get("data"), source.get("url"), source.get("file_id")
    if source.get("type") == "base64" and isinstance(data, str):
        media_type = word(source.get("media_type"))
        return inline(data, kind=kind_of(media_type, kind), label=label or media_type, media_type=media_type)
    if isinstance(url, str):
        return addressed(url, kind=kind, label=label)
    if isinstance(file_id, str):
        return Media(kind, digest(file_id), label=label or file_id)
    return None


def audio(held: Mapping[str, Any]) -> Media | None:
    """Spoken input as OpenAI's wires write it: base64 ``data`` and the name of its ``format``; None without data."""
    data = held.get("data")
    if not isinstance(data, str):
        return None
    name = word(held.get("format"))
    return inline(data, kind="audio", label=f"audio {name}".strip(), media_type=f"audio/{name}")


def filed(held: Mapping[str, Any], *, url: object = None) -> Media | None:
    """A file as OpenAI's wires write it: its bytes, an address where the wire has one, or the id of an uploaded file."""
    name = word(held.get("filename"))
    kind = kind_of("application/pdf" if name.lower().endswith(".pdf") else "")
    data, file_id = held.get("file_data"), held.get("file_id")
    if isinstance(data, str):
        if data.startswith("data:"):
            return addressed(data, kind=kind, label=name)
        return inline(data, kind=kind, label=name, media_type="application/pdf" if kind == "pdf" else "")
    if isinstance(url, str):
        return addressed(url, kind=kind, label=name)
    return Media(kind, digest(file_id), label=name or file_id) if isinstance(file_id, str) else None
