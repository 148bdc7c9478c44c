"""Asking the person at the terminal whether a call above the approval policy may run: one question at a time."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from sostenuto.cli._harmless import visible
from sostenuto.cli._question import Always, Part, always, is_long, parts, short, title, whole
from sostenuto.cli._streams import say
from sostenuto.cli._terminal import is_terminal, style

if TYPE_CHECKING:
    from sostenuto.cli._watching import Lines
    from sostenuto.tools import Ask

PROMPT: Final = "allow? "
LARGEST = 1_000_000
"""Bytes of a file that is compared with what shall be written."""
_READ = 4_096
NOBODY: Final = "nobody answered"

Kind = Literal["yes", "no", "always", "view", "unclear"]


def can_ask() -> bool:
    """Whether a person is there who sees a question and can answer it: standard input and error are terminals of a POSIX system."""
    return sys.platform != "win32" and sys.stdin is not None and is_terminal(sys.stdin) and is_terminal(sys.stderr)


def understood(line: str, *, has_more: bool) -> tuple[Kind, str]:
    """What an answer means, and the reason behind a no. Nothing but a plain yes is one."""
    first, _, rest = line.strip().partition(" ")
    match first.lower():
        case "y" | "yes" if not rest.strip():
            return "yes", ""
        case "n" | "no":
            return "no", rest.strip()
        case "a" | "always" if not rest.strip():
            return "always", ""
        case "v" | "view" if has_more and not rest.strip():
            return "view", ""
        case _:
            return "unclear", ""


class Asker:
    """Asks about one call after another, also where several runs ask at the same time, and remembers what was allowed for the run.

    Args:
        lines: the live line, which is taken away while somebody is asked.
        project: the working directory of the run.
    """

    def __init__(self, lines: Lines, *, project: Path) -> None:
        self._lines = lines
        self._project = project
        import asyncio

        self._turn = asyncio.Lock()
        self._always: set[tuple[str, ...]] = set()

    async def ask(self, ask: Ask) -> bool | str:
        """True to let the call run, False to refuse it, a text to refuse it with these words."""
        kind = always(ask)
        async with self._turn:
            if kind.key in self._always:
                return True
            with self._lines.held():
                return await self._answered(ask, kind)

    async def _answered(self, ask: Ask, kind: Always) -> bool | str:
        shown = parts(ask, before=before(ask, self._project), width=style(sys.stderr, os.environ).width)
        _show([f"sostenuto: {title(ask)}", *(line for part in shown for line in short(part)), *_choices(kind, has_more=is_long(shown))])
        while True:
            line = await _line(PROMPT)
            if line is None:
                say(f"sostenuto: {NOBODY}; the call is refused")
                return NOBODY
            match understood(line, has_more=is_long(shown)):
                case "yes", _:
                    return True
                case "no", reason:
                    return reason or False
                case "always", _:
                    self._always.add(kind.key)
                    return True
                case "view", _:
                    await _page(shown)
                    _show(_choices(kind, has_more=True))
                case _:
                    unclear = [f"sostenuto: not understood: {line[:80]!r}; type one of these"] if line else []
                    _show([*unclear, *_choices(kind, has_more=is_long(shown))])


def _choices(kind: Always, *, has_more: bool) -> list[str]:
    lines = ["  y  yes, this once", "  n  no; n and a reason tells the model why", f"  a  always in this run: {kind.words}"]
    return [*lines, *(["  v  view all of it"] if has_more else [])]


def _show(lines: list[str]) -> None:
    for line in lines:
        say(line)


async def _page(shown: tuple[Part, ...]) -> None:
    """Everything, a screen at a time."""
    lines, height = whole(shown), max(5, shutil.get_terminal_size().lines - 2)
    for start in range(0, len(lines), height):
        _show(lines[start : start + height])
        left = len(lines) - start - height
        if left <= 0:
            return
        answer = await _line(f"({left:,} more lines; Enter goes on, q goes back) ")
        if answer is None or answer.strip().lower().startswith("q"):
            return


async def _line(prompt: str) -> str | None:
    """One line from the terminal; None at its end. What was typed before the question was there is not its answer."""
    import asyncio

    number = sys.stdin.fileno()
    _forget_typed(number)
    _put(prompt)
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[bytes] = loop.create_future()

    def read() -> None:
        if not ready.done():
            try:
                ready.set_result(os.read(number, _READ))
            except OSError:  # the terminal is gone
                ready.set_result(b"")

    loop.add_reader(number, read)
    try:
        found = await ready
    except asyncio.CancelledError:
        _put("\n")
        raise
    finally:
        loop.remove_reader(number)
    if found.endswith(b"\n"):
        return visible(found.decode("utf-8", "replace").strip())
    _put("\n")
    return "" if found else None  # half a line is not an answer


def _forget_typed(number: int) -> None:
    import termios

    with contextlib.suppress(termios.error, OSError):
        termios.tcflush(number, termios.TCIFLUSH)


def _put(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(text)
        sys.stderr.flush()


def before(ask: Ask, project: Path) -> str | None:
    """What a plain file of moderate size holds that shall be written over; None for everything else."""
    given = ask.call.arguments.get("path")
    if ask.call.tool != "write_file" or not isinstance(given, str):
        return None
    try:
        with open(project / given, "rb", opener=_without_waiting) as file:
            facts = os.fstat(file.fileno())
            if not stat.S_ISREG(facts.st_mode) or facts.st_size > LARGEST:
                return None
            return file.read(LARGEST + 1).decode("utf-8")
    except (OSError, ValueError):
        return None


def _without_waiting(path: str, flags: int) -> int:
    """A pipe with nobody at its other end does not hold the question up."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
