"""The ladder's one function: a frozen run and the outcome of its last need go in, the next run and at most one need come out."""

from __future__ import annotations

from sostenuto.ladder._admit import admit, oversized
from sostenuto.ladder._clear import clear
from sostenuto.ladder._compact import compact, enter, summarize
from sostenuto.ladder._fit import trim
from sostenuto.ladder._nudges import nudge
from sostenuto.ladder._run import Need, Outcome, Run
from sostenuto.ladder._thinking import rebound


def advance(run: Run, outcome: Outcome | None = None) -> tuple[Run, Need | None]:
    """Move a run on until it needs something from the world or is done.

    Every phase is left at most once and hands over to a cheaper one, so it always ends: admit, clear, compact (summarize,
    enter), trim, nudge. A refused or failed step is an outcome, never an exception.

    Returns:
        The next run and what it needs; no need once ``run.phase`` is ``"done"``.
    """
    if run.phase == "admit" and outcome is None and _is_quiet(run):
        return run.ended, None
    while run.phase != "done":
        run, need = _step(run, outcome)
        if need is not None:
            return run, need
        outcome = None
    return run, None


def _is_quiet(run: Run) -> bool:
    """True where no rung and no nudge could have anything to do: every phase would hand over the run as it is.

    The usual request is this one, so it is told apart before the phases make their copies of the run.
    """
    facts, lines = run.facts, run.lines
    if facts.manual or facts.strip_media or facts.repair or facts.forced is not None or run.settings.byte_limit is not None:
        return False
    if run.edits or run.memory.nudged or run.memory.thinking_off or oversized(run):
        return False
    return run.total < min(lines.clear, lines.warn, lines.critical, lines.compact, lines.trim)


def _step(run: Run, outcome: Outcome | None) -> tuple[Run, Need | None]:
    match run.phase:
        case "admit":
            return admit(run, outcome)
        case "clear":
            return clear(run, outcome)
        case "compact":
            return compact(run, outcome)
        case "summarize":
            return summarize(run, outcome)
        case "enter":
            return enter(run, outcome)
        case "trim":
            return trim(run), None
        case _:
            return nudge(_recovered(rebound(run))), None


def _recovered(run: Run) -> Run:
    """After a refusal the person is told what was done about it (origin 6.9)."""
    if run.facts.repair:
        text = f"The provider refused the history as malformed; reasoning was left out, which made {run.total:,} tokens of it."
        return run.event("recover", before=run.total, reason="the provider refused the history as malformed").notice(text)
    if run.facts.forced is None and not run.facts.strip_media:
        return run
    before = run.events[0].tokens_before if run.events else run.total
    run = run.event("recover", before=before, reason="the provider refused the request as too long")
    return run.notice(f"The provider refused the request as too long; it was cut from {before:,} to {run.total:,} tokens.")
