"""The story of a run in one sentence; the terminal and the page tell the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sostenuto.replaying import Figures, Retention, Row

NEVER_LEFT = (
    ("task", "the task"),
    ("latest_user", "the newest user text"),
    ("pins", "the pins"),
    ("user_requests", "what users asked"),
    ("files_modified", "the names of modified files"),
    ("files_read", "the names of files that were read"),
)
"""Share of what is still in view -> what it is of, in words."""
SAME = 0.005
"""A difference of less than this share is none that is worth a word."""


def verdict(rows: Sequence[Row], figures: Figures, *, unedited: Sequence[int]) -> str:
    """What fits, what the input would have cost, what never left view and how the rest comes back, in one sentence.

    `unedited` are the tokens of each request had nothing been rewritten.
    """
    return "; ".join((_fit(figures, unedited), _price(figures.input_cost_ratio), *_kept(rows, figures.retention), _left(rows))) + "."


def percent(share: float) -> str:
    """A share as people read it, with one place unless it is whole: 75 %, 95.5 %; never 100 % for less or 0 % for more."""
    shown = round(100 * share, 1)
    if shown == 100 and share < 1:
        shown = 99.9
    if shown == 0 and share > 0:
        return "under 0.1 %"
    return f"{shown:g} %"


def count(number: int, noun: str) -> str:
    """``1 token``, ``2,000 tokens``."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def left_keys(rows: Sequence[Row]) -> set[str]:
    """The keys of everything that some request no longer holds as it was."""
    return {key for row in rows for event in row.events for key in event.keys}


def _fit(figures: Figures, unedited: Sequence[int]) -> str:
    window = f"the window of {figures.window:,} tokens"
    too_large = sum(tokens > figures.window for tokens in unedited)
    untouched = f"sent untouched, {too_large:,} would not have" if too_large else "sent untouched, all would have too"
    if figures.over_window:
        return f"{figures.over_window:,} of {count(figures.requests, 'request')} would not fit {window}; {untouched}"
    if figures.requests == 1:
        untouched = untouched.replace("all would", "it would").replace("1 would", "it would")
        return f"The one request fits {window}; {untouched}"
    return f"All {figures.requests:,} requests fit {window}; {untouched}"


def _price(ratio: float) -> str:
    if abs(ratio - 1) < SAME:
        return "the input costs as much as sending everything each time"
    way = "less" if ratio < 1 else "more"
    return f"the input costs {percent(abs(ratio - 1))} {way} than sending everything each time"


def _kept(rows: Sequence[Row], shares: Retention) -> Iterator[str]:
    planted = any(row.arrived.pins for row in rows)
    asked = [(words, getattr(shares, name)) for name, words in NEVER_LEFT if planted or name != "pins"]
    whole = [words for words, share in asked if share == 1]
    if whole:
        yield f"{_joined(whole)} never left view"
    partly = [f"{percent(share)} of {words}" for words, share in asked if share < 1]
    if partly:
        yield f"in the worst request {_joined(partly)} still {'was' if partly[0].endswith('task') else 'were'} in view"


def _left(rows: Sequence[Row]) -> str:
    keys = len(left_keys(rows))
    return f"whatever else was cut, cleared or summarised can be read back by {count(keys, 'key')}" if keys else "nothing was rewritten"


def _joined(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
