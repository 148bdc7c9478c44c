"""Asking what is known of the work outside the conversation, where a checkpoint may come of the request (D43)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sostenuto.ladder import Run

Work = Callable[[], str]
"""What is known of the work at hand, in words; "" for nothing."""


def with_known(run: Run, work: Work | None, *, rewritten: bool) -> Run:
    """The run that knows what `work` says; the same run where no rung can write a checkpoint, so that it is not asked each time.

    A failure is told once until it is overcome, and fails no request: the checkpoint is then written without.

    Args:
        run: a request on its way, before its first rung.
        work: says what is known; None where nobody keeps anything.
        rewritten: messages were left out by the host, which a checkpoint stands for.
    """
    if work is None or not (rewritten or _may_condense(run)):
        return run
    try:
        said: object = work()
    except Exception as error:  # it may be anybody's code, and reads a file
        return _failed(run, f"{type(error).__name__}: {str(error)[:200]}")
    if not isinstance(said, str):
        return _failed(run, f"it gave {type(said).__name__}, not text")
    run = run.remember(unknown=False) if run.memory.unknown else run
    return replace(run, facts=replace(run.facts, known=said.strip()))


def _may_condense(run: Run) -> bool:
    facts, lines = run.facts, run.lines
    if facts.manual or facts.strip_media or facts.repair or facts.forced is not None:
        return True
    return run.total >= min(lines.compact, lines.trim)


def _failed(run: Run, why: str) -> Run:
    if run.memory.unknown:
        return run
    return run.notice(f"What is known of the work could not be asked for ({why}); checkpoints are written without it.").remember(
        unknown=True
    )
