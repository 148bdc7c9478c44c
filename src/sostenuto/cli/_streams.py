"""Standard output and error that may be closed, full, or missing: the program says so in one line, or not at all."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator

import click

OUTPUT = "standard output"


@contextlib.contextmanager
def present() -> Iterator[bool]:
    """Standard output and error exist inside, whatever was closed before the start; yields whether output was there.

    The free descriptors are taken first: a file opened later must not become standard output by its number.
    """
    before = sys.stdout, sys.stderr
    if sys.stdout is None or sys.stderr is None:
        _occupy()
    sys.stdout = _sink() if before[0] is None else before[0]
    sys.stderr = _sink() if before[1] is None else before[1]
    try:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")  # text of a session may hold what this terminal cannot show
        yield before[0] is not None
    finally:
        sys.stdout, sys.stderr = before


def say(line: str) -> None:
    """One line on standard error, on a terminal broken between words; where nobody can hear it, nothing."""
    with contextlib.suppress(OSError, ValueError):
        for part in _fitting(line):
            click.echo(part, err=True)


def _fitting(line: str) -> list[str]:
    """The line in lines of whole words as a person's terminal shows them; one for a program, or with colours, as it is.

    So is one that says what to type: a terminal breaks it for the eye alone, and it can be copied whole.
    """
    from sostenuto.cli._terminal import folded, is_terminal, style

    if not is_terminal(sys.stderr) or "\x1b" in line or ": sostenuto " in line:
        return [line]
    width = style(sys.stderr, os.environ).width
    indent = line[: len(line) - len(line.lstrip())]
    return (folded(line, width=width + 1, first=indent, rest=f"{indent}  ") or [line]) if len(line) > width else [line]


def abandon() -> None:
    """Give standard output up, so that the interpreter does not fail once more when it flushes at its end."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _sink() -> io.TextIOWrapper:
    return open(os.devnull, "w", encoding="utf-8")


def _occupy() -> None:
    """Open the null device on each of the first three descriptors that is closed."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)
