"""Kept in this process: the transcript itself is the copy (D60), so keeping costs nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class InMemory:
    """A store for one process. Texts live in the conversation's own log; only the journal is added here."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []

    def keep(self, items: Mapping[str, str], /) -> frozenset[str]:
        """All of them: they are in the log of this process."""
        return frozenset(items)

    def journal(self, record: Mapping[str, Any], /) -> bool:
        """Append the record."""
        self.records.append(dict(record))
        return True
