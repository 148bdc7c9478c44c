"""Limits that providers' own errors taught: kept for each provider, endpoint and model (D8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

_SCHEMA: Final = 1
_MOST: Final = 10_000
"""Limits that are kept; the oldest is forgotten first."""


class Endpoint(NamedTuple):
    """Who serves what, and where: the same model behind two addresses may take different numbers of tokens."""

    provider: str
    model: str
    endpoint: str = ""

    @property
    def key(self) -> Endpoint:
        """The same place however it was written."""
        return Endpoint(self.provider.strip().lower(), self.model.strip().lower(), self.endpoint.strip().rstrip("/"))


class Limit(NamedTuple):
    """A maximum an error stated, in tokens; the window that was pinned when it did (0: none), and the day."""

    tokens: int
    pinned: int = 0
    date: str = ""


class Limits:
    """What errors taught. A value: `learning` returns a new one."""

    __slots__ = ("_known",)

    def __init__(self, known: Mapping[Endpoint, Limit] | None = None) -> None:
        self._known = {place.key: limit for place, limit in (known or {}).items()}

    def __len__(self) -> int:
        return len(self._known)

    def __iter__(self) -> Iterator[tuple[Endpoint, Limit]]:
        return iter(self._known.items())

    def learning(self, place: Endpoint, limit: Limit, /) -> Limits:
        """With a limit an error has just stated: it takes the place of an older one. A number below 1 teaches nothing."""
        if limit.tokens < 1:
            return self
        rest = {known: old for known, old in self._known.items() if known != place.key}
        newest = list(rest.items())[-(_MOST - 1) :]
        return Limits({**dict(newest), place.key: limit})

    def of(self, place: Endpoint, /, *, pinned: int | None = None) -> Limit | None:
        """What is known of a place. Nothing where the user has pinned another window since: he knows something the error did not say."""
        limit = self._known.get(place.key)
        return limit if limit is not None and limit.pinned == (pinned or 0) else None

    def dump(self) -> dict[str, Any]:
        """As JSON-able values."""
        return {"schema": _SCHEMA, "limits": [[*place, *limit] for place, limit in self._known.items()]}

    @classmethod
    def load(cls, data: object, /) -> Limits:
        """What `dump` gave; what does not fit is skipped. Never raises."""
        rows = data.get("limits") if isinstance(data, Mapping) and data.get("schema") == _SCHEMA else None
        known = {}
        for row in rows if isinstance(rows, list) else ():
            if isinstance(row, list) and list(map(type, row)) == [str, str, str, int, int, str] and row[3] > 0:
                known[Endpoint(*row[:3])] = Limit(*row[3:])
        return cls(known)
