"""Properties of reading and rewriting Gemini contents."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.errors import UnusableInput
from sostenuto.formats import gemini
from sostenuto.formats.detect import detect
from sostenuto.formats.gemini import CODEC
from sostenuto.messages import Call, Opaque, Part, Result, Text, Thinking, fingerprint
from tests.strategies.gemini import messages, snake
from tests.strategies.histories import histories
from tests.strategies.texts import objects, odd_texts, texts

Raw = dict[str, Any]
_NAMES = (
    *("role", "parts", "text", "thought", "thoughtSignature", "thought_signature", "functionCall", "function_call", "name", "args", "id"),
    *("functionResponse", "response", "inlineData", "inline_data", "data", "mimeType", "fileData", "fileUri", "functionDeclarations"),
)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary(max_size=4) | odd_texts,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_NAMES), inner | st.sampled_from(("model", "image/png")), max_size=4)
    ),
    max_leaves=12,
)
contents = st.one_of(anything, anything.map(lambda held: {"role": "model", "parts": held}), anything.map(lambda held: {"parts": [held]}))


@st.composite
def new_part(draw: Any, old: Part) -> Part | None:
    """A change that the wire can hold for `old`."""
    if isinstance(old, Thinking | Opaque) or draw(st.integers(0, 3)) == 0:
        return None
    if isinstance(old, Result):
        call_id = draw(st.sampled_from((old.call_id, "other", "")))
        return replace(old, text=draw(texts), call_id=call_id, succeeded=draw(st.sampled_from((False, None))), media=old.media[1:])
    if isinstance(old, Call):
        given_arguments = json.dumps(draw(objects), ensure_ascii=False)
        return replace(old, arguments=given_arguments, id=draw(st.sampled_from((old.id, "other", ""))))
    return Text(draw(texts))


@st.composite
def rewrites(draw: Any) -> tuple[Raw, dict[int, Part | None]]:
    """(content, changes of some of its parts)."""
    raw = draw(messages)
    parts = CODEC.decode(raw).parts
    chosen = draw(st.sets(st.integers(0, len(parts) - 1), max_size=3))
    return raw, {i: draw(new_part(parts[i])) for i in sorted(chosen)}


@given(messages)
def test_a_rewrite_without_changes_is_an_equal_copy(raw: Raw) -> None:
    """With no changes, or changes to what already stands there, `rewrite` returns an equal content; `only` with all parts does too."""
    parts = CODEC.decode(raw).parts
    copied = CODEC.rewrite(raw, {})
    assert copied == raw
    assert copied is not raw
    assert CODEC.rewrite(raw, dict(enumerate(parts))) == raw
    assert CODEC.only(raw, range(len(parts))) == raw


@given(rewrites())
def test_exactly_the_named_parts_change(case: tuple[Raw, dict[int, Part | None]]) -> None:
    """The rewritten content decodes to the old parts with the named ones replaced or left out; None when nothing remains."""
    raw, changes = case
    before = copy.deepcopy(raw)
    old = CODEC.decode(raw)
    after = CODEC.rewrite(raw, changes)
    expected = tuple(part for part in (changes.get(i, part) for i, part in enumerate(old.parts)) if part is not None)
    assert raw == before, "the caller's content was changed"
    if not expected:
        assert after is None
        return
    assert after is not None
    assert CODEC.decode(after) == replace(old, parts=expected)
    for field, value in raw.items():
        assert field == "parts" or after[field] is value
    stay = [i for i in range(len(old.parts)) if changes.get(i, "") is not None]
    for i, part in zip(stay, after["parts"], strict=True):
        if i not in changes and "skip_thought_signature_validator" not in part.values():
            assert part is raw["parts"][i]


@given(rewrites())
def test_a_rewritten_content_has_the_spelling_it_had(case: tuple[Raw, dict[int, Part | None]]) -> None:
    """Rewriting in camelCase and then spelling it in snake_case is the same as the other way round."""
    raw, changes = case
    if snake(raw) != raw:
        assert CODEC.rewrite(snake(raw), changes) == snake(CODEC.rewrite(raw, changes))


@given(messages, st.data())
def test_the_halves_of_a_content_are_its_parts_once(raw: Raw, data: st.DataObject) -> None:
    """Splitting a content with `only` gives each part to exactly one half."""
    parts = CODEC.decode(raw).parts
    mine = data.draw(st.sets(st.integers(0, len(parts) - 1)))
    halves = [CODEC.only(raw, mine), CODEC.only(raw, set(range(len(parts))) - mine)]
    found = [part for half in halves if half is not None for part in CODEC.decode(half).parts]
    assert sorted(map(repr, found)) == sorted(map(repr, parts))


@given(contents)
def test_decoding_never_raises(odd: Any) -> None:
    """Whatever is handed over is data: decoding, removing every part and all questions about it raise nothing."""
    count = len(CODEC.decode(odd).parts)
    fingerprint(CODEC.decode(odd))
    CODEC.call(odd)
    CODEC.tool_texts(odd)
    CODEC.system_texts(odd)
    gemini.looks_like([odd], None)
    detect([odd], odd)
    assert isinstance(CODEC.problems({"contents": [odd, odd]}), list)
    assert isinstance(CODEC.problems({"contents": odd}), list)
    assert CODEC.split_system([odd]) in (0, 1)
    CODEC.join_nudge([odd], "n")
    CODEC.results([(odd, 0, Result("", "x", name="f"))])
    for i in range(count):
        CODEC.only(odd, {i})
    assert CODEC.rewrite(odd, dict.fromkeys(range(count))) is None or count == 0


@given(st.data())
def test_broken_histories_decode_and_rewrite_to_themselves(data: st.DataObject) -> None:
    """Every content of a broken history decodes, and is itself again without changes."""
    for raw in data.draw(histories(format="gemini", broken=True)):
        CODEC.decode(raw)
        assert CODEC.rewrite(raw, {}) == raw


@given(messages)
def test_a_content_is_known_in_either_spelling_and_without_signatures(raw: Raw) -> None:
    """D46: the parts we act on have one fingerprint in both spellings, and signatures take no part in it."""
    bare = {**raw, "parts": [{name: held for name, held in part.items() if "ignature" not in name} for part in raw["parts"]]}
    if any(part.get("text") == "" for part in raw["parts"]):
        return
    assert fingerprint(CODEC.decode(bare)) == fingerprint(CODEC.decode(raw))
    if not any(isinstance(part, Opaque) for part in CODEC.decode(raw).parts):
        assert fingerprint(CODEC.decode(snake(raw))) == fingerprint(CODEC.decode(raw))


def test_a_change_the_wire_cannot_hold_is_one_clear_error() -> None:
    """A missing part and another class of part are refused with the value and the remedy."""
    raw = {"role": "user", "parts": [{"text": "a"}]}
    with pytest.raises(UnusableInput, match="part 3 does not exist in a message of 1"):
        CODEC.rewrite(raw, {3: None})
    with pytest.raises(UnusableInput, match="a Text cannot become a Call"):
        CODEC.rewrite(raw, {0: Call("1", "bash", "{}")})


def test_b195_a_cut_through_an_emoji_is_sent_well_formed() -> None:
    """B195: a text cut between the halves of a surrogate pair leaves as text that UTF-8 can hold, in words, calls and results."""
    raw = {"role": "user", "parts": [{"text": "long 😀"}, {"functionResponse": {"name": "f", "response": {"output": "x"}}}]}
    cut = CODEC.rewrite(raw, {0: Text("long \ud83d"), 1: Result("", "\ud83d\ude00", name="f")})
    assert cut == {"role": "user", "parts": [{"text": "long \ufffd"}, {"functionResponse": {"name": "f", "response": {"output": "😀"}}}]}
    made = CODEC.results([(raw, 1, Result("", "a\ud83d", name="f")), (None, 0, Result("", "b\ude00", name="g"))])
    json.dumps(made, ensure_ascii=False).encode()


def test_b143_a_part_of_a_kind_we_do_not_know_keeps_kind_and_content() -> None:
    """B143: an unknown part decodes to an `Opaque` that names its kind, so that a rule can protect it, and is sent untouched."""
    part = {"futureMemory": {"always": "test first"}, "thoughtSignature": "s"}
    raw = {"role": "model", "parts": [{"text": "a"}, part]}
    assert CODEC.decode(raw).parts[1] == Opaque("futureMemory", '{"futureMemory":{"always":"test first"}}')
    kept = CODEC.rewrite(raw, {0: Text("b")})
    assert kept is not None
    assert kept["parts"][1] is part


def test_a_huge_text_is_not_copied() -> None:
    """The text of a part and of a response is the caller's own string object."""
    text = "x" * 1_000_000
    said, answered = CODEC.decode({"parts": [{"text": text}, {"functionResponse": {"name": "f", "response": {"output": text}}}]}).parts
    assert isinstance(said, Text)
    assert isinstance(answered, Result)
    assert said.text is text
    assert answered.text is text


@pytest.mark.parametrize("role", ["function", "tool"])
def test_words_left_of_a_content_of_responses_are_the_users(role: str) -> None:
    """A content of the older role for responses that loses them all is the user's: first in a request another role is refused."""
    raw = {"role": role, "parts": [{"functionResponse": {"name": "f", "response": {}}}, {"text": "and then"}]}
    assert CODEC.only(raw, {1}) == {"role": "user", "parts": [{"text": "and then"}]}
    assert CODEC.only(raw, {0, 1}) == raw
