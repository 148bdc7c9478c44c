"""Pieces of native messages in both wire formats, and of things that are none."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.replaying._pieces import file_paths, items, pieces, texts, user_texts

JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["role", "content", "type", "text", "tool_calls"]), inner),
    max_leaves=12,
)


@given(JUNK)
def test_odd_content_never_raises(message: Any) -> None:
    """Whatever stands where a message should be, its pieces can be listed."""
    assert isinstance(texts(message), str)
    assert isinstance(file_paths([message]), tuple)


def test_both_wires_give_the_same_words() -> None:
    """A call and its result read the same from OpenAI chat and from Anthropic messages."""
    openai = [
        {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "Read", "arguments": '{"path": "a/b"}'}}]},
        {"role": "tool", "tool_call_id": "1", "content": "words"},
    ]
    anthropic = [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "Read", "input": {"path": "a/b"}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "words"}]}]},
    ]
    for messages in (openai, anthropic):
        assert [(p.role, p.kind, p.text) for m in messages for p in pieces(m)] == [
            ("assistant", "call", '{"path": "a/b"}'),
            ("tool", "result", "words"),
        ]


def test_user_texts_leave_out_results_and_blanks() -> None:
    """Only words of the user's role count, not tool results and not white space."""
    blocks = [{"type": "tool_result", "tool_use_id": "1", "content": "r"}, {"type": "text", "text": "go on"}, {"type": "text", "text": " "}]
    assert user_texts([{"role": "user", "content": "hi"}, {"role": "user", "content": blocks}, {"role": "system", "content": "s"}]) == [
        "hi",
        "go on",
    ]


@pytest.mark.parametrize(("name", "modifies"), [("Edit", True), ("write_file", True), ("Read", False), ("unknown", False)])
def test_paths_are_sorted_by_what_the_tool_does(name: str, modifies: bool) -> None:
    """A modifying tool's path is a modified one, any other tool's a read one, exactly as the call wrote it."""
    block = {"type": "tool_use", "id": "1", "name": name, "input": {"file_path": "./x/../y.py"}}
    read, modified = file_paths([{"role": "assistant", "content": [block]}])
    assert (modified if modifies else read) == ["./x/../y.py"]
    assert (read if modifies else modified) == []


def test_content_in_a_path_argument_is_no_path() -> None:
    """A value without a slash, or longer than a path can be, is not taken for one."""
    blocks = [{"type": "tool_use", "id": "1", "name": "Read", "input": {"path": path}} for path in ("plain", "a/" * 300)]
    assert file_paths([{"role": "assistant", "content": blocks}]) == ([], [])


def test_a_separate_system_text_comes_first() -> None:
    """The items of a body begin with its system text where it stands apart."""
    assert items({"system": "s", "messages": [{"role": "user", "content": "u"}]})[0] == {"role": "system", "content": "s"}
    assert items({"messages": None}) == []
