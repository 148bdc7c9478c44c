"""The story of a run in one sentence; the terminal and the page tell the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sostenuto.replaying import Figures, Retention, Row
from sostenuto.reporting._words import count, percent

NEVER_LEFT = (
    ("task", "the task"),
    ("latest_user", "the newest user text"),
    ("pins", "the pins"),
    ("user_requests", "what users asked"),
    ("files_modified", "the names of files modified"),
    ("files_read", "the names of files read"),
)
"""Share of what is still in view -> what it is of, in words."""
SAME = 0.005
"""A difference of less than this share is none that is worth a word."""


def verdict(rows: Sequence[Row], figures: Figures, *, unedited: Sequence[int]) -> str:
    """What fits, what the input would have cost, what never left view and how the rest comes back, in one sentence.

    Doing nothing is to send the whole history each time: `unedited` are the tokens of each request had nothing been rewritten.
    """
    return "; ".join((_fit(figures, unedited), _price(figures.input_cost_ratio), *_kept(rows, figures.retention), _left(rows))) + "."


def left_keys(rows: Sequence[Row]) -> set[str]:
    """The keys of everything that some request no longer holds as it was."""
    return {key for row in rows for event in row.events for key in event.keys}


def _fit(figures: Figures, unedited: Sequence[int]) -> str:
    window = f"the window of {figures.window:,} tokens"
    too_large = sum(tokens > figures.window for tokens in unedited)
    if figures.over_window:
        wide = f"{figures.over_window:,} of {count(figures.requests, 'request')} would NOT fit {window}"
    else:
        wide = f"the one request fits {window}" if figures.requests == 1 else f"all {figures.requests:,} requests fit {window}"
    untouched = f"{too_large:,} would not" if too_large else "all would too"
    if figures.requests == 1:
        untouched = "it would not" if too_large else "it would too"
    return f"{wide[:1].upper()}{wide[1:]} (doing nothing, {untouched})"


def _price(ratio: float) -> str:
    if abs(ratio - 1) < SAME:
        return "the input costs as much as doing nothing"
    way = "less" if ratio < 1 else "more"
    return f"the input costs {percent(abs(ratio - 1))} {way} than doing nothing"


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
    return f"what was cut, cleared or summarised can be read back by {count(keys, 'key')}" if keys else "nothing was rewritten"


def _joined(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
