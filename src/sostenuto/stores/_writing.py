"""Writing below the data home: for its owner only, through no symbolic link, and so that a loss of power takes nothing back.

Every function takes the data home as `home`; then no folder between it and the path may be a symbolic link. The home itself may
be one, and so may what stands above it: those are the person's own arrangement. Folders below the home belong to their owner alone,
so nobody else can plant a link between the look and the step. Without `home` only the path itself is looked at.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from sostenuto.errors import UnusableInput

FOLDER_MODE: Final = 0o700
FILE_MODE: Final = 0o600
_OTHERS: Final = 0o077
_COPIES: Final = 1_000
_UNABLE: Final = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.ENOSYS})
# A planted pipe would hold up whoever opens it, hence O_NONBLOCK; it means nothing for files.
_CAREFULLY: Final = sum({getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_CLOEXEC", "O_NONBLOCK", "O_BINARY", "O_NOINHERIT")})


def make_folder(path: Path, *, home: Path | None = None) -> None:
    """Make a folder and those above it, for the owner only; one below the home that others could enter is closed to them.

    Raises:
        UnusableInput: a symbolic link stands in the way.
        OSError: it cannot be made.
    """
    _make_missing(home or path.parent)
    for folder in _steps(path, home=home):
        _make_missing(folder)
        status = os.lstat(folder)
        _refuse_link(folder, status)
        if not stat.S_ISDIR(status.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
        if status.st_mode & _OTHERS:
            os.chmod(folder, status.st_mode & FOLDER_MODE)


def opened(path: Path, flags: int, *, home: Path | None = None) -> int:
    """A handle on a file that is reached through no symbolic link. One that is made, or opened for writing, is its owner's only.

    Raises:
        UnusableInput: a symbolic link, or something else that is no file, stands there.
        OSError: it cannot be opened.
    """
    for step in _steps(path, home=home):
        with suppress(FileNotFoundError):
            _refuse_link(step, os.lstat(step))
    handle, made = _handle(path, flags | _CAREFULLY)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise UnusableInput(f"{path}: is no file; move it away")
        if sys.platform != "win32" and (made or (flags & (os.O_WRONLY | os.O_RDWR) and status.st_mode & _OTHERS)):
            os.fchmod(handle, FILE_MODE if made else status.st_mode & FOLDER_MODE)
        if made:
            flush_folder(path.parent)
    except BaseException:
        os.close(handle)
        raise
    return handle


def replace_file(path: Path, data: bytes, *, home: Path | None = None) -> None:
    """Put a file in the place of another, whole or not at all: a process that is killed meanwhile leaves the old one or the new one.

    Raises:
        UnusableInput: a symbolic link stands in the way.
        OSError: it cannot be written; the old file stands.
    """
    for step in _steps(path.parent, home=home):
        _refuse_link(step, os.lstat(step))
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        try:
            if sys.platform != "win32":
                os.fchmod(handle, FILE_MODE)  # whatever the umask took from it
            write_whole(handle, data)
            flush(handle)
        finally:
            os.close(handle)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
    flush_folder(path.parent)


def append_bytes(path: Path, data: bytes, *, home: Path | None = None) -> None:
    """Write at the end of a file of lines, all of it or nothing; it is made if it is not there, and a torn last line is closed first.

    Raises:
        UnusableInput: a symbolic link stands in the way.
        OSError: it cannot be written; the file is as long as it was, as far as the system allows.
    """
    handle = opened(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, home=home)
    try:
        end = os.lseek(handle, 0, os.SEEK_END)
        if end:
            os.lseek(handle, -1, os.SEEK_END)
            data = data if os.read(handle, 1) == b"\n" else b"\n" + data
        try:
            write_whole(handle, data)
            flush(handle)
        except OSError:
            with suppress(OSError):
                os.ftruncate(handle, end)
            raise
    finally:
        os.close(handle)


def moved_aside(path: Path, *, home: Path | None = None) -> Path:
    """Give a file that cannot be read another name beside its own, so that nothing of it is lost; the new name.

    Raises:
        UnusableInput: a symbolic link stands in the way, or there are too many such names.
        OSError: it cannot be moved.
    """
    for step in _steps(path.parent, home=home):
        _refuse_link(step, os.lstat(step))
    for number in range(1, _COPIES):
        other = path.with_name(f"{path.name}.unreadable{'' if number == 1 else f'-{number}'}")
        if not os.path.lexists(other):
            os.rename(path, other)
            flush_folder(path.parent)
            return other
    raise UnusableInput(f"{path}: too many unreadable copies beside it; remove some")


def write_whole(handle: int, data: bytes) -> None:
    """Write all of it in one go. Raises OSError also when only a part was taken, as on a full disk."""
    if os.write(handle, data) != len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def flush(handle: int) -> None:
    """Wait until what was written would survive a loss of power."""
    if sys.platform == "darwin":
        import fcntl

        with suppress(OSError):  # not every file system knows it; its plain fsync leaves bytes in the cache of the drive
            fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
            return
    os.fsync(handle)


def flush_folder(path: Path) -> None:
    """Wait until the names in a folder would survive a loss of power, where the system can do that."""
    if sys.platform != "win32":
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        except OSError as error:
            if error.errno not in _UNABLE:
                raise
        finally:
            os.close(handle)


def _steps(path: Path, *, home: Path | None) -> Iterator[Path]:
    """The paths below the home down to this one."""
    if home is None:
        yield path
        return
    step = home
    for part in path.relative_to(home).parts:
        step = step / part
        yield step


def _make_missing(folder: Path) -> None:
    """Make a folder and its parents, unless it is there."""
    if os.path.lexists(folder):
        return
    _make_missing(folder.parent)
    with suppress(FileExistsError):  # another process was quicker
        os.mkdir(folder, FOLDER_MODE)
        os.chmod(folder, FOLDER_MODE)  # whatever the umask took from it
        flush_folder(folder.parent)


def _refuse_link(path: Path, status: os.stat_result) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise UnusableInput(f"{path}: is a symbolic link, and nothing is written through one; move it away")


def _handle(path: Path, flags: int) -> tuple[int, bool]:
    """A handle, and whether the file was made for it."""
    if flags & os.O_EXCL:
        return os.open(path, flags, FILE_MODE), True
    while True:
        try:
            return os.open(path, flags & ~os.O_CREAT, FILE_MODE), False
        except FileNotFoundError:
            if not flags & os.O_CREAT:
                raise
        with suppress(FileExistsError):  # another process was quicker
            return os.open(path, flags | os.O_EXCL, FILE_MODE), True
