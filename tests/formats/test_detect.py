"""Telling the wires apart by structure."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.formats import anthropic, openai_chat
from sostenuto.formats.detect import detect
from tests.strategies.histories import FORMATS, histories

_PLAIN = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]


def test_plain_roles_and_strings_leave_it_open() -> None:
    """Messages that both wires write alike give None, as do none at all and things that are no messages."""
    assert detect(_PLAIN, None) is None
    assert detect([], None) is None
    assert detect([None, 7, "x", {"role": ["a"], "content": {}}], None) is None


@pytest.mark.parametrize(
    ("messages", "system", "name"),
    [
        ([{"role": "tool", "tool_call_id": "a", "content": "x"}], None, "openai_chat"),
        ([{"role": "system", "content": "x"}, *_PLAIN], None, "openai_chat"),
        ([{"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f"}}]}], "be brief", "openai_chat"),
        (_PLAIN, "be brief", "anthropic"),
        ([{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a"}]}], None, "anthropic"),
        ([{"role": "user", "content": [{"type": "image", "source": {}}]}], None, "anthropic"),
        ([{"role": "user", "content": [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}]}], None, "anthropic"),
        ([{"role": "user", "parts": [{"text": "x"}]}], None, "gemini"),
        ([{"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "x"}]}], None, "openai_responses"),
        ([{"type": "message", "role": "user", "content": "x"}], None, "openai_responses"),
        ([{"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]}], None, "openai_responses"),
        ([{"role": "assistant", "content": [{"type": "output_text", "text": "x"}]}], None, "openai_responses"),
        ([*_PLAIN, {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"}], "be brief", "openai_responses"),
        ([{"type": "reasoning", "summary": []}], None, "openai_responses"),
        ([{"type": "message", "role": "assistant", "content": [{"type": "tool_use", "id": "t"}]}], None, "anthropic"),
        ([{"type": "message", "role": "assistant", "content": [{"type": "text", "text": "x"}]}], None, None),
        ([{"type": ["odd"], "content": [{"type": ["odd"]}]}], None, None),
    ],
)
def test_structure_tells_the_wire(messages: list[Any], system: Any, name: str | None) -> None:
    """Blocks, calls, roles and a separate system argument tell the wire (D58); other wires give None."""
    assert detect(messages, system) == name


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
def test_a_history_is_never_taken_for_the_other_wire(name: str, data: st.DataObject) -> None:
    """A history of either wire is recognised or left open."""
    assert detect(data.draw(histories(format=name)), None) in (name, None)


def test_the_names_are_those_of_the_codecs() -> None:
    """What `detect` returns is the `name` of a codec, and both files offer the same question."""
    assert {openai_chat.CODEC.name, anthropic.CODEC.name} == set(FORMATS)
    assert openai_chat.looks_like([{"role": "tool"}], None) > anthropic.looks_like([{"role": "tool"}], None)
