"""Handing work on: a sub-agent is a run of its own, with what is left of the budget and the same ladder (origin 7.3)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from sostenuto.agent._outcome import Ending, Outcome
from sostenuto.agent._purse import Purse
from sostenuto.agent._setup import Delegation, Place, Setup
from sostenuto.agent._stop import Stop
from sostenuto.budget import Limits, Reading, Spent, left_for_child, limit_reached
from sostenuto.results import Sizing
from sostenuto.tools import Context, Errand, Report, ResultsInMemory, Tool, subagent_tool

Running = Callable[[str, Setup], Awaitable[Outcome]]

SPENT = "There is nothing left to hand on: the {name} limit of this run is used up. Finish with what there is."
SAME = "This is the very task you or those above you were given: it would go round in a circle. Do it yourself, or hand on a smaller part."

ENDINGS: dict[Ending, str] = {
    "iterations": "it used up its iterations and was stopped; this is what it had",
    "cost": "the cost limit was reached; this is what it had",
    "tokens": "the token limit was reached; this is what it had",
    "duration": "the time was up; this is what it had",
    "interrupted": "it was interrupted; this is what it had",
    "stalled": "it went in circles and was stopped; this is what it had",
    "empty": "it said nothing",
    "cut off": "its answer is not complete",
}
"""What the run above is told of a sub-agent that did not come to its end."""


def delegating(setup: Setup, delegation: Delegation, *, task: str, spent: Callable[[], Spent], running: Running) -> Tool:
    """The tool with which a run hands work on.

    Args:
        task: what the run itself was asked.
        spent: what it has taken until now.
        running: runs a task to its end.
    """
    place = Place(setup.place.depth + 1, (*setup.place.tasks, _plain(task)), lambda: _ceiling(setup, spent()))

    async def work(errand: Errand, context: Context) -> Report:
        started = setup.now()
        if _plain(errand.task) in place.tasks:
            return Report(SAME, succeeded=False, started=started)
        limits = left_for_child(setup.limits, spent(), iterations=min(errand.iterations, delegation.iterations))
        if limits is None:
            reading = limit_reached(setup.limits, spent())
            return Report(SPENT.format(name=reading.name if reading else "cost"), succeeded=False, started=started)
        outcome = await _kept_whole(running, errand.task, _child(setup, delegation, limits=limits, place=place))
        return Report(_said(outcome), succeeded=outcome.succeeded and bool(outcome.text), started=started)

    return subagent_tool(work, depth=setup.place.depth, most_deep=delegation.most_deep, iterations=delegation.iterations)


async def _kept_whole(running: Running, task: str, setup: Setup) -> Outcome:
    """The outcome of a sub-agent; one that is called off ends in good order and hands over what it has."""
    import asyncio

    work = asyncio.ensure_future(running(task, setup))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        setup.stop.now()
        return await work


def _child(setup: Setup, delegation: Delegation, *, limits: Limits, place: Place) -> Setup:
    purse = Purse(setup.purse.price, above=setup.purse)
    context, tools = delegation.made(purse)
    changes: dict[str, Any] = {
        "context": context,
        "tools": tuple(tools),
        "system": delegation.system,
        "limits": limits,
        "purse": purse,
        "place": place,
        "stop": Stop(),
        "handling": replace(setup.handling, kept=ResultsInMemory(), sizing=Sizing()),
        "parking": None,
    }
    return replace(setup, **changes)


def _ceiling(setup: Setup, spent: Spent) -> Reading | None:
    """A cost limit above: what several sub-agents spend at the same time is counted together."""
    own = limit_reached(Limits(iterations=None, cost_usd=setup.limits.cost_usd), spent)
    return own or setup.place.ceiling()


def _said(outcome: Outcome) -> str:
    """The answer for the run above: the whole of it, and how it came to an end."""
    if outcome.error is not None:
        return "\n\n".join(filter(None, (outcome.text, f"[The sub-agent failed: {outcome.error}]")))
    how = ENDINGS.get(outcome.ended)
    return "\n\n".join(filter(None, (outcome.text, f"[The sub-agent did not finish: {how}.]" if how else "")))


def _plain(task: str) -> str:
    return " ".join(task.split()).casefold()
