"""Transcripts written by hand, for what is read from them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.stores.dying import NAME

HEADER = b'{"schema":1,"kind":"transcript"}\n'
WHOLE = '{"seq":2,"text":"Grüße 🎉"}\n'.encode()


def transcript(home: Path) -> Path:
    """The file of what was said."""
    return home / "history" / "default" / NAME / "transcript.jsonl"


def written(home: Path, *lines: bytes, header: bytes = HEADER) -> Path:
    """A transcript of these bytes."""
    path = transcript(home)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(header + b"".join(lines))
    return path


def line(number: int) -> bytes:
    """A good line."""
    return json.dumps({"seq": number, "text": "ü" * 5}).encode() + b"\n"


def numbers(records: Sequence[Any]) -> list[int]:
    """Their seq."""
    return [record["seq"] for record in records]
