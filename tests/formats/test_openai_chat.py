"""The OpenAI chat codec."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.errors import UnusableInput
from sostenuto.formats.openai_chat import CODEC
from sostenuto.messages import Call, Media, Message, Opaque, Result, Text, Thinking
from tests.strategies.openai_chat import results as tool_messages
from tests.strategies.texts import texts

_USER = {"role": "user", "content": "hi"}


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({"role": "developer", "content": "be brief"}, Message("system", (Text("be brief"),))),
        ({"role": "user", "content": ""}, Message("user", ())),
        ({"role": "assistant", "content": None}, Message("assistant", ())),
        ({"role": "user", "content": ["bare", {"type": "text", "text": ""}]}, Message("user", (Text("bare"), Text("")))),
        ({"role": "tool", "tool_call_id": "a", "content": ""}, Message("tool", (Result("a", ""),))),
        ({"role": "function", "name": "f", "content": "x"}, Message("tool", (Result("function_call", "x", name="f"),))),
        ({"role": "assistant", "content": None, "function_call": {"name": "f"}}, Message("assistant", (Call("function_call", "f", ""),))),
        ({"role": "assistant", "refusal": "no", "content": None}, Message("assistant", (Text("no"),))),
        (
            {"role": "assistant", "content": "b", "reasoning_content": "a", "tool_calls": []},
            Message("assistant", (Thinking("a"), Text("b"))),
        ),
        ({"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]}, Message("assistant", (Text("no"),))),
        (
            {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "x"}, {"type": "text", "text": "y"}]},
            Message("tool", (Result("a", "x\ny"),)),
        ),
        ({"role": "assistant", "audio": {"id": "au_1"}, "content": None}, Message("assistant", (Opaque("audio", '{"id":"au_1"}'),))),
    ],
)
def test_each_form_of_a_message_is_read(raw: dict[str, Any], message: Message) -> None:
    """Roles, empty contents, legacy functions, refusals, reasoning and joined result blocks decode as the table says."""
    assert CODEC.decode(raw) == message


@pytest.mark.parametrize(
    ("call", "part"),
    [
        ({"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x": 1'}}, Call("a", "f", '{"x": 1')),
        ({"id": "a", "function": {"name": "f", "arguments": {"x": "é"}}}, Call("a", "f", '{"x": "é"}')),
        ({"id": "a", "function": {"name": "f"}}, Call("a", "f", "")),
        ({"id": None, "function": {"name": None, "arguments": None}}, Call("", "", "")),
        ({"id": "a", "type": "custom", "custom": {"name": "f", "input": "free text"}}, Call("a", "f", "free text", free=True)),
        ("odd", Opaque("tool_call", "odd")),
    ],
)
def test_each_form_of_a_call_is_read(call: Any, part: Any) -> None:
    """Arguments stay as written; objects are dumped; missing ones are empty; custom tools give their input."""
    assert CODEC.decode({"role": "assistant", "content": None, "tool_calls": [call]}).parts == (part,)


def test_reasoning_in_several_fields_is_one_part() -> None:
    """Fields that repeat the same reasoning are one `Thinking`, sealed by their signatures, and leave together."""
    raw = {
        "role": "assistant",
        "content": "done",
        "reasoning": "hm",
        "reasoning_details": [
            {"type": "reasoning.text", "text": "hm", "signature": "c2ln"},
            {"type": "reasoning.encrypted", "data": "ZGF0YQ"},
        ],
    }
    assert CODEC.decode(raw).parts == (Thinking("hm", "c2lnZGF0YQ"), Text("done"))
    assert CODEC.rewrite(raw, {0: None}) == {"role": "assistant", "content": "done"}
    hidden = {"role": "assistant", "content": "x", "reasoning_details": [{"type": "reasoning.encrypted", "data": "ZGF0YQ"}]}
    assert CODEC.decode(hidden).parts[0] == Thinking("", "ZGF0YQ", redacted=True)


@pytest.mark.parametrize(
    ("block", "media"),
    [
        ({"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}, ("audio", 3, "audio wav")),
        ({"type": "file", "file": {"filename": "p.pdf", "file_data": "data:application/pdf;base64,AAAA"}}, ("pdf", 3, "p.pdf")),
        ({"type": "file", "file": {"file_id": "file-1"}}, ("file", 0, "file-1")),
        ({"type": "image_url", "image_url": "https://example.org/a.png"}, ("image", 0, "https://example.org/a.png")),
        ({"type": "video_url", "video_url": {"url": "data:video/mp4;base64,AAAA"}}, ("video", 3, "video/mp4")),
    ],
)
def test_each_attachment_is_read(block: dict[str, Any], media: tuple[str, int, str]) -> None:
    """Audio, files and pictures decode to `Media` with kind, bytes and a label."""
    part = CODEC.decode({"role": "user", "content": [block]}).parts[0]
    assert isinstance(part, Media)
    assert (part.kind, part.size, part.label) == media


def _caller(*ids: str) -> dict[str, Any]:
    calls = [{"id": i, "type": "function", "function": {"name": "f", "arguments": "{}"}, "extra": 1} for i in ids]
    return {"role": "assistant", "content": "both", "tool_calls": calls, "annotations": []}


def test_calls_can_go_one_by_one() -> None:
    """A call left out leaves the others untouched; the last one takes the list with it, because an empty list is refused."""
    raw = _caller("a", "b")
    assert CODEC.rewrite(raw, {1: None}) == {**raw, "tool_calls": [raw["tool_calls"][1]]}
    assert CODEC.rewrite(raw, {1: None, 2: None}) == {"role": "assistant", "content": "both", "annotations": []}
    assert CODEC.rewrite(raw, {0: None}) == {**raw, "content": None}
    assert CODEC.rewrite(raw, {0: None, 1: None, 2: None}) is None


def test_a_call_gets_new_arguments_in_its_own_form() -> None:
    """Arguments are written as text where they were text and as an object where a local server had an object."""
    text = CODEC.rewrite(_caller("a"), {1: Call("a2", "f", '{"x": 1}')})
    assert text is not None
    assert text["tool_calls"] == [{"id": "a2", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}, "extra": 1}]
    held = {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": {}}}]}
    assert CODEC.rewrite(held, {0: Call("a", "f", '{"x": 1}')}) == {
        **held,
        "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": {"x": 1}}}],
    }


def test_a_cache_marker_moves_to_the_nearest_earlier_block() -> None:
    """The marker of a block that goes stands on the block before it, unless that one has its own."""
    marker = {"cache_control": {"type": "ephemeral"}}
    raw = {"role": "user", "content": [{"type": "text", "text": t, **m} for t, m in (("a", {}), ("b", {}), ("c", marker))]}
    assert CODEC.rewrite(raw, {2: None}) == {"role": "user", "content": [raw["content"][0], {"type": "text", "text": "b", **marker}]}
    assert CODEC.rewrite(raw, {1: None, 2: None}) == {"role": "user", "content": [{"type": "text", "text": "a", **marker}]}


@given(tool_messages("call_1"), texts)
def test_a_clipped_result_keeps_its_pictures(raw: dict[str, Any], text: str) -> None:
    """A result with another text keeps media, id and name; the text stands in one block."""
    (old,) = CODEC.decode(raw).parts
    assert isinstance(old, Result)
    new = Result(old.call_id, text, None, old.media, old.name)
    after = CODEC.rewrite(raw, {0: new})
    assert after is not None
    assert CODEC.decode(after).parts == (new,)


def test_results_are_one_message_each_and_untouched_ones_are_the_callers() -> None:
    """An unchanged result is the very object handed over, a changed one a copy, a synthetic one a new tool message."""
    first = {"role": "tool", "tool_call_id": "a", "content": "x", "extra": 1}
    second = {"role": "tool", "tool_call_id": "b", "content": "y"}
    made = CODEC.results([(first, 0, Result("a", "x")), (second, 0, Result("b", "cut")), (None, 0, Result("c", "never ran"))])
    assert made[0] is first
    assert made[1:] == [
        {"role": "tool", "tool_call_id": "b", "content": "cut"},
        {"role": "tool", "tool_call_id": "c", "content": "never ran"},
    ]
    assert second["content"] == "y"


@given(st.sampled_from(("system", "user", "assistant")), st.lists(texts, min_size=1, max_size=3))
def test_a_made_message_keeps_its_words(role: Any, said: list[str]) -> None:
    """Decoding what `encode` made gives the message back."""
    message = Message(role, tuple(map(Text, said)))
    assert CODEC.decode(CODEC.encode(message)) == message


def test_made_messages_have_the_smallest_form() -> None:
    """One text is a string; calls leave the content null; a result is one tool message, and two results are refused."""
    assert CODEC.encode(Message("user", (Text("go on"),), kind="continuation")) == {"role": "user", "content": "go on"}
    call = Message("assistant", (Thinking("hm"), Call("a", "f", "{}")))
    assert CODEC.decode(CODEC.encode(call)) == call
    assert CODEC.encode(Message("tool", (Result("a", "x", name="f"),))) == {"role": "tool", "tool_call_id": "a", "content": "x"}
    with pytest.raises(UnusableInput, match="2 results"):
        CODEC.encode(Message("user", (Result("a", "x"), Result("b", "y"))))


def test_instructions_lead() -> None:
    """Leading system and developer messages are counted; a system given apart leads the messages once."""
    lead = [{"role": "system", "content": "a"}, {"role": "developer", "content": "b"}]
    assert CODEC.split_system([*lead, _USER, lead[0]]) == 2
    assert CODEC.split_system([]) == 0
    assert CODEC.split_system(lead) == 2
    assert CODEC.body([_USER], system=None, tools=[{}]) == {"messages": [_USER]}
    once = CODEC.body([_USER], system="a", tools=None)
    assert once == {"messages": [lead[0], _USER]}
    assert CODEC.body(once["messages"], system="a", tools=None) == once


def test_a_joined_nudge_changes_a_copy_of_the_last_message() -> None:
    """The nudge stands at the end of the last user or tool message; after an assistant's it is a message of its own."""
    messages = [_USER]
    assert CODEC.join_nudge(messages, "[N]") == [{"role": "user", "content": "hi\n\n[N]"}]
    assert messages == [{"role": "user", "content": "hi"}]
    blocks = {"role": "user", "content": [{"type": "text", "text": "hi"}]}
    assert CODEC.join_nudge([blocks], "[N]")[0]["content"][1:] == [{"type": "text", "text": "[N]"}]
    said = {"role": "assistant", "content": "x"}
    assert CODEC.join_nudge([said], "[N]") == [said, {"role": "user", "content": "[N]"}]


def test_a_client_librarys_objects_are_read_by_their_dump() -> None:
    """A message object with ``model_dump`` decodes like its dictionary; one whose dump fails is an empty message."""

    class Reply:
        def model_dump(self, **_: Any) -> dict[str, Any]:
            return _caller("a")

    class Bad:
        def model_dump(self, **_: Any) -> dict[str, Any]:
            raise RuntimeError

    reply: Any = Reply()
    bad: Any = Bad()
    assert CODEC.decode(reply) == CODEC.decode(_caller("a"))
    assert CODEC.decode(bad) == Message("user", ())


def test_ids_and_cache_are_left_alone() -> None:
    """Any non-empty id is legal here, and no markers are placed."""
    assert CODEC.legal_id("a.b c") == "a.b c"
    assert CODEC.legal_id("") == "call"
    arguments = {"messages": [_USER]}
    assert CODEC.mark_cache(arguments, stable=1) is arguments


def test_a_deep_or_circular_block_is_only_data() -> None:
    """Nesting beyond any parser's depth and circular structures decode without an error."""
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    circle: dict[str, Any] = {"type": "odd"}
    circle["self"] = circle
    for odd in (deep, circle):
        assert len(CODEC.decode({"role": "user", "content": [odd, {"type": "text", "text": "x"}]}).parts) == 2
    assert json.loads('"x"') == "x"
    while deep:  # unwound by hand: freeing it in one go is the interpreter's own recursion
        deep = deep[0]
