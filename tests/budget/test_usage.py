"""How full the window is (origin A.3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.budget import LEVELS, Usage, is_early


@pytest.mark.parametrize(
    ("tokens", "level", "warns", "compacts"),
    [(4_999, "calm", False, False), (5_000, "clear", False, False), (6_000, "clear", False, False), (7_000, "clear", False, False),
     (7_500, "warn", True, False), (8_000, "warn", True, False), (8_500, "compact", False, True), (9_500, "compact", False, True),
     (9_501, "trim", False, True)],
)  # fmt: skip
def test_levels_of_a_window_of_10_000(tokens: int, level: str, warns: bool, compacts: bool) -> None:
    """Clearing fires on its line, the others above theirs, and a warning gives way to compaction."""
    usage = Usage(tokens, 10_000)
    assert (usage.level, usage.should_warn, usage.should_compact) == (level, warns, compacts)


def test_usage_splits_messages_and_overhead() -> None:
    """100 of messages and 650 of overhead are 750 of 1,000, a ratio of 0.75."""
    usage = Usage(100, 1_000, overhead=650)
    assert (usage.tokens, usage.ratio, usage.should_warn, usage.should_compact) == (750, 0.75, True, False)


def test_only_overhead_can_make_the_difference() -> None:
    """Equal messages: without overhead nothing happens, with 750 of it compaction is due."""
    assert not Usage(100, 1_000).should_compact
    assert Usage(100, 1_000, overhead=750).should_compact


def test_space_is_tight_from_90_percent_on() -> None:
    """The critical line is inclusive."""
    assert Usage(9_000, 10_000).is_critical
    assert not Usage(8_999, 10_000).is_critical


def test_b043_nothing_above_the_window_fits() -> None:
    """B043: 110 % of the window does not fit, exactly the window does."""
    assert not Usage(11_000, 10_000).fits
    assert Usage(10_000, 10_000).fits


def test_trimming_comes_sooner_until_two_reports_were_seen() -> None:
    """Until two reports the trim line of a model that is not counted exactly is 0.90 (D51)."""
    assert Usage(9_100, 10_000, early=is_early(reports=1, exact=False)).should_trim
    assert not Usage(9_100, 10_000, early=is_early(reports=2, exact=False)).should_trim
    assert not Usage(9_100, 10_000, early=is_early(reports=0, exact=True)).should_trim


@given(st.integers(0, 10**7), st.integers(0, 10**6), st.integers(0, 10**6))
def test_levels_only_rise_with_tokens(tokens: int, more: int, window: int) -> None:
    """Adding tokens never lowers the level, in any window."""
    low, high = Usage(tokens, window).level, Usage(tokens + more, window).level
    assert LEVELS.index(low) <= LEVELS.index(high)
