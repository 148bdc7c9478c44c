"""The chats of an aider history and the blocks they consist of: lines typed by the person, lines of the program, prose of the model.

The format is ambiguous: a reply may hold headings (``####``) and quotations (``>``) of its own. Two things tell them apart. aider ends each
line it writes with two spaces, so in a chat that has such lines a line without them inside prose belongs to the prose. And what stands in a
fenced block of code that is closed again is prose, unless the program itself speaks before it is closed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from sostenuto.recordings._recording import TextLine

Kind = Literal["user", "tool", "prose"]

_START = re.compile(r"# aider chat started at \d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?\s*")
_USER, _TOOL = "####", ">"
_MARK = "  "
_TOKENS = "> Tokens: "
# Written in one piece with its choices on the next line, so that only that one ends with the mark.
_QUESTION = "to the chat?"
_CHOICE = re.compile(r"\(y/n/instructions\)")
_FENCE = re.compile(r"(`{3,}|~{3,})(.*)")
# Longer rows of backticks are as good as this many; it bounds how often a search starts again.
_LONGEST_FENCE = 10


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of one kind that stand together, without their marks.

    Attributes:
        line: line of the file on which it starts.
        kind: who wrote it.
        text: its lines; blank lines around it are left out.
    """

    line: int
    kind: Kind
    text: str


@dataclass(slots=True)
class Chat:
    """One chat of the file: where it starts, its first line, its other lines."""

    line: int
    title: str
    lines: list[TextLine] = field(default_factory=list)
    size: int = 0

    def add(self, line: TextLine) -> None:
        self.lines.append(line)
        self.size += len(line[1].strip())


def chats(lines: Iterable[TextLine]) -> list[Chat]:
    """The chats in the order of the file; text before the first start is one without a title, if there is any."""
    found: list[Chat] = []
    blank = True
    for number, line in lines:
        bare = line.rstrip("\r\n")
        if blank and _START.fullmatch(bare):
            found.append(Chat(number, bare.strip()))
        elif found:
            found[-1].add((number, bare))
        elif bare.strip():
            found.append(Chat(number, ""))
            found[-1].add((number, bare))
        blank = not bare.strip()
    return found


def blocks(chat: Chat) -> list[Block]:
    """The blocks of a chat, in order."""
    kinds = _kinds([text for _, text in chat.lines])
    found: list[Block] = []
    held: list[str] = []
    start, kind = 0, None
    for (number, text), of in zip(chat.lines, kinds, strict=True):
        if of != kind:
            found += _block(start, kind, held)
            held, start, kind = [], number, of
        held.append(text)
    return [*found, *_block(start, kind, held)]


def _block(start: int, kind: Kind | None, held: list[str]) -> list[Block]:
    if kind is None:
        return []
    if kind == "prose":
        text = "\n".join(held).strip("\n")
        return [Block(start, kind, text)] if text.strip() else []
    mark = _USER if kind == "user" else _TOOL
    return [Block(start, kind, "\n".join(line.removeprefix(mark).removeprefix(" ").rstrip() for line in held))]


def _kinds(lines: list[str]) -> list[Kind | None]:
    """The kind of each line; a blank line outside prose belongs to nothing and ends what stood before it."""
    marked = any(line.startswith((f"{_USER} ", f"{_TOOL} ")) and line.endswith(_MARK) for line in lines)
    fenced = _fenced(lines, marked=marked)
    found: list[Kind | None] = []
    for position, line in enumerate(lines):
        before = found[-1] if found else None
        own = _own(line) if not fenced[position] else None
        if own and before == "prose" and marked and not line.endswith(_MARK) and not line.startswith(_TOKENS) and _QUESTION not in line:
            own = None
        if own is None and before == "tool" and _CHOICE.match(line):
            own = "tool"
        if own is None and (line.strip() or before == "prose"):
            own = "prose"
        found.append(own)
    return found


def _own(line: str) -> Kind | None:
    if line.startswith(f"{_USER} ") or line.rstrip() == _USER:
        return "user"
    return "tool" if line.startswith(f"{_TOOL} ") or line.rstrip() == _TOOL else None


def _fenced(lines: list[str], *, marked: bool) -> list[bool]:
    """Which lines stand in a fenced block that is closed again."""
    inside = [False] * len(lines)
    barren: dict[str, int] = {}
    position = 0
    while position < len(lines):
        opened = _FENCE.match(lines[position].lstrip())
        if opened is None or _own(lines[position]):
            position += 1
            continue
        row = opened[1][:_LONGEST_FENCE]
        closed = None if position < barren.get(row, 0) else _closing(lines, position, row, marked=marked, barren=barren)
        if closed is None:
            position += 1
            continue
        inside[position + 1 : closed] = [True] * (closed - position - 1)
        position = closed + 1
    return inside


def _closing(lines: list[str], opening: int, row: str, *, marked: bool, barren: dict[str, int]) -> int | None:
    """The line that closes a fence; none if the program speaks first. `barren` keeps how far a row of marks was looked for in vain."""
    for at in range(opening + 1, len(lines)):
        line = lines[at]
        bare = line.strip()
        if bare.startswith(row) and not bare.strip(row[0]):
            return at
        if line.startswith(_TOKENS) or (marked and _own(line) == "user" and line.endswith(_MARK) and not lines[at - 1].strip()):
            barren[row] = at
            return None
    barren[row] = len(lines)
    return None
