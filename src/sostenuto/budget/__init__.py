"""How full are we, and which line is crossed? Thresholds, usage, room and its shares, the least gain (rank 3, pure)."""

from sostenuto.budget._gain import LEAST, LeastGain, is_worth_clearing, least_gain
from sostenuto.budget._tail import (
    SHARES,
    FixedPart,
    Shares,
    batch_budget,
    fixed_part_notice,
    ledger_budget,
    paths_budget,
    recent_tail,
    result_budget,
    room,
    summarizer_budget,
)
from sostenuto.budget._thresholds import DEFAULT, Lines, Thresholds, thresholds
from sostenuto.budget._usage import LEVELS, TRUSTED_REPORTS, Level, Usage, is_early

__all__ = [
    "DEFAULT",
    "LEAST",
    "LEVELS",
    "SHARES",
    "TRUSTED_REPORTS",
    "FixedPart",
    "LeastGain",
    "Level",
    "Lines",
    "Shares",
    "Thresholds",
    "Usage",
    "batch_budget",
    "fixed_part_notice",
    "is_early",
    "is_worth_clearing",
    "least_gain",
    "ledger_budget",
    "paths_budget",
    "recent_tail",
    "result_budget",
    "room",
    "summarizer_budget",
    "thresholds",
]
