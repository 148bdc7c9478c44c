"""How much a run may take: limits, what is said on the way, what is left for whoever it hands work to (origin 7.2, 7.3)."""

from __future__ import annotations

from typing import Any

import pytest

from sostenuto.budget import Limits, Spent, ended_by, left_for_child, limit_notices, limit_nudges, limit_reached
from sostenuto.errors import UnknownSetting


def tags(limits: Limits, spent: Spent) -> list[str]:
    """The tags of what the model is told."""
    return [line[1:].partition(":")[0] for line in limit_nudges(limits, spent)]


@pytest.mark.parametrize(
    ("used", "tag"), [(10, []), (41, []), (42, ["ITERATION WARNING"]), (53, ["ITERATION WARNING"]), (54, ["ITERATION CRITICAL"])]
)
def test_the_model_hears_of_its_iterations_from_70_percent_on(used: int, tag: list[str]) -> None:
    """Of 60 iterations nothing is said at 10 and 41, a warning at 42, and that it is critical at exactly 54 (A.7)."""
    assert tags(Limits(iterations=60), Spent(iterations=used)) == tag


def test_no_limit_says_nothing_and_ends_nothing() -> None:
    """Without limits no use of anything leads to a nudge, a notice or an end."""
    none, much = Limits(iterations=None), Spent(iterations=10**6, cost_usd=1e6, input=10**9, duration_s=1e9)
    assert limit_nudges(none, much) == ()
    assert limit_notices(none, much)[0] == ()
    assert limit_reached(none, much) is None


@pytest.mark.parametrize(
    ("limits", "spent", "expected"),
    [
        (Limits(cost_usd=1.0), Spent(cost_usd=0.49), []),
        (Limits(cost_usd=1.0), Spent(cost_usd=0.3, delegated_usd=0.2), ["COST NOTICE"]),
        (Limits(cost_usd=1.0), Spent(cost_usd=0.8), ["COST WARNING"]),
        (Limits(cost_usd=1.0), Spent(cost_usd=0.9), ["COST CRITICAL"]),
        (Limits(tokens=1_000), Spent(input=400, output=100), ["TOKEN NOTICE"]),
        (Limits(tokens=1_000), Spent(input=850), ["TOKEN WARNING"]),
        (Limits(duration_s=60.0), Spent(duration_s=54.0), ["TIME CRITICAL"]),
    ],
)
def test_the_model_hears_of_the_other_limits_at_50_80_and_90_percent(limits: Limits, spent: Spent, expected: list[str]) -> None:
    """A notice from half of a limit on, a warning from 80 percent, critical from 90, each with its figures."""
    assert tags(limits, spent) == expected


def test_an_unknown_cost_is_compared_with_nothing() -> None:
    """A run whose cost is not wholly known is neither nudged nor ended by its cost limit."""
    limits, spent = Limits(cost_usd=0.01), Spent(cost_usd=5.0, cost_known=False)
    assert limit_nudges(limits, spent) == ()
    assert limit_reached(limits, spent) is None


def test_limits_end_a_run_in_a_fixed_order() -> None:
    """Of several limits reached at once the cost is named, then the tokens, the time, the iterations."""
    spent = Spent(iterations=5, cost_usd=1.0, input=10, duration_s=9.0)
    everything = {"iterations": 5, "cost_usd": 1.0, "tokens": 10, "duration_s": 9.0}
    named = []
    for gone in ((), ("cost_usd",), ("cost_usd", "tokens"), ("cost_usd", "tokens", "duration_s")):
        found = limit_reached(Limits(**{name: None if name in gone else value for name, value in everything.items()}), spent)  # type: ignore[arg-type]
        assert found is not None
        named.append(found.name)
    assert named == ["cost", "tokens", "duration", "iterations"]


def test_a_person_hears_of_each_line_once() -> None:
    """Over a hundred iterations a person is told exactly at 50, 70 and 90 percent, and never at the end (A.11)."""
    told: frozenset[str] = frozenset()
    heard = []
    for number in range(1, 101):
        lines, told = limit_notices(Limits(iterations=100), Spent(iterations=number), told=told)
        heard += [(number, line) for line in lines]
    assert [number for number, _ in heard] == [50, 70, 90]
    assert "50 of 100 iterations" in heard[0][1]


def test_lines_crossed_at_once_are_said_once() -> None:
    """A jump from nothing to 85 percent of the tokens gives one line, with that percentage, and none again."""
    lines, told = limit_notices(Limits(tokens=100), Spent(input=85))
    assert len(lines) == 1
    assert "85 %" in lines[0]
    assert limit_notices(Limits(tokens=100), Spent(input=85), told=told)[0] == ()


def test_the_line_at_the_end_has_the_figures() -> None:
    """Dollars are said with cents, tokens with separators, a time in seconds or minutes (A.11)."""
    cases: list[tuple[Limits, Spent, str]] = [
        (Limits(cost_usd=1.5), Spent(cost_usd=1.61), "$1.61 of $1.50"),
        (Limits(tokens=12_000), Spent(input=12_345), "12,345 of 12,000 tokens"),
        (Limits(duration_s=30.0), Spent(duration_s=30.0), "30 s of 30 s"),
        (Limits(duration_s=90.0), Spent(duration_s=90.0), "1.5 min of 1.5 min"),
    ]
    for limits, spent, said in cases:
        reading = limit_reached(limits, spent)
        assert reading is not None
        assert said in ended_by(reading)


def test_what_is_left_is_passed_down() -> None:
    """A sub-agent has iterations of its own, and what is left of dollars, tokens and seconds."""
    limits = Limits(iterations=100, cost_usd=2.0, tokens=1_000, duration_s=60.0)
    left = left_for_child(limits, Spent(iterations=99, cost_usd=0.5, delegated_usd=0.5, input=400, duration_s=20.0))
    assert left == Limits(iterations=30, cost_usd=1.0, tokens=600, duration_s=40.0)


def test_an_unknown_cost_is_not_passed_down() -> None:
    """Of a cost that is not known nobody can say what is left: the sub-agent gets no limit of dollars."""
    left = left_for_child(Limits(cost_usd=2.0), Spent(cost_usd=0.5, cost_known=False))
    assert left is not None
    assert left.cost_usd is None


def test_nothing_left_is_nothing_to_hand_on() -> None:
    """With a limit used up there are no limits for a sub-agent."""
    assert left_for_child(Limits(tokens=100), Spent(input=100)) is None


@pytest.mark.parametrize(
    "wrong", [{"iterations": 0}, {"iterations": 1.5}, {"cost_usd": -1}, {"tokens": True}, {"duration_s": float("nan")}]
)
def test_a_limit_is_a_positive_number(wrong: dict[str, Any]) -> None:
    """Zero, fractions of an iteration, negative numbers, truth values and no-numbers are refused by name."""
    with pytest.raises(UnknownSetting, match=next(iter(wrong))):
        Limits(**wrong)
