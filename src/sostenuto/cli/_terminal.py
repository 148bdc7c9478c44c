"""What the terminal can show: width, Unicode, colour; and a progress line that only a person sees."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

Item = TypeVar("Item")

NARROWEST, WIDEST = 40, 80
"""Columns; output never needs more than 80 and is never squeezed below 40."""
COLOURS = {"red": 31, "green": 32, "yellow": 33, "blue": 34, "cyan": 36, "dim": 2, "bold": 1}


class Stream(Protocol):
    """The part of a text stream that is asked here."""

    @property
    def encoding(self) -> str | None: ...
    def isatty(self) -> bool: ...
    def write(self, text: str, /) -> int: ...
    def flush(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Style:
    """How to draw: `width` in columns."""

    width: int = WIDEST
    unicode: bool = True
    colour: bool = False

    def paint(self, text: str, name: str) -> str:
        """`text` in a colour, where colours are shown."""
        return f"\x1b[{COLOURS[name]}m{text}\x1b[0m" if self.colour and text else text


PLAIN = Style()


def style(stream: Stream, environment: Mapping[str, str]) -> Style:
    """The style for a stream: colour only on a terminal that is not dumb and without ``NO_COLOR``; Unicode where it encodes."""
    dumb = environment.get("TERM", "") == "dumb"
    shown = _is_terminal(stream)
    columns = shutil.get_terminal_size((WIDEST, 24)).columns if shown else WIDEST
    return Style(
        width=max(NARROWEST, min(WIDEST, columns)),
        unicode=not dumb and _encodes(stream.encoding, "█▄·┄┤●"),
        colour=shown and not dumb and not environment.get("NO_COLOR"),
    )


def progress(steps: Iterable[Item], *, total: int, what: str, stream: Stream, environment: Mapping[str, str]) -> Iterator[Item]:
    """The same steps, with a line on `stream` that counts them where a person is looking; it is gone when the steps end."""
    if not _is_terminal(stream) or environment.get("TERM") == "dumb":
        yield from steps
        return
    every = max(1, total // 200)
    try:
        for number, step in enumerate(steps, start=1):
            if number % every == 0 or number == total:
                stream.write(f"\r{what} {number:,} of {total:,}")
                stream.flush()
            yield step
    finally:
        stream.write("\r" + " " * (len(what) + 30) + "\r")
        stream.flush()


def _is_terminal(stream: Stream) -> bool:
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False


def _encodes(encoding: str | None, text: str) -> bool:
    try:
        text.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
