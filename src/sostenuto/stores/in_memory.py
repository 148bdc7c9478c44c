"""Conversations kept in this process: for tests, and for several managers of one program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sostenuto.errors import ConversationInUse
from sostenuto.protocols import Kept, Record


class InMemory:
    """A store for one process (see `sostenuto.protocols.Store`)."""

    def __init__(self) -> None:
        self._held: dict[str, _Held] = {}

    def open(self, conversation: str, /) -> LogInMemory:
        """See `Store`."""
        held = self._held.setdefault(conversation, _Held())
        if held.is_open:
            raise ConversationInUse(f"conversation {conversation[:80]!r} is written by another manager of this process; close that one")
        held.is_open = True
        return LogInMemory(conversation, held)


class _Held:
    """What one conversation holds, whoever has it open."""

    def __init__(self) -> None:
        self.is_open = False
        self.transcript: list[Record] = []
        self.edits: list[Record] = []
        self.records: list[Record] = []


class LogInMemory:
    """One conversation of `InMemory`."""

    def __init__(self, conversation: str, held: _Held) -> None:
        self.conversation = conversation
        self._held = held

    @property
    def expects_from(self) -> int:
        """See `Log`."""
        return max((records[-1]["seq"] + 1 for records in (self._held.transcript, self._held.edits) if records), default=0)

    def read(self) -> Kept:
        """See `Log`."""
        return Kept(tuple(self._held.transcript), tuple(self._held.edits))

    def append(self, transcript: Sequence[Record], edits: Sequence[Record], /) -> bool:
        """See `Log`."""
        for kept, new in ((self._held.transcript, transcript), (self._held.edits, edits)):
            last = kept[-1]["seq"] if kept else -1
            kept.extend(dict(record) for record in new if record["seq"] > last)
        return True

    def keep(self, items: Mapping[str, str], /) -> frozenset[str]:
        """All of them: they are in the transcript (D60)."""
        return frozenset(items)

    def journal(self, record: Record, /) -> bool:
        """See `Log`."""
        self._held.records.append(dict(record))
        return True

    def journalled(self) -> Sequence[Record]:
        """See `Log`."""
        return tuple(self._held.records)

    def close(self) -> None:
        """See `Log`."""
        self._held.is_open = False
