"""Lines of the run for the model: in one request only, or written down once where thinking is bound to its prefix (origin 7.2, D29)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sostenuto.engine import Request
from sostenuto.messages import Message, Text
from sostenuto.protocols import Codec, Raw

FRAME_TOKENS = 8
"""What a message of its own costs beside its words."""
CHARACTERS = 3
"""To a token, on the safe side: a nudge is only left away when space is very tight, and never makes a request too long (D18)."""


def written(text: str, *, codec: Codec) -> Raw:
    """A line as a message of its own."""
    return codec.encode(Message("user", (Text(text),), kind="ephemeral"))


def nudged(request: Request, lines: Sequence[str], *, codec: Codec, alternating: bool) -> dict[str, Any]:
    """The request's arguments with these lines behind everything else, as many as fit.

    They join a nudge that the engine already put there: what is told to the model comes in one message.
    """
    free = request.window - request.tokens - (request.max_output or 0)
    fitting: list[str] = []
    for line in lines:
        free -= len(line) // CHARACTERS + FRAME_TOKENS
        if free < 0:
            break
        fitting.append(line)
    if not fitting:
        return request.arguments
    text = "\n".join(fitting)
    messages: list[Raw] = request.arguments[codec.field]
    if request.nudges or alternating:
        return {**request.arguments, codec.field: codec.join_nudge(messages, text)}
    return {**request.arguments, codec.field: [*messages, written(text, codec=codec)]}


def tag(line: str) -> str:
    """What a line is about, without its figures: the part that a crossing changes."""
    return line.partition(":")[0]
