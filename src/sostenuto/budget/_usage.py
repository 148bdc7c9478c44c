"""How full the window is, and which line was crossed (origin 3.1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from sostenuto.budget._thresholds import DEFAULT, Lines, Thresholds

Level = Literal["calm", "clear", "warn", "compact", "trim"]
"""The highest line crossed; clearing, warning, compacting and trimming follow each other."""

LEVELS: Final[tuple[Level, ...]] = ("calm", "clear", "warn", "compact", "trim")
TRUSTED_REPORTS: Final = 2
"""Reports after which an estimate is trusted up to the late trim line (D51)."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Fill of one request.

    Attributes:
        messages: tokens of the messages.
        overhead: tokens beyond them: schemas and scaffolding, learned or counted.
        window: tokens of the budget.
        thresholds: the shares in force.
        early: the estimate is not yet trusted, so trimming comes sooner (D51).
    """

    messages: int
    window: int
    overhead: int = 0
    thresholds: Thresholds = field(default=DEFAULT)
    early: bool = False

    @property
    def tokens(self) -> int:
        """Tokens of the request: what every threshold is compared with."""
        return self.messages + self.overhead

    @property
    def ratio(self) -> float:
        """Share of the window that is used; above 1 it does not fit."""
        return self.tokens / self.window if self.window > 0 else float(self.tokens > 0)

    @property
    def lines(self) -> Lines:
        """The lines in tokens."""
        return self.thresholds.lines(self.window, early=self.early)

    @property
    def level(self) -> Level:
        """The highest line crossed."""
        lines, tokens = self.lines, self.tokens
        if tokens > lines.trim:
            return "trim"
        if tokens > lines.compact:
            return "compact"
        if tokens > lines.warn:
            return "warn"
        return "clear" if tokens >= lines.clear else "calm"

    @property
    def should_clear(self) -> bool:
        """At or above the clear line."""
        return self.tokens >= self.lines.clear

    @property
    def should_warn(self) -> bool:
        """Above the warn line and not above the compaction line."""
        return self.lines.warn < self.tokens <= self.lines.compact

    @property
    def should_compact(self) -> bool:
        """Above the compaction line."""
        return self.tokens > self.lines.compact

    @property
    def should_trim(self) -> bool:
        """Above the trim line in force."""
        return self.tokens > self.lines.trim

    @property
    def is_critical(self) -> bool:
        """Space is tight: at or above the critical line."""
        return self.tokens >= self.lines.critical

    @property
    def fits(self) -> bool:
        """The request may be sent: nothing goes out above the window (B043)."""
        return self.tokens <= self.window


def is_early(*, reports: int, exact: bool) -> bool:
    """Fewer reports than needed to trust the estimate of a model that is not counted exactly (D51)."""
    return not exact and reports < TRUSTED_REPORTS
