"""Numbers as people read them, in the terminal and on the page."""

from __future__ import annotations


def percent(share: float) -> str:
    """A share as people read it, with one place unless it is whole: 75 %, 95.5 %; never 100 % for less or 0 % for more."""
    shown = round(100 * share, 1)
    if shown == 100 and share < 1:
        shown = 99.9
    if shown == 0 and share > 0:
        return "under 0.1 %"
    return f"{shown:g} %"


def count(number: int, noun: str) -> str:
    """``1 token``, ``2,000 tokens``."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
