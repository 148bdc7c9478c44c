"""What clearing would free among the units that were looked at, kept as long as the view, the settings and the ratio stay the same."""

from __future__ import annotations

from dataclasses import dataclass

from sostenuto.ladder._history import History
from sostenuto.ladder._settings import Settings


@dataclass(slots=True)
class Gain:
    """Tokens that clearing some results would free, and the first unit that would change; None while there is none."""

    tokens: int = 0
    first: int | None = None

    def add(self, tokens: int, *, unit: int) -> None:
        """One more result."""
        self.tokens += tokens
        self.first = unit if self.first is None else min(self.first, unit)

    def with_(self, other: Gain) -> Gain:
        """Both together."""
        firsts = [first for first in (self.first, other.first) if first is not None]
        return Gain(self.tokens + other.tokens, min(firsts, default=None))


@dataclass(slots=True)
class Looked:
    """The units before `upto` were looked at: results that may go, and results that go only if they must (D13).

    Valid for this very history, these settings and this ratio; the view it is kept in is the one it speaks of.
    """

    history: History
    settings: Settings
    ratio: float
    upto: int
    early: Gain
    last: Gain
