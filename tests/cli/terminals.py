"""A person at a terminal: the program on a pseudo-terminal, what the screen shows, and what is typed."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
from collections.abc import Mapping
from types import TracebackType

WITHIN_S = 30.0
_PROGRAM = (
    "import fcntl, sys, termios\n"
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"  # so that Ctrl+C reaches it
    "from sostenuto.cli import main\n"
    "sys.exit(main(sys.argv[1:]))\n"
)


class Terminal:
    """The program with these arguments on a terminal of its own. To be used with ``with``."""

    def __init__(self, *arguments: str, environment: Mapping[str, str] | None = None) -> None:
        self._ours, theirs = os.openpty()
        given = {**os.environ, "TERM": "xterm", "COLUMNS": "80", **(environment or {})}
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True, env=given
        )
        os.close(theirs)
        self.screen = ""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._ours)

    def until(self, text: str, *, times: int = 1) -> str:
        """Wait until the screen has shown `text` so often; everything it has shown."""
        while self.screen.count(text) < times:
            assert self._read(), f"the program ended before it showed {text!r}:\n{self.screen}"
        return self.screen

    def type(self, text: str) -> None:
        """What a person types; ``\\x03`` is Ctrl+C."""
        os.write(self._ours, text.encode())

    def ended(self) -> int:
        """Wait for the end; the exit code."""
        while self._read():
            pass
        return self._process.wait(WITHIN_S)

    @property
    def plain(self) -> str:
        """The screen without colours, in lines that end in a line feed."""
        return re.sub(r"\x1b\[[0-9;]*m", "", self.screen).replace("\r\n", "\n")

    def _read(self) -> bool:
        ready, _, _ = select.select([self._ours], [], [], WITHIN_S)
        assert ready, f"nothing came within {WITHIN_S:g} seconds; the screen:\n{self.screen}"
        try:
            piece = os.read(self._ours, 65_536)
        except OSError:  # how Linux says that the other end is closed
            return False
        self.screen += piece.decode("utf-8", "replace")
        return bool(piece)
