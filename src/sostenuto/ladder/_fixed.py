"""The part of a request that no rung can free: said at the start when it leaves too little for a conversation (D10, B001, B045)."""

from __future__ import annotations

from sostenuto.budget import fixed_part_notice
from sostenuto.ladder._run import Run


def fixed_told(run: Run) -> Run:
    """The run with a notice that names each component and its tokens, once, while the fixed part alone passes the compaction line."""
    budget, part = run.facts.budget, run.fixed
    if part.tokens > budget:
        return run  # `fit` refuses it with the same figures
    text = fixed_part_notice(budget, part, lines=run.lines)
    if text is None:
        return run.remember(unfit=False) if run.memory.unfit else run
    return run if run.memory.unfit else run.notice(text[:1].upper() + text[1:] + ".").remember(unfit=True)
