"""Who may write a conversation: one at a time, over managers, processes and hosts (D33).

The lease is a lock of the system on ``lease.json``, which is let go when its holder dies however it dies. What stands in the file says
who holds it. A file with a text but without a lock was left by a process that died. Where a file system knows no locks, a second
file, made by one process only, stands for the lock; then a holder on this host that is no longer alive counts as dead, and one on
another host does not.
"""

from __future__ import annotations

import errno
import getpass
import json
import os
import platform
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from uuid import uuid4
from weakref import WeakSet

from sostenuto.errors import ConversationInUse, UnusableInput, reason
from sostenuto.stores._writing import make_folder, opened

NAME: Final = "lease.json"
SUBSTITUTE: Final = "lease.held"
_TRIES: Final = 10
_LONGEST: Final = 4_096
_SHOWN: Final = 80
_HELD: Final = frozenset({errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK, errno.EDEADLK})


class Lease:
    """The right to write a conversation, until it is closed.

    Attributes:
        left_by: who held it before and died without closing it; "" if it was free.
    """

    def __init__(self, folder: Path, *, handle: int, substitute: Path | None = None) -> None:
        self._path = folder / NAME
        self._substitute = substitute
        self._handle: int | None = handle
        self.left_by = _named(_read(handle))
        self._text = _own_text()
        with suppress(OSError):  # on a full disk the lock alone must do
            _write(handle, self._text)
        _LEASES.add(self)

    def holds(self) -> bool:
        """Whether it still guards the folder: not once that was removed or moved, and not in a forked child."""
        if self._handle is None:
            return False
        with suppress(OSError):
            return _is_at(self._path, self._handle) or _content(self._path) == self._text
        return False

    def close(self, *, discard: bool = False) -> None:
        """Let another writer in; with `discard` the folder goes too, if nothing else is in it. Never raises; twice is once."""
        handle, self._handle = self._handle, None
        if handle is None:
            return
        with suppress(OSError):
            os.ftruncate(handle, 0)
        if self._substitute is not None:
            with suppress(OSError):
                os.unlink(self._substitute)
        with suppress(OSError):
            if discard and _is_at(self._path, handle):
                os.unlink(self._path)
                os.rmdir(self._path.parent)
        with suppress(OSError):
            _unlock(handle)
        with suppress(OSError):
            os.close(handle)

    def forget(self) -> None:
        """Drop it without letting go of it: it stays with the process that took it."""
        handle, self._handle = self._handle, None
        if handle is not None:
            with suppress(OSError):
                os.close(handle)


_LEASES: Final[WeakSet[Lease]] = WeakSet()


def _forget_all() -> None:
    for lease in tuple(_LEASES):
        lease.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


def taken(folder: Path, *, conversation: str, home: Path) -> Lease:
    """The lease on the folder of a conversation, which is made if it is not there.

    Raises:
        ConversationInUse: somebody else holds it; the text says who, where and since when.
        UnusableInput: the folder or the lease cannot be used.
    """
    try:
        for _ in range(_TRIES):
            if (lease := _attempt(folder, conversation=conversation, home=home)) is not None:
                return lease
    except OSError as error:
        raise UnusableInput(
            f"{folder}: conversation {conversation!r} cannot be opened for writing there ({reason(error)}); free the place or name another"
        ) from None
    raise ConversationInUse(f"conversation {conversation!r} is opened and closed by somebody else all the time; try again")


def _attempt(folder: Path, *, conversation: str, home: Path) -> Lease | None:
    """The lease; None if the folder or the file went away in between."""
    make_folder(folder, home=home)
    try:
        handle = _opened(folder / NAME, home=home)
    except FileNotFoundError:
        return None
    try:
        is_locked = _locked(handle)
        if is_locked is False:
            raise _in_use(conversation, _read(handle))
        substitute = None if is_locked else _made_substitute(folder / SUBSTITUTE, conversation=conversation)
        if _is_at(folder / NAME, handle):
            return Lease(folder, handle=handle, substitute=substitute)
        if substitute is not None:
            os.unlink(substitute)
    except BaseException:
        os.close(handle)
        raise
    os.close(handle)
    return None


def _opened(path: Path, *, home: Path) -> int:
    try:
        return opened(path, os.O_RDWR | os.O_CREAT, home=home)
    except PermissionError:
        return opened(path, os.O_RDONLY, home=home)  # a conversation that cannot be written may still be resumed (D34)


def _in_use(conversation: str, text: str) -> ConversationInUse:
    who = _named(text) or "somebody else"
    return ConversationInUse(f"conversation {conversation!r} is written by {who}; close it there, or only read it here")


# ---------------------------------------------------------------- what stands in the file


def _own_text() -> str:
    try:
        owner = getpass.getuser()
    except (KeyError, OSError, ImportError):
        owner = "unknown"
    since = datetime.now(UTC).isoformat(timespec="seconds")
    return json.dumps({"owner": owner, "host": platform.node(), "pid": os.getpid(), "since": since, "token": uuid4().hex})


def _named(text: str) -> str:
    """Who a lease belongs to, in words; "" if it is free."""
    if not text:
        return ""
    holder = _fields(text)
    owner, host, pid, since = (_shown(holder.get(name, "unknown")) for name in ("owner", "host", "pid", "since"))
    return f"{owner} (process {pid} on host {host}, since {since})"


def _fields(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _shown(value: object) -> str:
    return "".join(letter for letter in str(value)[:_SHOWN] if letter.isprintable())


def _read(handle: int) -> str:
    try:
        os.lseek(handle, 0, os.SEEK_SET)
        return os.read(handle, _LONGEST).decode("utf-8", "replace").strip("\0 \n")
    except OSError:
        return ""


def _write(handle: int, text: str) -> None:
    os.ftruncate(handle, 0)
    os.lseek(handle, 0, os.SEEK_SET)
    os.write(handle, text.encode())


def _content(path: Path) -> str:
    handle = opened(path, os.O_RDONLY)
    try:
        return _read(handle)
    finally:
        os.close(handle)


def _is_at(path: Path, handle: int) -> bool:
    try:
        return os.path.samestat(os.lstat(path), os.fstat(handle))
    except (FileNotFoundError, NotADirectoryError):
        return False


# ---------------------------------------------------------------- the lock, and what stands for it


if sys.platform == "win32":
    import msvcrt

    _FAR: Final = 1 << 30  # behind the text, which others must be able to read

    def _locked(handle: int) -> bool | None:
        os.lseek(handle, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            return False if error.errno in _HELD else None
        return True

    def _unlock(handle: int) -> None:
        os.lseek(handle, _FAR, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

    def _is_alive(pid: int) -> bool:
        return True  # cannot be asked without harm; locks are always there on this system

else:
    import fcntl

    def _locked(handle: int) -> bool | None:
        """Whether the lock was got; None where the file system has none."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            return False if error.errno in _HELD else None
        return True

    def _unlock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)

    def _is_alive(pid: int) -> bool:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except (OSError, OverflowError):
            return True
        return True


def _made_substitute(path: Path, *, conversation: str) -> Path:
    """Make the file that stands for the lock. Raises ConversationInUse while its maker may be alive."""
    for _ in range(_TRIES):
        with suppress(FileExistsError):
            handle = opened(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
            try:
                os.write(handle, _own_text().encode())
            finally:
                os.close(handle)
            return path
        with suppress(FileNotFoundError):
            text = _content(path)
            holder = _fields(text)
            pid = holder.get("pid")
            if holder.get("host") != platform.node() or not isinstance(pid, int) or pid <= 0 or _is_alive(pid):
                raise _in_use(conversation, text)
            _remove_dead(path, text)
    raise _in_use(conversation, "")


def _remove_dead(path: Path, text: str) -> None:
    """Remove what a dead process left, unless another one made its own in its place meanwhile: that is put back."""
    away = path.with_name(f"{path.name}.{uuid4().hex}")
    os.rename(path, away)
    if _content(away) != text:
        with suppress(FileExistsError):
            os.link(away, path)
    os.unlink(away)
