"""Reading a file of JSON or JSON lines: gzip by its magic bytes, UTF-8 only, sizes bounded, every error with file, line and remedy.

Time is linear in the bytes and memory is bounded by the longest permitted line, whatever the file holds.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from sostenuto.errors import UnusableInput
from sostenuto.recordings._recording import Line, Skipped, TextLine


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a file is read, in bytes after decompression.

    Attributes:
        line: longest line; the longest line of a real session is about 10 MB, and parsing takes several times its bytes.
        file: longest file; keeps a gzip bomb from filling the memory.
    """

    line: int = 100_000_000
    file: int = 2_000_000_000


LIMITS = Limits()

_GZIP = b"\x1f\x8b"
_UTF8_MARK = b"\xef\xbb\xbf"
_WIDE_MARKS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


def unusable(path: str, what: str, *, line: int | None = None, remedy: str) -> UnusableInput:
    """One clear line: file, line, what is wrong, what to do."""
    where = f"{path}, line {line}" if line is not None else path
    return UnusableInput(f"{where}: {what}; {remedy}")


def byte_lines(path: str, *, limits: Limits = LIMITS) -> Iterator[tuple[int, bytes]]:
    """Number (from 1) and bytes of each line, blank ones included, without a UTF-8 byte order mark.

    Raises:
        UnusableInput: the file is missing, a folder, unreadable, damaged gzip, UTF-16 or UTF-32, or a line or the file is too long.
    """
    _check_is_file(path)
    try:
        with _opened(path) as stream:
            yield from _numbered(stream, path, limits=limits)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise unusable(path, "the gzip data is cut off or damaged", remedy="copy the file again from its source") from None
    except OSError as problem:
        raise unusable(path, f"cannot be read ({problem.strerror or problem})", remedy="check the path and its permissions") from None


def json_lines(path: str, lines: Iterator[tuple[int, bytes]], *, torn: list[Skipped], skip_broken: bool = False) -> Iterator[Line]:
    """Number and value of each line that is not blank.

    A last line that stops in the middle is what a killed writer leaves behind: it goes to ``torn`` and is no error. With
    ``skip_broken`` any line that cannot be read goes there.

    Raises:
        UnusableInput: another line is not JSON, and ``skip_broken`` is not set.
    """
    held: tuple[int, bytes] | None = None
    for line in lines:
        if line[1].isspace():
            continue
        if held is not None:
            yield from _sound(held, path=path, torn=torn, skip_broken=skip_broken)
        held = line
    if held is None:
        return
    try:
        value = parsed(held[1], path=path, line=held[0])
    except UnusableInput:
        torn.append(Skipped(line=held[0], kind="torn", reason="the last line stops in the middle of its JSON"))
        return
    yield held[0], value


def _sound(line: tuple[int, bytes], *, path: str, torn: list[Skipped], skip_broken: bool) -> Iterator[Line]:
    """The line with its value; nothing where it is broken and may be."""
    number, data = line
    try:
        value = parsed(data.rstrip(b"\r\n"), path=path, line=number)  # an error behind the end would count as the next line's
    except UnusableInput as problem:
        if not skip_broken:
            raise going_on(problem) from None
        torn.append(broken(problem, path=path, line=number))
        return
    yield number, value


def going_on(problem: UnusableInput) -> UnusableInput:
    """The same problem, with the way around it."""
    return UnusableInput(f"{problem}, or go on without it: --skip-broken-lines")


def broken(problem: UnusableInput, *, path: str, line: int) -> Skipped:
    """A line that was left out because it cannot be read, with what was wrong with it."""
    what = str(problem).removeprefix(f"{path}, line {line}: ").rpartition("; ")[0]
    return Skipped(line=line, kind="torn", reason=f"the line is broken: {what}")


def text_lines(path: str, lines: Iterator[tuple[int, bytes]]) -> Iterator[TextLine]:
    """The lines as text, line ends and blank lines included.

    Raises:
        UnusableInput: a line is not UTF-8.
    """
    for number, data in lines:
        yield number, _text(data, path=path, line=number)


def parsed(data: bytes, *, path: str, line: int) -> Any:
    """The JSON value of ``data``, which starts on ``line``.

    Raises:
        UnusableInput: it is not UTF-8, not JSON, or nested deeper than the interpreter can follow.
    """
    text = _text(data, path=path, line=line)
    try:
        return json.loads(text)
    except json.JSONDecodeError as problem:
        at = line + problem.lineno - 1
        if not text[problem.pos :].strip() or problem.msg.startswith("Unterminated string"):
            what = "the JSON is cut off in the middle"
        else:
            what = f"not JSON ({problem.msg}, column {problem.colno})"
        raise unusable(path, what, line=at, remedy="restore the line from the original file or delete it") from None
    except RecursionError:
        raise unusable(path, "the JSON is nested too deeply", line=line, remedy="delete the line") from None
    except ValueError:
        # the one thing left that json.loads refuses: the interpreter's bound on the digits of a whole number
        raise unusable(path, "a whole number has thousands of digits", line=line, remedy="shorten it or delete the line") from None


def _text(data: bytes, *, path: str, line: int) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as problem:
        at = line + data.count(b"\n", 0, problem.start)
        raise unusable(path, f"not UTF-8 ({problem.reason})", line=at, remedy="convert the file to UTF-8") from None


def _check_is_file(path: str) -> None:
    where = Path(path)
    try:
        if where.is_dir():
            raise unusable(path, "is a folder, not a file", remedy="name one recording in it")
        if not where.exists():
            raise unusable(path, "no such file", remedy="check the path")
    except (OSError, ValueError):
        raise unusable(ascii(path), "not a usable path", remedy="check the path") from None


def _opened(path: str) -> BinaryIO:
    with open(path, "rb") as probe:
        zipped = probe.read(2) == _GZIP
    return cast(BinaryIO, gzip.open(path, "rb")) if zipped else open(path, "rb")


def _numbered(stream: BinaryIO, path: str, *, limits: Limits) -> Iterator[tuple[int, bytes]]:
    total, number = 0, 0
    while data := stream.readline(limits.line + 1):
        number += 1
        total += len(data)
        if len(data) > limits.line:
            what = f"the line is longer than {limits.line / 1e6:,.0f} MB"
            raise unusable(path, what, line=number, remedy="split the recording or delete the line")
        if total > limits.file:
            what = f"the file is longer than {limits.file / 1e6:,.0f} MB"
            raise unusable(path, what, line=number, remedy="split the recording")
        if number == 1:
            data = data.removeprefix(_UTF8_MARK)
            _check_is_narrow(data, path)
        yield number, data


def _check_is_narrow(data: bytes, path: str) -> None:
    found = next((name for mark, name in _WIDE_MARKS if data.startswith(mark)), None)
    # JSON starts with an ASCII character, so a zero byte among the first four is UTF-16 or UTF-32 without a mark.
    if found is None and b"\x00" in data[:4]:
        found = "UTF-16, UTF-32 or binary"
    if found is not None:
        raise unusable(path, f"the text is {found}, not UTF-8", line=1, remedy="convert the file to UTF-8")
