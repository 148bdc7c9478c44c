"""What every request of a conversation carries in front: tools and instructions, read again only when they change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from typing import Any

from sostenuto.ladder import Settings
from sostenuto.protocols import Codec, Raw
from sostenuto.tokens import Calibration, Measure, Ruler, Weigher

_RETRIEVAL = ("recall", "retrieve_tool_result")
_SIZES = ("tokens", "schema", "max_output")
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


@dataclass(frozen=True, slots=True)
class Front:
    """What the last request carried in front and kept free behind, in figures alone: a process that made none counts with them (D32).

    Attributes:
        system: what the instructions weighed, by the weigher with this `mark`; `tokens`: the same in tokens.
        tools, schema: fingerprint of the tools, and the tokens of their schemas; `named`: the one that reads pieces back, "" for none.
        max_output: tokens that were asked for as output.
    """

    system: Measure
    mark: str
    tokens: int
    tools: str
    schema: int
    named: str
    max_output: int | None

    def measure(self, ruler: Ruler) -> Measure:
        """What the instructions weigh by this ruler."""
        return self.system if self._is_by(ruler) else Measure(0, self.tokens)

    def calibration(self, ruler: Ruler) -> Calibration:
        """What the ruler has learned, for these tools. By another ruler they are other tools, so that a request with them counts them."""
        name = self.tools if self._is_by(ruler) or not self.tools else f"{self.tools}~"
        return ruler.calibration.with_tools(name, schema=self.schema)

    def _is_by(self, ruler: Ruler) -> bool:
        return bool(self.mark) and self.mark == ruler.mark


def dumped_front(front: Front | None) -> dict[str, Any] | None:
    """The figures as JSON-able values; None where there are none."""
    return None if front is None else {
        **asdict(front), "system": [front.system.weight, front.system.flat], "max_output": front.max_output or 0
    }  # fmt: skip


def front_back(entry: Any) -> Front | None:
    """The figures back; None for what are none."""
    try:
        weight, flat, tokens, schema, output = (max(0, int(size)) for size in (*entry["system"], *map(entry.get, _SIZES)))
        mark, tools, named = (str(entry[name]) for name in ("mark", "tools", "named"))
        return Front(Measure(weight, flat), mark, tokens, tools, schema, named, output or None)
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


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
