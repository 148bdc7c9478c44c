"""How a message is recognised again (D46), and the addresses of pieces (D47)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

from sostenuto.messages._message import Message
from sostenuto.messages._parts import Call, Media, Opaque, Part, Result, Text, Thinking

_DIGEST_BYTES = 16
_KEY = re.compile(r"m(\d{1,12})(?:\.(\d{1,9}))?(?:-m(\d{1,12}))?")


def fingerprint(message: Message) -> bytes:
    """Sixteen bytes that are equal for the same message however it was carried.

    Made of role, words, call names, canonical arguments, call ids, result texts and digests of media. Cache markers, item ids,
    status, times, usage, reasoning and signatures take no part: hosts drop or move them between requests (D46).
    """
    digest = blake2b(message.role.encode(), digest_size=_DIGEST_BYTES)
    for part in message.parts:
        for piece in _identity(part):
            # a length before each piece: "ab"+"c" and "a"+"bc" stay different
            encoded = piece.encode("utf-8", "surrogatepass")
            digest.update(b"%d:" % len(encoded))
            digest.update(encoded)
    return digest.digest()


def chained(previous: bytes, following: bytes) -> bytes:
    """The fingerprint of a history that `following` was added to (the guard of an edit, D32)."""
    return blake2b(previous + following, digest_size=_DIGEST_BYTES).digest()


def _identity(part: Part) -> Iterator[str]:
    match part:
        case Text(text):
            yield from ("text", text)
        case Call(id_, name, arguments):
            yield from ("call", id_, name, _canonical(arguments))
        case Result(call_id, text, _, media):
            yield from ("result", call_id, text)
            yield from (attachment.digest for attachment in media)
        case Media(kind, digest):
            yield from (kind, digest)
        case Opaque(kind, text):
            yield from (kind, text)
        case Thinking():
            return


def _canonical(arguments: str) -> str:
    try:
        return json.dumps(json.loads(arguments), sort_keys=True, separators=(",", ":"))
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
