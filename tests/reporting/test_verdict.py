"""The verdict: one sentence, whatever happened."""

from __future__ import annotations

from dataclasses import replace

from sostenuto.replaying import Arrived, Costs, EstimatorError, Figures, Happening, Retention, Row
from sostenuto.reporting import verdict

FIGURES = Figures(2, 1_000, 0, 0, {}, Costs(sent=1_000, appended=1_000), 0.5, Retention(), EstimatorError())
ROWS = [Row(0, 500, 1_000, "anthropic", {}), Row(1, 600, 1_000, "anthropic", {})]


def test_where_nothing_was_done_it_says_so() -> None:
    """Nothing that was not there is praised, and a cost that is the same is called the same."""
    told = verdict(ROWS, replace(FIGURES, input_cost_ratio=1.0), unedited=[500, 600])
    assert told == (
        "All 2 requests fit the window of 1,000 tokens (doing nothing, all would too); the input costs as much as doing nothing; "
        "nothing was rewritten."
    )


def test_what_was_lost_from_view_is_named_with_its_share() -> None:
    """What stayed whole and what did not are told apart, and the keys are counted once each."""
    event = Happening("clear", 9, 5, "", ("m2.0", "m4.0"))
    rows = [replace(ROWS[0], arrived=Arrived(users=("go",), read=("a",)), events=(event,)), replace(ROWS[1], events=(event,))]
    told = verdict(rows, replace(FIGURES, retention=Retention(files_read=0.5)), unedited=[500, 1_600])
    assert "(doing nothing, 1 would not); the input costs 50 % less than doing nothing; the task, the newest user text" in told
    assert "and what users asked never left view; the worst request holds 50 % of the names of files read;" in told
    assert told.endswith("what was cut, cleared or summarised can be read back by 2 keys.")


def test_trouble_comes_first() -> None:
    """Requests that do not fit and a dearer input are said as loudly."""
    told = verdict(ROWS, replace(FIGURES, over_window=1, input_cost_ratio=1.25), unedited=[500, 600])
    assert told.startswith("1 of 2 requests would NOT fit the window of 1,000 tokens")
    assert "the input costs 25 % more than doing nothing" in told


def test_a_single_request_is_one() -> None:
    """The words agree with the number."""
    one = replace(FIGURES, requests=1)
    assert verdict(ROWS[:1], one, unedited=[500]).startswith(
        "The one request fits the window of 1,000 tokens (doing nothing, it would too)"
    )
    assert "(doing nothing, it would not)" in verdict(ROWS[:1], one, unedited=[1_500])
