"""The data home as a whole: what lies in it, what may go, and a copy of it."""

from __future__ import annotations

import gzip
import io
import json
import os
import stat
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sostenuto.app._home import readable_home
from sostenuto.app._redacting import without_secrets
from sostenuto.app._shelf import Amount
from sostenuto.checkpoint import redacted
from sostenuto.errors import UnusableInput
from sostenuto.stores.shelf import Shelf

DATA_KINDS: Final = {
    "history": "conversations at hand",
    "archive": "conversations that were put away",
    "work": "journals, work state and todos",
    "tool-results": "whole results, of which runs saw a part",
    "scratchpad": "long drafts of agents",
    "telemetry": "figures of runs",
    "cache": "what can be made or fetched again",
}
"""Kind of data -> what it is; the order in which they are shown."""
_LEFT_OUT: Final = frozenset({"cache", "lease.json", "lease.held"})
_LARGEST: Final = 2 * 1024**3
_MODE: Final = 0o600
ARCHIVE: Final = ".archive"


@dataclass(frozen=True, slots=True)
class Copied:
    """A copy of the data home: how many files are in it, their bytes, in how many of them secrets were taken out, what was left out."""

    files: int
    bytes: int
    redacted: int
    left_out: tuple[str, ...]


def amounts(home: Path, /) -> dict[str, Amount]:
    """How much of each kind there is.

    Raises:
        UnusableInput: the data home cannot be read.
    """
    found = Shelf(readable_home(home)).sizes()
    return {kind: Amount(found[kind].bytes, found[kind].files) for kind in DATA_KINDS}


def purge(home: Path, kind: str, /, *, older_than_days: float) -> Amount:
    """Remove what of a kind was not written for so many days.

    Raises:
        UnknownSetting: there is no such kind, or that is no number of days. UnusableInput: something cannot be removed.
    """
    gone = Shelf(readable_home(home)).purge(kind, older_than_days)
    return Amount(gone.bytes, gone.files)


def copy_data(home: Path, target: Path, /) -> Copied:
    """Write a tar.gz of the data home, whole or not at all, for its owner only. What can be made again is left out, secrets are
    taken out of what is text, and no symbolic link is followed.

    Raises:
        UnusableInput: the data home cannot be read, or there is nothing in it. OSError: the copy cannot be written.
    """
    readable_home(home)
    goal = Path(os.path.realpath(target))
    handle, name = tempfile.mkstemp(prefix=f".{goal.name}.", dir=goal.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            copied = _packed(home, stream, but=(goal, Path(name)))
            stream.flush()
            os.fsync(stream.fileno())
        if not copied.files:
            raise UnusableInput(f"{home}: there is nothing to export there")
        os.chmod(name, _MODE)
        os.replace(name, goal)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
    return copied


def _packed(home: Path, stream: io.BufferedWriter, *, but: tuple[Path, ...]) -> Copied:
    files = size = cleaned = 0
    left_out: list[str] = []
    with gzip.GzipFile(filename="", fileobj=stream, mode="wb") as packed, tarfile.open(fileobj=packed, mode="w") as archive:
        for path in _files(home, but=but):
            name = path.relative_to(home).as_posix()
            found = _read(path)
            if found is None:
                left_out.append(name)
                continue
            data, written_s = found
            clean = _clean(data, path)
            entry = tarfile.TarInfo(f"sostenuto/{name}".encode("utf-8", "replace").decode())
            entry.size, entry.mode, entry.mtime = len(clean), _MODE, int(written_s)
            archive.addfile(entry, io.BytesIO(clean))
            files, size, cleaned = files + 1, size + len(clean), cleaned + (clean != data)
    return Copied(files, size, cleaned, tuple(left_out))


def _read(path: Path) -> tuple[bytes, float] | None:
    """The bytes of a file and when it was written, in seconds since 1970; None where it cannot be read or is no file any more."""
    try:
        with open(path, "rb", opener=_carefully) as file:
            status = os.fstat(file.fileno())
            is_fit = stat.S_ISREG(status.st_mode) and status.st_size <= _LARGEST
            return (file.read(), status.st_mtime) if is_fit else None
    except OSError:
        return None


def _carefully(path: str, flags: int) -> int:
    """A link or a pipe may have taken the file's place since it was listed: neither is followed nor waited for."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def _files(home: Path, *, but: tuple[Path, ...]) -> Iterator[Path]:
    """Every regular file below, by name; leftovers of writes, locks and what can be made again are passed over."""
    waiting = [home]
    while waiting:
        path = waiting.pop()
        try:
            with os.scandir(path) as found:
                entries = sorted(found, key=lambda entry: entry.name, reverse=True)
        except NotADirectoryError:
            yield path
            continue
        except OSError:
            continue
        for entry in entries:
            is_hidden = entry.name in _LEFT_OUT or (entry.name.startswith(".") and entry.name != ARCHIVE)
            is_ours = entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False)
            if is_ours and not is_hidden and Path(entry.path) not in but:
                waiting.append(Path(entry.path))


def _clean(data: bytes, path: Path) -> bytes:
    """A file without its secrets; the very bytes where there are none, or it is no text."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return data
    if path.suffix == ".jsonl":
        made = "\n".join(map(_clean_json, text.split("\n")))
    else:
        made = _clean_json(text) if path.suffix == ".json" else redacted(text)
    return data if made == text else made.encode("utf-8", "backslashreplace")


def _clean_json(text: str) -> str:
    """JSON as it is where nothing has to go; what is no JSON counts as plain text."""
    if not text.strip():
        return text
    try:
        value = json.loads(text)
        clean = without_secrets(value)
    except (ValueError, RecursionError, UnusableInput):
        return redacted(text)
    return text if clean == value else json.dumps(clean, ensure_ascii=False)
