"""The lines of the ladder and what becomes of wishes (origin 3.1 and A.3, D40, D51)."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.budget import DEFAULT, thresholds


def test_without_wishes_the_defaults_hold() -> None:
    """No configuration gives 0.70 and 0.80 and no warning (A.3)."""
    assert thresholds(window=128_000) == DEFAULT
    assert (DEFAULT.clear, DEFAULT.warn, DEFAULT.compact, DEFAULT.critical, DEFAULT.trim) == (0.50, 0.70, 0.80, 0.90, 0.95)


def test_sound_wishes_are_followed() -> None:
    """Compact 0.9, and warn 0.5 with compact 0.6, are accepted silently (A.3)."""
    assert thresholds(window=10_000, compact=0.9).compact == 0.9
    found = thresholds(window=10_000, warn=0.5, compact=0.6)
    assert (found.warn, found.compact, found.warnings) == (0.5, 0.6, ())


def test_b029_compact_at_the_trim_line_is_refused_with_the_value_in_force() -> None:
    """B029: compact 0.95 gives one warning that names the trim line and the number in force (A.3)."""
    found = thresholds(window=200_000, compact=0.95)
    assert found.compact == 0.80
    assert len(found.warnings) == 1
    assert "trim line" in found.warnings[0]
    assert "80%" in found.warnings[0]
    assert "160,000" in found.warnings[0]


def test_warn_above_compact_is_refused() -> None:
    """Warn 0.85 with compact 0.8 gives one warning and 0.70 (A.3)."""
    found = thresholds(window=10_000, warn=0.85, compact=0.8)
    assert (found.warn, len(found.warnings)) == (0.70, 1)


def test_a_low_compact_lowers_the_default_warn_silently() -> None:
    """Compact 0.6 lowers the default warn to 0.6 without a word (A.3)."""
    found = thresholds(window=10_000, compact=0.6)
    assert (found.warn, found.warnings) == (0.6, ())


@pytest.mark.parametrize("wish", [0, 1, 1.5, -0.2, math.nan, "0.9", True, [], 999, 1500.5, math.inf])
def test_impossible_wishes_give_one_warning_each(wish: object) -> None:
    """Everything that is no share and no number of tokens is refused with one warning and the default (A.3)."""
    for found in (thresholds(window=10_000, compact=wish), thresholds(window=10_000, warn=wish)):
        assert (found.warn, found.compact, len(found.warnings)) == (0.70, 0.80, 1)


def test_b027_the_trigger_can_be_lowered_and_given_in_tokens() -> None:
    """B027: 0.2 of 200,000 and 40,000 tokens are the same line, and clearing and warning come before it."""
    for wish in (0.2, 40_000):
        found = thresholds(window=200_000, compact=wish)
        lines = found.lines(200_000)
        assert lines.compact == 40_000
        assert lines.clear < lines.warn <= lines.compact
        assert not found.warnings


def test_clearing_comes_ten_points_before_a_low_warn_line() -> None:
    """With the warn line under 60 % the clear line is ten points under it; a tiny warn line still has a clear line (D40)."""
    assert thresholds(window=10_000, warn=0.5, compact=0.6).clear == pytest.approx(0.40)
    assert thresholds(window=10_000, warn=0.65).clear == 0.50
    assert 0 < thresholds(window=10_000, warn=0.05, compact=0.1).clear < 0.05


def test_the_lines_in_tokens() -> None:
    """7,000 and 8,000 of 10,000; custom shares give 5,000 and 9,000; trimming starts at 9,500, early at 9,000 (A.3)."""
    lines = thresholds(window=10_000).lines(10_000)
    assert (lines.clear, lines.warn, lines.compact, lines.critical, lines.trim) == (5_000, 7_000, 8_000, 9_000, 9_500)
    custom = thresholds(window=10_000, warn=0.5, compact=0.9).lines(10_000)
    assert (custom.warn, custom.compact) == (5_000, 9_000)
    assert thresholds(window=10_000).lines(10_000, early=True).trim == 9_000


def test_the_early_trim_line_never_comes_before_compaction() -> None:
    """With compact at 0.92 the early trim line would undercut it, so the late one holds."""
    assert thresholds(window=10_000, compact=0.92).lines(10_000, early=True).trim == 9_500


WISH = st.one_of(st.none(), st.floats(), st.integers(), st.text(max_size=5), st.floats(0, 1))


@given(WISH, WISH, st.integers(1, 2_000_000))
def test_the_lines_are_always_in_order(warn: Any, compact: Any, window: int) -> None:
    """Whatever is wished, clear comes first, then warn, compact and trim, and every refusal is told once."""
    found = thresholds(window=window, warn=warn, compact=compact)
    assert 0 < found.clear < found.warn <= found.compact < found.trim
    assert len(found.warnings) <= 2
    lines = found.lines(window)
    assert lines.warn <= lines.compact <= lines.trim
