"""A window as ten by ten cells, a hundredth of it each: what takes it, what is free, what is kept free."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sostenuto.cli._terminal import Style

SIDE: Final = 10
CELLS: Final = SIDE * SIDE
COMPONENTS: Final = {
    "system": ("S", "red"),
    "tools": ("T", "red"),
    "overhead": ("O", "red"),
    "checkpoint and standing messages": ("C", "blue"),
    "user": ("u", "yellow"),
    "assistant": ("a", "cyan"),
    "tool results": ("r", "green"),
}
"""Component -> its letter and colour, in the order in which they fill the window; others follow as ``o``."""
OTHER: Final = ("o", "cyan")
FREE: Final = (".", "dim")
BUFFER: Final = ("-", "dim")


def ordered(components: Mapping[str, int]) -> list[tuple[str, int]]:
    """The components in the order of the grid."""
    order = [name for name in COMPONENTS if name in components]
    return [(name, components[name]) for name in (*order, *(name for name in components if name not in COMPONENTS))]


def cells(components: Mapping[str, int], *, window: int, line: int) -> list[tuple[str, str]]:
    """A hundred cells, each a letter and its colour; what is beyond the window has none. `line`: from here on cells are kept free."""
    found: list[tuple[str, str]] = []
    total = 0
    for name, tokens in ordered(components):
        total += tokens
        edge = min(CELLS, round(CELLS * total / max(1, window)))
        found += [COMPONENTS.get(name, OTHER)] * (edge - len(found))
    border = round(CELLS * min(1.0, line / max(1, window)))
    return found + [FREE if number < border else BUFFER for number in range(len(found), CELLS)]


def grid(components: Mapping[str, int], *, window: int, line: int, shown: Style) -> list[str]:
    """The rows of the grid."""
    found = [shown.paint(letter, colour) for letter, colour in cells(components, window=window, line=line)]
    return [f"  {' '.join(found[start : start + SIDE])}" for start in range(0, CELLS, SIDE)]
