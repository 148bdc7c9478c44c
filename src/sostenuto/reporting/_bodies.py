"""What a message holds, for a reader: its pieces in words, who it is from, and how its tokens divide among the bands of the chart."""

from __future__ import annotations

from collections.abc import Iterator

from sostenuto.messages import Call, Media, Message, Opaque, Part, Result, Text, Thinking
from sostenuto.reporting._folding import Piece
from sostenuto.tokens import Ruler

BANDS = ("system", "user", "assistant", "results", "written")
"""The bands of the chart that messages fill; ``written`` is what the engine wrote itself: checkpoints and nudges."""


def pieces(message: Message) -> list[Piece]:
    """Every part in words: kind, name, text."""
    return [_piece(part) for part in message.parts]


def words(message: Message) -> str:
    """The plain text of a message, parts joined by newlines."""
    return "\n".join(part.text for part in message.parts if isinstance(part, Text))


def role(message: Message) -> str:
    """Who speaks: a message that only carries what tools answered is theirs, whatever the wire calls it."""
    answers = bool(message.parts) and all(isinstance(part, Result | Media) for part in message.parts)
    if message.role == "tool" or (answers and any(isinstance(part, Result) for part in message.parts)):
        return "results"
    return message.role


def shares(message: Message, *, by: Ruler, tokens: int) -> tuple[int, ...]:
    """`tokens`, those of the whole message, divided among the bands by what its parts weigh."""
    own = BANDS.index(role(message))
    found = [0] * len(BANDS)
    for part in message.parts:
        if isinstance(part, Result):
            found[BANDS.index("results")] += by.tokens(by.part(part))
    found = [min(share, tokens) for share in found]
    found[own] += tokens - sum(found)
    return tuple(found)


def _piece(part: Part) -> Piece:
    match part:
        case Text(text):
            return "text", "", text
        case Thinking(text):
            return "thinking", "", text or ("(hidden by the provider)" if part.redacted or part.sealed else "")
        case Call(_, name, arguments):
            return "call", name, arguments
        case Result():
            return "result", "", "\n".join(_answered(part))
        case Opaque(kind, text):
            return "other", kind, text
        case Media():
            return "attachment", "", part.label or part.kind


def _answered(result: Result) -> Iterator[str]:
    if result.text:
        yield result.text
    for media in result.media:
        yield f"[{media.label or media.kind}]"
