"""How a message is recognised again (D46), and the addresses of pieces (D47)."""

from __future__ import annotations

import json
import re
from hashlib import blake2b
from typing import Any

from sostenuto.messages._message import Message
from sostenuto.messages._parts import Call, Media, Opaque, Part, Result, Text

_DIGEST_BYTES = 16
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
_KEY = re.compile(r"m(\d{1,12})(?:\.(\d{1,9}))?(?:-m(\d{1,12}))?")


def fingerprint(message: Message) -> bytes:
    """Sixteen bytes that are equal for the same message however it was carried.

    Made of role, words, call names, canonical arguments, call ids, result texts and digests of media. Cache markers, item ids,
    status, times, usage, reasoning and signatures take no part: hosts drop or move them between requests (D46).
    """
    said = message.role + "".join([_told_apart(piece) for part in message.parts for piece in _identity(part)])
    return blake2b(said.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest()


def chained(previous: bytes, following: bytes) -> bytes:
    """The fingerprint of a history that `following` was added to (the guard of an edit, D32)."""
    return blake2b(previous + following, digest_size=_DIGEST_BYTES).digest()


def _told_apart(piece: str) -> str:
    """A piece behind its length in bytes: "ab"+"c" and "a"+"bc" stay different."""
    return f"{len(piece) if piece.isascii() else len(piece.encode('utf-8', 'surrogatepass'))}:{piece}"


def _identity(part: Part) -> tuple[str, ...]:
    if isinstance(part, Text):
        return "text", part.text
    if isinstance(part, Result):
        return "result", part.call_id, part.text, *[attachment.digest for attachment in part.media]
    if isinstance(part, Call):
        return "call", part.id, part.name, _canonical(part.arguments)
    if isinstance(part, Media):
        return part.kind, part.digest
    if isinstance(part, Opaque):
        return part.kind, part.text
    return ()  # reasoning


def _canonical(arguments: str) -> str:
    try:
        return _CANONICAL(json.loads(arguments))
    except (ValueError, RecursionError):
        return arguments


def frozen_copy(value: Any) -> Any:
    """A copy of JSON-like data that shares its strings: comparing it with the original later is cheap and sees changes made in place."""
    if isinstance(value, dict):
        return {key: frozen_copy(item) for key, item in value.items()}
    if isinstance(value, list):
        return [frozen_copy(item) for item in value]
    return value


def parse_key(key: str) -> tuple[int, int | None, int | None] | None:
    """``m12.0`` -> (12, 0, None), ``m12`` -> (12, None, None), ``M12-m40`` -> (12, None, 40); anything else -> None."""
    found = _KEY.fullmatch(key.strip()[:64].lower())
    if not found:
        return None
    first, index, last = found.groups()
    if index is not None and last is not None:
        return None
    return int(first), int(index) if index else None, int(last) if last else None


def key_of(ordinal: int, index: int | None = None) -> str:
    """The address of a message or of one of its parts."""
    return f"m{ordinal}" if index is None else f"m{ordinal}.{index}"


def range_key(first: int, last: int) -> str:
    """The address of the messages `first` to `last`, both included."""
    return f"m{first}" if first == last else f"m{first}-m{last}"
