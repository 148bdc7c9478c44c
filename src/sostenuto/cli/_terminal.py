"""What the terminal can show: width, Unicode, colour; and a progress line that only a person sees."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from sostenuto.reporting import count as count
from sostenuto.reporting import percent as percent

Item = TypeVar("Item")

NARROWEST, USUAL, WIDEST = 60, 80, 100
"""Columns: output follows the terminal between the first and the last; the one between where nobody says how wide it is."""
UNCUT = 1_000_000
"""Columns that stand for as many as there are."""
GLUE = "\xa0"
"""Between a number and its percent sign while lines are broken."""
COERCED = ("C.UTF-8", "C.utf8", "UTF-8")
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
    """How to draw: `width` in columns. What is piped to a program `is_piped`, and is cut nowhere."""

    width: int = USUAL
    unicode: bool = True
    colour: bool = False
    is_piped: bool = False

    def paint(self, text: str, name: str) -> str:
        """`text` in a colour, where colours are shown."""
        return f"\x1b[{COLOURS[name]}m{text}\x1b[0m" if self.colour and text else text

    def cut(self, width: int) -> int:
        """After how many columns a text is cut that has so many."""
        return UNCUT if self.is_piped else width


PLAIN = Style()


def folded(text: str, *, width: int, first: str = "", rest: str = "") -> list[str]:
    """`text` in lines of less than `width` columns; `first` stands before the first line, `rest` before the others."""
    glued = re.sub(r"(?<=\d) (?=%)", GLUE, text)
    lines = textwrap.wrap(glued, width - 1, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False, break_long_words=False)
    return [line.replace(GLUE, " ") for line in lines]


def style(stream: Stream, environment: Mapping[str, str]) -> Style:
    """The style for a stream: colour only on a terminal that is not dumb and without ``NO_COLOR``; Unicode where it encodes."""
    dumb = environment.get("TERM", "") == "dumb"
    shown = is_terminal(stream)
    return Style(
        width=max(NARROWEST, min(WIDEST, _columns(environment, shown=shown))),
        unicode=not dumb and not _plain_locale(environment) and _encodes(stream.encoding, "█▄·┄┤●"),
        colour=shown and not dumb and not environment.get("NO_COLOR"),
        is_piped=not shown,
    )


def _columns(environment: Mapping[str, str], *, shown: bool) -> int:
    """What ``COLUMNS`` says, else the terminal; without either the usual width."""
    given = environment.get("COLUMNS", "")
    if given.isascii() and given.isdigit() and 0 < len(given) < 6:
        return int(given) or USUAL
    return shutil.get_terminal_size((USUAL, 24)).columns if shown else USUAL


def _plain_locale(environment: Mapping[str, str]) -> bool:
    """Whether the C locale was asked for. Python itself then puts C.UTF-8 into ``LC_CTYPE``, which nobody typed."""
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        value = environment.get(name, "")
        if value and not (name == "LC_CTYPE" and value in COERCED):
            return value in ("C", "POSIX")
    return False


def progress(steps: Iterable[Item], *, total: int, what: str, stream: Stream, environment: Mapping[str, str]) -> Iterator[Item]:
    """The same steps, with a line on `stream` that counts them where a person is looking; it is gone when the steps end."""
    if not is_terminal(stream) or environment.get("TERM") == "dumb":
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


def is_terminal(stream: Stream) -> bool:
    """Whether a person may be looking at the stream."""
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
