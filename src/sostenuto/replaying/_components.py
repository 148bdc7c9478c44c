"""The tokens of a recorded session by component: instructions, tools, who said what, and the framing of messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from sostenuto.messages import Call, Media, Message, Part, Result, Thinking
from sostenuto.replaying._session import Recorded
from sostenuto.tokens import Measure, Ruler


class Reads(Protocol):
    """The part of a wire format that is asked here."""

    def decode(self, raw: Any, /) -> Message: ...
    def system_texts(self, system: Any, /) -> list[str]: ...
    def tool_texts(self, tools: Any, /) -> list[str]: ...


def components(recorded: Recorded, *, by: Ruler, codec: Reads) -> tuple[dict[str, int], int]:
    """Tokens of each component, which sum up to the tokens of all, and the characters of the texts."""
    sums: dict[str, Measure] = {}
    characters = 0

    def add(name: str, measure: Measure) -> None:
        sums[name] = sums.get(name, Measure()) + measure

    for text in codec.system_texts(recorded.system):
        add("system", by.measure(Message("system", ())) + Measure(by.weigher(text)))
        characters += len(text)
    for text in codec.tool_texts(recorded.tools):
        add("tools", Measure(by.weigher(text)))
        characters += len(text)
    for raw in recorded.messages:
        message = codec.decode(raw)
        pieces = Measure()
        for part in message.parts:
            add(_component(message, part), by.part(part))
            pieces += by.part(part)
            characters += len(getattr(part, "text", "") or getattr(part, "arguments", ""))
        add("framing", by.measure(message) - pieces)
    return _shares(sums, by), characters


def _component(message: Message, part: Part) -> str:
    for kind, name in ((Thinking, "thinking"), (Call, "tool calls"), (Result, "tool results"), (Media, "media")):
        if isinstance(part, kind):
            return name
    return message.role if message.role in ("system", "user") else "assistant"


def _shares(sums: Mapping[str, Measure], by: Ruler) -> dict[str, int]:
    """Tokens of each component such that they sum up to the tokens of all: each is the step it adds to the sum."""
    shares: dict[str, int] = {}
    total, before = Measure(), 0
    for name, measure in sums.items():
        total += measure
        shares[name] = by.tokens(total) - before
        before += shares[name]
    return shares
