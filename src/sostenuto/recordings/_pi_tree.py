"""The tree that pi and the programs built on it write: which entries are on the way to the tip.

An entry follows the one its ``parentId`` names, and the newest entry is the tip. A ``leaf`` record moves the tip to its ``targetId`` while
the file goes on behind ``appendParentId``: what names that parent next follows the target, and what was between is a side branch. An
entry whose ``appendMode`` is ``side`` does not move the tip.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

# Records outside the tree: the header, and types whose place in it is not known.
_ENTRIES = frozenset(
    {
        "message",
        "thinking_level_change",
        "model_change",
        "compaction",
        "branch_summary",
        "custom",
        "custom_message",
        "label",
        "session_info",
        "leaf",
    }
)


def way_to_tip(records: Sequence[object]) -> frozenset[int]:
    """Positions on the way to the tip, and of the records outside the tree; all of them where no entry has a parent."""
    entries = [at for at, record in enumerate(records) if _is_entry(record)]
    if not any(_text(_of(records[at], "parentId")) for at in entries):
        return frozenset(range(len(records)))
    tree = _Tree()
    for at in entries:
        tree.add(at, records[at])
    return frozenset(tree.way()) | frozenset(range(len(records))).difference(entries)


@dataclass(slots=True)
class _Tree:
    """Positions of entries by name, and of the entry each follows."""

    _positions: dict[str, int] = field(default_factory=dict)
    _parents: dict[int, int | None] = field(default_factory=dict)
    _tip: int | None = None
    _written_behind: int | None = None

    def add(self, at: int, record: object) -> None:
        if _of(record, "type") == "leaf" and self._is_known(record, "targetId"):
            self._parents[at] = self._tip = self._position(_of(record, "targetId"))
            behind = self._position(_of(record, "appendParentId"))
            self._written_behind = behind if self._is_known(record, "appendParentId") else self._tip
        else:
            self._parents[at] = self._followed(record)
            if _of(record, "appendMode") != "side" and _of(record, "type") != "leaf":
                self._tip = at
            self._written_behind = at
        name = _text(_of(record, "id"))
        if name is not None:
            self._positions.setdefault(name, at)

    def way(self) -> Iterable[int]:
        """The tip and what it follows, up to a root. An entry only follows earlier ones, so there is no circle."""
        at = self._tip
        while at is not None:
            yield at
            at = self._parents[at]

    def _followed(self, record: object) -> int | None:
        if not isinstance(record, dict) or "parentId" not in record:
            return self._tip
        parent = self._position(record["parentId"])
        continues = parent == self._written_behind and record.get("appendMode") != "side"
        return self._tip if continues else parent

    def _is_known(self, record: object, field: str) -> bool:
        """Whether the field names an earlier entry, or says with ``null`` that it is before the first."""
        name = _of(record, field)
        return self._position(name) is not None or (name is None and isinstance(record, dict) and field in record)

    def _position(self, name: object) -> int | None:
        return self._positions.get(name) if isinstance(name, str) else None


def _is_entry(record: object) -> bool:
    kind = _of(record, "type")
    return isinstance(kind, str) and kind in _ENTRIES and _text(_of(record, "id")) is not None


def _of(record: object, name: str) -> object:
    return record.get(name) if isinstance(record, dict) else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
