"""Recoverability: what left the context and is given back, byte for byte, through a pointer that stands in the context."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sostenuto.judging._session import Run, Session
from sostenuto.replaying import pieces, texts

_POINTER = re.compile(r"\bm(\d{1,9})(?:\.\d{1,4})?(?:-m(\d{1,9}))?\b")


@dataclass(frozen=True, slots=True)
class Recovered:
    """Tool results the last request does not hold whole, how many come back equal, and of those how many a pointer in it names."""

    gone: int = 0
    equal: int = 0
    pointed: int = 0

    @property
    def share(self) -> float:
        """The share of what is gone that comes back equal; 1 where nothing is gone."""
        return self.equal / self.gone if self.gone else 1.0


def recovered(session: Session, run: Run) -> Recovered | None:
    """What the finished run gives back of the results its last request lacks; None where the strategy has no way of asking."""
    if run.original is None or not session.requests:
        return None
    shown = {piece.text for message in run.requests[-1].messages for piece in pieces(message) if piece.kind == "result"}
    pointed = pointers("\n".join(texts(message) for message in run.requests[-1].messages))
    gone = equal = named = 0
    for at in range(session.requests[-1]):
        result = next((piece.text for piece in pieces(session.messages[at]) if piece.kind == "result"), None)
        if result is None or result in shown or not result.strip():
            continue
        gone += 1
        if run.original(at) == result:
            equal += 1
            named += any(first <= at - session.lead <= last for first, last in pointed)
    return Recovered(gone, equal, named)


def pointers(text: str) -> Sequence[tuple[int, int]]:
    """The messages that the keys in a text name (D47), as (first, last)."""
    return [(int(key.group(1)), int(key.group(2) or key.group(1))) for key in _POINTER.finditer(text)]
