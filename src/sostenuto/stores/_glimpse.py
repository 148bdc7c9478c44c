"""A look at a transcript without reading it through: how it begins, and how many messages it has by now."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sostenuto.errors import UnusableInput
from sostenuto.protocols import Record
from sostenuto.stores._records import bytes_at
from sostenuto.stores._writing import opened

_BEGINNING: Final = 256 * 1024
_END: Final = 64 * 1024
_FIRST: Final = 32
"""Records from the start that are looked at: the task stands in the first ones, or it is no task."""
_MESSAGE: Final = re.compile(rb'^\{\s*"seq":\s*\d+,\s*"ordinal":\s*(\d{1,15}),.*\n', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Glimpse:
    """The first records of a transcript, and how many messages it has; None where that cannot be told."""

    first: Sequence[Record] = ()
    messages: int | None = None


def glimpse(path: Path) -> Glimpse:
    """The look. Never raises: what cannot be read tells nothing."""
    try:
        handle = opened(path, os.O_RDONLY)
    except (OSError, UnusableInput):
        return Glimpse()
    try:
        return Glimpse(_first(bytes_at(handle, 0, length=_BEGINNING)), _messages(handle, os.fstat(handle).st_size))
    except OSError:
        return Glimpse()
    finally:
        os.close(handle)


def _first(data: bytes) -> list[Record]:
    found: list[Record] = []
    for line in data.split(b"\n", _FIRST)[:-1]:  # the last piece is what was not asked for, or not written to its end
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            found.append(record)
    return found


def _messages(handle: int, size: int) -> int:
    """One more than the ordinal of the last message, looked for in an end that grows until it holds one; linear in the file."""
    length = min(size, _END)
    while True:
        data = bytes_at(handle, size - length, length=length)
        start = 0 if length == size else data.find(b"\n") + 1 or len(data)  # the first piece may be the middle of a line
        ordinals = _MESSAGE.findall(data, start)
        if ordinals or length == size:
            return int(ordinals[-1]) + 1 if ordinals else 0
        length = min(size, 2 * length)
