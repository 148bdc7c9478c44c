"""pi coding-agent session files (JSON lines) as an OpenAI chat history."""

from __future__ import annotations

from collections.abc import Iterable

from sostenuto.recordings._pi_session import read_session
from sostenuto.recordings._recording import Line, Recording

READER = "pi"

_ROLES = frozenset({"user", "assistant", "toolResult", "bashExecution", "custom", "hookMessage", "branchSummary", "compactionSummary"})


def recognises(record: object) -> bool:
    """Whether this one record can only come from a pi session."""
    if not isinstance(record, dict):
        return False
    message = record.get("message")
    if record.get("type") == "session":
        return isinstance(record.get("id"), str) and "cwd" in record
    role = message.get("role") if isinstance(message, dict) else None
    return record.get("type") == "message" and isinstance(role, str) and role in _ROLES


def read(records: Iterable[Line], *, source: str) -> Recording:
    """The recording behind the records of one session file."""
    return read_session(records, reader=READER, source=source)
