"""The summary says in plain words what happened, in lines that fit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sostenuto.cli._summary import Told, losses, summary
from sostenuto.cli._terminal import Style
from sostenuto.replaying import Costs, EstimatorError, Figures, Happening, Retention, Row

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
    doing_nothing=Costs(sent=40_000, appended=20_000, requests=(9_000, 20_000)),
    kept_in=None,
    left_out={"sidechain": 3},
    summarizer="mechanical",
    seconds=1.25,
)


@pytest.mark.parametrize(
    "words",
    [
        "Every request fits: the largest has 11,000 tokens, 69 % of the window.",
        "Doing nothing, 1 request would not have fit; the largest would have 20,000 tokens.",
        "old results cleared",
        "4,000 tokens freed",
        "2 keys",
        "task 100 %",
        "user texts verbatim 95.5 %",
        "input cost 0.42 of doing nothing",
        "500 of them billed again (2.5 %), after 1 rewrite of the prefix",
        "Add --keep DIR",
        "Not part of the history: 3 sidechain.",
        "Cleared 2 old results",
        "half are off by at most 1.0 %",
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


def test_nothing_happened_is_said() -> None:
    """Without any event the loss report is one sentence."""
    assert losses(ROWS[:1], Style()) == ["Nothing was rewritten: every request is the history as it was handed over."]


def test_many_notices_are_counted_not_listed() -> None:
    """Notices that differ in their numbers only are printed once, and beyond the eighth only their number."""
    noisy = replace(ROWS[0], notices=("cut 1,234 of m3.0", "cut 5 of m7.1", *(f"notice {letter}" for letter in "abcdefghijkl")))
    text = summary(replace(TOLD, rows=(noisy,)), Style())
    assert "- cut 1,234 of m3.0 (the first of 2 like it)" in text
    assert "- and 5 others" in text
