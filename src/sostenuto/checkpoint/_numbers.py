"""Every number of this room, with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class Numbers:
    """Characters unless the comment says otherwise."""

    request_whole: int = 2_000  # D22: a request is verbatim up to here, then head and tail
    request_tail: int = 500  # of the 2,000, what is kept of the end: the ask often stands last
    request_short: int = 400  # the middle form, where the whole does not fit
    line: int = 120  # algorithms 5: an answered request is one line of this length
    name: int = 80  # a tool or an id in the checkpoint
    value: int = 300  # an exact value in the checkpoint
    command: int = 160  # a command in the checkpoint
    error: int = 200  # the line quoted from a failed command
    ranges: int = 4  # line ranges printed for one path; more are "…"
    candidates: int = 2_000  # values remembered from one result (algorithms 5)
    scan_head: int = 200_000  # of a text, what is searched for values
    scan_tail: int = 50_000
    error_scan: int = 8_000  # of a failed result's end, what is searched for its line
    error_lines: int = 200  # lines of one result kept as candidates
    digest_tokens: int = 120  # tokens, D50: the smallest checkpoint
    digest_request: tuple[int, ...] = (400, 240, 120, 60)  # lengths the newest request is tried with in it
    fittings: int = 8  # times a print is tried in less: counts of lines need not add up exactly
    arguments: int = 200  # origin 6.4: arguments of a call in the summarizer's transcript
    instructions: int = 4_000  # B031: custom instructions are bounded
    known_work: int = 8_000  # known work state in the prompt
    work_block: int = 40_000  # of known work state, what a checkpoint looks at
    work_line: int = 300  # a line of it, where the whole does not fit
    prior: int = 60_000  # the prior checkpoint in the prompt
    chunks: int = 6  # calls, B047: five windows are summarised in at most six calls
    chunk_shares: tuple[float, ...] = (
        0.95,
        0.85,
        0.7,
        0.5,
        0.3,
    )  # of all calls together, what messages are cut to, in turn
    block_share: float = 0.5  # share of a chunk that one message may fill at most (D24)
    block_floor: int = 60  # tokens, a message is never clipped below this for the sake of the number of calls
    refusal: int = 600  # a refusal is short
    notice: int = 1_500  # so is an error notice
    headings: int = 4  # of the seven headings, how many a summary must have; the last one among them
    reported_share: float = 0.5  # B089: a summarizer that reports fewer input tokens than this share of what was sent did not see it
    progress_items: int = 15  # origin 7.1
    progress_text: int = 80  # origin 7.1: commands and the arguments of the last action
    covered_prose: int = 8_000  # the model's own list under Covered So Far, oldest lines go first


NUMBERS: Final = Numbers()

SHARES: Final[Mapping[str, float]] = MappingProxyType(
    {"rules": 0.40, "open": 0.50, "running": 0.10, "failed": 0.12, "values": 0.12, "answered": 0.11, "commands": 0.05}
)
"""Share of the ledger's budget that a claim may take before the others had their turn; what is left over flows on (algorithms 5)."""
