"""Going in circles (origin 7.4, A.7)."""

from __future__ import annotations

from sostenuto.budget import call_key, is_stalled, stall_nudge


def test_fewer_than_ten_calls_are_no_circle() -> None:
    """Nine times the same call is not yet called a circle (A.7)."""
    assert not is_stalled(["same"] * 9)


def test_different_calls_are_no_circle() -> None:
    """Ten different calls are not, and neither are four different ones among ten (A.7)."""
    assert not is_stalled([str(number) for number in range(10)])
    assert not is_stalled([str(number % 4) for number in range(10)])


def test_two_tools_with_new_arguments_are_no_circle() -> None:
    """Searching and fetching in turn with other arguments each time is work (A.7)."""
    assert not is_stalled([call_key("search" if number % 2 else "fetch", f'{{"q": {number}}}') for number in range(10)])


def test_nine_of_ten_the_same_is_a_circle() -> None:
    """Nine identical calls and one other are a circle (A.7)."""
    assert is_stalled(["same"] * 9 + ["other"])


def test_two_tools_with_the_same_arguments_are_a_circle() -> None:
    """The same two calls in turn are a circle (A.7)."""
    assert is_stalled([call_key("search" if number % 2 else "fetch", "{}") for number in range(10)])


def test_only_the_newest_ten_count() -> None:
    """What came before the newest ten calls changes nothing, either way (A.7)."""
    assert is_stalled([str(number) for number in range(50)] + ["same"] * 10)
    assert not is_stalled(["same"] * 50 + [str(number) for number in range(10)])


def test_the_model_is_told_how_often() -> None:
    """The line for the model says of how many calls how many differ."""
    assert "the last 10 tool calls were the same 2" in stall_nudge(["a", "b"] * 5)
