"""The death of a process in the middle of a change of the disk, in this process: all before that moment is there, nothing behind it."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest

from sostenuto.manager import ContextManager
from sostenuto.stores._log import LogOnDisk

CHANGING: Final = ("write", "fsync", "ftruncate", "rename", "replace", "unlink", "mkdir")


class Death(BaseException):
    """Nothing catches it, as nothing catches the end of a process."""


@contextmanager
def dying(at: int) -> Iterator[list[int]]:
    """Before the change of the disk with this number, counted from 0, `Death` is raised; a write counts twice, its middle is one too.

    Lends a list whose length is how many changes there were.
    """
    made: list[int] = []

    def moment() -> bool:
        made.append(len(made))
        return made[-1] == at

    def wrapped(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **more: Any) -> Any:
            if moment():
                raise Death
            if name == "write" and moment():
                real(args[0], args[1][: len(args[1]) // 2])
                raise Death
            return real(*args, **more)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in CHANGING:
            patch.setattr(os, name, wrapped(name, getattr(os, name)))
        yield made


@contextmanager
def failing(at: int) -> Iterator[None]:
    """The write with this number takes half of what it is given and fails, and so does every later one: the disk is full."""
    count, real = 0, os.write

    def write(handle: int, data: bytes) -> int:
        nonlocal count
        count += 1
        if count <= at:
            return real(handle, data)
        real(handle, data[: len(data) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "write", write)
        yield


def forgotten(context: ContextManager) -> None:
    """The process that held this manager is gone: its lock is let go, and nothing is written any more."""
    keeper = context._driver.keeper
    assert keeper is not None
    assert isinstance(keeper.log, LogOnDisk)
    keeper.log._lease.forget()
