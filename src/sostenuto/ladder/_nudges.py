"""Lines for the model that live in one request only, and the line for the person that goes with them (origin 7.2, 6.8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sostenuto import checkpoint
from sostenuto.ladder._numbers import NUMBERS
from sostenuto.ladder._run import Run
from sostenuto.messages import Message, Text

TOLD = ("", "warn", "critical")
"""How full the model was last told that its context is; a crossing is a step up."""


def nudge(run: Run) -> Run:
    """The run with its nudges; the warn notice for the person speaks once until a compaction has helped (D40)."""
    usage, budget = run.usage, run.facts.budget
    level = "critical" if usage.is_critical else "warn" if usage.tokens >= usage.lines.warn else ""
    fitting = _fitting(run, _said(run, level), room=min(budget, run.facts.forced or budget) - usage.tokens)
    run = _warned(run)
    if run.facts.bound:
        return replace(_stored(run, fitting, level=level), phase="done")
    return replace(run, nudges=fitting, phase="done")


def _said(run: Run, level: str) -> list[str]:
    """What there is to tell the model; after a compaction that alone (D44)."""
    percent, budget = run.usage.percent, run.facts.budget
    if run.compacted:
        done = checkpoint.progress(run.history.units[run.view.start :], policy=run.settings.policy)
        return [checkpoint.compacted_nudge(critical=level == "critical"), done]
    if level == "critical":
        return [
            f"[CONTEXT CRITICAL: {percent} % of the {budget:,} token context is used. Write the result of the work now; open nothing new.]"
        ]
    if level == "warn":
        return [
            f"[CONTEXT WARNING: {percent} % of the {budget:,} token context is used; at {_compact_percent(run)} % older messages are "
            "summarised. Write down what is still needed and bring open work together.]"
        ]
    return []


def _compact_percent(run: Run) -> int:
    return round(run.settings.thresholds.compact * 100)


def _stored(run: Run, nudges: tuple[str, ...], *, level: str) -> Run:
    """The run with its nudges written into the view behind the newest message, once per crossing (D29, D54).

    A line that lives in one request only would change the prefix that signed thinking is bound to. Stored ones go with the
    next cover. Between a call and its result there is no place for one: it waits.
    """
    history, told = run.history, run.memory.nudged if run.view.inserted else ""
    newest = len(history.messages) - 1
    if run.compacted:
        run = run.remember(nudged="")
    elif TOLD.index(level) <= TOLD.index(told):
        return run.remember(nudged=level)
    if not nudges or newest < 0 or newest in run.view.inserted or _is_answering(run):
        return run
    message = Message("user", (Text("\n".join(nudges)),), kind="ephemeral")
    cause = f"nudge: {'compacted' if run.compacted else level}"
    edit = run.edit("insert", cause, inserted=(newest, message))
    before = run.total
    run = run.with_edit(edit).event("insert", before=before, reason=f"{cause}, kept because thinking is bound to its prefix")
    return run if run.compacted else run.remember(nudged=level)


def _is_answering(run: Run) -> bool:
    """Whether calls of the newest cycle still wait for their results."""
    cycles = run.history.cycles
    return bool(cycles) and any(slot.result is None for slot in run.history.units[cycles[-1]].slots) and cycles[-1] >= run.history.newest()


def _fitting(run: Run, nudges: list[str], *, room: int) -> tuple[str, ...]:
    """The nudges, in their order, that the request still has room for: a nudge never makes it too long (D18)."""
    chosen: list[str] = []
    for text in filter(None, nudges):
        if nudge_tokens(run, (*chosen, text)) <= room:
            chosen.append(text)
    return tuple(chosen)


def nudge_tokens(run: Run, nudges: Sequence[str]) -> int:
    """What the nudges of one request take, sent together as one message of their own."""
    return run.history.ruler.text("\n".join(nudges)) + NUMBERS.nudge_frame if nudges else 0


def _warned(run: Run) -> Run:
    usage = run.usage
    if run.compacted and not usage.should_warn:
        return run.remember(warned=False)
    if run.memory.warned or not usage.should_warn:
        return run
    text = (
        f"Context is {usage.percent} % full ({usage.tokens:,} of {usage.window:,} tokens); "
        f"older messages are summarised at {_compact_percent(run)} %."
    )
    run = run.event("warn", before=usage.tokens, reason=f"{usage.percent} % of the budget is used")
    return run.notice(text).remember(warned=True)
