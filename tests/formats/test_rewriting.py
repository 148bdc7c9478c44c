"""Properties of reading and rewriting that hold for both wires."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.errors import UnusableInput
from sostenuto.formats import anthropic, openai_chat
from sostenuto.messages import Call, Media, Opaque, Part, Result, Text, Thinking
from tests.strategies import anthropic as anthropic_wire
from tests.strategies import openai_chat as openai_chat_wire
from tests.strategies.histories import histories
from tests.strategies.texts import objects, texts

CODECS: dict[str, Any] = {"openai_chat": openai_chat.CODEC, "anthropic": anthropic.CODEC}
Raw = dict[str, Any]
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(("role", "content", "type", "text", "tool_calls", "function", "source", "data", "image_url", "input", "audio")),
            inner
            | st.sampled_from(("text", "tool_use", "tool_result", "image", "image_url", "thinking", "assistant", "tool", "base64", "file")),
            max_size=4,
        )
    ),
    max_leaves=12,
)
each_wire = st.one_of(
    st.tuples(st.just("openai_chat"), openai_chat_wire.messages), st.tuples(st.just("anthropic"), anthropic_wire.messages)
)


@st.composite
def new_part(draw: Any, old: Part, *, name: str) -> Part | None:
    """A change that the wire can hold for `old`."""
    if isinstance(old, Thinking | Opaque) or draw(st.integers(0, 3)) == 0:
        return None
    if isinstance(old, Result):
        succeeded = draw(st.sampled_from((True, False, None))) if name == "anthropic" else None
        return replace(old, text=draw(texts), call_id=draw(st.sampled_from((old.call_id, "other"))), succeeded=succeeded)
    if isinstance(old, Call):
        given_arguments = json.dumps(draw(objects), ensure_ascii=False)
        return replace(old, arguments=given_arguments, id=draw(st.sampled_from((old.id, "other"))))
    return Text(draw(texts))


@st.composite
def rewrites(draw: Any) -> tuple[str, Raw, dict[int, Part | None]]:
    """(format, message, changes of some of its parts)."""
    name, raw = draw(each_wire)
    parts = CODECS[name].decode(raw).parts
    chosen = draw(st.sets(st.integers(0, len(parts) - 1), max_size=3))
    return name, raw, {i: draw(new_part(parts[i], name=name)) for i in sorted(chosen)}


@given(each_wire)
def test_a_rewrite_without_changes_is_an_equal_copy(case: tuple[str, Raw]) -> None:
    """With no changes `rewrite` returns an equal message that is another object, and `only` with all parts does too."""
    name, raw = case
    codec = CODECS[name]
    copied = codec.rewrite(raw, {})
    assert copied == raw
    assert copied is not raw
    assert codec.only(raw, range(len(codec.decode(raw).parts))) == raw


@given(rewrites())
def test_exactly_the_named_parts_change(case: tuple[str, Raw, dict[int, Part | None]]) -> None:
    """The rewritten message decodes to the old parts with the named ones replaced or left out; None when nothing remains."""
    name, raw, changes = case
    codec = CODECS[name]
    before = copy.deepcopy(raw)
    old = codec.decode(raw)
    after = codec.rewrite(raw, changes)
    wanted = [changes.get(i, part) for i, part in enumerate(old.parts)]
    expected = tuple(part for part in wanted if part is not None)
    assert raw == before, "the caller's message was changed"
    if not expected:
        assert after is None
    else:
        assert codec.decode(after).parts == expected
        assert codec.decode(after).role == old.role


@given(rewrites())
def test_what_no_change_names_stays_the_same_object(case: tuple[str, Raw, dict[int, Part | None]]) -> None:
    """Fields of the message outside its parts, and blocks that were not named and received no marker, are the caller's objects."""
    name, raw, changes = case
    after = CODECS[name].rewrite(raw, changes)
    if after is None:
        return
    for field, value in raw.items():
        if field not in ("content", "tool_calls", "refusal", "name", "tool_call_id", "reasoning", "reasoning_content", "reasoning_details"):
            assert after[field] is value
    if name == "anthropic" and isinstance(raw["content"], list):
        stay = [i for i in range(len(raw["content"])) if changes.get(i, "") is not None]
        for i, block in zip(stay, after["content"], strict=True):
            if i not in changes:
                assert {**block, "cache_control": 0} == {**raw["content"][i], "cache_control": 0}


@given(each_wire, st.data())
def test_the_halves_of_a_message_are_its_parts_once(case: tuple[str, Raw], data: st.DataObject) -> None:
    """Splitting a message with `only` gives each part to exactly one half."""
    name, raw = case
    codec = CODECS[name]
    parts = codec.decode(raw).parts
    mine = data.draw(st.sets(st.integers(0, len(parts) - 1)))
    halves = [codec.only(raw, mine), codec.only(raw, set(range(len(parts))) - mine)]
    found = [part for half in halves if half is not None for part in codec.decode(half).parts]
    assert sorted(map(repr, found)) == sorted(map(repr, parts))


@given(each_wire)
def test_markers_are_never_multiplied_by_splitting(case: tuple[str, Raw]) -> None:
    """Taking every part into a message of its own leaves as many cache markers as the message had."""
    name, raw = case
    codec = CODECS[name]
    singles = [codec.only(raw, {i}) for i in range(len(codec.decode(raw).parts))]
    if name == "anthropic":
        assert repr(singles).count("cache_control") == repr(raw).count("cache_control")


@given(st.sampled_from(sorted(CODECS)), anything)
def test_decoding_never_raises(name: str, odd: Any) -> None:
    """Whatever is handed over is data: decoding, removing every part and all questions about it raise nothing."""
    codec = CODECS[name]
    count = len(codec.decode(odd).parts)
    if isinstance(odd, dict):
        assert codec.rewrite(odd, dict.fromkeys(range(count))) is None or count == 0
        assert isinstance(codec.problems({"messages": [odd, odd], "thinking": {"type": "enabled"}}), list)
        codec.mark_cache({"messages": [odd], "system": odd.get("content")}, stable=1)
        codec.join_nudge([odd], "n")
        codec.system_texts(odd)
        codec.tool_texts(odd)
        openai_chat.looks_like([odd], None)
        anthropic.looks_like([odd], None)
        for i in range(count):
            codec.only(odd, {i})


@given(st.sampled_from(sorted(CODECS)), st.data())
def test_broken_histories_decode_and_rewrite_to_themselves(name: str, data: st.DataObject) -> None:
    """Every message of a broken history decodes, and is itself again without changes."""
    for raw in data.draw(histories(format=name, broken=True)):
        CODECS[name].decode(raw)
        assert CODECS[name].rewrite(raw, {}) == raw


@pytest.mark.parametrize("name", sorted(CODECS))
def test_a_change_the_wire_cannot_hold_is_one_clear_error(name: str) -> None:
    """A missing part, another class of part, and altered thinking are refused with the value and the remedy."""
    codec = CODECS[name]
    raw = {"role": "user", "content": [{"type": "text", "text": "a"}]}
    with pytest.raises(UnusableInput, match="part 3 does not exist in a message of 1"):
        codec.rewrite(raw, {3: None})
    with pytest.raises(UnusableInput, match="a Text cannot become a Call"):
        codec.rewrite(raw, {0: Call("1", "bash", "{}")})


@pytest.mark.parametrize("name", sorted(CODECS))
def test_a_blank_text_counts_as_left_out(name: str) -> None:
    """Replacing one of two texts by a blank one leaves it out, because a blank text is refused (D57)."""
    raw = {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}
    assert CODECS[name].rewrite(raw, {0: Text(" \n")})["content"] == [{"type": "text", "text": "b"}]
    assert CODECS[name].rewrite({"role": "user", "content": "a"}, {0: Text("")}) is None


@pytest.mark.parametrize("name", sorted(CODECS))
def test_b195_a_cut_through_an_emoji_is_sent_well_formed(name: str) -> None:
    """B195: a text cut between the halves of a surrogate pair leaves as text that UTF-8 can hold, and a split pair is joined."""
    codec = CODECS[name]
    cut = codec.rewrite({"role": "user", "content": "long text 😀"}, {0: Text("long text \ud83d")})
    assert cut["content"].encode() == "long text \ufffd".encode()
    joined = codec.rewrite({"role": "user", "content": "x"}, {0: Text("\ud83d\ude00")})
    assert joined["content"] == "😀"


@pytest.mark.parametrize("name", sorted(CODECS))
def test_b143_a_block_of_a_kind_we_do_not_know_keeps_kind_and_content(name: str) -> None:
    """B143: an unknown block decodes to an `Opaque` that names its kind, so that a rule can protect it, and is sent untouched."""
    block = {"type": "memory", "path": "/rules.md", "body": {"always": "test first"}}
    raw = {"role": "user", "content": [{"type": "text", "text": "a"}, block]}
    part = CODECS[name].decode(raw).parts[1]
    assert part == Opaque("memory", '{"type":"memory","path":"/rules.md","body":{"always":"test first"}}')
    assert CODECS[name].rewrite(raw, {0: Text("b")})["content"][1] is block


@pytest.mark.parametrize("name", sorted(CODECS))
def test_library_35_every_tool_schema_and_instruction_is_a_text_to_count(name: str) -> None:
    """Library case 35: forty tools of 1 KB give forty texts of at least 1,000 characters, and the instructions give theirs."""
    codec = CODECS[name]
    tools = [{"type": "function", "function": {"name": f"t{i}", "description": "d" * 1000}} for i in range(40)]
    assert [len(text) >= 1000 for text in codec.tool_texts(tools)] == [True] * 40
    assert codec.system_texts("Be brief.") == ["Be brief."]
    assert codec.system_texts([{"type": "text", "text": "Be"}, {"type": "text", "text": "brief."}]) == ["Be", "brief."]
    assert codec.tool_texts(None) == codec.system_texts(None) == []


def test_library_37_calls_and_thinking_have_their_whole_text() -> None:
    """Library case 37: a call with 200-word arguments and a thinking block decode to parts that hold every word."""
    words = " ".join(f"word{i}" for i in range(200))
    thought = {"type": "thinking", "thinking": words, "signature": "c2ln"}
    native: Raw = {"role": "assistant", "content": [thought, {"type": "tool_use", "id": "t", "name": "write", "input": {"text": words}}]}
    chat: Raw = {"role": "assistant", "content": None, "reasoning_content": words}
    chat["tool_calls"] = [{"id": "t", "type": "function", "function": {"name": "write", "arguments": json.dumps({"text": words})}}]
    for codec, raw in ((anthropic.CODEC, native), (openai_chat.CODEC, chat)):
        thinking, call = codec.decode(raw).parts
        assert isinstance(thinking, Thinking)
        assert isinstance(call, Call)
        assert thinking.text == words
        assert words in call.arguments


@pytest.mark.parametrize("name", sorted(CODECS))
def test_a_huge_plain_text_is_not_copied(name: str) -> None:
    """The text of a plain message is the caller's own string object."""
    text = "x" * 1_000_000
    part = CODECS[name].decode({"role": "user", "content": text}).parts[0]
    assert part.text is text


def test_the_same_picture_has_one_digest_on_both_wires() -> None:
    """An image is the same `Media` whether a chat data URL or an Anthropic source carries it."""
    chat = openai_chat.CODEC.decode(
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}]}
    )
    source = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
    native = anthropic.CODEC.decode({"role": "user", "content": [{"type": "image", "source": source}]})
    assert chat.parts == native.parts
    assert isinstance(chat.parts[0], Media)
    assert chat.parts[0].size == 8
