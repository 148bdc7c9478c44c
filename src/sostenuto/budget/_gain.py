"""When a rewrite that nobody forces is worth breaking the cache for: few, large steps (D12, algorithms 7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sostenuto.budget._usage import Usage


@dataclass(frozen=True, slots=True)
class LeastGain:
    """What a clear has to free. A share of nothing gives the origin's step by step."""

    tokens: int = 2_000
    share: float = 0.25  # of the budget: on recorded sessions the cheapest of 0, 5 and 25 % at every window


LEAST: Final = LeastGain()


def least_gain(window: int, /, *, least: LeastGain = LEAST) -> int:
    """Tokens a voluntary clear has to free in a budget of so many tokens: the larger of the two figures, nothing for a share of 0."""
    return max(least.tokens, int(least.share * max(0, window))) if least.share else 0


def is_worth_clearing(gain: int, usage: Usage, /, *, waived: bool = False, least: LeastGain = LEAST) -> bool:
    """Clearing frees enough, or the minimum is waived.

    It is also waived when compaction is due but clearing alone would land halfway between the clear and the warn line. Landing just
    below the warn line (D12) was measured dearer or as dear in every recorded session: the next clear is due two requests later.

    Args:
        gain: tokens that clearing everything that qualifies would free.
        usage: the fill before.
        waived: a rewrite costs nothing extra (the provider's cache has expired) or is forced.
        least: the minimum in force.
    """
    if gain <= 0:
        return False
    if waived or gain >= least_gain(usage.window, least=least):
        return True
    return usage.should_compact and usage.tokens - gain < (usage.lines.clear + usage.lines.warn) // 2
