"""The ladder's one function: a frozen run and the outcome of its last need go in, the next run and at most one need come out."""

from __future__ import annotations

from dataclasses import replace

from sostenuto.ladder._admit import admit
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
    while run.phase != "done":
        run, need = _step(run, outcome)
        if need is not None:
            return run, need
        outcome = None
    return run, None


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
            run = nudge(rebound(run))
            return replace(run, phase="done"), None
