"""Transcripts written by hand, for what is read from them."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.stores.dying import NAME

HEADER = b'{"schema":1,"kind":"transcript"}\n'
WHOLE = '{"seq":2,"text":"Grüße 🎉"}\n'.encode()


def place() -> tempfile.TemporaryDirectory[str]:
    """A folder for many short lives: in memory where the system has one, for there nobody waits for a disk."""
    memory = Path("/dev/shm")
    return tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None)


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
