"""How long a result may be: the characters of origin 10, and the share of the window of D41."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

KEPT_BYTES = 256_000_000
"""What the whole results of one conversation may take together; the oldest go first (D15)."""
PAGE_CHARACTERS = 23_000
"""Origin 4.4: the widest result budget of 24,000 less 1,000 for the footer, so that a page is never cut again."""
PAGE_SHARE = 0.10
"""Of the window, in tokens: the other bound of a result and of a page (D41)."""
ORIGIN_WINDOW = 200_000
"""Tokens of the largest window that the origin's characters were made for. In a larger one they keep their share of it: else a model with
a million tokens has to ask for a text of 60,000 characters piece by piece (B155), although D41's tenth of its window would hold it."""
WIDEST = 5
"""Times the origin's characters at most: with more, a result would be over the tail budget, and the ladder would cut it once more."""


@dataclass(frozen=True, slots=True)
class Budgets:
    """The characters a result may have, by its form (origin 10). The second number of a pair is the length from which the first holds."""

    usual: int = 12_000
    wide: int = 24_000
    list: int = 16_000
    long_text: int = 4_000
    long_field: int = 2_000
    many_items: int = 100


BUDGETS = Budgets()
TEXT_FIELDS = ("content", "diff", "stdout", "stderr", "body", "text")
LIST_FIELDS = ("matches", "results", "files", "counts", "lines", "commits", "summary", "items", "entries", "todos")


@dataclass(frozen=True, slots=True)
class Sizing:
    """How long results and pages may be in a window.

    Attributes:
        window: tokens of the effective window; 0 leaves only the bound in characters.
        count: tokens of a text, by the counter in force; None estimates them at four characters each.
    """

    window: int = 0
    count: Callable[[str], int] | None = None

    def longest(self, text: str, characters: int) -> int:
        """How many characters of the start of `text` are within `characters`, widened, and a tenth of the window; at least 1."""
        length = min(len(text), widened(characters, window=self.window))
        tokens = int(PAGE_SHARE * self.window)
        if not self.window or self._tokens(text[:length]) <= tokens:
            return max(1, length)
        low, high = 1, length
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self._tokens(text[:middle]) <= tokens else (low, middle - 1)
        return low

    @property
    def page(self) -> int:
        """Characters of a page."""
        return widened(PAGE_CHARACTERS, window=self.window)

    def _tokens(self, text: str) -> int:
        return self.count(text) if self.count is not None else -(-len(text) // 4)


def widened(characters: int, *, window: int) -> int:
    """The origin's `characters` in a window of so many tokens: more only where it is larger than the origin's largest (B155)."""
    return characters * min(max(window, ORIGIN_WINDOW), WIDEST * ORIGIN_WINDOW) // ORIGIN_WINDOW


def budget(value: Any) -> int:
    """Characters the result `value` may have (origin 10), before they are widened."""
    if isinstance(value, str):
        return BUDGETS.wide if len(value) > BUDGETS.long_text else BUDGETS.usual
    if isinstance(value, list | tuple):
        return BUDGETS.wide if len(value) > BUDGETS.many_items else BUDGETS.list
    if isinstance(value, dict):
        if any(isinstance(value.get(name), str) and len(value[name]) > BUDGETS.long_field for name in TEXT_FIELDS):
            return BUDGETS.wide
        if any(isinstance(value.get(name), list) and len(value[name]) > BUDGETS.many_items for name in LIST_FIELDS):
            return BUDGETS.list
    return BUDGETS.usual
