"""Three hundred iterations in a window of 16,000 tokens: the work is done, and everything is said when it should be."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from sostenuto.budget import Limits
from sostenuto.testing import Reply
from tests.agent.acting import WINDOW, Played, look, looking, played

ITERATIONS = 300
FORMATS = ("anthropic", "gemini", "openai_chat", "openai_responses")


@pytest.fixture(scope="module", params=FORMATS)
def long_run(request: pytest.FixtureRequest) -> Played:
    """A run of 299 batches of two looks each, and an answer."""
    numbers = iter(range(1, ITERATIONS + 1))

    def script(arguments: Mapping[str, Any]) -> Reply | str:
        number = next(numbers)
        if number == ITERATIONS:
            return "All 598 parts were looked at."
        return Reply(f"Step {number}: looking on.", calls=[look(number), look(number, f"file{number % 40}.txt")])

    limits = Limits(iterations=320, cost_usd=100.0)
    tools = [looking(characters=1_200)]
    return played(script, task="Look at every part.", tools=tools, limits=limits, format=request.param, system="Be careful.", price=0.25)


def test_the_work_is_done(long_run: Played) -> None:
    """The run ends with its answer after exactly 300 requests, each of which the wire took."""
    assert (long_run.outcome.ended, long_run.outcome.text) == ("done", "All 598 parts were looked at.")
    assert len(long_run.model.requests) == ITERATIONS
    assert len(long_run.outcome.calls) == 2 * (ITERATIONS - 1)


def test_no_request_is_over_the_window(long_run: Played) -> None:
    """By the server's own count and by ours every request fits, and the ladder did work on the way."""
    assert max(request.input for request in long_run.model.requests) <= WINDOW
    assert max(detail["tokens"] for detail in long_run.told("request")) <= WINDOW
    rungs = {detail["rung"] for detail in long_run.told("rung")}
    assert {"clear", "compact", "warn"} <= rungs


def test_the_task_is_in_every_request(long_run: Played) -> None:
    """However much left the context, what was asked stands in each request."""
    assert all("Look at every part." in json.dumps(request.arguments) for request in long_run.model.requests)


def test_notices_and_nudges_come_at_their_lines(long_run: Played) -> None:
    """A person hears of 320 iterations at 50, 70 and 90 percent once each, of 100 dollars at 50 once; the model from 70 percent on."""
    said = [notice.split(" limit is used")[0] for notice in long_run.notices if "limit is used" in notice]
    assert said == ["50 % of the iteration", "50 % of the cost", "70 % of the iteration", "90 % of the iteration"]
    warned = [number for number in range(ITERATIONS) if "[ITERATION" in long_run.sent(number)]
    assert warned == list(range(223, ITERATIONS))
    assert all("CRITICAL" in long_run.sent(number) for number in warned if number >= 287)


def test_the_history_is_whole(long_run: Played) -> None:
    """Nothing that was said is missing from the history that is left."""
    text = json.dumps(long_run.outcome.history)
    assert all(f"Step {number}: looking on." in text for number in range(1, ITERATIONS))
