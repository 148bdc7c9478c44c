"""When a voluntary clear is worth it (D12)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.budget import LeastGain, Usage, is_worth_clearing, least_gain


@pytest.mark.parametrize(("window", "least"), [(4_000, 2_000), (8_000, 2_000), (60_000, 15_000), (0, 2_000)])
def test_the_least_gain(window: int, least: int) -> None:
    """It is the larger of 2,000 tokens and a quarter of the budget."""
    assert least_gain(window) == least


def test_small_gains_wait() -> None:
    """At 60 % of 60,000 a gain of 14,999 waits and one of 15,000 is taken."""
    usage = Usage(36_000, 60_000)
    assert not is_worth_clearing(14_999, usage)
    assert is_worth_clearing(15_000, usage)


def test_a_cold_cache_waives_the_minimum() -> None:
    """When the cache is gone anyway any gain is taken."""
    assert is_worth_clearing(1, Usage(36_000, 60_000), cold_cache=True)


def test_clearing_that_saves_a_compaction_waives_the_minimum() -> None:
    """Above the compaction line a gain that lands at the warn line is taken, one that does not waits."""
    usage = Usage(49_000, 60_000)
    assert is_worth_clearing(7_000, usage)
    assert not is_worth_clearing(6_999, usage)


def test_zero_gives_step_by_step() -> None:
    """With a minimum of nothing every gain is taken (the origin's behaviour)."""
    assert is_worth_clearing(1, Usage(36_000, 60_000), least=LeastGain(0, 0.0))


@given(st.integers(-10, 10**6), st.integers(0, 10**6), st.integers(0, 10**6), st.booleans())
def test_nothing_gained_is_never_worth_it(gain: int, tokens: int, window: int, cold: bool) -> None:
    """Without a gain nothing is cleared, and a larger gain is never refused where a smaller one is taken."""
    usage = Usage(tokens, window)
    worth = is_worth_clearing(gain, usage, cold_cache=cold)
    assert not (worth and gain <= 0)
    assert not worth or is_worth_clearing(gain + 1, usage, cold_cache=cold)
