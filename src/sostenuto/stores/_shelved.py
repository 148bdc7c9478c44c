"""What a conversation's folders say about it, without opening it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sostenuto.errors import reason
from sostenuto.stores._lease import NAME as LEASE
from sostenuto.stores._lease import SUBSTITUTE
from sostenuto.stores._meta import meta_in
from sostenuto.stores._places import EDITS, TRANSCRIPT
from sostenuto.stores._stock import FOLDER as RESULTS
from sostenuto.stores._walking import entries, files_below

_LEASES = frozenset({LEASE, SUBSTITUTE})  # written by whoever opens a conversation, so they say nothing about its age


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
    meta, unread = meta_in(history)
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
    found = [_moment(meta_in(history)[0].get("last_used"))]
    for name in (TRANSCRIPT, EDITS):
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
