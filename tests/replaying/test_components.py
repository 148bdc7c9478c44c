"""The tokens of a session are told by component, and nothing is counted twice or left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sostenuto.formats import openai_chat
from sostenuto.replaying import components
from sostenuto.tokens import ruler


@dataclass
class Session:
    """A recorded session."""

    messages: tuple[Any, ...] = ()
    exchanges: tuple[Any, ...] = ()
    system: Any = None
    tools: Any = None
    format: str = "openai_chat"


CALL = {"id": "c", "type": "function", "function": {"name": "read", "arguments": '{"path": "a"}'}}
MESSAGES = (
    {"role": "user", "content": "Read it."},
    {"role": "assistant", "content": "I will.", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c", "content": "text of a"},
)


def test_every_part_has_its_component() -> None:
    """Who spoke, what was called, what came back and the framing each have their tokens; they sum up to the whole."""
    by = ruler("openai:gpt-4o")
    found, characters = components(Session(MESSAGES), by=by, codec=openai_chat.CODEC)
    assert set(found) == {"user", "assistant", "tool calls", "tool results", "framing"}
    whole = [by.measure(openai_chat.CODEC.decode(message)) for message in MESSAGES]
    assert sum(found.values()) == by.tokens(whole[0] + whole[1] + whole[2])
    assert characters >= len("Read it." + "I will." + "text of a")


def test_instructions_and_tools_outside_the_messages_count() -> None:
    """A system text and tools that stand apart have components of their own."""
    tool = {"type": "function", "function": {"name": "read", "parameters": {}}}
    found, _ = components(Session(system="Be brief.", tools=[tool]), by=ruler("openai:gpt-4o"), codec=openai_chat.CODEC)
    assert found["system"] > 0
    assert found["tools"] > 0
