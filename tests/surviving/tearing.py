"""A process that dies in the middle of a change of the disk, without a process: everything up to that moment is there, nothing behind it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest

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
