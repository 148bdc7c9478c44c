"""Our own judgement of requests, compared with an independent one."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.formats import anthropic, openai_chat
from tests.strategies.histories import FORMATS, histories

CODECS: dict[str, Any] = {"openai_chat": openai_chat.CODEC, "anthropic": anthropic.CODEC}
Raw = dict[str, Any]


@pytest.fixture(scope="session")
def independent(shared: Path) -> dict[str, Callable[[Any], list[str]]]:
    """The validators that live outside this project, by format."""
    file = shared / "checks" / "validate.py"
    spec = importlib.util.spec_from_file_location("independent_validate", file) if file.is_file() else None
    if spec is None or spec.loader is None:
        pytest.skip(f"no independent validator: {file} is not a file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {name: getattr(module, name) for name in FORMATS}


def _custom(history: list[Raw]) -> bool:
    """Whether a custom tool is called; the independent validator knows function tools only."""
    return any(call.get("type") == "custom" for message in history for call in message.get("tool_calls") or ())


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
def test_sound_histories_have_no_problems(name: str, data: st.DataObject) -> None:
    """A well-formed history is valid for its wire."""
    assert CODECS[name].problems({"messages": data.draw(histories(format=name))}) == []


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
def test_both_validators_agree(name: str, data: st.DataObject, independent: dict[str, Callable[[Any], list[str]]]) -> None:
    """On sound and broken histories ours finds a problem exactly where the independent one does."""
    history = data.draw(histories(format=name, broken=data.draw(st.booleans()), open_end=True))
    if not _custom(history):
        assert bool(CODECS[name].problems({"messages": history})) == bool(independent[name](history))


def _chat_call(call_id: str = "c1", arguments: Any = "{}") -> Raw:
    call = {"id": call_id, "type": "function", "function": {"name": "bash", "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


_ASKED = {"role": "user", "content": "go"}
_TOOL = {"role": "tool", "tool_call_id": "c1", "content": "ok"}


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([_ASKED, _chat_call(), _ASKED], "have no answer before message 2"),
        ([_ASKED, _chat_call()], "have no answer"),
        ([_ASKED, _TOOL], "no call directly before it asked"),
        ([_ASKED, _chat_call(), _TOOL, _TOOL], "no call directly before it asked"),
        ([_ASKED, _chat_call(arguments="{'a'"), _TOOL], "not JSON"),
        ([{"role": "user", "content": ""}], "empty"),
        ([{"role": "assistant", "content": None}], "empty"),
        ([{"role": "assistant", "content": "", "reasoning": "hm"}], "empty"),
        ([{"role": "robot", "content": "x"}], "unknown role"),
        ([_ASKED, {"role": "function", "name": "f", "content": "x"}], "answers no call"),
        ([None], "no object"),
    ],
)
def test_chat_problems_are_named(messages: list[Any], words: str) -> None:
    """Each fault of the chat table in D57 is found and named with its place."""
    found = openai_chat.CODEC.problems({"messages": messages})
    assert any(words in problem for problem in found), found


def test_a_legacy_function_call_and_its_answer_are_valid() -> None:
    """A ``function_call`` followed by a message of the role ``function`` has no problems."""
    call = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
    assert openai_chat.CODEC.problems({"messages": [_ASKED, call, {"role": "function", "name": "f", "content": "1"}]}) == []


def _use(call_id: str = "t1") -> Raw:
    return {"type": "tool_use", "id": call_id, "name": "bash", "input": {}}


def _answer(call_id: str = "t1") -> Raw:
    return {"type": "tool_result", "tool_use_id": call_id, "content": "ok"}


def _said(*blocks: Raw, role: str = "user") -> Raw:
    return {"role": role, "content": list(blocks)}


_WORDS = {"type": "text", "text": "words"}


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([], "no messages"),
        ([_said(_WORDS, role="assistant"), _ASKED], "first message"),
        ([_ASKED, _said(_WORDS, role="assistant")], "last message"),
        ([_ASKED, _said(_use(), role="assistant"), _ASKED], "without an answer"),
        ([_ASKED, _said(_answer())], "no call directly before"),
        ([_ASKED, _said(_use(), role="assistant"), _said(_WORDS, _answer())], "after other content"),
        ([_ASKED, _said(_use(), role="assistant"), _said(_answer(), _answer())], "more than once"),
        ([_ASKED, _said(_use("a.b"), role="assistant"), _said(_answer("a.b"))], "characters outside"),
        ([_ASKED, _said(_use(), role="assistant"), _said(_answer()), _said(_use(), role="assistant"), _said(_answer())], "used 2 times"),
        ([_said({"type": "text", "text": " "})], "blank text"),
        ([_said()], "is empty"),
        ([{"role": "system", "content": "x"}], "unknown role"),
        ([_said(_use())], "holds a call"),
        ([_ASKED, _said(_answer(), role="assistant"), _ASKED], "holds a tool result"),
    ],
)
def test_anthropic_problems_are_named(messages: list[Raw], words: str) -> None:
    """Each fault of the Anthropic table in D57 is found and named with its place."""
    found = anthropic.CODEC.problems({"messages": messages})
    assert any(words in problem for problem in found), found


def test_with_thinking_on_an_open_loop_must_start_with_thinking() -> None:
    """D57: the fault is found only with thinking enabled, only in an open tool loop, and not when thinking leads."""
    thought = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    bare = [_ASKED, _said(_use(), role="assistant"), _said(_answer())]
    led = [_ASKED, _said(thought, _use(), role="assistant"), _said(_answer())]
    closed = [*bare, _said(_WORDS, role="assistant"), _ASKED]
    on = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
    assert anthropic.CODEC.problems({"messages": bare}) == []
    assert anthropic.CODEC.problems({"messages": bare, **on}) != []
    assert anthropic.CODEC.problems({"messages": led, **on}) == []
    assert anthropic.CODEC.problems({"messages": closed, **on}) == []
