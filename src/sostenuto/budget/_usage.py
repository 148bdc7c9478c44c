"""How full the window is, and which line was crossed (origin 3.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sostenuto.budget._thresholds import Lines

TRUSTED_REPORTS: Final = 2
"""Reports after which an estimate is trusted up to the late trim line (D51)."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Fill of one request: its tokens, those of the budget, and the lines in force."""

    tokens: int
    window: int
    lines: Lines

    @property
    def percent(self) -> int:
        """Full percents of the budget that are used; above 100 it does not fit."""
        return self.tokens * 100 // max(1, self.window)

    @property
    def should_clear(self) -> bool:
        """At or above the clear line."""
        return self.tokens >= self.lines.clear

    @property
    def should_warn(self) -> bool:
        """Above the warn line."""
        return self.tokens > self.lines.warn

    @property
    def should_compact(self) -> bool:
        """Above the compaction line."""
        return self.tokens > self.lines.compact

    @property
    def is_critical(self) -> bool:
        """Space is tight: at or above the critical line."""
        return self.tokens >= self.lines.critical


def is_early(*, reports: int, exact: bool) -> bool:
    """Fewer reports than needed to trust the estimate of a model that is not counted exactly (D51)."""
    return not exact and reports < TRUSTED_REPORTS
