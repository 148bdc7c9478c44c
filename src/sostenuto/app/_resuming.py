"""A conversation that goes on: what the model is told of the work so far, and what the person is told it will take (origin 8.3, D43)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sostenuto.app._desk import Desk
from sostenuto.app._rulers import plain_ruler
from sostenuto.checkpoint import redacted
from sostenuto.manager import ContextManager
from sostenuto.protocols import Papers, Raw
from sostenuto.tokens import Reported
from sostenuto.work import STATE, TODOS, known, preamble, state_in, todos_in

Priced = Callable[[Reported], float | None]
"""Dollars of one call of the summarizer."""


def preface(context: ContextManager, desk: Desk) -> str:
    """The preamble of a run that goes on: from journal, work state and todos; "" where there is nothing to tell.

    It is built from the journal alone where the history is lost.
    """
    return preamble(
        context.journal,
        state=state_in(desk.papers.read(STATE)),
        todos=todos_in(desk.papers.read(TODOS)),
        tokens=plain_ruler(context.model).text,
        in_view=redacted(context.checkpoint),
    )


def known_work(papers: Papers) -> str:
    """What a checkpoint carries of the work at hand (D43); "" for nothing."""
    return known(state_in(papers.read(STATE)), todos_in(papers.read(TODOS)))


def plan(context: ContextManager, history: list[Raw], *, priced: Priced, **asked: Any) -> tuple[str, ...]:
    """What will be cleared or summarised before the first request, with its cost; nothing where the history fits as it is.

    Args:
        history: what the first request is made of.
        priced: what the summarizer's reading costs.
        asked: instructions, tools and reserve of the request.
    """
    found = context.preview_next(history, **asked)
    if not found.rungs or found.tokens_after >= found.tokens_before:
        return ()
    dollars = priced(Reported(found.read, 0)) if found.read else 0.0
    reading = f"; a summarizer reads about {found.read:,} tokens{_dollars(dollars)}" if found.read else ""
    window = f"This conversation goes on in a window of {context.window.tokens:,} tokens."
    return (f"{window} {found.text} Rungs: {', '.join(found.rungs)}{reading}.",)


def _dollars(dollars: float | None) -> str:
    if dollars is None:
        return ", price unknown"
    return f", about ${dollars:.4f}" if dollars else ""
