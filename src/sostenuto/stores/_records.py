"""Records as lines of JSON: one line each, behind a line that says what the file is."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from sostenuto.protocols import Record

LARGEST_LINE: Final = 512 * 1024 * 1024
"""Bytes of a line above which it is left out when a file is read: more than any message has, less than memory holds."""

_BLOCK: Final = 1024 * 1024
_PATIENCE: Final = 1_000  # lines without a single record after which a file without a header counts as none of ours
_LISTED: Final = 1_000  # unreadable lines whose place is remembered
_BEGINNING: Final = b'{"schema":'
_NEWLINE: Final = "\n"

Origin = Literal["empty", "ours", "damaged", "foreign"]


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that cannot be read: its number from 1, where its bytes start, how many they are, and what is wrong."""

    number: int
    start: int
    length: int
    why: str


@dataclass(slots=True)
class Found:
    """What a file of records holds.

    Attributes:
        records: those that can be read, in the order they stand there, each `seq` once, as it stands first.
        highest: the largest `seq`; -1 for none.
        bad: lines that cannot be read and were left out, the first thousand of them.
        bad_lines: how many there are.
        end: bytes up to which the file is good; what comes after is the torn end of a write that was never acknowledged.
        is_closed: whether a line end stands at `end`.
        torn: a last line that is whole and yet cannot be read: a part of that end.
        origin: whether its first line says that it is ours.
        schema: the version that line names.
    """

    records: list[Record] = field(default_factory=list)
    highest: int = -1
    bad: list[BadLine] = field(default_factory=list)
    bad_lines: int = 0
    end: int = 0
    is_closed: bool = True
    torn: BadLine | None = None
    origin: Origin = "empty"
    schema: int = 0


def header(kind: str, *, schema: int) -> bytes:
    """The first line of a file."""
    return line_of({"schema": schema, "kind": kind})


def line_of(record: Record, /) -> bytes:
    """A record as one line with its end. Raises ValueError, TypeError or RecursionError for what JSON cannot hold."""
    try:
        return _compact(record, is_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:  # half of a surrogate pair, as some tools cut texts: it can only be written as an escape
        return _compact(record, is_ascii=True).encode() + b"\n"


def _compact(record: Record, *, is_ascii: bool) -> str:
    return json.dumps(record, ensure_ascii=is_ascii, separators=(",", ":"))


def found_in(handle: int, *, kind: str, largest: int = LARGEST_LINE) -> Found:
    """Everything in a file, read once from its start, in memory that grows with its records only. Raises OSError."""
    reader = _Reader(kind, largest=largest)
    for block in _blocks(handle, largest=largest):
        if not reader.take(block):
            break
    return reader.finished()


def bytes_at(handle: int, start: int, *, length: int) -> bytes:
    """The bytes of a file from a place on; fewer where it ends."""
    os.lseek(handle, start, os.SEEK_SET)
    pieces: list[bytes] = []
    while length > 0 and (piece := os.read(handle, min(length, _BLOCK))):
        pieces.append(piece)
        length -= len(piece)
    return b"".join(pieces)


class _Block(NamedTuple):
    """Whole lines, many at a time; only the last block of a file may lack its line end. The data of a line that is too long is None."""

    start: int
    data: bytes | None
    length: int
    is_whole: bool = True


def _blocks(handle: int, *, largest: int) -> Iterator[_Block]:
    os.lseek(handle, 0, os.SEEK_SET)
    start = held = 0
    pieces: list[bytes] = []
    while block := os.read(handle, _BLOCK):
        first = block.find(b"\n") + 1
        if held + (first or len(block)) > largest:
            pieces.clear()  # however long the line gets, nothing of it stays in memory
            if not first:
                held += len(block)
                continue
            yield _Block(start, None, held + first)
            start, held, block = start + held + first, 0, block[first:]
        if cut := block.rfind(b"\n") + 1:
            whole = b"".join((*pieces, block[:cut]))
            yield _Block(start, whole, len(whole))
            start, held, pieces, block = start + len(whole), 0, [], block[cut:]
        pieces.append(block)
        held += len(block)
    if held:
        yield _Block(start, None if held > largest else b"".join(pieces), held, is_whole=False)


class _Reader:
    """Puts together what blocks of lines hold."""

    def __init__(self, kind: str, *, largest: int) -> None:
        self._kind = kind
        self._too_long = f"longer than {largest:,} bytes"
        self._found = Found()
        self._lines = 0

    def take(self, block: _Block, /) -> bool:
        """Read a block; False if reading on is useless."""
        found = self._found
        start, data = block.start, block.data
        if data is None:
            self._lines += 1
            self._leave_out(start, block.length, self._too_long, is_whole=block.is_whole)
        else:
            if start == 0:
                start = data.find(b"\n") + 1 or len(data)
                self._take_header(data[:start])
                data = data[start:]
            if found.origin != "foreign":
                self._take_lines(start, data)
        return found.origin != "foreign" and (found.origin != "damaged" or bool(found.records) or self._lines <= _PATIENCE)

    def _take_header(self, line: bytes, /) -> None:
        found = self._found
        self._lines = 1
        value = _value(line)
        is_whole = line.endswith(b"\n")
        if isinstance(value, dict) and value.get("kind") == self._kind and type(value.get("schema")) is int:
            found.origin, found.schema, found.end, found.is_closed = "ours", value["schema"], len(line), is_whole
        elif value is not None:
            found.origin = "foreign"
        elif is_whole or line[: len(_BEGINNING)] != _BEGINNING[: len(line)]:  # else it was torn in the middle of the first line
            self._leave_out(0, len(line), "not the first line of such a file", is_whole=is_whole)

    def _take_lines(self, start: int, data: bytes, /) -> None:
        """Many lines at once; where anything is odd, one by one."""
        found = self._found
        if data.endswith(b"\n") and (records := _records(data)) is not None:
            found.records += records
            found.end, found.is_closed = start + len(data), True
            self._lines += len(records)
            return
        *whole, torn = data.split(b"\n")
        for line in whole:
            self._take_line(start, line + b"\n")
            start += len(line) + 1
        if torn:
            self._take_line(start, torn)

    def _take_line(self, start: int, line: bytes, /) -> None:
        found = self._found
        self._lines += 1
        is_whole = line.endswith(b"\n")
        value = _value(line)
        why = _objection(value)
        if not why:
            found.records.append(value)
        elif not is_whole:
            return  # the torn end of a write
        elif line.strip():
            self._leave_out(start, len(line), why)
            return
        found.end, found.is_closed = start + len(line), is_whole

    def _leave_out(self, start: int, length: int, why: str, /, *, is_whole: bool = True) -> None:
        found = self._found
        if start == 0:
            found.origin = "damaged"
        found.bad_lines += 1
        if len(found.bad) < _LISTED:
            found.bad.append(BadLine(self._lines, start, length, why))
        found.end, found.is_closed = start + length, is_whole

    def finished(self) -> Found:
        """Everything."""
        found = self._found
        if found.origin == "damaged" and not found.records:
            found.origin = "foreign"
        last = found.bad[-1] if found.bad_lines == len(found.bad) > 0 else None
        if last and found.end == last.start + last.length and last.start and last.why != self._too_long:
            found.torn = found.bad.pop()  # nothing good came after it: a write that reached the disk in pieces
            found.bad_lines -= 1
            found.end, found.is_closed = last.start, True
        numbers = [record["seq"] for record in found.records]
        if len(set(numbers)) < len(numbers):  # where an end could not be taken back, its records stand there twice
            found.records = list({record["seq"]: record for record in reversed(found.records)}.values())[::-1]
        found.highest = max(numbers, default=-1)
        return found


def _records(data: bytes) -> list[Record] | None:
    """The records of whole lines, decoded as one list, which is twice as fast as one by one; None unless each line is one record."""
    try:
        records = json.loads(f"[{data[:-1].decode().replace(_NEWLINE, ',')}]")
        is_sound = len(records) == data.count(b"\n") and {type(record["seq"]) for record in records} == {int}
    except (ValueError, TypeError, LookupError, RecursionError):
        return None
    return records if is_sound else None


def _value(line: bytes) -> Any:
    """What a line holds; None for what is no JSON."""
    try:
        return json.loads(line.decode())
    except (ValueError, RecursionError):
        return None


def _objection(value: Any) -> str:
    if value is None:
        return "not UTF-8 or not JSON"
    if not isinstance(value, dict):
        return "no record"
    return "" if type(value.get("seq")) is int else "without a seq"
