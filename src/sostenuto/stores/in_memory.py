"""Conversations kept in this process: for tests, and for several managers of one program."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from sostenuto.errors import ConversationInUse
from sostenuto.protocols import Kept, Record
from sostenuto.stores._names import checked_name


class InMemory:
    """A store for one process (see `sostenuto.protocols.Store`)."""

    def __init__(self) -> None:
        self._held: dict[str, _Held] = {}

    def open(self, conversation: str, /) -> LogInMemory:
        """See `Store`."""
        held = self._held.setdefault(checked_name(conversation, what="conversation"), _Held())
        if held.writer is not None:
            raise ConversationInUse(f"conversation {conversation[:80]!r} is written by another manager of this process; close that one")
        held.writer = LogInMemory(conversation, held)
        return held.writer


class _Held:
    """What one conversation holds, whoever has it open. Records are kept as text: nobody's later change reaches them."""

    def __init__(self) -> None:
        self.writer: LogInMemory | None = None
        self.expects_from = 0
        self.transcript: dict[int, str] = {}
        self.edits: dict[int, str] = {}
        self.journal: list[str] = []


class LogInMemory:
    """One conversation of `InMemory`."""

    def __init__(self, conversation: str, held: _Held) -> None:
        self.conversation = conversation
        self._held = held

    @property
    def expects_from(self) -> int:
        """See `Log`."""
        return self._held.expects_from

    def read(self) -> Kept:
        """See `Log`."""
        return Kept(_records(self._held.transcript.values()), _records(self._held.edits.values()))

    def append(self, transcript: Sequence[Record], edits: Sequence[Record], /) -> bool:
        """See `Log`."""
        try:
            said, done = ({record["seq"]: json.dumps(record) for record in records} for records in (transcript, edits))
        except (TypeError, ValueError, LookupError, RecursionError):
            return False
        if self._held.writer is not self or min((*said, *done), default=0) > self.expects_from:
            return False
        for kept, new in ((self._held.transcript, said), (self._held.edits, done)):
            kept |= {seq: text for seq, text in new.items() if seq not in kept}
        self._held.expects_from = max(self.expects_from, *(seq + 1 for seq in (*said, *done)), 0)
        return True

    def keep(self, items: Mapping[str, str], /) -> frozenset[str]:
        """All of them: they are in the transcript (D60)."""
        return frozenset(items)

    def journal(self, record: Record, /) -> bool:
        """See `Log`."""
        try:
            text = json.dumps(record)
        except (TypeError, ValueError, RecursionError):
            return False
        if self._held.writer is not self:
            return False
        self._held.journal.append(text)
        return True

    def journalled(self) -> Sequence[Record]:
        """See `Log`."""
        return _records(self._held.journal)

    def close(self) -> None:
        """See `Log`."""
        if self._held.writer is self:
            self._held.writer = None


def _records(texts: Iterable[str]) -> tuple[Record, ...]:
    return tuple(map(json.loads, texts))
