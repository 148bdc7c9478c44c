"""The chart fits its terminal and shows what happened, with and without Unicode and colour."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.cli._chart import HEIGHT, chart, short
from sostenuto.cli._terminal import Style
from sostenuto.reporting import MARKS

PAINT = re.compile(r"\x1b\[\d+m")
SIZES = st.lists(st.integers(0, 10**9), min_size=1, max_size=400)


@given(SIZES, st.integers(1, 2 * 10**9), st.integers(40, 80), st.booleans(), st.booleans(), st.data())
def test_no_line_is_wider_than_the_terminal(
    tokens: list[int], window: int, width: int, unicode: bool, colour: bool, data: st.DataObject
) -> None:
    """Whatever the numbers are, every line fits, and without Unicode every character is ASCII."""
    rungs = data.draw(st.lists(st.lists(st.sampled_from([*MARKS, "odd"]), max_size=3), min_size=len(tokens), max_size=len(tokens)))
    style = Style(width=width, unicode=unicode, colour=colour)
    lines = chart(tokens, window=window, rungs=rungs, doing_nothing=[2 * n for n in tokens], style=style)
    assert max(len(PAINT.sub("", line)) for line in lines) <= width
    assert unicode or all(line.isascii() for line in lines)
    assert colour or not any(PAINT.search(line) for line in lines)


def test_rungs_stand_under_the_request_they_fired_for() -> None:
    """With one column for each request the mark of the third stands under the third column."""
    lines = chart([5] * 71, window=10, rungs=[[], [], ["compact"], *[[]] * 68], style=Style())
    marks = next(line for line in lines if line.strip().startswith("rungs"))
    assert marks.index("S", 9) == 9 + 2
    assert any("S summarised" in line for line in lines)


def test_the_most_drastic_rung_of_a_column_is_shown() -> None:
    """Where several rungs share a column, trimming hides clearing."""
    lines = chart([5], window=10, rungs=[["clear", "trim", "warn"]])
    assert any(re.match(r"\s*rungs\s+T$", line) for line in lines)


def test_the_window_is_a_line_unless_it_is_far_away() -> None:
    """A window near the sizes is drawn and labelled; one that can never be reached is not."""
    assert "16k ┤" in chart([9_000, 12_000], window=16_000)[0]
    assert not any("┄" in line for line in chart([9_000, 12_000], window=2_000_000_000))


def test_doing_nothing_is_dotted_above_the_bars() -> None:
    """Where the plain history would be larger than what was sent, a dot shows it."""
    lines = chart([5, 5], window=20, doing_nothing=[5, 15])
    assert any("·" in line for line in lines[:HEIGHT])
    assert any("doing nothing" in line for line in lines)


def test_no_requests_draw_nothing() -> None:
    """Without a request there is no chart."""
    assert chart([], window=10) == []


def test_a_session_of_zero_tokens_is_drawn() -> None:
    """Sizes of zero do not divide by zero."""
    assert chart([0, 0], window=10)


@pytest.mark.parametrize(
    ("tokens", "words"), [(0, "0"), (999, "999"), (1_000, "1k"), (9_500, "9.5k"), (16_000, "16k"), (1_250_000, "1.2M"), (2 * 10**9, "2G")]
)
def test_numbers_on_the_scale_are_short(tokens: int, words: str) -> None:
    """Sizes are written in at most six characters."""
    assert short(tokens) == words


def test_the_legend_names_what_is_drawn_and_nothing_else() -> None:
    """A rung hidden behind a more drastic one is not explained, nor are dots that lie outside the picture."""
    text = "\n".join(chart([5], window=10, rungs=[["admit", "trim"]], doing_nothing=[500]))
    assert "T trimmed" in text
    assert "new result cut" not in text
    assert "doing nothing" not in text
