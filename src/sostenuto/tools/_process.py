"""Running a program: its output read as it comes and bounded, its whole group of processes ended when nobody waits any more."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio

AFTER_EXIT_S = 0.5
"""Seconds that output is still read after a program ended, while something it started holds the output open."""
TERM_S = 1.0
"""Seconds a group of processes has to end itself before it is killed."""
_PIECE = 1 << 16


@dataclass(slots=True)
class Tape:
    """Output, of which at most `bound` bytes are kept: the first half and the last."""

    bound: int
    head: bytearray = field(default_factory=bytearray)
    tail: bytearray = field(default_factory=bytearray)
    total: int = 0

    def add(self, piece: bytes) -> None:
        """Take in a piece; what lies in the middle of too much is let go."""
        self.total += len(piece)
        room = max(0, self.bound // 2 - len(self.head))
        self.head += piece[:room]
        self.tail += piece[room:]
        if len(self.tail) > self.bound:  # cut seldom, so that many small pieces stay cheap
            del self.tail[: len(self.tail) - self.bound // 2]

    def text(self) -> str:
        """What was kept, with a line for what was not."""
        head, tail = bytes(self.head), bytes(self.tail[-(self.bound // 2) :] if self.total > self.bound else self.tail)
        lost = self.total - len(head) - len(tail)
        if not lost:
            return (head + tail).decode("utf-8", "replace")
        return f"{head.decode('utf-8', 'replace')}\n[… {lost:,} bytes were not kept …]\n{tail.decode('utf-8', 'replace')}"


@dataclass(frozen=True, slots=True)
class Ran:
    """How a program ended: its exit status (negative for a signal), None where it was ended by us; and whether output was still open."""

    status: int | None
    left_open: bool = False


async def run_program(
    words: Sequence[str],
    *,
    folder: Path,
    heard: Callable[[bytes], bool],
    environment: Mapping[str, str] | None = None,
    given: bytes = b"",
    passed: Sequence[int] = (),
) -> Ran:
    """Run a program to its end. Being cancelled ends the program and everything in its group first.

    Args:
        words: the program and its arguments.
        folder: where it starts.
        heard: is given standard output and error, piece by piece as they come; says False once it has enough, which ends the program.
        environment: its variables; None for ours.
        given: its standard input.
        passed: open files it inherits.

    Raises:
        OSError: the program cannot be started.
    """
    import asyncio
    import subprocess

    process = await asyncio.create_subprocess_exec(
        *words,
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE if given else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        pass_fds=tuple(passed),
    )
    reading = asyncio.create_task(_read(process, heard))
    waiting = asyncio.create_task(process.wait())
    try:
        if given and process.stdin is not None:
            process.stdin.write(given)
            process.stdin.close()
        await asyncio.wait({reading, waiting}, return_when=asyncio.FIRST_COMPLETED)
        if reading.done() and not reading.result():
            await _end(process, waiting)
            return Ran(None)
        await waiting
        await asyncio.wait({reading}, timeout=AFTER_EXIT_S)
        return Ran(process.returncode, left_open=not reading.done())
    finally:
        if not waiting.done():
            await _end(process, waiting)
        reading.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await reading
        _close(process)


async def _read(process: asyncio.subprocess.Process, heard: Callable[[bytes], bool]) -> bool:
    """Hand over the output until it ends; False where it was enough before."""
    assert process.stdout is not None
    while piece := await process.stdout.read(_PIECE):
        if not heard(piece):
            return False
    return True


async def _end(process: asyncio.subprocess.Process, waiting: asyncio.Task[int]) -> None:
    """Ask the group to end, then end it. What it left behind goes with it."""
    import asyncio

    _signal(process, signal.SIGTERM)
    with suppress(asyncio.CancelledError):
        await asyncio.wait({waiting}, timeout=TERM_S)
    _signal(process, getattr(signal, "SIGKILL", signal.SIGTERM))
    with suppress(asyncio.CancelledError):
        await asyncio.wait({waiting}, timeout=TERM_S)


def _signal(process: asyncio.subprocess.Process, what: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, what)
        else:
            process.kill()


def _close(process: asyncio.subprocess.Process) -> None:
    """Let go of the pipes, also of one that something in the background still holds open."""
    transport = getattr(process, "_transport", None)  # asyncio has no public way to close the output of a program that ended
    if transport is not None:
        transport.close()
