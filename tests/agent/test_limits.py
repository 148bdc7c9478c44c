"""The limits of a run, what is said on the way to them, and how they end it (origin 7.2, 7.3)."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from typing import Any

import pytest

from sostenuto.agent import Stop
from sostenuto.budget import Limits
from sostenuto.testing import Reply
from sostenuto.tools import Context, Tool
from tests.agent.acting import Played, look, looking, played


def endless(arguments: Mapping[str, Any]) -> Reply:
    """Always one more look, at something new."""
    return Reply("On.", calls=[look(len(str(arguments)))])


def nudges(run: Played, tag: str) -> list[int]:
    """The numbers, from 1, of the requests that end with a nudge of this tag."""
    return [number + 1 for number in range(len(run.model.requests)) if f"[{tag}" in run.sent(number)]


def test_the_iteration_limit_ends_the_run() -> None:
    """After 20 requests of 20 the run ends with what it has, the model was told from 14 on and at 18, the person at 10, 14 and 18 (A.3)."""
    run = played(endless, tools=[looking()], limits=Limits(iterations=20))
    assert (run.outcome.ended, run.outcome.spent.iterations, len(run.model.requests)) == ("iterations", 20, 20)
    assert nudges(run, "ITERATION WARNING") == [14, 15, 16, 17]
    assert nudges(run, "ITERATION CRITICAL") == [18, 19, 20]
    marks = [notice.split(" %")[0] for notice in run.notices if "iteration limit is used" in notice]
    assert marks == ["50", "70", "90"]
    assert "Stopped at the iteration limit (20 of 20 iterations)" in run.notices[-1]
    assert run.told("limit")[0]["name"] == "iterations"


def test_nudges_are_never_stored() -> None:
    """No line for the model is left in the history of a run that had many."""
    run = played(endless, tools=[looking()], limits=Limits(iterations=20, tokens=2_000))
    assert "ITERATION" not in str(run.outcome.history)
    assert "TOKEN" not in str(run.outcome.history)


def test_the_token_limit_counts_prompt_and_completion() -> None:
    """The run ends before the first request at whose start the limit is reached; each nudge fits what was used until then."""
    run = played(endless, tools=[looking()], limits=Limits(tokens=5_000))
    used = [0, *(detail["total_tokens"] for detail in run.told("usage"))]
    assert run.outcome.ended == "tokens"
    assert used[-2] < 5_000 <= used[-1] == run.outcome.spent.tokens
    for number, before in enumerate(used[:-1]):
        tag = "CRITICAL" if before >= 4_500 else "WARNING" if before >= 4_000 else "NOTICE" if before >= 2_500 else ""
        assert (f"[TOKEN {tag}" in run.sent(number)) if tag else "[TOKEN" not in run.sent(number)
    assert sum("token limit is used" in notice for notice in run.notices) == 3


def test_the_cost_limit_counts_dollars() -> None:
    """At ten cents a request and one dollar at most the run ends after ten."""
    run = played(endless, tools=[looking()], limits=Limits(cost_usd=1.0), price=0.125)
    assert (run.outcome.ended, len(run.model.requests)) == ("cost", 8)
    assert any("$1.00 of $1.00" in notice for notice in run.notices)


def test_an_unknown_cost_never_ends_a_run() -> None:
    """Without a price the cost limit says nothing and ends nothing."""
    run = played(endless, tools=[looking()], limits=Limits(cost_usd=0.01, iterations=5), price=None)
    assert run.outcome.ended == "iterations"
    assert not nudges(run, "COST")


def test_a_limit_that_is_reached_by_the_answer_does_not_take_it_away() -> None:
    """A run whose last allowed request is its answer is done."""
    run = played([Reply(calls=[look(1)]), "Done."], tools=[looking()], limits=Limits(iterations=2))
    assert (run.outcome.ended, run.outcome.text) == ("done", "Done.")


class Hand:
    """A clock and a timer that stand still until somebody moves them."""

    def __init__(self) -> None:
        self.now = 0.0
        self.set_off: asyncio.Event | None = None

    def clock(self) -> float:
        """Seconds."""
        return self.now

    async def timer(self, seconds: float) -> None:
        """Waits until the hand was moved so far."""
        self.set_off = asyncio.Event()
        await self.set_off.wait()

    def move(self, seconds: float) -> None:
        """Let so many seconds pass; the timer goes off."""
        self.now += seconds
        if self.set_off is not None:
            self.set_off.set()


def hanging(hand: Hand | Stop) -> Tool:
    """A tool that never comes back: while it runs the time is up, or the person stops the run."""

    async def run(arguments: Mapping[str, Any], context: Context, /) -> str:
        if isinstance(hand, Hand):
            hand.move(60.0)
        else:
            hand.now()
        await asyncio.Event().wait()
        return "never"

    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    return Tool("hang", "Hangs.", schema, run, risk="read-only")


def test_the_deadline_ends_a_tool_that_hangs() -> None:
    """A time that is up in the middle of a batch ends the run there: the finished call keeps its result, the open one says why."""
    hand = Hand()
    run = played(
        [Reply("Working.", calls=[look(1), ("hang", {})])],
        tools=[looking(), hanging(hand)],
        limits=Limits(duration_s=60.0),
        clock=hand.clock,
        timer=hand.timer,
    )
    assert (run.outcome.ended, run.outcome.text) == ("duration", "Working.")
    assert "('part', 1)" in run.outcome.history[2]["content"]
    assert "time was up" in run.outcome.history[3]["content"]
    assert any("1.0 min of 1.0 min" in notice for notice in run.notices)


def test_the_deadline_is_checked_between_iterations_too() -> None:
    """A clock that jumped while the model spoke ends the run before its next request."""
    hand = Hand()

    def script(arguments: Mapping[str, Any]) -> Reply:
        hand.now += 40.0
        return Reply(calls=[look(int(hand.now))])

    run = played(script, tools=[looking()], limits=Limits(duration_s=60.0), clock=hand.clock, timer=hand.timer)
    assert (run.outcome.ended, len(run.model.requests)) == ("duration", 2)


def test_an_interrupt_ends_a_tool_that_hangs() -> None:
    """A person who stops the run in the middle of a batch gets it back with every call answered, and no error."""
    stop = Stop()
    run = played([Reply("Working.", calls=[("hang", {})])], tools=[hanging(stop)], stop=stop)
    assert (run.outcome.ended, run.outcome.error) == ("interrupted", None)
    assert "interrupted" in run.outcome.history[2]["content"]


def test_an_interrupt_keeps_the_words_that_were_heard() -> None:
    """A run that is stopped while the answer is streamed keeps the first half of it, as the model's own words (A.3)."""
    stop = Stop()
    from tests.agent.acting import Hesitant

    model = Hesitant(["The first half of an answer that is long enough. " * 5])
    events: list[str] = []

    def listener(event: Any) -> None:
        events.append(event.kind)
        if events.count("text") == 2:
            stop.now()

    from sostenuto.agent import Setup, run
    from sostenuto.manager import ContextManager

    setup = Setup(model=model, context=ContextManager(window=8_000, format="openai_chat"), stop=stop, streaming=True, on_event=listener)
    outcome = asyncio.run(run("Go.", setup))
    assert outcome.ended == "interrupted"
    kept = outcome.history[-1]["content"]
    assert kept.startswith("The first half of an answer")
    assert len(kept) < 100
    assert outcome.text == kept.strip()
    assert outcome.spent.cost_known is False


def test_a_run_that_is_stopped_before_it_begins_asks_nothing() -> None:
    """A stop before the first request ends the run without one."""
    stop = Stop()
    stop.now()
    run = played(["Never."], stop=stop)
    assert (run.outcome.ended, run.model.requests) == ("interrupted", [])


def test_a_line_is_not_taken_by_a_run_that_was_stopped() -> None:
    """What was typed before a stop in the middle of a batch stays queued, and no iteration is counted for it."""
    stop, queue = Stop(), deque[str]()

    def script(arguments: Mapping[str, Any]) -> Reply:
        queue.append("More.")
        return Reply(calls=[("hang", {})])

    run = played(script, tools=[hanging(stop)], stop=stop, queue=queue)
    assert (run.outcome.ended, list(queue), run.outcome.spent.iterations) == ("interrupted", ["More."], 1)


@pytest.mark.parametrize("name", ["anthropic:claude-fable-5-1"])
def test_where_thinking_is_bound_to_its_prefix_nudges_are_written_down_once(name: str) -> None:
    """For a model that refuses a changed prefix each nudge is stored once, and every request begins with the one before."""
    run = played(endless, tools=[looking()], limits=Limits(iterations=20), format="anthropic", name=name, window=200_000)
    text = str(run.outcome.history)
    assert text.count("ITERATION WARNING") == 1
    assert text.count("ITERATION CRITICAL") == 1
    for earlier, later in zip(run.model.requests, run.model.requests[1:], strict=False):
        assert later.messages[: len(earlier.messages)] == earlier.messages
