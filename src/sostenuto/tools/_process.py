"""Running a program: its output read as it comes and bounded, its whole group of processes ended when nobody waits any more."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    import asyncio

AFTER_EXIT_S = 0.5
"""Seconds that output is still read after a program ended, while something it started holds the output open."""
TERM_S = 1.0
"""Seconds a group of processes has to end itself before it is killed."""


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

    loop = asyncio.get_running_loop()
    listening = _Listening(heard, exited=loop.create_future(), closed=loop.create_future(), enough=loop.create_future())
    transport, _ = await loop.subprocess_exec(
        lambda: cast(asyncio.SubprocessProtocol, listening),
        *words,
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE if given else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        pass_fds=tuple(passed),
    )
    try:
        if given:
            _give(transport, given)
        await asyncio.wait({listening.exited, listening.enough}, return_when=asyncio.FIRST_COMPLETED)
        if listening.enough.done():
            return Ran(None)
        await asyncio.wait({listening.closed}, timeout=AFTER_EXIT_S)
        return Ran(transport.get_returncode(), left_open=not listening.closed.done())
    finally:
        if not listening.exited.done():
            await _end(transport, listening.exited)
        transport.close()


class _Listening:
    """What asyncio tells of a program. Not its own class of protocols, so that nothing of asyncio is loaded before it is needed."""

    def __init__(
        self,
        heard: Callable[[bytes], bool],
        *,
        exited: asyncio.Future[None],
        closed: asyncio.Future[None],
        enough: asyncio.Future[None],
    ) -> None:
        self._heard = heard
        self.exited, self.closed, self.enough = exited, closed, enough

    def connection_made(self, transport: object) -> None:
        """It was started."""

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """It said something."""
        if not self.enough.done() and not self._heard(data):
            self.enough.set_result(None)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """One of its pipes is closed."""
        if fd == 1 and not self.closed.done():
            self.closed.set_result(None)

    def process_exited(self) -> None:
        """It ended; what it started may still hold its output open."""
        if not self.exited.done():
            self.exited.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        """All is over."""

    def pause_writing(self) -> None:
        """Its input is slow to be read: what was given waits."""

    def resume_writing(self) -> None:
        """Its input is read again."""


def _give(transport: asyncio.SubprocessTransport, given: bytes) -> None:
    pipe = cast("asyncio.WriteTransport | None", transport.get_pipe_transport(0))
    if pipe is not None:
        pipe.write(given)
        pipe.write_eof()


async def _end(transport: asyncio.SubprocessTransport, exited: asyncio.Future[None]) -> None:
    """Ask the group to end, then end it. What it left behind goes with it."""
    import asyncio

    _signal(transport.get_pid(), signal.SIGTERM)
    with suppress(asyncio.CancelledError):
        await asyncio.wait({exited}, timeout=TERM_S)
    _signal(transport.get_pid(), getattr(signal, "SIGKILL", signal.SIGTERM))
    with suppress(asyncio.CancelledError):
        await asyncio.wait({exited}, timeout=TERM_S)


def _signal(pid: int, what: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        (os.killpg if hasattr(os, "killpg") else os.kill)(pid, what)
