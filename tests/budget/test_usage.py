"""How full the window is (origin A.3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.budget import DEFAULT, Usage, is_early


def of(tokens: int, window: int = 10_000) -> Usage:
    """So many tokens of a window, under the default lines."""
    return Usage(tokens, window, DEFAULT.lines(window))


@pytest.mark.parametrize(
    ("tokens", "clears", "warns", "compacts"),
    [(4_999, False, False, False), (5_000, True, False, False), (7_000, True, False, False), (7_500, True, True, False),
     (8_000, True, True, False), (8_001, True, True, True)],
)  # fmt: skip
def test_lines_of_a_window_of_10_000(tokens: int, clears: bool, warns: bool, compacts: bool) -> None:
    """Clearing fires on its line, the others above theirs (A.3, A.5)."""
    usage = of(tokens)
    assert (usage.should_clear, usage.should_warn, usage.should_compact) == (clears, warns, compacts)


def test_percent_counts_full_ones() -> None:
    """750 of 1,000 are 75 %, 759 too, and a window of nothing raises nothing (A.3)."""
    assert (of(750, 1_000).percent, of(759, 1_000).percent, of(5, 0).percent) == (75, 75, 500)


def test_space_is_tight_from_90_percent_on() -> None:
    """The critical line is inclusive."""
    assert of(9_000).is_critical
    assert not of(8_999).is_critical


def test_estimates_are_trusted_after_two_reports() -> None:
    """Until two reports a model that is not counted exactly is early (D51)."""
    assert is_early(reports=1, exact=False)
    assert not is_early(reports=2, exact=False)
    assert not is_early(reports=0, exact=True)


@given(st.integers(0, 10**7), st.integers(0, 10**6), st.integers(0, 10**6))
def test_lines_stay_crossed_with_more_tokens(tokens: int, more: int, window: int) -> None:
    """Adding tokens never takes a rung back, in any window."""
    low, high = of(tokens, window), of(tokens + more, window)
    assert high.should_clear or not low.should_clear
    assert high.should_warn or not low.should_warn
    assert high.should_compact or not low.should_compact
    assert high.is_critical or not low.is_critical
