"""The data of the page: columns of plain values, every text without its secrets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

from sostenuto.replaying import MENDED, Row
from sostenuto.reporting._bodies import BANDS
from sostenuto.reporting._folding import folded, glimpse
from sostenuto.reporting._rungs import MARKS, OTHER, Mark
from sostenuto.reporting._story import Story
from sostenuto.reporting._table import LEVELS, Listing, Table, ranges, table

LINE = 600
"""Characters of a reason or a notice that are shown."""


def data(story: Story) -> dict[str, object]:
    """Everything the script of the page draws from."""
    made = table(story)
    return {
        "window": _column(row.window for row in story.rows),
        "lines": asdict(story.lines),
        "tokens": [row.tokens for row in story.rows],
        "untouched": list(story.unedited),
        "bills": _bills(story),
        "bands": [list(column) for column in zip(*(listing.bands for listing in made.listings), strict=True)],
        "bandNames": ["tools", *BANDS],
        "levels": list(LEVELS),
        "messages": _messages(made),
        "bodies": folded(made.bodies),
        "requests": [[listing.shared, ranges(listing.entries)] for listing in made.listings],
        "known": [listing.known for listing in made.listings],
        "epochs": [[first, ranges(history)] for first, history in made.epochs],
        "marks": {name: [mark.letter, mark.meaning, mark.shape, mark.colour] for name, mark in _marks(story.rows).items()},
        "order": [*MARKS],
        "events": _events(story.rows, made.listings),
        "notices": {row.index: [glimpse(notice, LINE) for notice in row.notices] for row in story.rows if row.notices},
        "keep": story.kept_in or "DIR",
        "recalled": story.recalled,
    }


def _column(values: Iterable[int]) -> list[int] | int:
    """The values, or the one that they all have."""
    found = list(values)
    return found[0] if len(set(found)) == 1 else found


def _bills(story: Story) -> list[list[int]]:
    bills = story.figures.costs.bills
    return [[bill.cached for bill in bills], [bill.appended for bill in bills], [bill.rebilled for bill in bills]]


def _messages(made: Table) -> dict[str, object]:
    roles = list(dict.fromkeys(entry.role for entry in made.entries))
    numbers = {role: number for number, role in enumerate(roles)}
    return {
        "roles": roles,
        "role": [numbers[entry.role] for entry in made.entries],
        "ordinal": [entry.ordinal for entry in made.entries],
        "tokens": [entry.tokens for entry in made.entries],
        "level": [entry.level for entry in made.entries],
        "body": [entry.body for entry in made.entries],
    }


def _marks(rows: Iterable[Row]) -> Mapping[str, Mark]:
    fired = {event.rung for row in rows for event in row.events if event.rung != MENDED}
    return {name: MARKS.get(name, OTHER) for name in sorted(fired)}


def _events(rows: Sequence[Row], listings: Sequence[Listing]) -> dict[int, list[object]]:
    """Request -> [rung, tokens before, tokens after, reason, keys, tokens of their originals] of each thing that was done."""
    found: dict[int, list[object]] = {}
    for row, listing in zip(rows, listings, strict=True):
        for event, lost in zip(row.events, listing.lost, strict=True):
            if event.rung != MENDED:
                reason = glimpse(event.reason, LINE)
                told = [event.rung, event.tokens_before, event.tokens_after, reason, list(event.keys), list(lost)]
                found.setdefault(row.index, []).append(told)
    return found
