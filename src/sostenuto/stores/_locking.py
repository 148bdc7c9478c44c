"""One at a time, over threads and processes: an advisory lock on a file, let go by the system when its holder dies."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

WAIT_S = 5.0
"""Seconds a write waits for another one: far longer than any takes, far shorter than a person waits."""

_PAUSE_S = 0.002
_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


@contextmanager
def locked(path: Path, *, wait_s: float = WAIT_S) -> Iterator[int]:
    """Hold the lock whose file is `path`, and lend its open handle. The file stays; its folder must be there.

    Raises:
        TimeoutError: somebody else held it for `wait_s` seconds.
        OSError: the file cannot be made or opened, or is a symbolic link.
    """
    until = time.monotonic() + wait_s
    handle = _held(path, until=until)
    try:
        yield handle
    finally:
        os.close(handle)  # which lets go


def _held(path: Path, *, until: float) -> int:
    while True:
        handle = os.open(path, _FLAGS, 0o600)
        try:
            while not _taken(handle):
                if time.monotonic() >= until:
                    raise TimeoutError(errno.ETIMEDOUT, "another process is writing here", str(path))
                time.sleep(_PAUSE_S)
            if _names(path, handle):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)  # the folder was removed and made again while we waited: that lock guards nothing any more


def _names(path: Path, handle: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(handle))
    except FileNotFoundError:
        return False


if sys.platform == "win32":
    import msvcrt

    def _taken(handle: int) -> bool:
        os.lseek(handle, 0, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _taken(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
