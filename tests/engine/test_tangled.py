"""Cuts through histories whose units are tangled: words between results, late results, results and words in one message (D20)."""

from __future__ import annotations

from typing import Any

import pytest

from sostenuto.manager import ContextManager
from sostenuto.protocols import Raw
from tests.engine import wires
from tests.engine.conversing import CODECS, manager
from tests.engine.wires import reasoning
from tests.engine.witness import Witness


def chat_call(*ids: str) -> Raw:
    """A chat message that calls."""
    calls = [{"id": one, "type": "function", "function": {"name": "bash", "arguments": '{"command": "make"}'}} for one in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def chat_result(one: str) -> Raw:
    """A chat message that answers."""
    return {"role": "tool", "tool_call_id": one, "content": f"output of {one} " * 150}


def call(*ids: str) -> Raw:
    """An Anthropic message that calls after signed thinking."""
    thought = {"type": "thinking", "thinking": "Run it.", "signature": "c2ln"}
    return {"role": "assistant", "content": [thought, *({"type": "tool_use", "id": one, "name": "bash", "input": {}} for one in ids)]}


def result(*ids: str, said: str = "") -> Raw:
    """An Anthropic message that answers, perhaps with words."""
    blocks: list[Any] = [{"type": "tool_result", "tool_use_id": one, "content": f"output of {one} " * 150} for one in ids]
    return {"role": "user", "content": [*blocks, *([{"type": "text", "text": said}] if said else [])]}


def user(text: str) -> Raw:
    """Words of the user."""
    return {"role": "user", "content": text}


def reply(text: str) -> Raw:
    """Words of the model."""
    return {"role": "assistant", "content": text}


def item(one: str) -> Raw:
    """A Responses item that calls."""
    return {"type": "function_call", "id": f"fc_{one}", "call_id": one, "name": "bash", "arguments": '{"command": "make"}'}


def output(one: str) -> Raw:
    """A Responses item that answers."""
    return {"type": "function_call_output", "call_id": one, "output": f"output of {one} " * 150}


def content(role: str, *parts: Raw) -> Raw:
    """A Gemini content."""
    return {"role": role, "parts": list(parts)}


def asks(name: str, **named: str) -> Raw:
    """A Gemini call, without an id unless given."""
    return {"functionCall": {**named, "name": name, "args": {"command": "make"}}}


def tells(name: str, text: str, **named: str) -> Raw:
    """A Gemini response."""
    return {"functionResponse": {**named, "name": name, "response": {"output": f"output of {text} " * 150}}}


def words(text: str) -> Raw:
    """A Gemini part of words."""
    return {"text": text}


GEMINI_END = [
    content("model", words("Well.")),
    content("user", words("And then? " * 40)),
    content("model", words("Then this. " * 40)),
    content("user", words("Good.")),
]
END = [reply("Well."), user("And then? " * 40), reply("Then this. " * 40), user("Good.")]
TANGLED: dict[str, tuple[str, list[Raw]]] = {
    "words between results": (
        "openai_chat",
        [user("task"), chat_call("a", "b"), chat_result("a"), user("wait"), chat_result("b"), *END],
    ),
    "words before and between results": (
        "openai_chat",
        [user("task"), chat_call("a", "b"), user("hm"), chat_result("b"), user("wait"), user("no"), chat_result("a"), user("ok"), *END],
    ),
    "a call never answered": ("openai_chat", [user("task"), chat_call("a", "b"), chat_result("b"), user("wait"), *END]),
    "an orphan among words": ("openai_chat", [user("task"), chat_result("x"), chat_call("a"), chat_result("x"), chat_result("a"), *END]),
    "two tangles in a row": (
        "openai_chat",
        [user("task"), *[chat_call("a", "b"), chat_result("a"), user("wait"), chat_result("b")] * 2, *END],
    ),
    "words behind results": ("anthropic", [user("task"), call("a", "b"), result("a", "b", said="and hurry"), *END]),
    "words behind the first result": ("anthropic", [user("task"), call("a", "b"), result("a", said="wait"), result("b", said="ok"), *END]),
    "words in front of a result": (
        "anthropic",
        [user("task"), call("a"), {"role": "user", "content": [{"type": "text", "text": "so"}, *result("a")["content"]]}, *END],
    ),
    "shared messages in a row": (
        "anthropic",
        [user("task"), call("a"), result("a", said="one"), call("b"), result("b", said="two"), call("c"), result("c", said="three"), *END],
    ),
    "an answer first": ("anthropic", [reply("Hello."), user("task"), call("a"), result("a"), *END]),
    "a call first": ("anthropic", [call("a"), result("a", said="task"), *END]),
    "words between outputs": ("openai_responses", [user("task"), item("a"), item("b"), output("a"), user("wait"), output("b"), *END]),
    "reasoning, words and calls of one turn": (
        "openai_responses",
        [user("task"), reasoning("1"), reply("So."), item("a"), reasoning("2"), item("b"), output("b"), output("a"), *END],
    ),
    "reasoning that led to nothing": (
        "openai_responses",
        [user("task"), item("a"), output("a"), reasoning("1"), user("wait"), reasoning("2"), item("b"), output("b"), *END],
    ),
    "a call item never answered": ("openai_responses", [user("task"), reasoning("1"), item("a"), item("b"), output("b"), user("so"), *END]),
    "an output before its call": (
        "openai_responses",
        [user("task"), reply("Hm."), output("a"), item("a"), user("ok"), item("b"), user("so"), item("c"), output("c"), *END],
    ),
    "turns in a row": (
        "openai_responses",
        [user("task"), *[it for one in "abc" for it in (reasoning(one), item(one), output(one))], reply("Done."), user("ok"), *END],
    ),
    "calls of one name without ids": (
        "gemini",
        [
            content("user", words("task")),
            content("model", asks("bash"), asks("bash"), asks("read")),
            content("user", tells("read", "r"), tells("bash", "one"), words("wait"), tells("bash", "two"), words("ok")),
            *GEMINI_END,
        ],
    ),
    "responses in two contents": (
        "gemini",
        [
            content("user", words("task")),
            content("model", words("So."), asks("bash", id="a"), asks("read", id="b")),
            content("user", words("hm"), tells("read", "b", id="b")),
            content("user", words("and")),
            content("function", tells("bash", "a", id="a"), words("there")),
            *GEMINI_END,
        ],
    ),
    "a response too many and one too few": (
        "gemini",
        [
            content("model", words("Hello.")),
            content("user", words("task"), tells("bash", "nobody")),
            content("model", asks("bash"), asks("read")),
            content("user", tells("read", "r"), tells("read", "r again"), words("go on")),
            content("model", asks("bash")),
            *GEMINI_END,
        ],
    ),
}


@pytest.mark.parametrize("name", sorted(TANGLED))
def test_every_cut_is_legal(name: str) -> None:
    """Compacting before any message of a tangled history gives a valid request that loses nothing, and undo brings all back."""
    wire, history = TANGLED[name]
    made = 0
    for before in range(1, len(history)):
        context = manager(20_000, format=wire)
        witness = Witness(context, format=wire, sound=False)
        whole = context.prepare_sync(history)
        witness.see(history, whole)
        request = context.compact_sync(before=f"m{before}")
        made += any(event.rung == "compact" for event in request.events)
        witness.see(history, request)
        if context.undo().applied:
            assert context.prepare_sync(history).arguments == whole.arguments
    assert made


@pytest.mark.parametrize("name", sorted(TANGLED))
@pytest.mark.parametrize("window", [450, 700, 1_100, 1_600])
def test_every_length_fits(name: str, window: int) -> None:
    """A tangled history that grows message by message in a small window gives valid, fitting, complete requests."""
    from sostenuto.errors import FixedPartTooLarge

    wire, history = TANGLED[name]
    context = manager(window, format=wire)
    witness = Witness(context, format=wire, sound=False)
    for length in range(1, len(history) + 1):
        try:
            request = context.prepare_sync(history[:length])
        except FixedPartTooLarge:
            return
        witness.see(history[:length], request)


@pytest.mark.parametrize("nameless", [True, False])
def test_d57_gemini_answers_in_contents_of_their_own_leave_as_one(nameless: bool) -> None:
    """Responses to parallel calls that came in several contents leave in one, each under its own key; what is around stays the same."""
    pair = wires.cycle(["a", "b"], ["one", "two"], format="gemini", nameless=nameless)
    split = [{"role": "user", "parts": [part]} for part in pair[1]["parts"]]
    head, tail = wires.user("Go.", format="gemini"), wires.reply("Done.", format="gemini")
    context = ContextManager(format="gemini", window=16_000)
    for history in ([head, pair[0], *split], [head, pair[0], *split, *tail, wires.user("On.", format="gemini")]):
        contents = context.prepare_sync(history).arguments["contents"]
        assert CODECS["gemini"].problems({"contents": contents}) == []
        assert contents[2]["parts"] == pair[1]["parts"]
        assert contents[0] is history[0]
        assert contents[1] is history[1]
        assert all(sent is raw for sent, raw in zip(contents[3:], history[4:], strict=True))
    assert [context.recall(key)[0].text for key in ("m2.0", "m3.0")] == ["one", "two"]
