"""Every number of the ladder that a caller may set, with where it comes from."""

from __future__ import annotations

from dataclasses import dataclass

from sostenuto.budget import DEFAULT as LINES
from sostenuto.budget import LEAST, SHARES, Thresholds
from sostenuto.calls import DEFAULT, ToolPolicy
from sostenuto.checkpoint import NUMBERS


@dataclass(frozen=True, slots=True)
class Settings:
    """What a caller may set about the ladder. Shares are of the budget unless said otherwise; sizes are tokens.

    Attributes:
        thresholds: the lines of the rungs (origin 3.1).
        gain: least share a voluntary clear must free; 0 clears step by step, as soon as anything can be (D12).
        gain_floor: least tokens a voluntary clear must free (D12).
        voluntary: of what doing nothing would have cost so far, the most a clear that nothing forces yet may cost (D52, algorithms 7).
        protected_cycles: newest tool cycles whose results are never cleared (origin 4.1).
        clear_floor: results smaller than this are not worth a placeholder (origin 4.1).
        batch_share: of the room, what the results of one batch may take together when they arrive (D49).
        result_floor: no result is cut below this when it arrives (D49).
        result_limit: a size from which results are cut on arrival; None: the tail budget (D41).
        user_share: of the room, up to which a first or newest user message stays whole when space is tight (D50).
        user_floor: what is left of a user message above that (D50).
        digest: the smallest checkpoint (D50).
        ledger_share: of the tail budget, for requests, commands and values of a checkpoint (D22).
        tail_share: of the budget, what a compaction leaves whole, within the bounds of the tail (origin 6.2, D61).
        path_share: of the budget, for the paths of a checkpoint (D22).
        summarizer_share: of the summarizer's window, what one chunk may take (origin 6.4).
        poor_gain: a compaction that frees less than this share is poor; two in a row open the breaker (D21).
        growth: how much the history must grow before a held compaction is tried again (D21).
        byte_limit: bytes of attachments a request may hold; None: no limit (B069).
        recovery: share of the estimate a refused request is cut to when the error states no maximum (origin 6.9).
    """

    thresholds: Thresholds = LINES
    gain: float = LEAST.share
    gain_floor: int = LEAST.tokens
    voluntary: float = 0.15
    protected_cycles: int = 5
    clear_floor: int = 256
    batch_share: float = SHARES.batch
    result_floor: int = 200
    result_limit: int | None = None
    user_share: float = 0.25
    user_floor: int = 1_000
    digest: int = NUMBERS.digest_tokens
    ledger_share: float = SHARES.ledger
    path_share: float = SHARES.paths
    tail_share: float = SHARES.tail
    summarizer_share: float = SHARES.summarizer
    poor_gain: float = 0.10
    growth: float = 0.10
    recovery: float = 0.70
    byte_limit: int | None = None
    policy: ToolPolicy = DEFAULT
