"""Every call has an answer (origin 7.5, A.7)."""

from __future__ import annotations

import copy

import pytest

from sostenuto.agent import closed, codec_of
from sostenuto.messages import Call, Message, Result, Text
from sostenuto.protocols import Raw

FORMATS = ("anthropic", "gemini", "openai_chat", "openai_responses")


def history(format: str, *, answered: int, calls: int = 3, said: bool = False) -> list[Raw]:
    """A question, a turn with calls of which the first few are answered, and perhaps what a person said then."""
    codec = codec_of(format)
    made = [Call(f"c{number}", f"tool{number}", "{}") for number in range(calls)]
    turn = codec.items(Message("assistant", (Text("Looking."), *made)))
    done = codec.results([(None, 0, Result(call.id, "seen", name=call.name)) for call in made[:answered]]) if answered else []
    after = [codec.encode(Message("user", (Text("Well?"),)))] if said else []
    return [codec.encode(Message("user", (Text("Go."),))), *turn, *done, *after]


def answers(messages: list[Raw], format: str) -> list[str]:
    """The names of the calls that are answered, in order."""
    codec = codec_of(format)
    return [part.name or part.call_id for raw in messages for part in codec.decode(raw).parts if isinstance(part, Result)]


@pytest.mark.parametrize("format", FORMATS)
def test_with_no_open_call_the_list_is_the_same(format: str) -> None:
    """A history without open calls comes back as the very same list (A.7)."""
    whole = history(format, answered=3, said=True)
    assert closed(whole, codec=codec_of(format)) is whole


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("answered", [0, 1, 2])
def test_each_open_call_gets_one_answer(format: str, answered: int) -> None:
    """However many of three calls are answered, all three are afterwards, in order, and the list that was given is unchanged (A.7)."""
    parked = history(format, answered=answered)
    before = copy.deepcopy(parked)
    whole = closed(parked, codec=codec_of(format))
    assert len(answers(whole, format)) == 3
    assert parked == before
    assert whole[: len(parked)] == parked


@pytest.mark.parametrize("format", FORMATS)
def test_answers_stand_right_behind_those_that_are_there(format: str) -> None:
    """What a person said after a broken batch stays behind its answers (A.7)."""
    parked = history(format, answered=1, said=True)
    whole = closed(parked, codec=codec_of(format))
    assert whole[-1] == parked[-1]
    assert len(answers(whole[:-1], format)) == 3


def test_the_answer_says_why() -> None:
    """The reason stands in the answer, and that nothing is known about what the call did."""
    whole = closed(history("openai_chat", answered=0, calls=1), codec=codec_of("openai_chat"), why="the power went")
    assert "the power went" in whole[-1]["content"]
