"""What a folder of results holds, known without looking through it each time."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from sostenuto.stores._leftovers import is_leftover
from sostenuto.stores._writing import FILE_MODE

FOLDER = "tool-results"
BODY = ".txt"
NOTE = ".provenance.json"
LOCK = ".lock"

_AT = 1  # behind the byte that is locked
_MARK_BYTES = 16


class Stock:
    """The pairs of files in a folder, oldest first, with their bytes. Every method but `has` is for the holder of the folder's lock.

    The lock file names who looked through the folder last. As long as that is us, what we know is true and nothing is read; after
    another process wrote, it is looked through again.

    Args:
        folder: the folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._mark = os.urandom(_MARK_BYTES)
        self._sizes: dict[str, int] = {}
        self.bytes = 0

    def look(self, lock: int) -> None:
        """Make sure that what is known is true."""
        os.lseek(lock, _AT, os.SEEK_SET)
        if os.read(lock, _MARK_BYTES) == self._mark:
            return
        self._scan()
        os.lseek(lock, _AT, os.SEEK_SET)
        os.write(lock, self._mark)

    def has(self, name: str) -> bool:
        """Whether the text of that name lies there now."""
        try:
            return stat.S_ISREG(os.lstat(self._folder / (name + BODY)).st_mode)
        except (FileNotFoundError, NotADirectoryError):
            return False

    def add(self, name: str, size: int) -> None:
        """Take a pair in as the newest."""
        self.bytes += size - self._sizes.pop(name, 0)
        self._sizes[name] = size

    def drop_oldest(self) -> int:
        """Remove the oldest pair; its bytes."""
        return self._drop(next(iter(self._sizes)))

    def drop_until(self, moment_s: float) -> list[int]:
        """Remove every pair that was written before or at a moment; the bytes of each."""
        old = [name for name in self._sizes if self._written_s(name) <= moment_s]
        return [self._drop(name) for name in old]

    def _drop(self, name: str) -> int:
        for ending in (BODY, NOTE):  # the text first: one without its note would be nobody's words
            with suppress(FileNotFoundError):
                os.unlink(self._folder / (name + ending))
        size = self._sizes.pop(name)
        self.bytes -= size
        return size

    def _written_s(self, name: str) -> float:
        try:
            return os.lstat(self._folder / (name + BODY)).st_mtime
        except FileNotFoundError:
            return 0.0

    def _scan(self) -> None:
        found: dict[str, tuple[int, int]] = {}
        notes: dict[str, int] = {}
        with os.scandir(self._folder) as entries:
            for entry in entries:
                if is_leftover(entry.name):
                    with suppress(OSError):
                        os.unlink(entry.path)
                elif entry.is_file(follow_symlinks=False):
                    status = entry.stat(follow_symlinks=False)
                    if status.st_mode & 0o077 and os.name == "posix":  # somebody opened it to others
                        os.chmod(entry.path, FILE_MODE)
                    if entry.name.endswith(BODY):
                        found[entry.name.removesuffix(BODY)] = (status.st_mtime_ns, status.st_size)
                    elif entry.name.endswith(NOTE):
                        notes[entry.name.removesuffix(NOTE)] = status.st_size
        for name in notes.keys() - found.keys():  # a process was killed between a text and its note
            os.unlink(self._folder / (name + NOTE))
        order = sorted(found, key=lambda name: (found[name][0], name))
        self._sizes = {name: found[name][1] + notes.get(name, 0) for name in order}
        self.bytes = sum(self._sizes.values())
