"""How full are we, and which line is crossed? Thresholds, usage, room and its shares; the limits of a run (rank 3, pure).

What only a run needs is loaded when it is first used: whoever only prepares requests does not wait for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

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
from sostenuto.doors import door

if TYPE_CHECKING:
    from sostenuto.budget._cost import request_cost
    from sostenuto.budget._limits import (
        LIMIT_NUMBERS,
        LimitName,
        Limits,
        Reading,
        Spent,
        ended_by,
        left_for_child,
        limit_notices,
        limit_nudges,
        limit_reached,
        readings,
    )
    from sostenuto.budget._stall import STALL, call_key, is_stalled, stall_nudge

__all__ = [
    "DEFAULT",
    "LEAST",
    "LIMIT_NUMBERS",
    "SHARES",
    "STALL",
    "FixedPart",
    "LeastGain",
    "LimitName",
    "Limits",
    "Lines",
    "Reading",
    "Shares",
    "Spent",
    "Thresholds",
    "Usage",
    "batch_budget",
    "call_key",
    "ended_by",
    "fixed_part_notice",
    "is_early",
    "is_stalled",
    "is_worth_clearing",
    "ledger_budget",
    "left_for_child",
    "limit_notices",
    "limit_nudges",
    "limit_reached",
    "paths_budget",
    "readings",
    "recent_tail",
    "request_cost",
    "room",
    "stall_nudge",
    "summarizer_budget",
    "thresholds",
    "water_level",
]

_HOMES = {
    "LIMIT_NUMBERS": "_limits",
    "LimitName": "_limits",
    "Limits": "_limits",
    "Reading": "_limits",
    "STALL": "_stall",
    "Spent": "_limits",
    "call_key": "_stall",
    "ended_by": "_limits",
    "is_stalled": "_stall",
    "left_for_child": "_limits",
    "limit_notices": "_limits",
    "limit_nudges": "_limits",
    "limit_reached": "_limits",
    "readings": "_limits",
    "request_cost": "_cost",
    "stall_nudge": "_stall",
}

__getattr__ = door(__name__, _HOMES)
