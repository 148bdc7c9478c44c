"""Replacing exact pieces of a text, and saying why a piece cannot be found."""

from __future__ import annotations

from dataclasses import dataclass

from sostenuto.errors import ToolFailed

_MOST_LINES = 10


@dataclass(frozen=True, slots=True)
class Edit:
    """One replacement: every place that holds `old`, or the only one."""

    old: str
    new: str
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class Edited:
    """A text after an edit: how many places changed, and the line of the first."""

    text: str
    places: int
    line: int


def edited(text: str, edit: Edit, *, name: str) -> Edited:
    """`text` with one edit made. In a file with Windows line ends, pieces written with plain ones fit.

    Raises:
        ToolFailed: the piece is empty, not there, or there more than once; the text says where, and what to do.
    """
    if not edit.old:
        raise ToolFailed("old_text is empty; give the exact text to replace, or write the file with write_file")
    if edit.old == edit.new:
        raise ToolFailed("old_text and new_text are the same; nothing would change")
    old, new = edit.old, edit.new
    if old not in text and "\r\n" in text and "\r" not in old:
        old, new = old.replace("\n", "\r\n"), new.replace("\r\n", "\n").replace("\n", "\r\n")
    places = text.count(old)
    if not places:
        raise ToolFailed(
            f"old_text is not in {name}{_near(text, edit.old)}. Nothing was changed; read the lines again and copy them exactly"
        )
    at = text.find(old)
    line = text.count("\n", 0, at) + 1
    if places > 1 and not edit.everywhere:
        raise ToolFailed(
            f"old_text is in {name} {places:,} times (lines {_lines(text, old)}). Nothing was changed; "
            "add lines around it so that it fits once, or set replace_all"
        )
    return Edited(text.replace(old, new) if edit.everywhere else text.replace(old, new, 1), places, line)


def _lines(text: str, piece: str) -> str:
    found: list[str] = []
    at, line, seen = text.find(piece), 1, 0
    while at >= 0:
        line += text.count("\n", seen, at)
        seen = at
        if len(found) == _MOST_LINES:
            return ", ".join(found) + " and more"
        found.append(str(line))
        at = text.find(piece, at + len(piece))
    return ", ".join(found)


def _near(text: str, piece: str) -> str:
    """Where the first line of the piece stands, if it differs only in the white space around it."""
    wanted = next((line.strip() for line in piece.splitlines() if line.strip()), "")
    places = [number for number, line in enumerate(text.splitlines(), start=1) if wanted and line.strip() == wanted]
    if not places:
        return ""
    more = " and others" if len(places) > 1 else ""
    return f", though line {places[0]}{more} holds its first line (compare the white space and the lines that follow)"


def around(text: str, line: int, *, lines: int) -> str:
    """The lines from two before `line` to two after it and the `lines` that were written, with their numbers; a dozen at most."""
    held = text.splitlines()
    first = max(1, line - 2)
    last = min(len(held), line + max(1, lines) + 1, first + 11)
    return "\n".join(f"{number}\t{held[number - 1][:300]}" for number in range(first, last + 1))
