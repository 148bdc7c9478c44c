"""Lines for the model that live in one request only, and the line for the person that goes with them (origin 7.2, 6.8)."""

from __future__ import annotations

from dataclasses import replace

from sostenuto.checkpoint import compacted_nudge, progress
from sostenuto.ladder._run import Run


def nudge(run: Run) -> Run:
    """The run with its nudges; the warn notice for the person speaks once until a compaction has helped (D40)."""
    usage, budget = run.total, run.facts.budget
    percent = usage * 100 // max(1, budget)
    critical = usage >= run.line("critical")
    nudges: list[str] = []
    if run.compacted:
        note = progress(run.history.units[run.view.start :], policy=run.settings.policy)
        text = compacted_nudge(critical=critical)
        room = budget - usage - run.history.ruler.text(text)
        nudges.append(text)
        if note and run.history.ruler.text(note) < room:
            nudges.append(note)
    elif critical:
        nudges.append(
            f"[CONTEXT CRITICAL: {percent} % of the {budget:,} token context is used. Write the result of the work now; open nothing new.]"
        )
    elif usage >= run.line("warn"):
        at = round(run.settings.thresholds.compact * 100)
        nudges.append(
            f"[CONTEXT WARNING: {percent} % of the {budget:,} token context is used; at {at} % older messages are summarised. "
            "Write down what is still needed and bring open work together.]"
        )
    run = _warned(run, usage=usage, percent=percent)
    return replace(run, nudges=tuple(nudges), phase="done")


def _warned(run: Run, *, usage: int, percent: int) -> Run:
    line = run.line("warn")
    if run.compacted and usage <= line:
        return run.remember(warned=False)
    if run.memory.warned or usage <= line:
        return run
    at = round(run.settings.thresholds.compact * 100)
    text = f"Context is {percent} % full ({usage:,} of {run.facts.budget:,} tokens); older messages are summarised at {at} %."
    run = run.event("warn", before=usage, reason=f"{percent} % of the budget is used")
    return run.notice(text).remember(warned=True)
