"""What is left for history once the parts nobody may touch are counted, and how it is shared (D10, D49, D50, D61)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sostenuto.budget._thresholds import Lines
from sostenuto.errors import FixedPartTooLarge


@dataclass(frozen=True, slots=True)
class Shares:
    """How the window and the room are shared out."""

    tail: float = 0.20  # of the window, stays as it is through a compaction (origin 6.2)
    tail_least: int = 8_000  # but this much
    tail_least_share: float = 0.25  # or a quarter of a window too small for that
    tail_most: int = 40_000
    tail_of_slack: float = 0.40  # of what lies between the fixed part and the warn line, so that a compaction gets below it (D61)
    ledger: float = 0.40  # of the tail (D22)
    paths: float = 0.10  # of the window (D22)
    batch: float = 0.50  # of the room, for the results of one batch (D49)
    summarizer: float = 0.60  # of the summarizer's own input limit (D24)
    summarizer_least: int = 256


SHARES: Final = Shares()


@dataclass(frozen=True, slots=True)
class FixedPart:
    """Tokens that are in every request: system, tools, pins; and the reserve kept free for the answer."""

    system: int = 0
    tools: int = 0
    pins: int = 0
    reserve: int = 0

    @property
    def tokens(self) -> int:
        """All of it."""
        return self.system + self.tools + self.pins + self.reserve

    @property
    def components(self) -> dict[str, int]:
        """Name -> tokens of the components that take any."""
        named = {"system": self.system, "tools": self.tools, "pins": self.pins, "output reserve": self.reserve}
        return {name: tokens for name, tokens in named.items() if tokens > 0}


def room(window: int, fixed: FixedPart, /) -> int:
    """Tokens for history: the window less the fixed part, never negative (D49)."""
    return max(0, window - fixed.tokens)


def fixed_part_notice(window: int, fixed: FixedPart, /, *, lines: Lines) -> str | None:
    """What to say at the start when the fixed part alone passes the compaction line (D10, B045); None where it does not.

    Raises:
        FixedPartTooLarge: it does not even fit the window.
    """
    if fixed.tokens > window:
        raise FixedPartTooLarge(fixed.components, window=window)
    if fixed.tokens <= lines.compact:
        return None
    listed = ", ".join(f"{name} {tokens:,}" for name, tokens in fixed.components.items())
    return (
        f"{fixed.tokens:,} of {window:,} tokens are taken before the conversation begins ({listed}), more than the compaction "
        f"line of {lines.compact:,}; compaction cannot help: hand over fewer tools, shorten the rest, or use a larger window"
    )


def recent_tail(window: int, /, *, warn_line: int, fixed: int = 0, share: float = SHARES.tail) -> int:
    """Tokens of the newest history that a compaction leaves alone (origin 6.2, D61).

    Args:
        window: tokens of the budget.
        warn_line: tokens of the warn line.
        fixed: tokens of the fixed part.
        share: another share than the default scales the whole, bounds included.
    """
    by_window = max(SHARES.tail * window, min(SHARES.tail_least, SHARES.tail_least_share * window))
    slack = SHARES.tail_of_slack * (warn_line - fixed)
    by_default = max(0, int(min(SHARES.tail_most, by_window, slack)))
    return int(by_default * share / SHARES.tail)


def ledger_budget(tail: int, /, *, share: float = SHARES.ledger) -> int:
    """Tokens the mechanical ledger may print, from the tokens of the tail (D22)."""
    return int(share * max(0, tail))


def paths_budget(window: int, /, *, share: float = SHARES.paths) -> int:
    """Tokens the covered paths may print, each in full (D22)."""
    return int(share * max(0, window))


def batch_budget(room_tokens: int, /, *, share: float = SHARES.batch) -> int:
    """Tokens the results of one batch may take together before they are first sent (D49)."""
    return int(share * max(0, room_tokens))


def summarizer_budget(window: int, /, *, share: float = SHARES.summarizer) -> int:
    """Tokens of transcript a summarizer with this input limit is handed at once (D24), never so few that nothing can be read."""
    return max(SHARES.summarizer_least, int(share * max(0, window)))


def water_level(sizes: Sequence[int], /, *, total: int) -> int:
    """The cap at which all sizes, cut to it, together take at most `total`; the largest size when nothing need be cut."""
    left = total
    ordered = sorted(sizes)
    for number, size in enumerate(ordered):
        share = left // (len(ordered) - number)
        if size > share:
            return max(0, share)
        left -= size
    return ordered[-1] if ordered else 0
