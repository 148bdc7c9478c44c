"""What is known of the work outside the conversation, as a checkpoint carries it. To the ladder it is plain text (D43)."""

from __future__ import annotations

from sostenuto import checkpoint
from sostenuto.ladder._numbers import NUMBERS
from sostenuto.ladder._run import Run


def known_block(run: Run, *, share: float = 1.0) -> str:
    """The block of known work for a checkpoint of this run: at most a quarter of the tail, less by `share` where space is tight."""
    if not run.facts.known:
        return ""
    return checkpoint.work_block(run.facts.known, budget=int(NUMBERS.known_share * run.tail * share), count=run.history.ruler.text)
