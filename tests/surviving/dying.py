"""A run of the program in a process of its own that dies: before a given change of the disk, in the middle of a write, or when told."""

from __future__ import annotations

import multiprocessing
import os
import signal
import stat
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final

from tests.surviving.power import traced

PATIENCE_S: Final = 60
CHANGING: Final = ("open", "write", "fsync", "ftruncate", "rename", "replace", "unlink", "mkdir", "rmdir")
_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT


@dataclass(frozen=True, slots=True)
class Told:
    """What a process that runs the program is told.

    Attributes:
        arguments: of the command line.
        folder: its working directory; `out` and `err` are where its streams go.
        surroundings: variables of its environment.
        dies_at: the change of the disk before which it dies, counted from 0; None for none. The middle of a write counts too.
        traced: a file for the changes themselves; None for none.
        counted: a file for the number of changes, written when it ends; None for none.
    """

    arguments: Sequence[str]
    folder: Path
    out: Path
    err: Path
    surroundings: Mapping[str, str]
    dies_at: int | None = None
    traced: Path | None = None
    counted: Path | None = None


def started(told: Told) -> BaseProcess:
    """The program, running; forked from a server that has imported it, so that it starts at once."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["__main__", __name__, "tests.surviving.preloaded"])
    process = context.Process(target=runs, args=(told,), daemon=True)
    process.start()
    return process


def ended(process: BaseProcess, *, within_s: float = PATIENCE_S) -> int | None:
    """Its exit code once it has ended; one that does not within this time is killed. None for one that hung."""
    process.join(within_s)
    code = process.exitcode
    if code is None:
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        code = None if within_s == PATIENCE_S else process.exitcode
    process.close()
    return code


def runs(told: Told) -> None:
    """Be the program."""
    sys.argv = ["sostenuto", *told.arguments]
    for number, path in ((1, told.out), (2, told.err)):
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(handle, number)
        os.close(handle)
    sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))
    os.environ.update(told.surroundings)
    os.chdir(told.folder)
    if told.traced is not None:
        traced(told.traced, home=Path(told.surroundings["SOSTENUTO_HOME"]))
    count = armed(told.dies_at) if told.dies_at is not None or told.counted is not None else None
    from sostenuto.cli import main

    code = main(list(told.arguments))
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    if told.counted is not None and count is not None:
        told.counted.write_text(str(count()))
    os._exit(code)


def armed(dies_at: int | None) -> Callable[[], int]:
    """Count every change of the disk that is about to be made, and die before the one with this number; how many there were."""
    count = 0

    def moment() -> bool:
        nonlocal count
        count += 1
        return count - 1 == dies_at

    def wrapped(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **more: Any) -> Any:
            if not _changes(name, args):
                return real(*args, **more)
            if moment():
                os.kill(os.getpid(), signal.SIGKILL)
            if name == "write" and moment():
                real(args[0], args[1][: len(args[1]) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **more)

        return call

    for name in CHANGING:
        setattr(os, name, wrapped(name, getattr(os, name)))
    return lambda: count


def _changes(name: str, args: Sequence[Any]) -> bool:
    """Whether a call changes the disk."""
    if name == "open":
        return bool(args[1] & _WRITING)
    return name != "write" or stat.S_ISREG(os.fstat(args[0]).st_mode)
