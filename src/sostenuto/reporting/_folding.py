"""Long bodies folded to a head and a tail, so that a report stays a file that opens at once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from sostenuto.checkpoint import redacted

CAPS = (16_000, 8_000, 4_000, 2_000, 1_000, 500, 240, 120, 60)
"""Characters of one piece that are shown, the largest first that keeps all bodies together below `MOST`."""
MOST = 2_000_000
"""Bytes of all bodies as they stand in the page (a 500-message session must stay below 3 MB with everything else)."""
NAME = 200
"""Characters of a call's name that are shown."""

Piece = tuple[str, str, str]
"""What it is, its name (of a call), its text."""
Folded = list[str | int]
"""Kind, name, text; where something is left out also the number of characters left out and the text after them."""


def folded(bodies: Sequence[Sequence[Piece]]) -> list[list[Folded]]:
    """Every body without its secrets, its pieces cut to the largest size at which they all fit; linear in the text."""
    clean = [[(kind, glimpse(name, NAME), redacted(text)) for kind, name, text in pieces] for pieces in bodies]
    lengths = [len(text) for pieces in clean for *_, text in pieces]
    for cap in CAPS[:-1]:
        # a character is a byte at least: what is too long already need not be written out to be measured
        if sum(min(length, cap) for length in lengths) <= MOST and _size(shown := _shown(clean, cap)) <= MOST:
            return shown
    return _shown(clean, CAPS[-1])


def glimpse(text: str, most: int) -> str:
    """A text of ours or the host's without its secrets, at most `most` characters."""
    clean = redacted(text)
    return clean if len(clean) <= most else f"{clean[: most - 1]}…"


def _shown(bodies: Iterable[Iterable[Piece]], cap: int) -> list[list[Folded]]:
    return [[_cut(piece, cap) for piece in pieces] for pieces in bodies]


def _cut(piece: Piece, cap: int) -> Folded:
    kind, name, text = piece
    if len(text) <= cap:
        return [kind, name, text]
    tail = cap // 3
    return [kind, name, text[: cap - tail], len(text) - cap, text[len(text) - tail :]]


def _size(bodies: Iterable[list[Folded]]) -> int:
    return sum(len(json.dumps(pieces, ensure_ascii=False).encode("utf-8", "surrogatepass")) for pieces in bodies)
