"""The Anthropic codec."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.errors import UnusableInput
from sostenuto.formats.anthropic import CODEC
from sostenuto.messages import Call, Media, Message, Opaque, Result, Text, Thinking
from tests.strategies.histories import histories
from tests.strategies.texts import texts

_MARKER = {"cache_control": {"type": "ephemeral"}}
_THOUGHT = {"type": "thinking", "thinking": "long " * 4000, "signature": "c2ln"}


def _text(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": text, **more}


def _answer(call_id: str, content: Any = "ok", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


@pytest.mark.parametrize(
    ("block", "part"),
    [
        (_text("a"), Text("a")),
        ({"type": "thinking", "thinking": "a", "signature": "s"}, Thinking("a", "s")),
        ({"type": "redacted_thinking", "data": "d"}, Thinking("", "d", redacted=True)),
        ({"type": "tool_use", "id": "t", "name": "f", "input": {"x": "é"}}, Call("t", "f", '{"x": "é"}')),
        ({"type": "tool_use", "id": "t", "name": "f"}, Call("t", "f", "{}")),
        (_answer("t"), Result("t", "ok")),
        (_answer("t", is_error=True), Result("t", "ok", succeeded=False)),
        (_answer("t", is_error=False), Result("t", "ok", succeeded=True)),
        (_answer("t", [_text("a"), _text("b")]), Result("t", "a\nb")),
        ({"type": "tool_result", "tool_use_id": "t"}, Result("t", "")),
        (
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
            Opaque("server_tool_use", '{"type":"server_tool_use","id":"s","name":"web_search","input":{}}'),
        ),
        ({"type": "text"}, Opaque("text", '{"type":"text"}')),
        ("bare", Text("bare")),
        (7, Opaque("unknown", "7")),
    ],
)
def test_each_block_is_read(block: Any, part: Any) -> None:
    """Every kind of block decodes to the part of the contract, odd ones to `Opaque`."""
    assert CODEC.decode({"role": "assistant", "content": [block]}) == Message("assistant", (part,))


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ({"type": "base64", "media_type": "application/pdf", "data": "AAAA"}, "pdf"),
        ({"type": "url", "url": "https://example.org/p.pdf"}, "pdf"),
        ({"type": "file", "file_id": "file_1"}, "pdf"),
    ],
)
def test_documents_are_attachments(source: dict[str, Any], kind: str) -> None:
    """A document by bytes, address or file id is `Media` labelled by its title; one of plain text counts its words."""
    part = CODEC.decode({"role": "user", "content": [{"type": "document", "source": source, "title": "plan"}]}).parts[0]
    assert isinstance(part, Media)
    assert (part.kind, part.label) == (kind, "plan")
    words = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "every word"}}
    read = CODEC.decode({"role": "user", "content": [words]}).parts[0]
    assert isinstance(read, Opaque)
    assert "every word" in read.text


@pytest.mark.parametrize("content", ["", None, []])
def test_an_empty_content_has_no_parts(content: Any) -> None:
    """An empty string, list or nothing decodes to a message without parts, which an unchanged rewrite gives back."""
    raw = {"role": "user", "content": content}
    assert CODEC.decode(raw) == Message("user", ())
    assert CODEC.rewrite(raw, {}) == raw


def test_b113_signed_thinking_is_kept_whole_or_dropped_whole() -> None:
    """B113: a thinking block of 20,000 characters can be left out, survives other changes as the same object, and cannot be shortened."""
    raw = {"role": "assistant", "content": [_THOUGHT, _text("done")]}
    thinking = CODEC.decode(raw).parts[0]
    assert isinstance(thinking, Thinking)
    kept = CODEC.rewrite(raw, {1: Text("ok")})
    assert kept is not None
    assert kept["content"][0] is _THOUGHT
    assert CODEC.rewrite(raw, {0: None}) == {"role": "assistant", "content": [_text("done")]}
    with pytest.raises(UnusableInput, match="leave it out"):
        CODEC.rewrite(raw, {0: replace(thinking, text="short")})


def test_a_cache_marker_moves_past_thinking_to_an_earlier_block() -> None:
    """A marker goes to the nearest earlier block that may carry one, never onto thinking, and is lost where there is none."""
    raw = {"role": "assistant", "content": [_text("a"), _THOUGHT, _text("b", **_MARKER)]}
    assert CODEC.rewrite(raw, {2: None}) == {"role": "assistant", "content": [_text("a", **_MARKER), _THOUGHT]}
    first = {"role": "assistant", "content": [_text("a", **_MARKER), _text("b")]}
    assert CODEC.rewrite(first, {0: None}) == {"role": "assistant", "content": [_text("b")]}


def test_markers_stay_with_their_blocks_when_a_message_is_split() -> None:
    """`only` moves no marker, because the marked block lives on in the other half."""
    raw = {"role": "user", "content": [_answer("t"), _text("and now?", **_MARKER)]}
    assert CODEC.only(raw, {0}) == {"role": "user", "content": [_answer("t")]}
    assert CODEC.only(raw, {1}) == {"role": "user", "content": [_text("and now?", **_MARKER)]}
    assert CODEC.only(raw, ()) is None


def test_a_replaced_image_keeps_the_marker_of_its_block() -> None:
    """An image replaced by words leaves a text block with the same cache marker."""
    image = {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}, **_MARKER}
    assert CODEC.rewrite({"role": "user", "content": [image]}, {0: Text("[image]")}) == {
        "role": "user",
        "content": [_text("[image]", **_MARKER)],
    }


def test_a_result_changes_in_its_own_form() -> None:
    """Text, id and success change; a string stays a string, blocks stay blocks, markers and unknown fields stay."""
    plain = {"role": "user", "content": [_answer("t", "long", extra=1, **_MARKER)]}
    after = CODEC.rewrite(plain, {0: Result("t2", "cut", succeeded=False)})
    assert after == {"role": "user", "content": [_answer("t2", "cut", extra=1, is_error=True, **_MARKER)]}
    blocks = {"role": "user", "content": [_answer("t", [_text("a", **_MARKER), _text("b")])]}
    assert CODEC.rewrite(blocks, {0: Result("t", "cut")}) == {"role": "user", "content": [_answer("t", [_text("cut", **_MARKER)])]}


def test_call_arguments_become_the_input_object() -> None:
    """JSON objects become the input; other text is kept inside an object, because this wire takes objects only."""
    raw = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {"x": 1}, "caller": {"type": "direct"}}]}
    after = CODEC.rewrite(raw, {0: Call("u", "f", '{"x": 2}')})
    assert after == {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "u", "name": "f", "input": {"x": 2}, "caller": {"type": "direct"}}],
    }
    odd = CODEC.rewrite(raw, {0: Call("t", "f", "[1")})
    assert odd is not None
    assert odd["content"][0]["input"] == {"arguments": "[1"}


def test_results_are_one_message_of_copied_blocks() -> None:
    """Results from several messages and a synthetic one stand in one user message, in the order asked for."""
    first = {"role": "user", "content": [_answer("b", extra=1), _text("queued words", **_MARKER)]}
    second = {"role": "user", "content": [_answer("a", **_MARKER)]}
    kept = copy.deepcopy([first, second])
    made = CODEC.results([(second, 0, Result("a", "cut")), (first, 0, Result("b", "ok")), (None, 0, Result("c", "never ran", False))])
    assert made == [
        {"role": "user", "content": [_answer("a", "cut", **_MARKER), _answer("b", extra=1), _answer("c", "never ran", is_error=True)]}
    ]
    assert [first, second] == kept
    assert CODEC.results([]) == []


def test_results_that_are_a_whole_message_are_the_callers_object() -> None:
    """Unchanged results that are all of their message give that very message; changed ones keep its unknown fields."""
    raw = {"role": "user", "content": [_answer("a"), _answer("b")], "uuid": 7}
    whole = CODEC.results([(raw, 0, Result("a", "ok")), (raw, 1, Result("b", "ok"))])
    assert whole[0] is raw
    cut = CODEC.results([(raw, 0, Result("a", "cut")), (raw, 1, Result("b", "ok"))])
    assert cut == [{"role": "user", "content": [_answer("a", "cut"), _answer("b")], "uuid": 7}]


@given(st.sampled_from(("user", "assistant")), st.lists(texts, min_size=1, max_size=3))
def test_a_made_message_keeps_its_words(role: Any, said: list[str]) -> None:
    """Decoding what `encode` made gives the message back."""
    message = Message(role, tuple(map(Text, said)))
    assert CODEC.decode(CODEC.encode(message)) == message


def test_made_messages_have_the_smallest_form() -> None:
    """One text is a string; calls, results and signed thinking are blocks; unsigned thinking and blanks are left out."""
    assert CODEC.encode(Message("assistant", (Text("summary"),), kind="summary")) == {"role": "assistant", "content": "summary"}
    assert CODEC.encode(Message("tool", (Result("t", "x", False),))) == {"role": "user", "content": [_answer("t", "x", is_error=True)]}
    made = CODEC.encode(Message("assistant", (Thinking("no seal"), Thinking("a", "s"), Text(" "), Call("t", "f", ""))))
    assert [block["type"] for block in made["content"]] == ["thinking", "tool_use"]
    assert CODEC.encode(Message("system", (Text("rules"),)))["role"] == "user"


def test_the_body_has_the_system_that_was_given() -> None:
    """``system`` is an argument of its own, as the caller passed it, and only when given."""
    system = [_text("rules", **_MARKER)]
    messages = [{"role": "user", "content": "hi"}]
    assert CODEC.body(messages, system=system, tools=[{}]) == {"system": system, "messages": messages}
    assert CODEC.body(messages, system=None, tools=None) == {"messages": messages}
    assert CODEC.split_system(messages) == 0


def test_a_joined_nudge_is_the_last_block_of_a_copy() -> None:
    """The nudge follows results and words in the last user message, behind any cache marker."""
    raw = {"role": "user", "content": [_answer("t", **_MARKER)]}
    assert CODEC.join_nudge([raw], "[N]") == [{"role": "user", "content": [_answer("t", **_MARKER), _text("[N]")]}]
    assert len(raw["content"]) == 1
    assert CODEC.join_nudge([{"role": "user", "content": "hi"}], "[N]")[0]["content"] == [_text("hi"), _text("[N]")]
    said = {"role": "assistant", "content": "x"}
    assert CODEC.join_nudge([said], "[N]") == [said, {"role": "user", "content": "[N]"}]


@given(st.one_of(st.sampled_from(("toolu_01", "", "a.b", "a b", "é", "\ud83d")), st.text(max_size=20)))
def test_ids_become_legal_once_and_stay_apart(call_id: str) -> None:
    """A made id is legal and stays as it is; a legal one is unchanged."""
    legal = CODEC.legal_id(call_id)
    assert CODEC.legal_id(legal) == legal
    assert CODEC.legal_id(call_id + ".") != CODEC.legal_id(call_id + ":")


def _markers(held: Any) -> int:
    return repr(held).count("'cache_control': {")


@given(st.data())
def test_at_most_four_markers_and_nothing_else_changes(data: st.DataObject) -> None:
    """Markers are added up to four in all, before `stable` only, to a copy whose parts decode as before."""
    history = data.draw(histories(format="anthropic"))
    stable = data.draw(st.integers(0, len(history)))
    arguments = {"system": data.draw(st.sampled_from(("", "rules", [_text("rules")], None))), "messages": history, "max_tokens": 9}
    before = copy.deepcopy(arguments)
    after = CODEC.mark_cache(arguments, stable=stable)
    assert arguments == before
    assert _markers(before) <= _markers(after) <= max(4, _markers(before))
    assert after["messages"][stable:] == history[stable:]
    assert [CODEC.decode(raw) for raw in after["messages"]] == [CODEC.decode(raw) for raw in history]


def test_markers_stand_on_system_and_on_the_last_stable_message() -> None:
    """Without the caller's own, one marker ends the instructions and one ends the last message before `stable`."""
    messages = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": [_text("b"), _THOUGHT]},
        {"role": "user", "content": "[N]"},
    ]
    after = CODEC.mark_cache({"system": "rules", "messages": messages}, stable=2)
    assert after["system"] == [_text("rules", **_MARKER)]
    assert after["messages"] == [messages[0], {"role": "assistant", "content": [_text("b", **_MARKER), _THOUGHT]}, messages[2]]
