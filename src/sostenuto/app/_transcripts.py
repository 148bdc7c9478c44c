"""A kept conversation as people read it: every message in order, with its key, and what of it has left the view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sostenuto.app._wires import CODECS
from sostenuto.errors import UnusableInput
from sostenuto.messages import Call, Media, Message, Opaque, Part, Result, Text, Thinking, key_of

if TYPE_CHECKING:
    from sostenuto.engine import Level

LOST = "(this message could not be read back)"


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a message: its key, what it is (``text``, ``call read_file``, ``result``), its words, and its level, "" for whole."""

    key: str
    kind: str
    text: str
    level: Level | str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """One message. `role` is ``tool`` for one that only answers calls, whatever its wire calls it; `level` that of all its pieces."""

    key: str
    role: str
    pieces: tuple[Piece, ...]
    is_pinned: bool = False

    @property
    def level(self) -> str:
        """What all pieces have in common; "" where some are whole, or they differ."""
        found = {piece.level for piece in self.pieces}
        return found.pop() if len(found) == 1 else ""


def transcript(snapshot: Mapping[str, Any], levels: Mapping[str, Level]) -> list[Said]:
    """Every message of the conversation as it stands, in order.

    Raises:
        UnusableInput: it is in a wire that is not known.
    """
    wire = str(snapshot["format"])
    return [_said(number, record, str(record.get("wire", wire)), levels) for number, record in enumerate(snapshot["transcript"])]


def decoded(raw: Mapping[str, Any], *, wire: str) -> Message:
    """A native message as what it says.

    Raises:
        UnusableInput: the wire is not known.
    """
    if wire not in CODECS:
        raise UnusableInput(f"the conversation is in a wire that is not known: {wire[:40]!r}; update this program")
    return CODECS[wire].decode(dict(raw))


def part_in_words(part: Part) -> tuple[str, str]:
    """What a part is, and its words."""
    match part:
        case Text(text):
            return "text", text
        case Thinking(text):
            return "thinking", text or "(hidden by the provider)"
        case Call(_, name, arguments):
            return f"call {name}", arguments
        case Result():
            return "result", "\n".join([part.text, *(f"[{media.label or media.kind}]" for media in part.media)]).strip("\n")
        case Opaque(kind, text):
            return kind, text
        case Media():
            return "attachment", part.label or part.kind


def _said(ordinal: int, record: Mapping[str, Any], wire: str, levels: Mapping[str, Level]) -> Said:
    if record.get("lost"):
        return Said(key_of(ordinal), "lost", (Piece(key_of(ordinal, 0), "text", LOST),))
    message = decoded(record["raw"], wire=wire)
    pieces = tuple(_piece(key_of(ordinal, index), part, levels) for index, part in enumerate(message.parts))
    return Said(key_of(ordinal), role_of(message), pieces, bool(record.get("pinned")))


def _piece(key: str, part: Part, levels: Mapping[str, Level]) -> Piece:
    kind, text = part_in_words(part)
    return Piece(key, kind, text, levels.get(key, ""))


def role_of(message: Message) -> str:
    """Who speaks: what only answers calls is a tool's."""
    parts: Sequence[Part] = message.parts
    answers = bool(parts) and all(isinstance(part, Result | Media) for part in parts) and any(isinstance(part, Result) for part in parts)
    return "tool" if answers else message.role
