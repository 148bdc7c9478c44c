"""grep: lines that hold a pattern, found by ripgrep where it is installed and by a program of ours where not, with one answer."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sostenuto.errors import ToolFailed
from sostenuto.tools._files import assessed_path, source_of
from sostenuto.tools._list_files import PASSED_OVER
from sostenuto.tools._paths import Place, allowed_place, shown_path
from sostenuto.tools._process import Ran, Tape, run_program
from sostenuto.tools._tool import EVERYTHING, Context, Output, Tool, Touched

MOST_LINES = 200
"""Lines one answer shows."""
LONGEST_LINE = 400
"""Characters of a line that are shown."""
LARGEST_FILE = 20 * 1024 * 1024
"""Bytes of a file that is still looked through."""
_MOST_BYTES = 4 * 1024 * 1024
_MOST_FOUND = 10_000


def grep(root: Path, *, ripgrep: str | None = None) -> Tool:
    """The tool, for paths relative to `root`. `ripgrep` is the program, None to do without."""

    async def run(arguments: Mapping[str, Any], context: Context, /) -> Output:
        place = allowed_place(arguments.get("path", "."), root=root, granted=context.granted)
        if not place.real.exists():
            raise ToolFailed(f"{shown_path(place.real, root=root)} is not there; list_files shows what is")
        asked = _Asked(
            arguments["pattern"],
            arguments.get("literal", False),
            arguments.get("ignore_case", False),
            arguments.get("glob", ""),
        )
        said, whole = await _found(asked, place, ripgrep)
        return Output(_told(said, whole, asked, place, files_only=arguments.get("files_only", False)), provenance=source_of(place))

    return Tool(
        "grep",
        "Look for a regular expression (or a literal text) in text files and show the lines that hold it as path:line:text, by path. Paths "
        f"in the answer are relative to path. Not looked at: binary files, files over {LARGEST_FILE // 1024 // 1024} MB, links, and "
        f"{', '.join(sorted(PASSED_OVER)[:6])} and the like.",
        {
            "type": "object",
            "properties": {
                "pattern": {"type": "string", "minLength": 1, "description": "what to look for, in one line"},
                "path": {"type": "string", "description": "file or folder, relative to the working directory", "default": "."},
                "glob": {"type": "string", "description": "only files with such a name: *.py", "default": ""},
                "literal": {"type": "boolean", "description": "the pattern is a text, not an expression", "default": False},
                "ignore_case": {"type": "boolean", "default": False},
                "files_only": {"type": "boolean", "description": "only which files, and how many lines in each", "default": False},
            },
            "required": ["pattern"],
            "additionalProperties": False,
        },
        run,
        risk="read-only",
        assess=lambda arguments: assessed_path(arguments, root=root, risk="read-only", default="."),
        repeatable=True,
        touched=lambda _: Touched(reads=frozenset([EVERYTHING])),
    )


def installed_ripgrep() -> str | None:
    """Where ripgrep is, None where it is not."""
    return shutil.which("rg")


@dataclass(frozen=True, slots=True)
class _Asked:
    pattern: str
    literal: bool
    ignore_case: bool
    glob: str


async def _found(asked: _Asked, place: Place, ripgrep: str | None) -> tuple[str, bool]:
    """What the program found, one line each, and whether that is all. What ripgrep does not understand, ours may."""
    if "\n" in asked.pattern or "\0" in asked.pattern:
        raise ToolFailed("the pattern holds a line break or a NUL; lines are looked at one by one, so give what stands in one line")
    if ripgrep is not None:
        said, ran = await _run(_ripgrep(ripgrep, asked, place), b"")
        if ran.status in (0, 1, None):
            return said, ran.status is not None
    script = [sys.executable, "-I", "-S", str(Path(__file__).with_name("_scanning.py"))]
    request = {
        "pattern": asked.pattern,
        "literal": asked.literal,
        "ignore_case": asked.ignore_case,
        "top": str(place.real),
        "glob": asked.glob,
        "passed_over": sorted(PASSED_OVER),
        "largest": LARGEST_FILE,
    }
    said, ran = await _run(script, json.dumps(request).encode())
    if ran.status == 2:
        raise ToolFailed(f"the pattern is no regular expression ({said.strip()[:200]}); mend it, or set literal")
    if ran.status not in (0, None):
        raise ToolFailed(f"the search broke off (status {ran.status}): {said.strip()[-300:]}")
    return said, ran.status is not None


def _ripgrep(program: str, asked: _Asked, place: Place) -> list[str]:
    words = [program, "--no-config", "--no-messages", "--no-heading", "--with-filename", "--line-number", "--null", "--color=never"]
    words += ["--no-ignore", "--hidden", "--sort=path", f"--max-filesize={LARGEST_FILE}"]
    words += ["--fixed-strings"] * asked.literal + ["--ignore-case"] * asked.ignore_case
    words += [f"--glob={asked.glob}"] * bool(asked.glob) + [f"--glob=!**/{name}/" for name in sorted(PASSED_OVER)]
    return [*words, f"--regexp={asked.pattern}", "--", str(place.real)]


async def _run(words: list[str], given: bytes) -> tuple[str, Ran]:
    tape, lines = Tape(2 * _MOST_BYTES), 0

    def heard(piece: bytes) -> bool:
        nonlocal lines
        tape.add(piece)
        lines += piece.count(b"\n")
        return lines <= _MOST_FOUND and tape.total <= _MOST_BYTES

    try:
        ran = await run_program(words, folder=Path(os.sep), heard=heard, given=given)
    except OSError as error:
        raise ToolFailed(f"the search cannot be started ({error.strerror or error})") from None
    return tape.text(), ran


def _told(said: str, whole: bool, asked: _Asked, place: Place, *, files_only: bool) -> str:
    found = [(path, line) for path, mark, line in (row.partition("\0") for row in said.split("\n")) if mark]
    if not found:
        return f"No line holds {asked.pattern[:200]!r}."
    top = place.real if place.real.is_dir() else place.real.parent
    names = {path: os.path.relpath(path, top).replace(os.sep, "/") for path, _ in found}
    if files_only:
        counts: dict[str, int] = {}
        for path, _ in found:
            counts[names[path]] = counts.get(names[path], 0) + 1
        lines = [f"{name}: {count:,}" for name, count in counts.items()]
    else:
        lines = [f"{names[path]}:{_shortened(line)}" for path, line in found[: MOST_LINES + 1]]
    total = len(lines) if files_only else len(found)
    if total > MOST_LINES or not whole:
        more = f"{total - MOST_LINES:,} more" if whole else "there are more, the search was ended early"
        lines = [*lines[:MOST_LINES], f"[{more}; look for something narrower]"]
    return "\n".join(lines)


def _shortened(row: str) -> str:
    """The number of a line and its text, of which a long one's start."""
    number, _, line = row.rstrip("\r").partition(":")
    more = f"… (+{len(line) - LONGEST_LINE:,} characters)" if len(line) > LONGEST_LINE else ""
    return f"{number}:{line[:LONGEST_LINE]}{more}"
