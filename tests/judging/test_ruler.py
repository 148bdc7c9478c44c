"""The published ruler."""

from __future__ import annotations

from sostenuto.judging import weighing
from tests.judging.sessions import call


def test_the_ruler_is_a_third_of_the_characters_and_four() -> None:
    """Without a tokenizer a text is its characters divided by three, rounded up, and every message 4 more."""
    weigh = weighing()
    assert weigh({"role": "user", "content": "1234567"}) == 3 + 4
    made = {"role": "assistant", "content": "", "tool_calls": [call("c", "read", "a/b.py")]}
    assert weigh(made) == 4 + 2 + 6  # "read", and {"path": "a/b.py"}
