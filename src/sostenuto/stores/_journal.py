"""The journal of a conversation's compactions: one line a record, on disk before its summary is used (origin 8.1)."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from sostenuto.errors import UnusableInput
from sostenuto.stores._leftovers import remove_leftovers
from sostenuto.stores._writing import append_bytes, make_folder, opened, replace_file

CAP_BYTES = 2 * 1024 * 1024
"""Origin 8.1: 2 MiB, counting the journal alone (D40)."""

SCHEMA = 1
_HEADER = b'{"schema": %d}\n' % SCHEMA
_HEADER_BYTES = 1_000  # as far as we look for the end of a header, which a newer version may have made longer


class Journal:
    """The records of one file. Several objects may read it; one at a time appends, as whoever writes the conversation does (D33).

    The first line is ``{"schema": 1}``; every other line is one record. Nothing here raises.

    Args:
        path: the file; it and its folder begin with the first record.
        cap_bytes: above this size the oldest half of the records goes.
        home: the data home, below which no folder may be a symbolic link; None if all above the folder is the person's own.
    """

    def __init__(self, path: Path, *, cap_bytes: int = CAP_BYTES, home: Path | None = None) -> None:
        self._path = path.absolute()
        self._cap = cap_bytes
        self._home = (home or path.absolute().parent.parent).absolute()

    def append(self, record: Mapping[str, Any], /) -> bool:
        """Write a record at the end; True once it would survive a loss of power. A journal of a newer version is left as it is."""
        try:
            line = json.dumps(dict(record)).encode() + b"\n"
            make_folder(self._path.parent, home=self._home)
            begun = self._bytes(_HEADER_BYTES)
            if begun and _schema(begun.split(b"\n", 1)[0]) > SCHEMA:
                return False
            append_bytes(self._path, line if begun else _HEADER + line, home=self._home)
        except (OSError, UnusableInput, TypeError, ValueError, RecursionError):
            return False
        with suppress(OSError, UnusableInput):  # what could not be pruned now is pruned by a later append; this record is safe
            self._prune()
        return True

    def records(self) -> list[dict[str, Any]]:
        """Every record that can be read, oldest first; none where there is no journal, or a newer version wrote it."""
        try:
            lines = self._bytes().split(b"\n")
        except (OSError, UnusableInput):
            return []
        if _schema(lines[0]) > SCHEMA:
            return []
        return [record for line in _body(lines) if (record := _record(line)) is not None]

    def _prune(self) -> None:
        if self._path.stat().st_size <= self._cap:
            return
        lines = _body(self._bytes().split(b"\n"))
        starts = [place for place, line in enumerate(lines) if _record(line) is not None]
        while len(starts) > 1 and sum(len(line) + 1 for line in lines[starts[0] :]) + len(_HEADER) > self._cap:
            starts = starts[(len(starts) + 1) // 2 :]
        if starts and starts[0] > 0:
            replace_file(self._path, _HEADER + b"".join(line + b"\n" for line in lines[starts[0] :]), home=self._home)
            remove_leftovers(self._path.parent, of=self._path.name)

    def _bytes(self, most: int = -1) -> bytes:
        """The file, or its first `most` bytes; empty where there is none."""
        try:
            handle = opened(self._path, os.O_RDONLY, home=self._home)
        except FileNotFoundError:
            return b""
        with os.fdopen(handle, "rb") as file:
            return file.read(most)


def _body(lines: list[bytes]) -> list[bytes]:
    """The lines behind the header, without empty ones."""
    return [line for line in lines[1 if _schema(lines[0]) else 0 :] if line.strip()]


def _schema(line: bytes) -> int:
    """The version a header names; 0 for a line that is none."""
    version = (_record(line) or {}).get("schema")
    return version if isinstance(version, int) else 0


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None
