"""What is read: a file as it lies, or a pipe that can be read only once, put aside so that it can be looked at twice."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import click

from sostenuto.errors import UnusableInput, reason

STANDARD = "-"
STANDARD_NAME = "standard input"
CHUNK = 1 << 20
GZIP = b"\x1f\x8b"


skip_broken_lines = click.option(
    "--skip-broken-lines", "skip_broken_lines", is_flag=True, help="Go on without lines that cannot be read; they are named as left out."
)
"""The option of every command that reads a recording."""


@dataclass(frozen=True, slots=True)
class Input:
    """A file to read: where it lies, how people call it, and what tells it from other inputs."""

    path: Path
    name: str
    identity: str


class Named(click.Path):
    """A path that was really typed: an empty word is wrong usage. `output` refuses ``-``, which standard output cannot be here."""

    def __init__(self, what: str, *, output: bool = False) -> None:
        super().__init__(path_type=Path)
        self._what = what
        self._output = output

    def convert(self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The path. Raises click.BadParameter for an empty word and, for an output, for ``-``."""
        if not os.fspath(value).strip():
            self.fail(f"the name is empty; name a {self._what}", param, ctx)
        if self._output and os.fspath(value) == STANDARD:
            self.fail(f"'-' does not work here, standard output carries the result; name a {self._what}", param, ctx)
        found = super().convert(value, param, ctx)
        return Path(os.fsdecode(found))


@contextmanager
def reading(file: Path) -> Iterator[Input]:
    """The input behind a typed name. What is no regular file (a pipe, ``-``) is read once, into a temporary file of ours.

    Errors raised inside name what was typed, never the temporary file. Raises UnusableInput where nothing can be read.
    """
    if not is_stream(file):
        yield Input(file, str(file), os.path.realpath(file))
        return
    name = STANDARD_NAME if str(file) == STANDARD else str(file)
    with tempfile.NamedTemporaryFile(prefix="sostenuto-") as aside:
        try:
            with _opened(file) as stream:
                identity = spool(stream, aside.write)
            aside.flush()
        except OSError as error:
            raise UnusableInput(f"{name}: cannot be read ({reason(error)}); name a file") from None
        try:
            yield Input(Path(aside.name), name, identity)
        except UnusableInput as error:
            raise type(error)(str(error).replace(aside.name, name)) from error


def is_stream(file: Path) -> bool:
    """Whether this can be read only once: standard input, a pipe, a socket or a device."""
    return str(file) == STANDARD or (file.exists() and not file.is_file() and not file.is_dir())


def spool(stream: BinaryIO, write: Callable[[bytes], object], *, line: int | None = None, whole: int | None = None) -> str:
    """Copy a stream and return the digest of what was copied.

    The copy stops where a reader would refuse the rest: behind `whole` bytes in all or a line of `line` bytes (default: the
    readers' own limits), so a device without an end is no danger.
    """
    from sostenuto.recordings.opening import LIMITS

    line, whole = line or LIMITS.line, whole or LIMITS.file
    digest = hashlib.sha256()
    total = since = 0
    zipped: bool | None = None
    while total <= whole and since <= line and (data := stream.read(CHUNK)):
        zipped = data.startswith(GZIP) if zipped is None else zipped
        write(data)
        digest.update(data)
        total += len(data)
        newline = data.rfind(b"\n")
        # in gzip data a newline means nothing; its size alone is the bound
        since = 0 if zipped else (since + len(data) if newline < 0 else len(data) - newline - 1)
    return f"sha256:{digest.hexdigest()}"


@contextmanager
def _opened(file: Path) -> Iterator[BinaryIO]:
    if str(file) != STANDARD:
        with file.open("rb") as stream:
            yield stream
        return
    if sys.stdin is None:
        raise OSError("it is closed")
    yield sys.stdin.buffer
