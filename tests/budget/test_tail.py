"""The room for history and its shares (origin 6.2, D10, D49, D61)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.budget import (
    DEFAULT,
    FixedPart,
    batch_budget,
    fixed_part_notice,
    ledger_budget,
    paths_budget,
    recent_tail,
    room,
    summarizer_budget,
    water_level,
)
from sostenuto.errors import FixedPartTooLarge


@pytest.mark.parametrize(("window", "tail"), [(16_000, 4_000), (32_000, 8_000), (100_000, 20_000), (200_000, 40_000), (1_000_000, 40_000)])
def test_the_tail_of_the_origin(window: int, tail: int) -> None:
    """With a small fixed part the origin's examples hold."""
    assert recent_tail(window, warn_line=DEFAULT.lines(window).warn) == tail


def test_a_large_fixed_part_shortens_the_tail() -> None:
    """The tail is at most 40 % of what lies between the fixed part and the warn line (D61)."""
    assert recent_tail(32_000, warn_line=22_400, fixed=12_400) == 4_000
    assert recent_tail(32_000, warn_line=22_400, fixed=30_000) == 0


def test_the_room_is_what_the_fixed_part_leaves() -> None:
    """Room is the window less system, tools, pins and reserve, and never negative."""
    fixed = FixedPart(system=1_000, tools=2_000, pins=500, reserve=4_096)
    assert room(32_768, fixed) == 32_768 - 7_596
    assert room(5_000, fixed) == 0


def test_b045_a_system_prompt_larger_than_the_window_is_refused_at_the_start() -> None:
    """B045: a window of 2,048 with a system prompt of 3,000 tokens is a clear error that names each component."""
    with pytest.raises(FixedPartTooLarge, match=r"system 3,000, output reserve 100.*2,048"):
        fixed_part_notice(2_048, FixedPart(system=3_000, reserve=100), lines=DEFAULT.lines(2_048))


def test_a_fixed_part_above_the_compaction_line_is_said() -> None:
    """Between the compaction line and the window there is one notice with the components; below there is none (D10)."""
    lines = DEFAULT.lines(10_000)
    notice = fixed_part_notice(10_000, FixedPart(system=3_000, tools=5_500), lines=lines)
    assert notice is not None
    assert "tools 5,500" in notice
    assert fixed_part_notice(10_000, FixedPart(system=3_000), lines=lines) is None


def test_shares() -> None:
    """Ledger 40 % of the tail, paths 10 % of the window, a batch half of the room, a summarizer 60 % of its limit."""
    assert (ledger_budget(40_000), paths_budget(16_000)) == (16_000, 1_600)
    assert (batch_budget(10_000), summarizer_budget(100_000), summarizer_budget(10)) == (5_000, 60_000, 256)


def test_a_wished_share_of_the_tail_scales_the_whole() -> None:
    """A caller who sets twice the default share gets twice the tail, bounds included."""
    assert recent_tail(200_000, warn_line=140_000, share=0.4) == 80_000


@given(st.lists(st.integers(0, 10_000), max_size=12), st.integers(0, 30_000))
def test_the_water_level_fits_and_is_as_high_as_it_can_be(sizes: list[int], total: int) -> None:
    """Sizes cut to the level fit the total, and one token more for each would not."""
    level = water_level(sizes, total=total)
    assert sum(min(size, level) for size in sizes) <= total
    assert level >= max(sizes, default=0) or sum(min(size, level + 1) for size in sizes) > total


@given(st.integers(0, 2_000_000), st.integers(0, 2_000_000))
def test_the_tail_leaves_room_below_the_warn_line(window: int, fixed: int) -> None:
    """Fixed part and tail together stay below the warn line whenever the fixed part does."""
    warn = DEFAULT.lines(window).warn
    tail = recent_tail(window, warn_line=warn, fixed=fixed)
    assert 0 <= tail <= 40_000
    assert tail == 0 or fixed + tail < warn
