"""The story of a run in one sentence; the terminal and the page tell the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sostenuto.replaying import Figures, Retention, Row
from sostenuto.reporting._words import count, percent

STAYED = (
    ("task", "users", "the task"),
    ("latest_user", "users", "the newest user text"),
    ("pins", "pins", "the pins"),
    ("user_requests", "users", "what users asked"),
    ("files_modified", "modified", "the names of files modified"),
    ("files_read", "read", "the names of files read"),
)
"""Share of what is still in view -> what must have arrived for it to mean anything, and what it is of, in words."""
SAME = 0.005
"""A difference of less than this share is none that is worth a word."""


def verdict(rows: Sequence[Row], figures: Figures, *, unedited: Sequence[int]) -> str:
    """What fits, what the input would have cost, what never left view and how the rest comes back, in one sentence.

    Doing nothing is to send the whole history each time: `unedited` are the tokens of each request had nothing been rewritten.
    """
    price = [_price(figures.input_cost_ratio)] if figures.costs.sent else []
    return "; ".join((_fit(figures, unedited), *price, *_kept(rows, figures.retention), _left(rows))) + "."


def left_keys(rows: Sequence[Row]) -> set[str]:
    """The keys of everything that some request no longer holds as it was."""
    return {key for row in rows for event in row.events for key in event.keys}


def stayed(rows: Sequence[Row], shares: Retention) -> list[tuple[str, float]]:
    """What stayed in view and to which share, in words; what there was none of is not praised."""
    came = {kind for row in rows for kind in ("users", "pins", "modified", "read") if getattr(row.arrived, kind)}
    return [(words, getattr(shares, name)) for name, kind, words in STAYED if kind in came]


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
    asked = stayed(rows, shares)
    whole = [words for words, share in asked if share == 1]
    if whole:
        yield f"{_joined(whole)} never left view"
    partly = [f"{percent(share)} of {words}" for words, share in asked if share < 1]
    if partly:
        yield f"the worst request holds {_joined(partly)}"


def _left(rows: Sequence[Row]) -> str:
    keys = len(left_keys(rows))
    return f"what was cut, cleared or summarised can be read back by {count(keys, 'key')}" if keys else "nothing was rewritten"


def _joined(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
