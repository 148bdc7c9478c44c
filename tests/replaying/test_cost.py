"""The cost figures of decisions D52, on bodies made by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.replaying import Bill, Costs, costs, input_cost_ratio, unedited


def weigh(message: Any) -> int:
    """One token for each character of the content."""
    return len(message["content"])


def bodies(*requests: str) -> list[dict[str, Any]]:
    """Request bodies from words: one message for each word."""
    return [{"messages": [{"role": "user", "content": word} for word in request.split()]} for request in requests]


def test_a_growing_history_is_billed_once_and_then_cached() -> None:
    """Doing nothing re-bills nothing: every message is appended once and read from the cache afterwards."""
    run = costs(bodies("aa", "aa bbb", "aa bbb c"), weigh=weigh)
    assert (run.sent, run.rebilled, run.appended, run.breaks) == (2 + 5 + 6, 0, 6, 0)
    assert run.billed == pytest.approx(0.1 * 7 + 1.25 * 6)
    assert run.requests == (2, 5, 6)


def test_what_stands_behind_a_rewrite_is_billed_again() -> None:
    """A message that was sent before and lies after the first changed one counts as re-billed, the changed one as appended."""
    run = costs(bodies("aa bbb cccc", "aa xx cccc"), weigh=weigh)
    assert (run.rebilled, run.appended, run.breaks) == (4, 9 + 2, 1)
    assert run.bills == (Bill(appended=9), Bill(cached=2, appended=2, rebilled=4))


def test_mutant_that_rewrites_its_head_each_time_scores_badly() -> None:
    """An engine that changes its first message with every request re-bills everything behind it and costs more than doing nothing."""
    history = [f"m{i}" * 50 for i in range(20)]
    nothing = costs(bodies(*(" ".join(history[: n + 1]) for n in range(20))), weigh=weigh)
    mutant = costs(bodies(*(" ".join([f"head{n}", *history[: n + 1]]) for n in range(20))), weigh=weigh)
    assert mutant.breaks == 19
    assert mutant.rebilled > 0.8 * mutant.sent
    assert input_cost_ratio(mutant, nothing) > 3


def test_a_nudge_that_goes_is_no_break() -> None:
    """A trailing message known as a nudge may be gone from the next request without breaking the prefix."""
    with_nudge = bodies("a b nudge", "a b c")
    assert costs(with_nudge, weigh=weigh).breaks == 1
    assert costs(with_nudge, weigh=weigh, nudges=[1, 0]).breaks == 0


def test_the_separate_system_text_is_part_of_the_prefix() -> None:
    """A changed system text breaks the prefix at its very beginning."""
    first, second = bodies("a b", "a b")
    run = costs([{"system": "s1", **first}, {"system": "s2", **second}], weigh=weigh)
    assert (run.rebilled, run.breaks) == (2, 1)


def test_equal_messages_count_as_the_same_whatever_object_they_are() -> None:
    """The figures of bodies read back from a file equal those of the live objects."""
    live = bodies("a b", "a b c", "a x c")
    import json

    assert costs(live, weigh=weigh) == costs(json.loads(json.dumps(live)), weigh=weigh)


def test_the_summarizer_is_paid_for() -> None:
    """Input and output of the summarizer raise the ratio by their share of doing nothing's price."""
    run = Costs(sent=100, appended=100)
    assert input_cost_ratio(run, run) == 1
    assert input_cost_ratio(run, run, summarizer=125) == pytest.approx(2.0)
    assert input_cost_ratio(Costs(), Costs()) == 1


@given(st.lists(st.text(alphabet="abc ", max_size=12), max_size=12))
def test_every_token_is_cached_appended_or_billed_again(requests: list[str]) -> None:
    """For any run, sent is at least re-billed plus appended, and each different message is appended exactly once."""
    run = costs(bodies(*requests), weigh=weigh)
    different = {word for request in requests for word in request.split()}
    assert run.appended == sum(map(len, different))
    assert run.sent >= run.rebilled + run.appended
    assert sum(run.requests) == run.sent


def test_doing_nothing_has_the_same_other_parts() -> None:
    """What a request holds beside its conversation is the same had nothing been rewritten, and no size falls below zero."""
    assert unedited([150, 170, 5], sent=[100, 100, 100], plain=[100, 900, 10]) == (150, 970, 0)
