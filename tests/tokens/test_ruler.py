"""Messages, parts, texts and cuts under one ruler (origin 1.2, D4, D5)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.messages import Call, Message, Opaque, Part, Result, Text, Thinking
from sostenuto.tokens import Calibration, Measure, RememberingWeigher, Ruler, WeightedCharacters, remembering, ruler

ANY_TEXT = st.text(st.characters(codec=None), max_size=80)
PARTS: st.SearchStrategy[Part] = st.one_of(
    st.builds(Text, ANY_TEXT),
    st.builds(Call, ANY_TEXT, ANY_TEXT, ANY_TEXT),
    st.builds(Result, ANY_TEXT, ANY_TEXT),
    st.builds(Thinking, ANY_TEXT, ANY_TEXT, st.booleans()),
    st.builds(Opaque, ANY_TEXT, ANY_TEXT),
)


class Words:
    """An exact weigher of a test: a token a character; notes how much it was given."""

    name, exact = "characters", True

    def __init__(self) -> None:
        self.weighed = 0

    def __call__(self, text: str, /) -> int:
        self.weighed += len(text)
        return len(text)


def test_an_empty_message_costs_its_base() -> None:
    """A user message without words is exactly four tokens (A.1)."""
    assert ruler("").measure(Message("user", (Text(""),))) == Measure(0, 4)


def test_calls_and_results_cost_more_than_words() -> None:
    """A call makes its message dearer, and a result costs ten tokens for its id (library case 37) (A.1)."""
    known = ruler("")
    plain = known.measure(Message("assistant", (Text("ok"),)))
    called = known.measure(Message("assistant", (Text("ok"), Call("c1", "read", '{"path":"a"}'))))
    assert known.tokens(called) > known.tokens(plain) + 4
    assert known.measure(Message("tool", (Result("c1", ""),))) == Measure(0, 14)


def test_a_call_with_200_words_of_arguments_counts_them() -> None:
    """Library case 37: 200 words of arguments are over 200 tokens more."""
    known = ruler("")
    words = " ".join(["word"] * 200)
    assert known.tokens(known.part(Call("c", "t", f'{{"text":"{words}"}}'))) > 200 + known.tokens(known.part(Call("c", "t", "{}")))


def test_thinking_counts_once() -> None:
    """Readable thinking counts by its text; where there is none it counts by how much is sealed in it (D5)."""
    known = ruler("")
    assert known.part(Thinking("why " * 50, sealed="x" * 5_000)) == known.part(Thinking("why " * 50))
    for characters, tokens in ((1_036, 40), (4_772, 720)):  # as billed for recorded payloads
        counted = known.part(Thinking("", sealed="Z" * characters, redacted=True))
        assert counted.weight == 0
        assert abs(counted.flat - known.part(Thinking("")).flat - tokens) <= 0.15 * tokens


def test_b053_structured_results_count() -> None:
    """B053: a result of 100,000 characters of JSON is tens of thousands of tokens."""
    known = ruler("")
    assert known.tokens(known.measure(Message("tool", (Result("c", '{"a":1},' * 12_500),)))) > 20_000


@given(st.lists(PARTS, max_size=5), st.sampled_from(["anthropic:claude-sonnet-5", "openai:gpt-5", "qwen:qwen3"]))
def test_a_message_is_its_parts_and_its_frames(parts: list[Part], hint: str) -> None:
    """The measure of a message is the sum of its parts, four tokens, and four for each part after the first."""
    known = ruler(hint)
    frames = Measure(0, 4 + 4 * max(0, len(parts) - 1))
    assert known.measure(Message("user", tuple(parts))) == sum((known.part(part) for part in parts), frames)


@given(st.lists(PARTS, max_size=4), PARTS)
def test_a_further_part_never_makes_a_message_cheaper(parts: list[Part], more: Part) -> None:
    """Tokens only grow when something is added."""
    known = ruler("")
    assert known.tokens(known.measure(Message("user", (*parts, more)))) >= known.tokens(known.measure(Message("user", tuple(parts))))


@given(st.integers(-(10**9), 10**9), st.integers(-(10**6), 10**6), st.integers(0, 10**9), st.integers(0, 10**6))
def test_measures_add_and_subtract(weight: int, flat: int, other: int, more: int) -> None:
    """Taking away what was added gives the first measure back (A.1)."""
    one, two = Measure(weight, flat), Measure(other, more)
    assert one + two - two == one


@pytest.mark.parametrize("odd", [None, 3, b"bytes", {"a": 1}, object()])
def test_odd_content_is_data(odd: Any) -> None:
    """Content of a wrong type gets a number, never an exception."""
    known = ruler("")
    for part in (Text(odd), Call(odd, odd, odd), Result(odd, odd), Thinking(odd), Opaque("x", odd), odd):
        assert known.measure(Message("user", (part,))).flat >= 4
    assert known.text(odd) >= 0
    assert len(known.clip(odd, head=5, tail=5)) == 2


def test_an_unprintable_object_is_data() -> None:
    """Even an object that cannot be printed does not make counting fail."""

    class Broken:
        def __str__(self) -> str:
            raise RuntimeError

    odd: Any = Broken()
    assert ruler("").text(odd) == 0


def test_counts_are_kept_by_content() -> None:
    """The same text in another object is not weighed again (D4, A.1)."""
    words = Words()
    known = ruler("", weigher=words)
    for _ in range(3):
        known.measure(Message("user", (Text("".join(["some ", "text"])),)))
    assert words.weighed == len("some text")


def test_the_memory_is_bounded() -> None:
    """The oldest texts leave first, and a text larger than the whole memory is not kept."""
    words = Words()
    memory = RememberingWeigher(words, most_characters=10)
    memory("aaaa"), memory("bbbb"), memory("cccc")
    assert memory.characters <= 10
    before = words.weighed
    memory("bbbb"), memory("cccc")
    assert words.weighed == before
    memory("d" * 11), memory("d" * 11)
    assert words.weighed == before + 22


def test_a_memory_is_not_wrapped_twice() -> None:
    """Asking for a memory of a weigher that has one gives the same weigher."""
    once = remembering(WeightedCharacters("o200k"))
    assert remembering(once) is once


def test_two_models_do_not_share_counts() -> None:
    """The same message counts differently for two families, in either order (origin 14.2, 2)."""
    message = Message("user", (Text("1234567890" * 20),))
    one, two = ruler("openai:gpt-4"), ruler("qwen:qwen3")
    first = two.measure(message)
    assert one.measure(message) != first
    assert two.measure(message) == first


def test_a_calibration_of_another_kind_is_not_used() -> None:
    """A ratio learned with weighted characters is not applied to an exact weigher."""
    learned = Calibration(ratio=3.0, reports=5)
    assert ruler("", weigher=Words(), calibration=learned).text("abcd") == 4


@given(ANY_TEXT, st.integers(0, 30), st.integers(0, 30), st.sampled_from(["", "qwen:qwen3", "anthropic:claude-sonnet-5"]))
def test_a_clip_keeps_both_ends_and_the_budget(text: str, head: int, tail: int, hint: str) -> None:
    """The pieces are a start and an end of the text within their budgets and do not overlap, or the whole text comes back."""
    known = ruler(hint)
    first, last = known.clip(text, head=head, tail=tail)
    if first == text and not last:
        assert known.text(text) <= head + tail + 25
        return
    assert text.startswith(first)
    assert text.endswith(last)
    assert len(first) + len(last) <= len(text)
    assert known.text(first) <= head
    assert known.text(last) <= tail


def test_a_clip_prefers_line_ends() -> None:
    """Where a line end is near the cut, the pieces are whole lines."""
    text = "".join(f"line number {number} of the log\n" for number in range(5_000))
    first, last = ruler("").clip(text, head=300, tail=300)
    assert first.endswith("\n")
    assert last.startswith("line number ")
    assert ruler("").text(first) > 200
    assert ruler("").text(last) > 200


def test_a_clip_never_parts_a_surrogate_pair() -> None:
    """A high surrogate is never the end of the first piece when its low one follows, nor the other way round."""
    for extra in range(4):
        text = "x" * extra + "\ud83d\ude00" * 3_000
        first, last = ruler("", weigher=Words()).clip(text, head=101, tail=101)
        assert not ("\ud800" <= first[-1:] <= "\udbff" and text[len(first)] >= "\udc00")
        assert last[:1] != "\ude00"


@given(st.integers(1, 40))
def test_a_clip_is_linear(chunks: int) -> None:
    """Cutting weighs no more than a few times the length of the text, whatever the budgets."""
    text = "word " * 1_000 * chunks
    for head, tail in ((10, 10), (len(text) // 3, len(text) // 3), (len(text), 10)):
        words = Words()
        Ruler(weigher=words).clip(text, head=head, tail=tail)
        assert words.weighed <= 5 * len(text) + 60_000
