"""What a fake server sends back: status, headers, and a body whole or in pieces, complete or broken off."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sostenuto.messages import Call
from sostenuto.testing._script import Reply


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer. With `pieces` it is a stream; one that `breaks` ends without its end."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    pieces: tuple[bytes, ...] | None = None
    breaks: bool = False
    content_type: str = "application/json"

    def broken_off(self) -> Answer:
        """The first half of it, then the connection is closed."""
        if self.pieces is not None:
            return replace(self, pieces=self.pieces[: max(1, len(self.pieces) // 2)], breaks=True)
        return replace(self, breaks=True)

    def damaged(self) -> Answer:
        """With a piece that is no JSON: the first half of one."""
        if self.pieces is None:
            return replace(self, body=self.body[: len(self.body) // 2])
        at = len(self.pieces) // 2
        cut = self.pieces[at].rstrip()
        return replace(self, pieces=(*self.pieces[:at], cut[: len(cut) // 2] + b"\n\n", *self.pieces[at + 1 :]))

    def cut(self, size: int) -> Answer:
        """The same stream in pieces of so many bytes."""
        if self.pieces is None or not size:
            return self
        whole = b"".join(self.pieces)
        return replace(self, pieces=tuple(whole[at : at + size] for at in range(0, len(whole), size)))


@dataclass(frozen=True, slots=True)
class Turn:
    """One request that is to be answered, with everything a dialect needs to write the answer.

    Attributes:
        body: the request.
        model: the id of the model that answers.
        reply: what is answered.
        calls: the calls of the reply, with ids.
        input, output, cached: tokens to report.
        window: tokens the server serves.
        number: how many requests came before.
    """

    body: Mapping[str, Any]
    model: str
    reply: Reply
    calls: tuple[Call, ...]
    input: int
    output: int
    cached: int
    window: int
    number: int


def as_json(value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    """A whole answer."""
    return Answer(status, json.dumps(value, ensure_ascii=False).encode(), headers or {})


def as_events(values: Sequence[tuple[str, Any]], *, end: str = "") -> Answer:
    """A stream of server-sent events: name ("" for none) and value of each, and the mark of the end if there is one."""
    pieces = [f"event: {name}\ndata: {_line(value)}\n\n" if name else f"data: {_line(value)}\n\n" for name, value in values]
    if end:
        pieces.append(f"data: {end}\n\n")
    return Answer(pieces=tuple(piece.encode() for piece in pieces), content_type="text/event-stream")


def as_lines(values: Sequence[Any]) -> Answer:
    """A stream of JSON lines."""
    return Answer(pieces=tuple(f"{_line(value)}\n".encode() for value in values), content_type="application/x-ndjson")


def as_object(arguments: str) -> dict[str, Any]:
    """The arguments of a call for wires that hold objects; text that is none, which such a wire cannot say, is an empty one."""
    try:
        found = json.loads(arguments)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def halves(text: str, /) -> list[str]:
    """A text in pieces of a few characters, as a model says it."""
    return [text[at : at + 7] for at in range(0, len(text), 7)]


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
