"""The lines of the ladder: shares of the window, checked, with the reason wherever a wish was not followed (origin 3.1, D40, D51)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

_SMALLEST_TOKENS: Final = 1_000
"""From here on a whole number means tokens, not a share: below it nobody sets a line (B027)."""
_LATE_CLEAR: Final = 0.60  # with the warn line under this, clearing must come sooner (D40)
_CLEAR_LEAD: Final = 0.10
_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Shares of the window at which the rungs fire.

    Attributes:
        clear: from here on old tool results are cleared (inclusive).
        warn: above this the person is told that the window fills up.
        compact: above this older history is replaced by a checkpoint.
        critical: from here on the model is told that space is tight (inclusive).
        trim: above this messages are dropped.
        early_trim: the trim line until two reports were seen for a model that is not counted exactly (D51).
        warnings: one line for every wish that was not followed, with the value in force (B029).
    """

    clear: float = 0.50
    warn: float = 0.70
    compact: float = 0.80
    critical: float = 0.90
    trim: float = 0.95
    early_trim: float = 0.90
    warnings: tuple[str, ...] = ()

    def lines(self, window: int, /, *, early: bool = False) -> Lines:
        """The same lines in tokens of a window.

        Args:
            window: tokens of the budget.
            early: fewer than two reports were seen and the model is not counted exactly.
        """
        trim = self.early_trim if early and self.early_trim > self.compact else self.trim
        return Lines(
            clear=math.ceil(window * self.clear - _ROUNDING),
            warn=_floor(window * self.warn),
            compact=_floor(window * self.compact),
            critical=math.ceil(window * self.critical - _ROUNDING),
            trim=_floor(window * trim),
        )


@dataclass(frozen=True, slots=True)
class Lines:
    """Tokens: ``clear`` and ``critical`` fire from their number on, the others above theirs."""

    clear: int
    warn: int
    compact: int
    critical: int
    trim: int


DEFAULT: Final = Thresholds()


def thresholds(*, window: int, warn: object = None, compact: object = None) -> Thresholds:
    """The thresholds for two wishes, each a share strictly between 0 and 1 or a whole number of tokens (from 1,000).

    A wish that cannot be followed gives one warning and the default; nothing fails. The compaction line lies below the
    trim line; the warn line below the compaction line, by default at most on it; with the warn line under 60 % the clear
    line moves ten points under it.

    Args:
        window: tokens of the budget, which token wishes are shares of.
        warn, compact: the wishes; None where there is none.
    """
    said: list[str] = []
    share = _wish(compact, name="compact", window=window, default=DEFAULT.compact, said=said)
    if share is not None and share >= DEFAULT.trim:
        said.append(
            f"compact threshold {_shown(compact)} is not below the trim line of {DEFAULT.trim:.0%}; "
            f"{DEFAULT.compact:.0%} is in force ({_floor(window * DEFAULT.compact):,} tokens)"
        )
        share = None
    compact_share = DEFAULT.compact if share is None else share
    default_warn = min(DEFAULT.warn, compact_share)
    share = _wish(warn, name="warn", window=window, default=default_warn, said=said)
    if share is not None and share >= compact_share:
        said.append(
            f"warn threshold {_shown(warn)} is not below the compact threshold of {compact_share:.0%}; "
            f"{default_warn:.0%} is in force ({_floor(window * default_warn):,} tokens)"
        )
        share = None
    warn_share = default_warn if share is None else share
    return replace(DEFAULT, clear=_clear(warn_share), warn=warn_share, compact=compact_share, warnings=tuple(said))


def _wish(value: object, *, name: str, window: int, default: float, said: list[str]) -> float | None:
    if value is None:
        return None
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        if 0 < value < 1:
            return float(value)
        if value >= _SMALLEST_TOKENS and value == int(value) and window > 0:
            return value / window
    said.append(
        f"{name} threshold {_shown(value)} is not a share between 0 and 1 or a number of tokens from {_SMALLEST_TOKENS:,}; "
        f"{default:.0%} is in force ({_floor(window * default):,} tokens)"
    )
    return None


def _clear(warn: float) -> float:
    if warn >= _LATE_CLEAR:
        return DEFAULT.clear
    return max(warn - _CLEAR_LEAD, warn / 2)


def _shown(value: object) -> str:
    text = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _floor(value: float) -> int:
    return math.floor(value + _ROUNDING)
