"""What is still in view: the task, the newest words, earlier requests, pins and file paths; the worst request counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, astuple, dataclass

from sostenuto.replaying._pieces import items, texts
from sostenuto.replaying._row import Row

RECOGNISED_BY = 400
"""Characters of a long user text that must stand verbatim where the whole does not (an oversized one may be clipped, D50)."""


@dataclass(frozen=True, slots=True)
class Retention:
    """Shares between 0 and 1, of one request or of the worst; 1 where there was nothing to keep."""

    task: float = 1.0
    latest_user: float = 1.0
    user_requests: float = 1.0
    files_read: float = 1.0
    files_modified: float = 1.0
    pins: float = 1.0

    def as_dict(self) -> dict[str, float]:
        """The shares by name, rounded to four places."""
        return {name: round(value, 4) for name, value in asdict(self).items()}


def retention(rows: Iterable[Row]) -> Retention:
    """What the requests of `rows` still show of everything that had arrived by then: the worst of `shares`."""
    worst = Retention()
    for found in shares(rows):
        worst = Retention(*(min(one, other) for one, other in zip(astuple(worst), astuple(found), strict=True)))
    return worst


def shares(rows: Iterable[Row]) -> Iterator[Retention]:
    """What each request of `rows` still shows of everything that had arrived by then."""
    view = _View()
    users: list[str] = []
    read: dict[str, None] = {}
    modified: dict[str, None] = {}
    pins: dict[str, None] = {}
    for row in rows:
        if row.arrived.restart:
            users, read, modified, pins = [], {}, {}, {}
        users.extend(row.arrived.users)
        read.update(dict.fromkeys(row.arrived.read))
        modified.update(dict.fromkeys(row.arrived.modified))
        pins.update(dict.fromkeys(row.arrived.pins))
        view.show(row)
        yield Retention(
            task=view.share(users[:1], clipped=True),
            latest_user=view.share(users[-1:], clipped=True),
            user_requests=view.share(users, clipped=True),
            files_read=view.share(read),
            files_modified=view.share(modified),
            pins=view.share(pins),
        )


class _View:
    """Which messages hold which text, remembered so that every message is searched once for every text."""

    def __init__(self) -> None:
        self._number_of: dict[int, tuple[object, int]] = {}
        self._numbers: dict[str, int] = {}
        self._texts: list[str] = []
        self._shown: set[int] = set()
        self._holders: dict[str, set[int]] = {}

    def show(self, row: Row) -> None:
        """Take the next request into view."""
        shown = {self._number(message) for message in items(row.native)}
        fresh = shown - self._shown
        self._shown = shown
        for wanted, holders in self._holders.items():
            holders.update(self._search(wanted, fresh))

    def _number(self, message: object) -> int:
        known = self._number_of.get(id(message))
        if known is not None:
            return known[1]
        text = texts(message)
        number = self._numbers.setdefault(text, len(self._texts))
        if number == len(self._texts):
            self._texts.append(text)
        self._number_of[id(message)] = (message, number)  # holding the object keeps its id from being used again
        return number

    def share(self, wanted: Iterable[str], *, clipped: bool = False) -> float:
        """Share of `wanted` that is in view; with `clipped` a text's beginning is enough."""
        asked = list(wanted)
        if not asked:
            return 1.0
        return sum(self._holds(text) or (clipped and self._holds(text[:RECOGNISED_BY])) for text in asked) / len(asked)

    def _holds(self, text: str) -> bool:
        holders = self._holders.get(text)
        if holders is None:
            holders = self._holders[text] = set(self._search(text, self._shown))
        return not holders.isdisjoint(self._shown)

    def _search(self, wanted: str, among: set[int]) -> Iterable[int]:
        return [number for number in among if wanted in self._texts[number]]
