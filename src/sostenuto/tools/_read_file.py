"""read_file: lines of a text file with their numbers."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from sostenuto.errors import ToolFailed
from sostenuto.results import PAGE_CHARACTERS
from sostenuto.tools._files import SAMPLE, Written, assessed_path, regular, source_of, touched_path, written
from sostenuto.tools._paths import allowed_place, shown_path
from sostenuto.tools._tool import Context, Output, Tool

LONGEST_LINE = 2_000
"""Characters of a line that are shown."""
MOST_COUNTED = 64 * 1024 * 1024
"""Characters behind the lines shown that are looked through to say how many lines there are."""
_PIECE = 1 << 16


def read_file(root: Path) -> Tool:
    """The tool, for files relative to `root`."""

    def run(arguments: Mapping[str, Any], context: Context, /) -> Output:
        place = allowed_place(arguments["path"], root=root, granted=context.granted)
        regular(place, root=root)
        first, last = arguments.get("start_line", 1), arguments.get("end_line")
        if last is not None and last < first:
            raise ToolFailed(f"end_line {last} lies before start_line {first}")
        try:
            with place.real.open("rb") as file:
                text, footer = _lines(file, name=shown_path(place.real, root=root), first=first, last=last, context=context)
        except OSError as error:
            raise ToolFailed(f"{shown_path(place.real, root=root)} cannot be read ({error.strerror or error})") from None
        return Output(text, provenance=source_of(place), paged=True, footer=footer)

    return Tool(
        "read_file",
        "Read lines of a text file, each with its number and a tab before it (they are not part of the file). Without line numbers it "
        "starts at the first line; a long file is shown in part, and the last line of the answer says how to read on.",
        {
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "relative to the working directory"},
                "start_line": {"type": "integer", "minimum": 1, "description": "first line to show, from 1"},
                "end_line": {"type": "integer", "minimum": 1, "description": "last line to show"},
            },
            "required": ["path"],
            "additionalProperties": False,
        },
        run,
        risk="read-only",
        assess=lambda arguments: assessed_path(arguments, root=root, risk="read-only"),
        repeatable=True,
        touched=lambda arguments: touched_path(arguments, root=root, writes=False),
    )


def _lines(file: BinaryIO, *, name: str, first: int, last: int | None, context: Context) -> tuple[str, str]:
    """The lines with their numbers, and the line of ours behind them."""
    sample = file.read(SAMPLE)
    how = written(sample)
    if how is None:
        raise ToolFailed(f"{name} is binary, not text; look at it with a command if you must (file, xxd)")
    if not sample:
        return f"[{name} is empty]", ""
    file.seek(len(how.mark))
    shown: list[str] = []
    length, number, counted = 0, 0, 0
    full, complete = False, True
    for line, left in _split(file, how):
        number += 1
        if number >= first and (last is None or number <= last) and not full:
            said = f"{number}\t{line}" + (f"… (+{left:,} characters)" if left else "")
            full = bool(shown) and length + len(said) >= context.sizing.page
            if not full:
                shown.append(said)
                length += len(said) + 1
        counted += (len(line) + left) if number > first else 0
        if context.stopped.is_set() or counted > MOST_COUNTED:
            complete = False
            break
    if number < first:
        raise ToolFailed(f"{name} has {number:,} line{'' if number == 1 else 's'}; start_line {first:,} is past the end")
    return _told(shown, name=name, first=first, total=number, complete=complete, how=how, context=context)


def _told(shown: list[str], *, name: str, first: int, total: int, complete: bool, how: Written, context: Context) -> tuple[str, str]:
    """The lines that fit, and a line that says where they stand in the file if they are not all of it."""
    text = "\n".join(shown)
    fits = context.sizing.longest(text, PAGE_CHARACTERS)
    if fits < len(text):
        kept = text[:fits].count("\n")
        shown = shown[: max(1, kept)]
        text = "\n".join(shown)[: max(fits, 1)] if kept == 0 else "\n".join(shown)
    end = first + len(shown) - 1
    notes = [] if how.encoding == "utf-8" else [f"read as {how.encoding}"]
    if first > 1 or end < total or not complete:
        counted = f"{total:,}" if complete else f"more than {total:,}"
        on = f"; read on with start_line={end + 1}" if end < total or not complete else ""
        notes.append(f"lines {first:,} to {end:,} of {counted} in {name}{on}")
    return text, f"[{'; '.join(notes)}]" if notes else ""


def _split(file: BinaryIO, how: Written) -> Iterator[tuple[str, int]]:
    """Each line, at most `LONGEST_LINE` characters of it, and how many were left out; never more of a line in memory than a piece."""
    text = io.TextIOWrapper(file, encoding=how.encoding, errors="replace", newline=None)
    try:
        while piece := text.readline(_PIECE):
            line, left = piece.rstrip("\n")[:LONGEST_LINE], max(0, len(piece.rstrip("\n")) - LONGEST_LINE)
            while not piece.endswith("\n") and (piece := text.readline(_PIECE)):
                left += len(piece.rstrip("\n"))
            yield line, left
    finally:
        text.detach()
