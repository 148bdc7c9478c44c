"""The data: which request held which message, in which form, and what left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from sostenuto.replaying import Arrived, Costs, figures
from sostenuto.reporting import page
from tests.reporting.stories import Parsed, cleared, cycle, row, said, sent, story


def held(data: Any, request: int) -> list[tuple[str, int, str]]:
    """(role, ordinal, level) of every message of a request."""
    messages = data["messages"]
    return [
        (messages["roles"][messages["role"][one]], messages["ordinal"][one], data["levels"][messages["level"][one]])
        for one in sent(data, request)
    ]


def test_every_message_of_a_request_has_its_role_its_number_and_its_form() -> None:
    """A cleared result keeps its number, a nudge and a checkpoint have none and say who wrote them."""
    data = Parsed(page(cleared())).data
    assert held(data, 0) == [("user", 0, "whole"), ("assistant", 1, "whole"), ("results", 2, "whole")]
    assert held(data, 1) == [
        ("user", 0, "whole"),
        ("assistant", 1, "whole"),
        ("results", 2, "cleared"),
        ("assistant", 3, "whole"),
        ("results", 4, "whole"),
        ("nudge", -1, "written by Sostenuto"),
    ]
    written = [("checkpoint", -1, "written by Sostenuto")] * 2
    assert held(data, 2) == [("user", 0, "whole"), *written, ("assistant", 5, "whole"), ("results", 6, "whole")]
    assert data["known"] == [3, 5, 7]


def test_the_bands_of_a_request_are_its_tokens() -> None:
    """The bands sum up to the tokens, and cached, appended and billed again to what the cost counts."""
    story_ = cleared()
    data = Parsed(page(story_)).data
    assert [sum(bands) for bands in zip(*data["bands"], strict=True)] == data["tokens"]
    assert [sum(bill) for bill in zip(*data["bills"], strict=True)] == list(story_.figures.costs.requests)
    written = data["bandNames"].index("written")
    assert [bool(tokens) for tokens in data["bands"][written]] == [False, True, True]


def test_bands_of_another_count_are_in_proportion() -> None:
    """Where the messages weigh more than the request was counted, the bands still sum up to it."""
    history = [said("user", "one two three " * 50), *cycle(0, "four five " * 50)]
    data = Parsed(page(story([row(0, history, tokens=90)], [history]))).data
    assert sum(band[0] for band in data["bands"]) == 90


def test_what_left_has_its_key_its_tokens_and_its_reason() -> None:
    """Each key comes with the tokens of its original; a range has those of all its messages; a foreign key has none."""
    story_ = cleared()
    data = Parsed(page(story_)).data
    rung, before, after, reason, keys, lost = data["events"]["1"][0]
    assert (rung, before, after, reason, keys) == ("clear", 900, 500, "half full", ["m2.0"])
    assert lost[0] > 400
    compact = data["events"]["2"][0]
    assert compact[4] == ["m0-m4"]
    assert compact[5][0] > lost[0]


def test_a_history_that_starts_again_has_numbers_of_its_own() -> None:
    """After a restart the same number means the message of the new history."""
    first, second = [said("user", "one")], [said("user", "two"), said("assistant", "three")]
    rows = [row(0, first), row(1, second, arrived=Arrived(users=("two",), restart=True))]
    data = Parsed(page(story(rows, [first, second]))).data
    assert [first for first, _ in data["epochs"]] == [0, 1]
    assert held(data, 1) == [("user", 0, "whole"), ("assistant", 1, "whole")]
    bodies = [data["bodies"][data["messages"]["body"][one]] for one in sent(data, 1)]
    assert bodies[0][0][2] == "two"


def test_a_message_with_a_nudge_inside_is_still_itself() -> None:
    """Where a wire wants one user message, the newest one carries the nudge and keeps its number."""
    history = [said("user", "go on")]
    joined = {"role": "user", "content": [{"type": "text", "text": "go on"}, {"type": "text", "text": "[nudge]"}]}
    data = Parsed(page(story([row(0, [joined])], [history]))).data
    assert held(data, 0) == [("user", 0, "whole, with a nudge")]


def test_an_answer_that_was_made_up_is_ours() -> None:
    """A result for a call that has none in the history is said to be written by the engine."""
    history = [said("user", "go"), cycle(0, "")[0], said("user", "on")]
    made = {"role": "tool", "tool_call_id": "c0", "content": "No result was recorded for this call."}
    data = Parsed(page(story([row(0, [*history[:2], made, history[2]])], [history]))).data
    assert held(data, 0)[2] == ("results", -1, "written by Sostenuto")


class Upto(Sequence[Any]):
    """The first messages of a pool, without a copy of them."""

    looked = 0
    """Messages that were looked at, of all of them."""

    def __init__(self, pool: list[Any], length: int) -> None:
        self._pool, self._length = pool, length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, at: Any) -> Any:
        found = self._pool[at.start : self._length] if isinstance(at, slice) else self._pool[at]
        Upto.looked += len(found) if isinstance(at, slice) else 1
        return found


def looked_at(requests: int) -> int:
    """Messages of histories that a page about so many requests looks at, each request of the newest 20 messages."""
    pool = [message for number in range(requests) for message in cycle(number, f"answer {number}")]
    rows = [row(number, pool[max(0, 2 * number - 18) : 2 * number + 2]) for number in range(requests)]
    found = figures(rows, doing_nothing=Costs(sent=1, appended=1), weigh=lambda message: 30, problems=lambda one: ())
    handed = [Upto(pool, 2 * number + 2) for number in range(requests)]
    told = replace(story(rows[:1], [pool[:2]]), rows=rows, histories=handed, figures=found, unedited=[500] * requests)
    Upto.looked = 0
    data = Parsed(page(told)).data
    assert len(data["tokens"]) == len(data["bands"][0]) == len(data["bills"][0]) == requests
    assert len(sent(data, requests - 1)) == 20
    return Upto.looked


def test_ten_times_the_requests_look_at_ten_times_the_messages() -> None:
    """A page about ten times the requests looks at no more than about ten times the messages of their histories."""
    few, many = looked_at(500), looked_at(5_000)
    assert few >= 500
    assert many <= 10.5 * few, (few, many)


@pytest.mark.long
def test_50_000_requests_look_at_messages_in_proportion() -> None:
    """The same for a session of 50,000."""
    few, many = looked_at(5_000), looked_at(50_000)
    assert many <= 10.5 * few, (few, many)
