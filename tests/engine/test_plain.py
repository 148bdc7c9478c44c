"""A snapshot is made of plain values, whatever was handed over (D32)."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Any

import pytest

from sostenuto.manager import ContextManager
from sostenuto.protocols import Raw
from tests.engine.conversing import Quarters


class Model:
    """What a client returns: fields, perhaps with objects in them, and a dump of those that were set."""

    def __init__(self, **given: Any) -> None:
        self.__dict__.update(given)

    def model_dump(self, *, exclude_unset: bool = False) -> Raw:
        """The fields; what is nested is dumped too."""
        del exclude_unset
        return {name: value.model_dump() if isinstance(value, Model) else value for name, value in self.__dict__.items()}


class Outcome(StrEnum):
    """A word that a client has as an enumeration."""

    OK = "OUTCOME_OK"


CHAT: list[Any] = [
    {"role": "user", "content": "Go."},
    Model(
        role="assistant",
        content=None,
        tool_calls=[Model(id="c1", type="function", function=Model(name="bash", arguments='{"command":"ls"}'))],
    ),
    {"role": "tool", "tool_call_id": "c1", "content": "a.py"},
]
ANTHROPIC: list[Any] = [
    {"role": "user", "content": "Go."},
    {"role": "assistant", "content": [Model(type="text", text="Well."), Model(type="tool_use", id="toolu_1", name="bash", input={"a": 1})]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "a.py"}]},
]
GEMINI: list[Any] = [
    {"role": "user", "parts": [{"text": "Go."}]},
    {
        "role": "model",
        "parts": [Model(function_call=Model(name="bash", args={"a": 1}), thought_signature=b"\x00\xff")],
    },
    {"role": "user", "parts": [{"function_response": {"name": "bash", "response": {"output": "a.py", "as": Outcome.OK}}}]},
]


@pytest.mark.parametrize(("format", "history"), [("openai_chat", CHAT), ("anthropic", ANTHROPIC), ("gemini", GEMINI)])
def test_objects_of_a_client_become_plain_values(format: str, history: list[Any]) -> None:
    """With a client's objects in the history, also inside messages, the snapshot is JSON, and what is restored goes on with both."""
    context = ContextManager(window=4_000, counter=Quarters(), format=format)
    request = context.prepare_sync(history)
    saved = json.loads(json.dumps(context.snapshot()))
    again = ContextManager.restore(saved, counter=Quarters())
    for handed in (history, [record["raw"] for record in saved["transcript"]]):
        other = again.prepare_sync(handed)
        assert other.tokens == request.tokens
        assert "fork" not in {event.rung for event in other.events}
    assert again.snapshot()["transcript"] == saved["transcript"]


def test_what_is_plain_already_is_not_copied() -> None:
    """A message without a client's objects stands in the snapshot as the very object that was handed over."""
    history: list[Raw] = [{"role": "user", "content": [{"type": "text", "text": "Go."}]}]
    context = ContextManager(window=4_000, counter=Quarters(), format="openai_chat")
    context.prepare_sync(history)
    assert context.snapshot()["transcript"][0]["raw"] is history[0]
