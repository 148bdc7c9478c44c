"""How full are we, and which line is crossed? Thresholds, usage, room and its shares, the least gain (rank 3, pure)."""

from sostenuto.budget._gain import LEAST, LeastGain, is_worth_clearing
from sostenuto.budget._tail import (
    SHARES,
    FixedPart,
    Shares,
    batch_budget,
    fixed_part_notice,
    ledger_budget,
    paths_budget,
    recent_tail,
    room,
    summarizer_budget,
    water_level,
)
from sostenuto.budget._thresholds import DEFAULT, Lines, Thresholds, thresholds
from sostenuto.budget._usage import Usage, is_early

__all__ = [
    "DEFAULT",
    "LEAST",
    "SHARES",
    "FixedPart",
    "LeastGain",
    "Lines",
    "Shares",
    "Thresholds",
    "Usage",
    "batch_budget",
    "fixed_part_notice",
    "is_early",
    "is_worth_clearing",
    "ledger_budget",
    "paths_budget",
    "recent_tail",
    "room",
    "summarizer_budget",
    "thresholds",
    "water_level",
]
