"""What a conversation's folders say about it, without opening it."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sostenuto.errors import UnusableInput, reason
from sostenuto.stores._meta import NAME as META
from sostenuto.stores._meta import SCHEMA
from sostenuto.stores._stock import FOLDER as RESULTS
from sostenuto.stores._walking import entries, files_below
from sostenuto.stores._writing import opened

TRANSCRIPT = "transcript.jsonl"
_LARGEST = 1_000_000  # bytes of a meta.json; ours have a few hundred
_LEASES = frozenset({"lease.json", "lease.held"})  # written by whoever opens a conversation, so they say nothing about its age


@dataclass(frozen=True, slots=True)
class Shelved:
    """A conversation as it lies on the shelf.

    Attributes:
        agent: whose it is.
        conversation: its name.
        title: what it is about; "" if nobody said.
        started: when it began; None if nothing tells.
        last_used: when it was last written; None if nothing tells.
        history_bytes: of what was said and done to the view.
        work_bytes: of journal, state and todos.
        results_bytes: of whole results.
        is_archived: whether it lies in the archive, from which it comes back when it is opened.
        trouble: why it, or what is told about it, cannot be read; "" if it can.
    """

    agent: str
    conversation: str
    title: str = ""
    started: datetime | None = None
    last_used: datetime | None = None
    history_bytes: int = 0
    work_bytes: int = 0
    results_bytes: int = 0
    is_archived: bool = False
    trouble: str = ""


def shelved(agent: str, conversation: str, *, history: Path, work: Path, is_archived: bool) -> Shelved:
    """A conversation by its two folders, either of which may be missing."""
    trouble = next(filter(None, map(_trouble, (history, work))), "")
    said, told = _files(history), _files(work)
    meta, unread = _meta(history)
    title = meta.get("title")
    times = [status.st_mtime for path, status in (*said, *told) if path.name not in _LEASES]
    return Shelved(
        agent,
        conversation,
        title=title if isinstance(title, str) else "",
        started=_moment(meta.get("started")) or _at(min(times, default=None)),
        last_used=last_used(history) or _at(max(times, default=None)),
        history_bytes=_bytes(said),
        work_bytes=_bytes([(path, status) for path, status in told if path.parent.name != RESULTS]),
        results_bytes=_bytes([(path, status) for path, status in told if path.parent.name == RESULTS]),
        is_archived=is_archived,
        trouble=trouble or unread,
    )


def last_used(history: Path) -> datetime | None:
    """When the conversation in a folder was last written, without looking through it; None if nothing tells.

    After a crash what ``meta.json`` says is old, so the age of the transcript counts too.
    """
    found = [_moment(_meta(history)[0].get("last_used"))]
    for name in (TRANSCRIPT, "edits.jsonl"):
        try:
            found.append(_at(os.lstat(history / name).st_mtime))
        except OSError:
            continue
    return max(filter(None, found), default=None)


def _trouble(folder: Path) -> str:
    try:
        if os.path.islink(folder):
            return f"{folder}: is a symbolic link, which is not followed"
        entries(folder)
    except OSError as error:
        return f"{folder}: cannot be read ({reason(error)})"
    return ""


def _files(folder: Path) -> list[tuple[Path, os.stat_result]]:
    return [] if os.path.islink(folder) else files_below(folder)


def _bytes(files: Sequence[tuple[Path, os.stat_result]]) -> int:
    return sum(status.st_size for _, status in files)


def _meta(folder: Path) -> tuple[dict[str, Any], str]:
    """What is told about a conversation, and why it cannot be read."""
    path = folder / META
    try:
        with os.fdopen(opened(path, os.O_RDONLY, home=folder.parent), "rb") as file:
            meta = json.loads(file.read(_LARGEST))
    except FileNotFoundError:
        return {}, ""
    except (OSError, UnusableInput) as error:
        return {}, f"{path}: cannot be read ({reason(error)})"
    except (ValueError, RecursionError):
        return {}, f"{path}: not JSON"
    if not isinstance(meta, dict):
        return {}, f"{path}: not what this program writes"
    schema = meta.get("schema")
    if isinstance(schema, int) and schema > SCHEMA:
        return {}, f"{path}: written by a newer version (schema {schema}); update this program"
    return meta, ""


def _moment(said: object) -> datetime | None:
    try:
        moment = datetime.fromisoformat(said) if isinstance(said, str) else None
        return moment and (moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return None


def _at(seconds: float | None) -> datetime | None:
    try:
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
