"""Width and height from the first bytes of an image, without decoding the picture."""

from __future__ import annotations

import binascii

HEADER_CHARACTERS = 87_384
"""Base64 characters looked at, 64 KB of image: a JPEG's size may stand behind a thumbnail of that length."""

_FIRST_LOOK = 88
"""Base64 characters that hold the size in every format but JPEG (66 bytes)."""

_JPEG_SIZES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_BARE = frozenset({0x01, *range(0xD0, 0xD9)})
_NO_SIZE = (0, 0)


def dimensions(encoded: str) -> tuple[int, int]:
    """(width, height) in pixels of a base64 PNG, JPEG, GIF or WebP image; (0, 0) where the header does not say. Never raises."""
    head = _bytes(encoded[:_FIRST_LOOK])
    if head.startswith(b"\xff\xd8"):
        return _jpeg(_bytes(encoded[:HEADER_CHARACTERS]))
    if head.startswith(b"\x89PNG\r\n\x1a\n") and head[12:16] == b"IHDR" and len(head) >= 24:
        return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")
    if head[:6] in (b"GIF87a", b"GIF89a") and len(head) >= 10:
        return int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little")
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP" and len(head) >= 30:
        return _webp(head)
    return _NO_SIZE


def _bytes(encoded: str) -> bytes:
    if "\n" in encoded:
        encoded = "".join(encoded.split())
    try:
        return binascii.a2b_base64(encoded[: len(encoded) // 4 * 4])
    except ValueError:  # letters outside base64: not an image we can measure
        return b""


def _jpeg(data: bytes) -> tuple[int, int]:
    at = 2
    while at + 9 <= len(data):
        if data[at] != 0xFF:
            return _NO_SIZE
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
        elif marker in _JPEG_BARE:
            at += 2
        elif marker in _JPEG_SIZES:
            return int.from_bytes(data[at + 7 : at + 9], "big"), int.from_bytes(data[at + 5 : at + 7], "big")
        else:
            at += 2 + max(2, int.from_bytes(data[at + 2 : at + 4], "big"))
    return _NO_SIZE


def _webp(data: bytes) -> tuple[int, int]:
    chunk = data[12:16]
    if chunk == b"VP8 ":
        return int.from_bytes(data[26:28], "little") & 0x3FFF, int.from_bytes(data[28:30], "little") & 0x3FFF
    if chunk == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if chunk == b"VP8X":
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    return _NO_SIZE
