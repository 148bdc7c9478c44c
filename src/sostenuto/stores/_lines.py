"""A file of records that only grows: what is at its end is known, so adding costs what is added."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from sostenuto.errors import UnusableInput, reason
from sostenuto.protocols import Record
from sostenuto.stores._records import LARGEST_LINE, BadLine, Found, bytes_at, found_in, header, line_of
from sostenuto.stores._writing import append_bytes, flush, moved_aside, opened, replace_file, write_whole

SCHEMA: Final = 1
"""The version of the files that this program writes."""

Upgrade = Callable[[Record], Record]
"""From a record of one version to the same record of the next."""

UPGRADES: Final[Mapping[int, Upgrade]] = {}
"""By the version they start from. Version 1 is the first."""

_ENDS: Final = 512  # bytes at the beginning and before the end by which a file is known again
_NAMED: Final = 5
_BATCH: Final = 16 * 1024 * 1024  # bytes of copies that are held in memory


class Replaced(Exception):
    """Another file stands where ours was, with other records."""


@dataclass(frozen=True, slots=True)
class _End:
    """What is known of a file: how far it is good, and how it is known again.

    Attributes:
        highest: the largest `seq`; -1 for none.
        mark: device, number and time of change of the file; None where there is none. Numbers are given again once a file is gone.
        size: bytes that are good.
        head: the first of those bytes.
        tail: the last of them.
        is_closed: whether they end a line.
        is_flushed: whether they are known to survive a loss of power; not what another process wrote before it died.
        is_torn: whether bytes of an unfinished write stand behind them.
        torn: a whole line among those.
        is_old: whether an older version wrote the file.
    """

    highest: int = -1
    mark: tuple[int, int, int] | None = None
    size: int = 0
    head: bytes = b""
    tail: bytes = b""
    is_closed: bool = True
    is_flushed: bool = False
    is_torn: bool = False
    torn: BadLine | None = None
    is_old: bool = False


class Lines:
    """One file of records, for the one process that may write it."""

    def __init__(self, path: Path, *, home: Path, schema: int = SCHEMA, upgrades: Mapping[int, Upgrade] = UPGRADES) -> None:
        self._path, self._home = path, home
        self._schema, self._upgrades = schema, upgrades
        self._end: _End | None = None

    @property
    def highest(self) -> int:
        """The largest `seq` that is known to be in the file; -1 for none."""
        return self._end.highest if self._end is not None else -1

    def read(self, *, writes: bool) -> tuple[list[Record], list[str]]:
        """Every record, and lines for the person about what could not be read; with `writes` that is moved aside or copied.

        Raises:
            UnusableInput: a newer version wrote it, or it cannot be read at all; nothing was changed.
        """
        try:
            found, notes, end = self._found(writes=writes)
        except OSError as error:
            raise UnusableInput(f"{self._path}: cannot be read ({reason(error)}); nothing was changed") from None
        known = self._end or _End()
        if not known.is_torn:  # what a failed write left may look whole and yet be nowhere but in memory
            is_flushed = known.is_flushed and (known.mark, known.size) == (end.mark, end.size)
            self._end = replace(end, is_flushed=is_flushed)
        return found.records, notes

    def look(self) -> bool:
        """See whether everything is there that should be; False if records are gone: then `highest` tells the last one left.

        Raises:
            Replaced: the file is another one now.
            UnusableInput, OSError: it cannot be read, or may not be written.
        """
        end = self._end
        if end is None:
            _, _, self._end = self._found(writes=True)
            return True
        try:
            status = os.lstat(self._path)
        except (FileNotFoundError, NotADirectoryError):
            self._end = _End()
            return end.highest < 0
        if _mark(status) == end.mark and status.st_size == end.size:
            return True
        is_ours = self._holds(end)
        if is_ours and status.st_size == end.size:  # copied away and back, or on a file system where marks do not last
            self._end = replace(end, mark=_mark(status))
            return True
        if end.is_torn and (is_ours or (not end.size and end.mark is not None and end.mark[:2] == _mark(status)[:2])):
            return True
        found, _, now = self._found(writes=True)
        is_ours = is_ours or now.head == end.head[: len(now.head)]
        if now.highest > end.highest or (found.records and not is_ours):
            raise Replaced(str(self._path))
        self._end = now
        return now.highest == end.highest

    def doubt(self) -> None:
        """The file was out of our hands: it is ours only if it holds what we know."""
        if self._end is not None:
            self._end = replace(self._end, mark=None, is_torn=False)

    def add(self, records: Sequence[Record], /) -> None:
        """Write those that are not there yet at the end, and wait until all are safe. To be called after `look`.

        Raises:
            UnusableInput, OSError: they could not be written, or not all of them.
            ValueError, TypeError, RecursionError: JSON cannot hold one of them; nothing was written.
        """
        if self._end is not None and self._end.is_old:
            self._rewrite()
        end = self._end or _End()
        new = [record for record in records if record["seq"] > end.highest]
        if not new and (end.is_flushed or not end.size):
            return
        data = b"".join(map(line_of, new))
        handle = opened(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, home=self._home)
        try:
            end = self._mended(handle, end)
            if data:
                lead = b"" if end.is_closed else b"\n"
                data = (lead if end.size else header(self._path.stem, schema=self._schema)) + data
                self._end = replace(end, is_torn=True)  # until it is known to be safe: a failed flush tells nothing of what is on the disk
                write_whole(handle, data)
            flush(handle)
            end = replace(end, is_flushed=True, mark=_mark(os.fstat(handle)))
        finally:
            os.close(handle)
        seq = max((record["seq"] for record in new), default=end.highest)
        head, tail = (end.head + data)[:_ENDS], (end.tail + data)[-_ENDS:]
        self._end = replace(end, highest=seq, size=end.size + len(data), head=head, tail=tail, is_closed=end.is_closed or bool(data))

    def begin_anew(self) -> None:
        """Move what is left of the file aside, so that an empty one takes its place. Raises UnusableInput or OSError."""
        if self._end is not None and self._end.mark is not None:
            moved_aside(self._path, home=self._home)
        self._end = _End()

    def _mended(self, handle: int, end: _End) -> _End:
        """Take back a torn end; where the system does not let us, what follows starts on a line of its own."""
        status = os.fstat(handle)
        end = replace(end, mark=_mark(status), is_torn=False)
        if status.st_size <= end.size:
            return end
        if end.torn is not None and not self._copied(handle, [end.torn]):
            end = replace(end, size=end.torn.start + end.torn.length, is_closed=True)
        try:
            os.ftruncate(handle, end.size)
        except OSError:
            end = replace(end, size=status.st_size, is_closed=bytes_at(handle, status.st_size - 1, length=1) == b"\n")
        return replace(end, torn=None)

    # ------------------------------------------------------------ what is there

    def _holds(self, end: _End) -> bool:
        """Whether the file is the same up to our end, as far as its last bytes tell."""
        handle = opened(self._path, os.O_RDONLY, home=self._home)
        try:
            return bool(end.tail) and bytes_at(handle, end.size - len(end.tail), length=len(end.tail)) == end.tail
        finally:
            os.close(handle)

    def _found(self, *, writes: bool) -> tuple[Found, list[str], _End]:
        try:
            handle = opened(self._path, os.O_RDONLY, home=self._home)
        except (FileNotFoundError, NotADirectoryError):
            return Found(), [], _End()
        try:
            found = found_in(handle, kind=self._path.stem)
            if found.origin == "foreign":
                return Found(), [self._put_aside(writes=writes)], _End()
            is_old = self._upgrade(found)
            copied = writes and self._copied(handle, found.bad)
            status = os.fstat(handle)
            end = _End(
                highest=found.highest,
                mark=_mark(status),
                size=found.end,
                head=bytes_at(handle, 0, length=min(found.end, _ENDS)),
                tail=bytes_at(handle, max(found.end - _ENDS, 0), length=min(found.end, _ENDS)),
                is_closed=found.is_closed,
                is_torn=status.st_size > found.end,
                torn=found.torn,
                is_old=is_old,
            )
        finally:
            os.close(handle)
        return found, [self._left_out(found, copied=copied)] if found.bad else [], end

    def _upgrade(self, found: Found, /) -> bool:
        """Bring records of an older version to this one; whether they were older."""
        if found.schema > self._schema:
            raise UnusableInput(
                f"{self._path}: was written by a newer version of sostenuto (its files have version {found.schema}, "
                f"this one knows {self._schema}); nothing was changed, update sostenuto to go on with it"
            )
        is_old = found.origin == "ours" and found.schema < self._schema
        for version in range(found.schema, self._schema) if is_old else ():
            if version not in self._upgrades:
                raise UnusableInput(
                    f"{self._path}: files of version {version} are unknown; nothing was changed, move it away to begin anew"
                )
            found.records = list(map(self._upgrades[version], found.records))
        return is_old

    def _rewrite(self) -> None:
        """Put the file in the version of this program in the place of the old one."""
        found, _, _ = self._found(writes=True)
        data = header(self._path.stem, schema=self._schema) + b"".join(map(line_of, found.records))
        replace_file(self._path, data, home=self._home)
        _, _, self._end = self._found(writes=True)

    def _put_aside(self, *, writes: bool) -> str:
        if not writes:
            return f"{self._path}: is no {self._path.stem} of a conversation and was left out"
        other = moved_aside(self._path, home=self._home)
        return (
            f"{self._path}: is no {self._path.stem} of a conversation; it was moved to {other.name} and the {self._path.stem} begins anew"
        )

    # ------------------------------------------------------------ what cannot be read

    @property
    def _copies(self) -> Path:
        return self._path.with_suffix(f".bad{self._path.suffix}")

    def _left_out(self, found: Found, /, *, copied: bool) -> str:
        numbers = ", ".join(str(line.number) for line in found.bad[:_NAMED])
        more = f" and {found.bad_lines - _NAMED:,} more" if found.bad_lines > _NAMED else ""
        lines, were = ("line", "was") if found.bad_lines == 1 else ("lines", "were")
        where = f"; a copy is in {self._copies.name}" if copied else ""
        return f"{self._path}: {lines} {numbers}{more} could not be read ({found.bad[0].why}) and {were} left out{where}"

    def _copied(self, handle: int, bad: Sequence[BadLine], /) -> bool:
        """Put copies of lines beside the file, each once; whether all of them are there."""
        # a longer one stays where it is only, in the file that is never rewritten
        fitting = [line for line in bad if line.length <= LARGEST_LINE]
        try:
            known = self._digests_of_copies() if fitting else set()
            new: list[bytes] = []
            for line in fitting:
                data = bytes_at(handle, line.start, length=line.length).rstrip(b"\n") + b"\n"
                if (digest := _digest(data)) not in known:
                    new.append(data)
                    known.add(digest)
                if new and (line is fitting[-1] or sum(map(len, new)) > _BATCH):
                    append_bytes(self._copies, b"".join(new), home=self._home)
                    new.clear()
        except (OSError, UnusableInput):
            return False
        return len(fitting) == len(bad)

    def _digests_of_copies(self) -> set[bytes]:
        try:
            handle = opened(self._copies, os.O_RDONLY, home=self._home)
        except FileNotFoundError:
            return set()
        with os.fdopen(handle, "rb") as file:
            return set(map(_digest, file))


def _digest(line: bytes) -> bytes:
    return hashlib.blake2b(line, digest_size=16).digest()


def _mark(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_dev, status.st_ino, status.st_mtime_ns
