"""Making a result fit: whole lines of a text, whole items of a list, and a note that says what is missing (origin 10, phase 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sostenuto.results._budget import LIST_FIELDS, TEXT_FIELDS
from sostenuto.results._shape import text_of

FEW_ITEMS = 5
"""A list up to this long is never shortened."""
_LEAST_TEXT, _LEAST_LIST = 500, 200
"""Characters a shortened field keeps."""
_TEXT_NOTE, _LIST_NOTE = 100, 200
"""Characters set aside for the note in a shortened field."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A text cut to its two ends: the first `head` characters and the last `tail` of it, with `note` between them."""

    text: str
    head: int
    tail: int

    @property
    def note(self) -> str:
        """The line that stands for what is missing."""
        return self.text[self.head : len(self.text) - self.tail].strip("\n")


def cut(text: str, *, characters: int, way: str = "") -> Cut:
    """`text` in at most `characters`: two thirds from its start, one from its end, by whole lines where lines are not huge.

    `way` says how the rest is had, as half a sentence. A text that fits, or that its note would make no shorter, stays whole.
    """
    longest = len(_note(text, way=way, head=0, tail=0)) + len(str(len(text)))
    room = characters - longest - 2
    if len(text) <= characters or room < 2:
        return Cut(text, len(text), 0)
    front = room - room // 3
    head = _line_end(text, front)
    tail = len(text) - _line_start(text, len(text) - (room - front))
    said = _note(text, way=way, head=head, tail=tail)
    before = "" if text[:head].endswith("\n") else "\n"
    made = f"{text[:head]}{before}{said}\n{text[len(text) - tail :]}"
    return Cut(made, head, tail) if len(made) < len(text) else Cut(text, len(text), 0)


def _note(text: str, *, way: str, head: int, tail: int) -> str:
    middle = len(text) - head - tail
    lines = text.count("\n", head, len(text) - tail)
    counted = f"{lines:,} lines, {middle:,} characters" if lines else f"{middle:,} characters"
    again = way.replace("{offset}", str(head)) if way else "ask for less at a time to see them"
    return f"[… {counted} of {len(text):,} left out here; {again} …]"


def _line_end(text: str, at: int) -> int:
    """The last line end in the second half before `at`; `at` itself where that part is one line."""
    end = text.rfind("\n", at // 2, at) + 1
    return end or at


def _line_start(text: str, at: int) -> int:
    """The first line start in the first half behind `at`; `at` itself where that part is one line."""
    if text[at - 1 : at] == "\n":
        return at
    start = text.find("\n", at, at + (len(text) - at) // 2) + 1
    return start or at


def fitted(value: Any, *, characters: int, way: str = "") -> str:
    """The text of a result in about `characters`, never longer than its whole text; the same text where it fits.

    Texts lose their middle, lists their end, objects first of their long text field, then of their lists; what is still too long is cut
    as the text it is.
    """
    text = text_of(value)
    if len(text) <= characters:
        return text
    if isinstance(value, list | tuple):
        text = min(text, text_of(_fewer(list(value), characters=characters)), key=len)
    elif isinstance(value, Mapping):
        text = min(text, _object(dict(value), characters=characters, way=way), key=len)
    return cut(text, characters=characters, way=way).text


def _object(value: dict[str, Any], *, characters: int, way: str) -> str:
    text = text_of(value)
    for name in TEXT_FIELDS:
        field = value.get(name)
        if isinstance(field, str) and len(field) > _LEAST_TEXT and len(text) > characters:
            target = max(_LEAST_TEXT, len(field) - (len(text) - characters) - _TEXT_NOTE)
            value = {**value, name: cut(field, characters=target, way="" if not way else "the whole is kept").text}
            text = text_of(value)
    for name in LIST_FIELDS:
        field = value.get(name)
        if isinstance(field, list) and len(field) > FEW_ITEMS and len(text) > characters:
            target = max(_LEAST_LIST, len(text_of(field)) - (len(text) - characters) - _LIST_NOTE)
            value = {**value, name: _fewer(field, characters=target)}
            text = text_of(value)
    return text


def _fewer(items: list[Any], *, characters: int) -> list[Any]:
    """The first whole items within `characters`, and an entry that counts the others."""
    length, taken = len('["… 1,000,000 more items …"]'), 0
    for item in items:
        length += len(text_of(item)) + 4 if not isinstance(item, str) else len(text_of([item])) + 2
        if length > characters:
            break
        taken += 1
    left = len(items) - taken
    return [*items[:taken], f"… {left:,} more items …"] if left else items
