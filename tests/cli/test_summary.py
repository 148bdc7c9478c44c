"""The summary says in plain words what happened, in lines that fit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sostenuto.cli._summary import Told, losses, summary
from sostenuto.cli._terminal import Style
from sostenuto.replaying import Arrived, Costs, EstimatorError, Figures, Happening, Retention, Row

FIGURES = Figures(
    requests=2,
    window=16_000,
    over_window=0,
    invalid=0,
    rungs={"clear": 1},
    costs=Costs(sent=20_000, rebilled=500, appended=12_000, breaks=1),
    input_cost_ratio=0.42,
    retention=Retention(user_requests=0.955),
    estimator_error=EstimatorError(0.01, 0.04, 12),
)
CLEARED = Happening("clear", 15_000, 11_000, "half full", ("m2.0", "m4.0"))
ROWS = (
    Row(0, 9_000, 16_000, "anthropic", {}),
    Row(1, 11_000, 16_000, "anthropic", {}, (CLEARED,), notices=("Cleared 2 old results",)),
)
TOLD = Told(
    source="a/very/long/path/to/some/session.jsonl.gz",
    reader="claude_code",
    format="anthropic",
    window_source="given with --window",
    counted="o200k, exact",
    rows=ROWS,
    figures=FIGURES,
    unedited=(9_000, 20_000),
    kept_in=None,
    left_out={"sidechain": 3, "torn": 1},
    summarizer="mechanical",
    seconds=1.25,
)


@pytest.mark.parametrize(
    "words",
    [
        "All 2 requests fit the window of 16,000 tokens (doing nothing, 1 would not); the input costs 58 % less than doing nothing;",
        "what was cut, cleared or summarised can be read back by 2 keys.",
        "The largest request has 11,000 tokens, 68.8 % of the window; doing nothing, it would have 20,000.",
        "old results cleared",
        "4,000 tokens freed",
        "2 keys",
        "task 100 %",
        "user texts verbatim 95.5 %",
        "input cost of the messages 0.42 of doing nothing",
        "500 of them billed again (2.5 % of the messages), after 1 rewrite of the prefix",
        "20,000 tokens sent (doing nothing: 29,000)",
        "Add --keep DIR",
        "Not part of the history: 3 sidechain, 1 broken or cut-off line.",
        "Cleared 2 old results",
        "An estimator that learns from recorded usage predicts the 12 recorded prompt sizes",
        "which include what the file does not show, half of them within 1 % and 95 of 100 within 4 %",
    ],
)
def test_a_newcomer_is_told(words: str) -> None:
    """Every figure stands in a sentence with its unit."""
    assert words in " ".join(summary(TOLD, Style()).split()) or words in summary(TOLD, Style())


@pytest.mark.parametrize("style", [Style(), Style(width=60, unicode=False), Style(unicode=False)])
def test_lines_fit(style: Style) -> None:
    """No line is wider than 80 columns, and without Unicode all is ASCII."""
    text = summary(TOLD, style)
    assert max(map(len, text.splitlines())) <= 80
    assert style.unicode or text.isascii()


def test_trouble_is_said_loudly() -> None:
    """Requests that do not fit or are malformed are named with their number."""
    told = replace(TOLD, figures=replace(FIGURES, over_window=1, invalid=2))
    text = summary(told, Style())
    assert "1 of 2 requests would NOT fit" in text
    assert "2 requests would be refused as malformed" in text


def test_the_next_command_is_ready_to_copy() -> None:
    """With a kept folder the summary ends its loss report with a command that works."""
    assert "  sostenuto recall --keep kept m2.0" in summary(replace(TOLD, kept_in="kept"), Style()).splitlines()
    assert "  sostenuto recall --keep 'my kept' m2.0" in summary(replace(TOLD, kept_in="my kept"), Style()).splitlines()


def test_keys_stand_in_order() -> None:
    """Keys are listed as they follow each other, single pieces before ranges, whatever came first."""
    row = replace(ROWS[1], events=(replace(CLEARED, keys=("m0-m9", "m10.0", "m2.0")),))
    assert "3 keys (m2.0, m10.0, m0-m9)" in summary(replace(TOLD, rows=(ROWS[0], row)), Style())


def test_what_there_was_none_of_is_not_praised() -> None:
    """Without pins none are reported, with them they are; without any cost there is no ratio, and a tiny one is not zero."""
    assert "pins" not in summary(TOLD, Style())
    planted = replace(ROWS[0], arrived=Arrived(pins=("x",)))
    assert "pins 100 %" in summary(replace(TOLD, rows=(planted, ROWS[1])), Style())
    assert "input cost" not in summary(replace(TOLD, figures=replace(FIGURES, costs=Costs())), Style())
    assert "under 0.01 of doing nothing" in " ".join(
        summary(replace(TOLD, figures=replace(FIGURES, input_cost_ratio=0.001)), Style()).split()
    )


@pytest.mark.parametrize("width", [60, 72, 100])
def test_the_width_is_kept_and_nothing_trails(width: int) -> None:
    """Lines are as wide as the terminal at most and end without blanks."""
    lines = summary(replace(TOLD, kept_in="kept"), Style(width=width)).splitlines()
    assert max(map(len, lines)) <= width
    assert all(line == line.rstrip() for line in lines)


def test_nothing_happened_is_said() -> None:
    """Without any event the loss report is one sentence."""
    assert losses(ROWS[:1], Style()) == ["Nothing was rewritten: every request is the history as it was handed over."]


def test_each_line_of_what_was_done_carries_the_mark_of_the_chart() -> None:
    """The letter stands before the meaning, coloured where colours are shown; words give way before the width does."""
    plain = losses(ROWS, Style())
    assert plain[1] == "  c  old results cleared   once   4,000 tokens freed   2 keys"
    assert losses(ROWS, Style(colour=True))[1] == plain[1].replace("c", "\x1b[32mc\x1b[0m", 1)
    narrow = losses(ROWS, Style(width=52))[1]
    assert "4,000 freed" in narrow
    assert len(narrow) <= 52


def test_many_notices_are_counted_not_listed() -> None:
    """Notices that differ in their numbers only are printed once, and beyond the eighth only their number."""
    noisy = replace(ROWS[0], notices=("cut 1,234 of m3.0", "cut 5 of m7.1", *(f"notice {letter}" for letter in "abcdefghijkl")))
    text = summary(replace(TOLD, rows=(noisy,)), Style())
    assert "- cut 1,234 of m3.0 (the first of 2)" in text
    assert "- and 5 others" in text
