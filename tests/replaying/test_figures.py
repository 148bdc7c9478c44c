"""The figures of a whole run; each has a mutant that must score badly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.messages import Message, Text
from sostenuto.replaying import (
    Arrived,
    EstimatorError,
    Figures,
    Handed,
    Happening,
    Row,
    Shadow,
    costs,
    estimator_error,
    figures,
    predictions,
    rungs,
)


def weigh(message: Any) -> int:
    """One token for each character."""
    return len(message["content"])


def row(index: int, *words: str, tokens: int = 5, rung: str = "") -> Row:
    """A row whose messages are these words."""
    events = (Happening(rung, 9, 5, "because", ("m1.0",)),) if rung else ()
    native = {"messages": [{"role": "user", "content": word} for word in words]}
    return Row(index, tokens, 10, "anthropic", native, events, Arrived(users=words[-1:]))


GOOD = [row(0, "task"), row(1, "task", "more"), row(2, "task", "more", "most", rung="clear")]


def judged(rows: list[Row]) -> Figures:
    """The figures against the good run as doing nothing; a body without messages is malformed."""
    nothing = costs((one.native for one in GOOD), weigh=weigh)
    return figures(rows, doing_nothing=nothing, weigh=weigh, problems=lambda one: () if one.native["messages"] else ("empty",))


def test_a_good_run_scores_well() -> None:
    """A run that rewrites nothing is inside its window, valid, and costs what doing nothing costs."""
    found = judged(GOOD).as_dict()
    assert (found["requests"], found["window"], found["over_window"], found["invalid"]) == (3, 10, 0, 0)
    assert found["input_cost_ratio"] == 1.0
    assert found["rungs"] == {"clear": 1}
    assert list(found) == [
        "requests",
        "window",
        "over_window",
        "invalid",
        "rungs",
        "tokens_sent",
        "tokens_rebilled",
        "tokens_appended",
        "input_cost_ratio",
        "prefix_breaks",
        "retention",
        "estimator_error",
    ]


@pytest.mark.parametrize(
    ("mutant", "field", "value"),
    [
        (replace(GOOD[2], tokens=11), "over_window", 1),
        (replace(GOOD[2], native={"messages": []}), "invalid", 1),
        (row(2, "other", "task", "more"), "prefix_breaks", 1),
        (row(2, "other", "task", "more"), "tokens_rebilled", 8),
    ],
)
def test_each_mutant_scores_badly(mutant: Row, field: str, value: int) -> None:
    """One spoiled request shows in the figure that asks for it."""
    assert judged([*GOOD[:2], mutant]).as_dict()[field] == value


def test_no_requests_make_empty_figures() -> None:
    """A session without a single request has figures, all of them zero or full."""
    found = judged([]).as_dict()
    assert (found["requests"], found["tokens_sent"], found["rungs"]) == (0, 0, {})


def test_rungs_are_counted_in_alphabetical_order() -> None:
    """The order of the rungs in the output does not depend on when they fired."""
    found = rungs([row(0, "a", rung="trim"), row(1, "a", rung="admit"), row(2, "a", rung="trim")])
    assert list(found.items()) == [("admit", 1), ("trim", 2)]


def test_estimator_error_is_relative_and_skips_the_first_two() -> None:
    """Median and 95th percentile of the relative error count from the third request on."""
    assert estimator_error([(1, 100), (1, 100), (90, 100), (110, 100), (130, 100)]) == EstimatorError(0.1, 0.3, 3)
    assert estimator_error([(1, 100)] * 2) == EstimatorError()
    assert EstimatorError().as_dict() == {"median": None, "p95": None, "samples": 0}


def test_a_blind_estimator_scores_badly() -> None:
    """A mutant that always says the same is far off on a growing session."""
    error = estimator_error([(100.0, 100.0 * (n + 1)) for n in range(40)])
    assert error.median is not None
    assert error.median > 0.9


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), max_size=60))
def test_quantiles_are_errors_that_happened(pairs: list[tuple[int, int]]) -> None:
    """Median and p95 are two of the observed errors, the median not above the p95."""
    error = estimator_error(pairs)
    seen = {abs(estimate - reported) / reported for estimate, reported in pairs[2:] if reported > 0}
    if error.median is not None and error.p95 is not None:
        assert error.median <= error.p95
        assert {error.median, error.p95} <= seen


class Reply:
    """A recorded reply with a report."""

    upto = boundary = 0
    preface = ()
    output = None
    model: str | None = None

    def __init__(self, reported: int | None) -> None:
        self.reported = reported


def test_the_shadow_estimator_learns_a_hidden_overhead() -> None:
    """With 30,000 hidden tokens in every report the estimates are close from the third request on; a reply without report is skipped."""
    messages: list[dict[str, Any]] = []
    handed = []
    for number in range(20):
        messages = [*messages, {"role": "user", "content": f"step {number} of the work, " * 80}]
        text = sum(len(message["content"]) for message in messages)
        handed.append(Handed(list(messages), Reply(None if number == 7 else 30_000 + text // 5)))
    pairs = predictions(handed, decode=lambda raw: Message("user", (Text(raw["content"]),)), model="anthropic:claude-sonnet-5")
    assert len(pairs) == 19
    error = estimator_error(pairs)
    assert error.p95 is not None
    assert error.p95 < 0.15


def test_the_shadow_tells_what_another_prompt_would_have_been_billed() -> None:
    """After learning, the total of the very prompt that was sent is its report, and a shorter one costs less but keeps the hidden part."""
    shadow = Shadow(decode=lambda raw: Message("user", (Text(raw["content"]),)), model="anthropic:claude-sonnet-5")
    messages: list[Mapping[str, Any]] = [{"role": "user", "content": "a step of the work, " * 500} for _ in range(4)]
    reply = Reply(40_000)
    assert shadow.learn(Handed(messages, Reply(None))) is None
    assert shadow.learn(Handed(messages, reply)) is not None
    assert shadow.total(reply, messages) == 40_000
    assert 0 < shadow.total(reply, messages[:1]) < 40_000
