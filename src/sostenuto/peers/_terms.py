"""The same terms for every library, and the plain chat messages all of them are fed from."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

Raw = Mapping[str, Any]
"""A plain chat message: role and text; an assistant's calls; the call id of a tool's answer. Nothing else."""
Send = Callable[[Sequence[Raw]], list[Raw]]
"""Takes what is new in the history since the request before, gives the messages that would be sent now."""

STARTS_AT: Final = 0.8
"""Share of the budget at which a strategy begins where its library names no share itself."""
CLEARS_AT: Final = 0.5
"""The same for strategies that only clear old results: 100,000 of 200,000 tokens is where the API they copy begins."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What a strategy is given.

    Attributes:
        budget: tokens a request may have.
        count: tokens of plain chat messages by the ruler that judges.
        text: tokens of a text by the same ruler.
        summarize: the scripted summarizer.
    """

    budget: int
    count: Callable[[Sequence[Raw]], int]
    text: Callable[[str], int]
    summarize: Callable[[str], str]


Strategy = Callable[[Terms], Send]


def library(name: str) -> Any:
    """A module of a library that may not be there. Raises ImportError."""
    return importlib.import_module(name)


def call_of(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    """A call as plain chat holds it."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def assistant(text: str, calls: Sequence[Raw]) -> dict[str, Any]:
    """An assistant's message as plain chat holds it."""
    return {"role": "assistant", "content": text, **({"tool_calls": list(calls)} if calls else {})}


def answer(call_id: str, text: str) -> dict[str, Any]:
    """A tool's answer as plain chat holds it."""
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def say(role: str, text: str) -> dict[str, Any]:
    """A message of words."""
    return {"role": role, "content": text}


def calls_of(message: Raw) -> list[tuple[str, str, str]]:
    """Id, name and arguments of each call of a message."""
    return [(call["id"], call["function"]["name"], call["function"]["arguments"]) for call in message.get("tool_calls", ())]
