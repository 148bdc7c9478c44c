"""Reading a kept text in pages, and looking for words in it (origin 4.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sostenuto.results._budget import PAGE_CHARACTERS

MOST_HITS = 50
"""Places a search shows; the others are counted."""
EXCERPT_CHARACTERS = 240
"""Of a long line, what a search shows around the place."""


@dataclass(frozen=True, slots=True)
class Page:
    """A piece of a text: the characters from `start` to `end` of `total`."""

    text: str
    start: int
    end: int
    total: int

    @property
    def is_whole(self) -> bool:
        """Whether the page is all there is."""
        return self.start == 0 and self.end == self.total

    @property
    def footer(self) -> str:
        """The line under a page that says where it stands and how to go on; "" under a whole text."""
        if self.is_whole:
            return ""
        more = f"next: offset={self.end}" if self.end < self.total else "this is the end"
        return f"[characters {self.start:,} to {self.end:,} of {self.total:,}; {more}]"


def page(text: str, *, offset: int = 0, longest: Callable[[str], int] = len, most: int = PAGE_CHARACTERS) -> Page | None:
    """The page of `text` from `offset` on: at most `most` characters, and what `longest` says of such a piece; None past the end."""
    if offset < 0 or (offset and offset >= len(text)):
        return None
    piece = text[offset : offset + most]
    shown = piece[: max(1, longest(piece))]
    return Page(shown, offset, offset + len(shown), len(text))


@dataclass(frozen=True, slots=True)
class Found:
    """One place in a text: its line, counted from 1, its offset in characters, and the line or what stands around the place."""

    line: int
    offset: int
    text: str


def found(text: str, words: str) -> tuple[tuple[Found, ...], int]:
    """The first `MOST_HITS` places that hold exactly these words, without regard to case, and how many there are.

    A line counts once, however often it holds them; a line longer than an excerpt counts once for each excerpt.
    """
    hits: list[Found] = []
    total = 0
    for place in _places(text, words.lower()):
        total += 1
        if len(hits) < MOST_HITS:
            hits.append(place)
    return tuple(hits), total


def _places(text: str, wanted: str) -> Iterator[Found]:
    start = 0
    for number, line in enumerate(text.split("\n") if wanted else (), start=1):
        lowered = line.lower()
        at = lowered.find(wanted)
        while at >= 0:
            if len(line) <= EXCERPT_CHARACTERS:
                yield Found(number, start, line)
                break
            first = max(0, min(at, len(line)) - EXCERPT_CHARACTERS // 2)
            yield Found(number, start + first, f"…{line[first : first + EXCERPT_CHARACTERS]}…")
            at = lowered.find(wanted, at + EXCERPT_CHARACTERS // 2)
        start += len(line) + 1


def listed(text: str, words: str) -> str:
    """The answer to a search: each place with its line and offset, and what was left out."""
    hits, total = found(text, words)
    if not hits:
        return f"No line holds {words[:80]!r} ({len(text):,} characters searched)."
    lines = [f"{hit.line} (offset {hit.offset}): {hit.text}" for hit in hits]
    if total > len(hits):
        lines.append(f"[{total - len(hits):,} more places; look for more exact words]")
    return "\n".join(lines)
