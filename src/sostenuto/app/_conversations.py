"""Conversations of `sostenuto run`: one snapshot file each, replaced whole (the append-only store is still to come)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sostenuto.config import json_object, write_json
from sostenuto.errors import UnknownSetting, UnusableInput
from sostenuto.protocols import Raw

SCHEMA = 1
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
LARGEST = 512 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Saved:
    """A conversation as it was left: its messages in the wire of its model, and what the context manager knew."""

    model: str
    format: str
    history: list[Raw] = field(default_factory=list)
    snapshot: Mapping[str, Any] = field(default_factory=dict)


def conversation_file(home: Path, *, agent: str, conversation: str) -> Path:
    """Where a conversation is kept.

    Raises:
        UnknownSetting: the name cannot be one (it is the name of a folder).
    """
    if not _ID.fullmatch(conversation):
        raise UnknownSetting(
            f"--conversation {conversation[:80]!r}: a name has letters, digits, dots, - and _, starts with a letter or digit, "
            "and has at most 200 of them"
        )
    return home / "history" / agent / conversation / "snapshot.json"


def read_conversation(path: Path, /) -> Saved | None:
    """A conversation; None where there is none yet.

    Raises:
        UnusableInput: the file is damaged, or of another version.
    """
    if not path.exists():
        return None
    found = json_object(path, largest=LARGEST)
    history, snapshot = found.get("history"), found.get("snapshot")
    is_ours = found.get("schema") == SCHEMA and isinstance(history, list) and isinstance(snapshot, dict)
    if not is_ours or not all(isinstance(raw, dict) for raw in history or ()) or not isinstance(found.get("model"), str):
        raise UnusableInput(f"{path}: no conversation of this version of sostenuto; move the file away to begin anew, nothing was changed")
    return Saved(found["model"], str(found.get("format", "")), history or [], snapshot or {})


def write_conversation(path: Path, saved: Saved, /) -> None:
    """Replace a conversation, whole or not at all.

    Raises:
        UnusableInput: it cannot be written; the old one stands.
    """
    value = {"schema": SCHEMA, "model": saved.model, "format": saved.format, "history": saved.history, "snapshot": dict(saved.snapshot)}
    write_json(path, value)
