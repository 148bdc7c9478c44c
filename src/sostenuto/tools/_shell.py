"""shell: one command line, in a shell of its own whose working directory the next one starts in."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sostenuto.errors import ToolFailed
from sostenuto.tools._approval import command_words
from sostenuto.tools._paths import shown_path
from sostenuto.tools._process import Ran, Tape, run_program
from sostenuto.tools._tool import EVERYTHING, SHELL_TIMEOUT_S, Assessed, Context, Output, Tool, Touched

KEPT_BYTES = 8 * 1024 * 1024
"""Bytes of one command's output that are kept: the first and the last half of them."""

_SCRIPT = 'trap \'pwd -P 2>/dev/null >"/dev/fd/$1"\' EXIT; eval " $2"'
"""What our shell runs: the model's command as it is (behind a space, so that no dash at its start is an option), and at its end the folder
it ended in, to a pipe of ours."""
_QUIET = {"GIT_TERMINAL_PROMPT": "0", "GIT_PAGER": "cat", "PAGER": "cat", "TERM": "dumb"}
"""So that no program waits for a person or draws on a screen."""


def shell(root: Path) -> Tool:
    """The tool; the first command starts in `root`."""
    seat = _Seat(root)
    return Tool(
        "shell",
        "Run one command line in a POSIX shell. Output and errors come together; a status other than 0 is shown at the end. The working "
        "directory is kept for the next call, variables are not. There is no input and no terminal; a call may take "
        f"{SHELL_TIMEOUT_S / 60:g} minutes. To leave something running, send its output to a file and end the line with &.",
        {
            "type": "object",
            "properties": {"command": {"type": "string", "minLength": 1, "description": "the command line"}},
            "required": ["command"],
            "additionalProperties": False,
        },
        seat.run,
        risk="high-risk",
        assess=lambda arguments: Assessed("high-risk", words=command_words(arguments["command"])),
        timeout_s=SHELL_TIMEOUT_S,
        touched=lambda _: Touched(frozenset([EVERYTHING]), frozenset([EVERYTHING])),
    )


class _Seat:
    """Where the next command starts."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._folder = root

    async def run(self, arguments: Mapping[str, Any], context: Context, /) -> Output:
        """Run the command; cancelled, it returns what was said so far."""
        import asyncio

        program = shutil.which("bash") or shutil.which("sh")
        if program is None:
            raise ToolFailed("there is no POSIX shell on this machine (neither bash nor sh is found); work with the file tools")
        command = arguments["command"]
        if "\0" in command:
            raise ToolFailed("the command holds a NUL character, which no shell takes; leave it out")
        if not self._folder.is_dir():
            self._folder = self._root
        tape = Tape(KEPT_BYTES)
        try:
            ran = await self._ran(program, command, tape, context)
        except asyncio.CancelledError:
            return Output(tape.text().rstrip("\n"), succeeded=False)
        except (OSError, ValueError) as error:
            raise ToolFailed(f"the command cannot be started ({getattr(error, 'strerror', None) or error})") from None
        return Output(self._told(ran, tape), succeeded=ran.status == 0)

    async def _ran(self, program: str, command: str, tape: Tape, context: Context) -> Ran:
        reader, writer = os.pipe()
        os.set_blocking(reader, False)

        def heard(piece: bytes) -> bool:
            tape.add(piece)
            if context.heard is not None:
                context.heard(piece.decode("utf-8", "replace"))
            return True

        try:
            words = [program, "-c", _SCRIPT, "sh", str(writer), command]
            environment = {**os.environ, **_QUIET}
            ran = await run_program(words, folder=self._folder, heard=heard, environment=environment, passed=[writer])
            self._folder = _folder_in(reader) or self._folder
        finally:
            os.close(reader)
            os.close(writer)
        return ran

    def _told(self, ran: Ran, tape: Tape) -> str:
        lines = [tape.text().rstrip("\n")]
        if ran.left_open:
            lines.append("[Something it started still runs; what that prints from here on is lost.]")
        if self._folder != self._root and self._folder.resolve() != self._root.resolve():
            lines.append(f"[Working directory: {shown_path(self._folder, root=self._root)}]")
        if ran.status:
            lines.append(f"Exit code: {ran.status if ran.status > 0 else 128 - ran.status}")  # a signal, as shells count it
        return "\n".join(line for line in lines if line)


def _folder_in(pipe: int) -> Path | None:
    """The folder that the shell wrote at its end; None if it did not come to that."""
    try:
        said = os.read(pipe, 1 << 16)
    except BlockingIOError:
        return None
    path = os.fsdecode(said.rpartition(b"\n")[0])
    return Path(path) if os.path.isabs(path) and os.path.isdir(path) else None
