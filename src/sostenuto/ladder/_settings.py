"""Every number of the ladder, in one table, with where it comes from."""

from __future__ import annotations

from dataclasses import dataclass, field

from sostenuto.budget import Thresholds
from sostenuto.calls import DEFAULT, ToolPolicy


@dataclass(frozen=True, slots=True)
class Settings:
    """What a caller may set about the ladder. Shares are of the budget unless said otherwise; sizes are tokens.

    Attributes:
        thresholds: the lines of the rungs (origin 3.1).
        gain: least share a voluntary clear must free; 0 gives the origin's step-by-step behaviour (D12).
        gain_floor: least tokens a voluntary clear must free (D12).
        protected_cycles: newest tool cycles whose results are never cleared (origin 4.1).
        clear_floor: results smaller than this are not worth a placeholder (origin 4.1).
        batch_share: of the room, what the results of one batch may take together when they arrive (D49).
        result_floor: no result is cut below this when it arrives (D49).
        result_limit: a size from which results are cut on arrival; None: the tail budget (D41).
        user_share: of the room, up to which a first or newest user message stays whole when space is tight (D50).
        user_floor: what is left of a user message above that (D50).
        digest: the smallest checkpoint (D50).
        ledger_share: of the tail budget, for requests, commands and values of a checkpoint (D22).
        tail_share: of the budget, what a compaction leaves whole, within the bounds of origin 6.2 and D61.
        path_share: of the budget, for the paths of a checkpoint (D22).
        summarizer_share: of the summarizer's window, what one chunk may take (origin 6.4).
        poor_gain: a compaction that frees less than this share is poor; two in a row open the breaker (D21).
        growth: how much the history must grow before a held compaction is tried again (D21).
        byte_limit: bytes of attachments a request may hold; None: no limit (B069).
        recovery: share of the estimate a refused request is cut to when the error states no maximum (origin 6.9).
    """

    thresholds: Thresholds = field(default_factory=Thresholds)
    gain: float = 0.25
    gain_floor: int = 2_000
    protected_cycles: int = 5
    clear_floor: int = 256
    batch_share: float = 0.5
    result_floor: int = 200
    result_limit: int | None = None
    user_share: float = 0.25
    user_floor: int = 1_000
    digest: int = 120
    ledger_share: float = 0.15
    path_share: float = 0.10
    tail_share: float = 0.20
    summarizer_share: float = 0.6
    poor_gain: float = 0.10
    growth: float = 0.10
    recovery: float = 0.70
    byte_limit: int | None = None
    policy: ToolPolicy = DEFAULT
