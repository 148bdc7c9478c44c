"""OpenClaw session files (JSON lines) as an OpenAI chat history: the tree of pi with records of its own.

A session of a sub-agent is a file like any other. What other sessions announced while the tip stayed where it was is on side branches: the
model answered it there, and a later request knew nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from sostenuto.recordings._pi_session import read_session
from sostenuto.recordings._recording import Line, Raw, Recording

READER = "openclaw"

_OWN = "openclaw"
_FOLDER = ".openclaw"
_SNAPSHOT = "model-snapshot"


def recognises(record: object) -> bool:
    """Whether this one record can only come from an OpenClaw session; its other records are those of pi."""
    if not isinstance(record, dict):
        return False
    kind = record.get("type")
    if kind == "session":
        return isinstance(record.get("id"), str) and _is_in_its_folder(record.get("cwd"))
    if kind in ("custom", "custom_message"):
        custom = record.get("customType")
        return isinstance(custom, str) and (custom.startswith(_OWN) or custom == _SNAPSHOT)
    return kind == "leaf" and "targetId" in record and "appendParentId" in record


def read(records: Iterable[Line], *, source: str) -> Recording:
    """The recording behind the records of one session file."""
    return read_session(records, reader=READER, source=source, branch="side_branch", written=_is_own)


def _is_own(message: Raw) -> bool:
    """Whether OpenClaw put this reply into the transcript: a copy of what it delivered elsewhere, or a line of its gateway."""
    return message.get("provider") == _OWN


def _is_in_its_folder(cwd: Any) -> bool:
    return isinstance(cwd, str) and _FOLDER in (*PurePosixPath(cwd).parts, *PureWindowsPath(cwd).parts)
