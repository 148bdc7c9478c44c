"""A reply as it arrives: who listens is told each piece, and a reply that breaks off says what had arrived."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from sostenuto.errors import EndpointFailed
from sostenuto.protocols import Heard
from sostenuto.providers._errors import Asked

Kind = Literal["text", "reasoning"]


@dataclass(slots=True)
class Telling:
    """Tells who listens. One for a reply and all its tries: where a broken reply is asked for again, a line break parts the two."""

    heard: Heard | None
    _is_begun: bool = False
    _is_repeated: bool = False

    def begin(self) -> None:
        """A try begins."""
        self._is_repeated, self._is_begun = self._is_begun, False

    def tell(self, kind: Kind, words: str) -> None:
        """Words arrived."""
        if self.heard is None or not words:
            return
        if self._is_repeated and not self._is_begun:
            self.heard("text", "\n")
        self._is_begun = True
        self.heard(kind, words)


@dataclass(slots=True)
class Arrived:
    """What of a reply has arrived, piece by piece: joined once, so that a long one takes linear time."""

    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    calls: int = 0

    def broken(self, asked: Asked) -> EndpointFailed:
        """The error for a stream that ended before the reply did."""
        sizes = (
            (sum(map(len, self.text)), "characters of text"),
            (sum(map(len, self.reasoning)), "characters of reasoning"),
            (self.calls, "tool calls"),
        )
        arrived = ", ".join(f"{count:,} {what}" for count, what in sizes if count)
        return EndpointFailed(
            f"{asked.model} at {asked.address} broke off in the middle of its answer, after {arrived or 'nothing'}; try again later"
        )
