"""The parts readers of OpenAI chats share."""

from __future__ import annotations

import pytest

from sostenuto.recordings._chat import Numbering, call, joined, json_text, says_nothing, sent_from


@pytest.mark.parametrize(
    ("held", "sent", "expected"),
    [
        ([1, 2, 3], [1, 2, 3], (0, 0)),
        ([1, 2, 3], [9, 3], (2, 1)),
        ([1, 2, 3], [1, 9, 3], (2, 2)),
        ([1, 2, 3], [2, 3], (1, 0)),
        ([1, 2], [7, 8], (2, 2)),
        ([], [5], (0, 1)),
        ([5], [], (1, 0)),
    ],
)
def test_a_request_is_its_own_start_and_the_end_of_the_history(held: list[int], sent: list[int], expected: tuple[int, int]) -> None:
    """The shortest preface is found with which the history from the boundary makes up the request."""
    boundary, preface = sent_from(held, sent)
    assert (boundary, preface) == expected
    assert held == sent or [*sent[:preface], *held[boundary:]] == sent


def test_equal_messages_have_equal_numbers() -> None:
    """The order of keys makes no difference; anything else does."""
    number = Numbering()
    assert number({"a": 1, "b": 2}) == number({"b": 2, "a": 1}) != number({"a": 1, "b": 3})


def test_calls_and_contents_are_written_for_the_wire() -> None:
    """Arguments are JSON text, odd names are empty ones, a single text is a string, and nothing is recognised as nothing."""
    assert (json_text(None), json_text('{"a":1}'), json_text(["ü"])) == ("{}", '{"a":1}', '["ü"]')
    assert call(3, {}, id=None) == {"id": "", "type": "function", "function": {"name": "", "arguments": "{}"}}
    assert (joined([]), joined([{"type": "text", "text": "x"}]), joined([{"type": "x"}])) == ("", "x", [{"type": "x"}])
    assert says_nothing({"role": "assistant", "content": None})
    assert not says_nothing({"role": "assistant", "content": None, "tool_calls": [{}]})
