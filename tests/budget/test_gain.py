"""When a voluntary clear is worth it (D12)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.budget import DEFAULT, LeastGain, Usage, is_worth_clearing
from sostenuto.budget._gain import least_gain


def of(tokens: int, window: int = 60_000) -> Usage:
    """So many tokens of a window, under the default lines."""
    return Usage(tokens, window, DEFAULT.lines(window))


@pytest.mark.parametrize(("window", "least"), [(4_000, 2_000), (8_000, 2_000), (60_000, 15_000), (0, 2_000)])
def test_the_least_gain(window: int, least: int) -> None:
    """It is the larger of 2,000 tokens and a quarter of the budget."""
    assert least_gain(window) == least


def test_small_gains_wait() -> None:
    """At 60 % of 60,000 a gain of 14,999 waits and one of 15,000 is taken."""
    usage = of(36_000)
    assert not is_worth_clearing(14_999, usage)
    assert is_worth_clearing(15_000, usage)


def test_a_free_rewrite_waives_the_minimum() -> None:
    """When the cache is gone anyway, or the rewrite is forced, any gain is taken."""
    assert is_worth_clearing(1, of(36_000), waived=True)


def test_clearing_that_saves_a_compaction_waives_the_minimum() -> None:
    """Above the compaction line a gain that lands halfway below the warn line, at 60 %, is taken, a smaller one waits."""
    usage = of(49_000)
    assert is_worth_clearing(13_001, usage)
    assert not is_worth_clearing(13_000, usage)


def test_zero_gives_step_by_step() -> None:
    """With a share of nothing every gain is taken (the origin's behaviour)."""
    assert is_worth_clearing(1, of(36_000), least=LeastGain(2_000, 0.0))


@given(st.integers(-10, 10**6), st.integers(0, 10**6), st.integers(0, 10**6), st.booleans())
def test_nothing_gained_is_never_worth_it(gain: int, tokens: int, window: int, cold: bool) -> None:
    """Without a gain nothing is cleared, and a larger gain is never refused where a smaller one is taken."""
    usage = of(tokens, window)
    worth = is_worth_clearing(gain, usage, waived=cold)
    assert not (worth and gain <= 0)
    assert not worth or is_worth_clearing(gain + 1, usage, waived=cold)
