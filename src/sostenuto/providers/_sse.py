"""Lines and server-sent events out of bytes that may be split anywhere. Time is linear in the bytes, however they are cut."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

_BOM = b"\xef\xbb\xbf"


class Event(NamedTuple):
    """One event of a stream: its name ("" if none was given) and its data, lines joined."""

    name: str
    data: str


@dataclass(slots=True)
class Lines:
    """Cuts bytes into lines at LF, CR or CR LF; what is not ended yet waits for more."""

    _begun: list[bytes] = field(default_factory=list)
    _was_return: bool = False
    _is_first: bool = True

    def feed(self, piece: bytes, /) -> list[str]:
        """The lines that `piece` ends. Bytes that are no UTF-8 become replacement characters."""
        if self._was_return and piece[:1] == b"\n":
            piece = piece[1:]
        if not piece:
            return []
        self._was_return = piece.endswith(b"\r")
        if b"\n" not in piece and b"\r" not in piece:
            self._begun.append(piece)
            return []
        lines = b"".join((*self._begun, piece)).splitlines()
        self._begun = [] if piece.endswith((b"\n", b"\r")) else [lines.pop()]
        return [self._text(line) for line in lines]

    def rest(self) -> list[str]:
        """The line that the end of the stream ends, if one was begun."""
        left, self._begun = b"".join(self._begun), []
        return [self._text(left)] if left else []

    def _text(self, line: bytes) -> str:
        if self._is_first:
            line, self._is_first = line.removeprefix(_BOM), False
        return line.decode("utf-8", "replace")


@dataclass(slots=True)
class Events:
    """Gathers the events of a body that arrives in pieces."""

    _lines: Lines = field(default_factory=Lines)
    _name: str = ""
    _data: list[str] = field(default_factory=list)

    def feed(self, piece: bytes, /) -> list[Event]:
        """The events that `piece` ends."""
        return [event for line in self._lines.feed(piece) if (event := self._take(line)) is not None]

    def rest(self) -> list[Event]:
        """The event that the end of the stream ends: some servers leave the last empty line out."""
        ended = [event for line in self._lines.rest() if (event := self._take(line)) is not None]
        last = self._ended()
        return [*ended, last] if last is not None else ended

    def _take(self, line: str) -> Event | None:
        if not line:
            return self._ended()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._name = value
        return None  # comments, ids and retry hints are of no use here

    def _ended(self) -> Event | None:
        found = Event(self._name, "\n".join(self._data)) if self._data else None
        self._name, self._data = "", []
        return found
