"""The messages of a conversation on a terminal: each with its key, who speaks, and what of it has left the view."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from sostenuto.cli._harmless import lines_of, one_line
from sostenuto.cli._terminal import Style

if TYPE_CHECKING:
    from sostenuto.app import Piece, Said

COLOURS: Final = {"user": "yellow", "assistant": "cyan", "tool": "green", "system": "red"}
_MARGIN: Final = "    "


def transcript_lines(said: Sequence[Said], shown: Style, *, full: bool) -> Iterable[str]:
    """Every message: one line a piece, or with `full` all of its lines."""
    wide = max((len(one.key) for one in said), default=0)
    for one in said:
        pinned = " [pinned]" if one.is_pinned else ""
        role = shown.paint(f"{one.role:<9}", COLOURS.get(one.role, "bold"))
        if full:
            yield f"{shown.paint(f'{one.key:<{wide}}', 'bold')}  {role}{_mark(one.level)}{pinned}".rstrip()
            yield from _whole(one, shown)
            continue
        room = shown.width - wide - 13
        first = True
        for piece in one.pieces or (None,):
            key, who = (shown.paint(f"{one.key:<{wide}}", "bold"), role) if first else (" " * wide, " " * 9)
            yield f"{key}  {who}  {_short(piece, one, pinned if first else '', room=room, shown=shown)}".rstrip()
            first = False


def entries(said: Iterable[Said]) -> list[dict[str, Any]]:
    """The messages for a program: whole texts, keys and levels."""
    return [
        {
            "key": one.key,
            "role": one.role,
            **({"pinned": True} if one.is_pinned else {}),
            "parts": [
                {"key": piece.key, "kind": piece.kind, "text": piece.text, **({"level": piece.level} if piece.level else {})}
                for piece in one.pieces
            ],
        }
        for one in said
    ]


def _short(piece: Piece | None, one: Said, pinned: str, *, room: int, shown: Style) -> str:
    if piece is None:
        return "(empty)"
    mark = f"{_mark(piece.level)}{pinned}".strip()
    mark = f"{mark} " if mark else ""
    kind = "" if piece.kind in ("text", "result") else f"{piece.kind}: "
    text = one_line(kind + piece.text, width=max(8, room - len(mark)))
    return f"{shown.paint(mark, 'dim')}{shown.paint(text, 'dim') if piece.level else text}"


def _whole(one: Said, shown: Style) -> Iterable[str]:
    for piece in one.pieces:
        head = f"{piece.key} {one_line(piece.kind, width=60)}{_mark(piece.level if piece.level != one.level else '')}"
        yield f"  {shown.paint(head, 'dim')}"
        yield from (f"{_MARGIN}{line}".rstrip() for line in lines_of(piece.text))
    yield ""


def _mark(level: str) -> str:
    return f" [{level}]" if level else ""
