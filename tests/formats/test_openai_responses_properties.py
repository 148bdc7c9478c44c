"""Properties of the OpenAI Responses codec over any item and any history, and our judgement compared with an independent one."""

from __future__ import annotations

import copy
import importlib.util
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.errors import UnusableInput
from sostenuto.formats.detect import detect
from sostenuto.formats.openai_responses import CODEC, looks_like, server_side
from sostenuto.messages import Call, Media, Opaque, Part, Result, Text, Thinking
from tests.strategies.histories import histories
from tests.strategies.openai_responses import messages
from tests.strategies.texts import objects, texts

Raw = dict[str, Any]
History = list[Raw]

_KINDS = ("message", "reasoning", "function_call", "function_call_output", "shell_call_output", "computer_call_output", "item_reference")
_FIELDS = ("role", "content", "type", "text", "call_id", "id", "arguments", "action", "output", "outcome", "summary", "image_url", "result")
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(_FIELDS),
            inner | st.sampled_from((*_KINDS, "input_text", "output_text", "input_image", "refusal", "assistant", "user", "\ud83d")),
            max_size=5,
        )
    ),
    max_leaves=12,
)


@st.composite
def new_part(draw: Any, old: Part) -> Part | None:
    """A change that the wire can hold for `old`."""
    if isinstance(old, Thinking | Opaque) or draw(st.integers(0, 3)) == 0:
        return None
    if isinstance(old, Result):
        if any(media.kind == "image" and media.size for media in old.media) and not old.text:  # a screenshot takes no words
            return replace(old, call_id="other")
        return replace(old, text=draw(texts), call_id=draw(st.sampled_from((old.call_id, "other"))))
    if isinstance(old, Call):
        given_arguments = json.dumps(draw(objects), ensure_ascii=False)
        return replace(old, arguments=given_arguments, id=draw(st.sampled_from((old.id, "other"))))
    return Text(draw(texts))


@st.composite
def rewrites(draw: Any) -> tuple[Raw, dict[int, Part | None]]:
    """(item, changes of some of its parts)."""
    raw = draw(messages)
    parts = CODEC.decode(raw).parts
    chosen = draw(st.sets(st.integers(0, len(parts) - 1), max_size=3))
    return raw, {i: draw(new_part(parts[i])) for i in sorted(chosen)}


@given(messages)
def test_a_rewrite_without_changes_is_an_equal_copy(raw: Raw) -> None:
    """With no changes `rewrite` returns an equal item that is another object, and `only` with all parts does too."""
    copied = CODEC.rewrite(raw, {})
    assert copied == raw
    assert copied is not raw
    assert CODEC.only(raw, range(len(CODEC.decode(raw).parts))) == raw


@given(rewrites())
def test_exactly_the_named_parts_change(case: tuple[Raw, dict[int, Part | None]]) -> None:
    """The rewritten item decodes to the old parts with the named ones replaced or left out; None when nothing remains."""
    raw, changes = case
    before = copy.deepcopy(raw)
    old = CODEC.decode(raw)
    after = CODEC.rewrite(raw, changes)
    expected = tuple(part for part in (changes.get(i, part) for i, part in enumerate(old.parts)) if part is not None)
    assert raw == before, "the caller's item was changed"
    if not expected:
        assert after is None
        return
    assert after is not None
    assert CODEC.decode(after).parts == expected
    assert CODEC.decode(after).role == old.role
    assert after.get("id") == raw.get("id")
    assert after.get("type") == raw.get("type")


@given(rewrites())
def test_what_no_change_names_stays_the_same_object(case: tuple[Raw, dict[int, Part | None]]) -> None:
    """Fields outside the parts, and blocks that were not named, are the caller's objects."""
    raw, changes = case
    after = CODEC.rewrite(raw, changes)
    if after is None:
        return
    for field, value in raw.items():
        if field not in ("content", "call_id", "arguments", "input", "action", "operation", "output", "status"):
            assert after[field] is value
    if isinstance(raw.get("content"), list) and "role" in raw:
        stay = [i for i in range(len(raw["content"])) if changes.get(i, "") is not None]
        for i, block in zip(stay, after["content"], strict=True):
            assert i in changes or block is raw["content"][i]


@given(messages, st.data())
def test_the_halves_of_an_item_are_its_parts_once(raw: Raw, data: st.DataObject) -> None:
    """Splitting an item with `only` gives each part to exactly one half."""
    parts = CODEC.decode(raw).parts
    mine = data.draw(st.sets(st.integers(0, len(parts) - 1)))
    halves = [CODEC.only(raw, mine), CODEC.only(raw, set(range(len(parts))) - mine)]
    found = [part for half in halves if half is not None for part in CODEC.decode(half).parts]
    assert sorted(map(repr, found)) == sorted(map(repr, parts))


@given(histories(format="openai_responses"))
def test_a_history_is_itself_again(history: History) -> None:
    """Invariant 9: every item of a sound history is itself without changes, is recognised, and its outputs are the caller's objects."""
    for raw in history:
        message = CODEC.decode(raw)
        assert CODEC.rewrite(raw, {}) == raw
        if message.role == "tool":
            result = message.parts[0]
            assert isinstance(result, Result)
            assert CODEC.results([(raw, 0, result)])[0] is raw
    assert detect(history, None) in ("openai_responses", "openai_chat", None)
    assert any("type" in raw for raw in history) <= (detect(history, None) in ("openai_responses", None))


@given(histories(format="openai_responses", broken=True))
def test_broken_histories_decode_and_rewrite_to_themselves(history: History) -> None:
    """Every item of a broken history decodes, and is itself again without changes."""
    for raw in history:
        CODEC.decode(raw)
        assert CODEC.rewrite(raw, {}) == raw


@given(anything)
def test_decoding_never_raises(odd: Any) -> None:
    """Whatever is handed over is data: decoding, removing every part and all questions about it raise nothing."""
    count = len(CODEC.decode(odd).parts)
    CODEC.call(odd)
    CODEC.without_id(odd)
    CODEC.tool_texts(odd)
    CODEC.system_texts(odd)
    CODEC.split_system([odd])
    CODEC.join_nudge([odd], "n")
    looks_like([odd], None)
    assert isinstance(CODEC.problems({"input": [odd, odd]}), list)
    assert CODEC.problems({"input": odd}) == [] or isinstance(odd, list)
    CODEC.results([(odd, 0, Result("a", "x\ud83d", succeeded=False))])
    if isinstance(odd, dict):
        server_side(odd)
        assert CODEC.rewrite(odd, dict.fromkeys(range(count))) is None or count == 0
        for i in range(count):
            CODEC.only(odd, {i})


@given(anything, st.sampled_from(("function_call_output", "shell_call_output", "apply_patch_call_output", "local_shell_call_output")))
def test_any_output_takes_another_text(odd: Any, kind: str) -> None:
    """However odd an output is, clearing its result gives an output of the same kind that reads as the new text."""
    raw = {"type": kind, "call_id": "a", "output": odd}
    old = CODEC.decode(raw).parts[0]
    assert isinstance(old, Result)
    after = CODEC.rewrite(raw, {0: replace(old, text="[cleared]", media=())})
    assert after is not None
    assert after["type"] == kind
    new = CODEC.decode(after).parts[0]
    assert isinstance(new, Result)
    assert (new.call_id, new.text, new.media) == ("a", "[cleared]", ())


def test_a_change_the_wire_cannot_hold_is_one_clear_error() -> None:
    """A missing part, another class of part, and altered reasoning are refused with the value and the remedy."""
    raw = {"role": "user", "content": [{"type": "input_text", "text": "a"}]}
    with pytest.raises(UnusableInput, match="part 3 does not exist in a message of 1"):
        CODEC.rewrite(raw, {3: None})
    with pytest.raises(UnusableInput, match="a Text cannot become a Call"):
        CODEC.rewrite(raw, {0: Call("1", "bash", "{}")})
    with pytest.raises(UnusableInput, match="a Thinking cannot become a Thinking"):
        CODEC.rewrite({"type": "reasoning", "summary": []}, {0: Thinking("other")})


def test_b195_a_cut_through_an_emoji_is_sent_well_formed() -> None:
    """B195: a text cut between the halves of a surrogate pair leaves as text that UTF-8 can hold, in words, results and calls."""
    assert CODEC.rewrite({"role": "user", "content": "long"}, {0: Text("cut \ud83d")}) == {"role": "user", "content": "cut \ufffd"}
    assert CODEC.encode(CODEC.decode({"role": "user", "content": "\ud83d\ude00"})) == {"role": "user", "content": "😀"}
    output = {"type": "function_call_output", "call_id": "a", "output": "long"}
    assert CODEC.results([(output, 0, Result("a", "\ud83d"))])[0]["output"] == "\ufffd"
    call = {"type": "custom_tool_call", "call_id": "a", "name": "f", "input": "long"}
    after = CODEC.rewrite(call, {0: Call("a", "f", "\ud83d", free=True)})
    assert after is not None
    assert after["input"] == "\ufffd"


def test_a_blank_text_counts_as_left_out() -> None:
    """Replacing one of two texts by a blank one leaves it out, and the only one takes the item with it."""
    raw = {"role": "user", "content": [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}]}
    assert CODEC.rewrite(raw, {0: Text(" \n")}) == {"role": "user", "content": [{"type": "input_text", "text": "b"}]}
    assert CODEC.rewrite({"role": "user", "content": "a"}, {0: Text("")}) is None


def test_a_huge_plain_text_is_not_copied() -> None:
    """The text of a plain item is the caller's own string object."""
    text = "x" * 1_000_000
    part = CODEC.decode({"role": "user", "content": text}).parts[0]
    assert isinstance(part, Text)
    assert part.text is text


# Validity


@pytest.fixture(scope="session")
def independent(shared: Path) -> Callable[[Any], list[str]]:
    """The validator that lives outside this project."""
    file = shared / "checks" / "validate.py"
    spec = importlib.util.spec_from_file_location("independent_validate", file) if file.is_file() else None
    if spec is None or spec.loader is None:
        pytest.skip(f"no independent validator: {file} is not a file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[[Any], list[str]] = module.openai_responses
    return found


@given(histories(format="openai_responses"))
def test_sound_histories_have_no_problems(history: History) -> None:
    """A well-formed history is valid for its wire."""
    assert CODEC.problems({"input": history}) == []


@given(data=st.data())
def test_what_an_independent_validator_refuses_we_refuse(data: st.DataObject, independent: Callable[[Any], list[str]]) -> None:
    """On sound and broken histories ours finds a problem wherever the independent one does."""
    history = data.draw(histories(format="openai_responses", broken=data.draw(st.booleans()), open_end=True))
    if independent({"input": history}):
        assert CODEC.problems({"input": history})


_ASKED: Raw = {"role": "user", "content": "go"}
_CALL: Raw = {"type": "function_call", "call_id": "c1", "name": "bash", "arguments": "{}"}
_DONE: Raw = {"type": "function_call_output", "call_id": "c1", "output": "ok"}
_THOUGHT: Raw = {"type": "reasoning", "id": "rs_1", "summary": []}


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ([_ASKED, _CALL], "have no output"),
        ([_ASKED, _DONE], "no open call"),
        ([_ASKED, _DONE, _CALL], "no open call"),
        ([_ASKED, _CALL, _DONE, _DONE], "no open call"),
        ([_ASKED, _CALL, _DONE, _CALL, _DONE], "uses the call id 'c1' again"),
        ([_ASKED, {**_CALL, "call_id": ""}, {**_DONE, "call_id": ""}], "0 characters"),
        ([_ASKED, {**_CALL, "call_id": "x" * 65}, {**_DONE, "call_id": "x" * 65}], "65 characters"),
        ([_ASKED, {**_CALL, "type": "custom_tool_call"}, _DONE], "wants a custom_tool_call_output"),
        ([_ASKED, _THOUGHT], "not followed by its item"),
        ([_ASKED, _THOUGHT, _ASKED], "not followed by its item"),
        ([_ASKED, _CALL, _THOUGHT, _DONE], "not followed by its item"),
        ([{"role": "robot", "content": "x"}], "unknown role"),
        ([None], "no object"),
    ],
)
def test_problems_are_named(items: list[Any], words: str) -> None:
    """Each fault of the Responses row in D57 is found and named with its place."""
    found = CODEC.problems({"input": items})
    assert any(words in problem for problem in found), found


@pytest.mark.parametrize(
    "arguments",
    [
        {"input": "just words"},
        {"input": [_DONE], "previous_response_id": "resp_1"},
        {"input": [_DONE], "conversation": "conv_1"},
        {"input": [_ASKED, {"type": "item_reference", "id": "fc_1"}, _DONE]},
        {"input": [_ASKED, _THOUGHT, _CALL, _DONE]},
        {"input": [_ASKED, {**_CALL, "type": "local_shell_call"}, {**_DONE}]},
        {"input": [_ASKED, {**_CALL, "type": "local_shell_call"}, {"type": "local_shell_call_output", "id": "c1", "output": "x"}]},
    ],
)
def test_what_the_endpoint_takes_has_no_problems(arguments: dict[str, Any]) -> None:
    """Plain words, outputs of calls the server holds, reasoning with its item, and both outputs of a local shell are valid."""
    assert CODEC.problems(arguments) == []


# Recorded


def _recorded(folder: Path) -> Iterator[Raw]:
    yaml = pytest.importorskip("yaml", reason="the cassettes are YAML; install pyyaml to read them")
    for file in sorted((folder / "transcripts" / "pydantic-ai-cassettes").glob("*.yaml")):
        for exchange in yaml.safe_load(file.read_text(encoding="utf-8"))["interactions"]:
            body, reply = exchange["request"].get("parsed_body"), exchange["response"].get("parsed_body")
            if isinstance(body, dict) and isinstance(body.get("input"), list):
                assert CODEC.problems(body) == []
                yield from body["input"]
                yield from (reply or {}).get("output") or ()


def test_every_recorded_item_decodes(shared: Path) -> None:
    """Each item of the recorded exchanges is a part of its own class, a copy without changes is equal, and each request is valid."""
    classes = {"reasoning": Thinking, "function_call": Call, "function_call_output": Result, None: Text, "message": Text}
    seen = 0
    for raw in _recorded(shared):
        parts = CODEC.decode(raw).parts
        assert {type(part) for part in parts} == {classes.get(raw.get("type"), Opaque)}
        assert not any(isinstance(part, Media) for part in parts)
        assert CODEC.rewrite(raw, {}) == raw
        seen += 1
    assert seen > 50
