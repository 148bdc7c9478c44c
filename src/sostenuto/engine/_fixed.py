"""What every request of a conversation carries in front: tools and instructions, read again only when they change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

from sostenuto.ladder import Settings
from sostenuto.protocols import Codec, Raw
from sostenuto.tokens import Measure, Ruler, Weigher

_RETRIEVAL = ("recall", "retrieve_tool_result")
SYSTEM_FRAME = 4
"""Tokens of the message that a text of the system prompt is framed as (origin 1.2)."""


@dataclass(frozen=True, slots=True)
class Toolbox:
    """What a request's tools amount to.

    Attributes:
        tools: as handed over, for comparing: one by one by identity first, so that the usual request costs a glance.
        texts: their schemas as text; `print` identifies them all, "" for none.
        named: the tool that reads pieces back, if the caller handed one over (D41).
        hinted: the settings with the tools' hints, once they were asked for; only a memo.
    """

    tools: Any = None
    texts: tuple[str, ...] = ()
    print: str = ""
    named: str | None = None
    hinted: list[Settings] = field(default_factory=list, compare=False)

    def settings(self, settings: Settings) -> Settings:
        """The settings with what the tools' own annotations say of them: a read-only hint of MCP is a default (DESIGN 5)."""
        if not self.hinted:
            noted = [tool for tool in self.tools or () if isinstance(tool, Mapping)] if isinstance(self.tools, list | tuple) else []
            policy = settings.policy.hinted(noted) if noted else settings.policy
            self.hinted.append(settings if policy is settings.policy else replace(settings, policy=policy))
        return self.hinted[0]

    def schema(self, ruler: Ruler) -> int:
        """Tokens of the schemas, counted as text."""
        return sum(ruler.text(text) for text in self.texts)


@dataclass(frozen=True, slots=True)
class Instructions:
    """What the system prompt and the leading system messages weigh, by one weigher."""

    system: Any
    lead: list[Raw]
    weigher: Weigher
    measure: Measure


def toolbox(tools: Any, known: Toolbox, *, codec: Codec) -> Toolbox:
    """The toolbox of these tools: the known one if they are equal to its tools."""
    held = _held(tools)
    if type(held) is type(known.tools) and held == known.tools:
        return known
    texts = tuple(codec.tool_texts(tools))
    joined = "\x1f".join(texts)
    return Toolbox(held, texts, str(_number(joined)) if texts else "", _retrieval(texts))


def instructions(system: Any, lead: list[Raw], known: Instructions | None, *, codec: Codec, ruler: Ruler) -> Instructions:
    """What these instructions weigh: the known figure if they are equal to its instructions."""
    if known is not None and known.weigher is ruler.weigher and known.lead == lead and type(known.system) is type(system):
        held = _held(system)
        if held == known.system:
            return known
    measure = Measure()
    for text in codec.system_texts(system):
        measure += Measure(ruler.weigher(text), SYSTEM_FRAME)
    for raw in lead:
        measure += ruler.measure(codec.decode(raw))
    return Instructions(_held(system), list(lead), ruler.weigher, measure)


def _held(value: Any) -> Any:
    """A list as a list of its own: what its owner puts in later must not change what it is compared with."""
    return list(value) if isinstance(value, list) else value


def _number(text: str) -> int:
    """A number for a text that is the same in every process."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def _retrieval(tool_texts: Sequence[str]) -> str | None:
    for name in _RETRIEVAL:
        if any(f'"name":"{name}"' in text.replace(" ", "") for text in tool_texts):
            return name
    return None
