"""A run that goes in circles: told once, then ended (origin 7.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from sostenuto.testing import Reply
from tests.agent.acting import Played, look, looking, played


def meltdowns(run: Played) -> list[int]:
    """The numbers, from 1, of the requests in which the model is told that it goes in circles."""
    return [number + 1 for number, request in enumerate(run.model.requests) if "[MELTDOWN" in str(request.messages[-1])]


def test_the_second_circle_ends_the_run() -> None:
    """Ten equal calls are followed by a nudge; after ten more the run ends as stalled, its last batch recorded."""
    run = played(lambda _: Reply(calls=[look(1)]), tools=[looking()])
    assert (run.outcome.ended, len(run.model.requests)) == ("stalled", 20)
    assert meltdowns(run) == list(range(11, 21))
    assert len(run.outcome.calls) == 20
    assert run.told("stalled")
    assert run.outcome.error is None


def test_a_model_that_finds_another_way_is_left_alone() -> None:
    """After a nudge and ten different calls the nudge is gone, and the run comes to its answer."""
    counter = iter(range(1_000))

    def script(arguments: Mapping[str, Any]) -> Reply | str:
        number = next(counter)
        return Reply(calls=[look(1 if number < 10 else number)]) if number < 24 else "Done."

    run = played(script, tools=[looking()])
    assert run.outcome.ended == "done"
    assert meltdowns(run) == list(range(11, 21))


def test_the_nudge_comes_behind_all_results_of_the_batch() -> None:
    """A batch that completes a circle is answered whole before the model is told."""
    run = played([Reply(calls=[look(1)] * 6), Reply(calls=[look(1)] * 6), "Done."], tools=[looking()])
    assert [raw["role"] for raw in run.model.requests[2].messages[-8:]] == ["assistant", *["tool"] * 6, "user"]


def test_the_nudge_is_no_message_of_a_person() -> None:
    """What the model is told is not in the history (D40)."""
    run = played(lambda _: Reply(calls=[look(1)]), tools=[looking()])
    assert [raw["role"] for raw in run.outcome.history].count("user") == 1


def test_searching_with_other_words_is_no_circle() -> None:
    """Forty calls of one tool with other arguments each time are never called a circle."""
    counter = iter(range(1_000))

    def script(arguments: Mapping[str, Any]) -> Reply | str:
        number = next(counter)
        return Reply(calls=[look(number)]) if number < 40 else "Done."

    run = played(script, tools=[looking()])
    assert run.outcome.ended == "done"
    assert not meltdowns(run)


@pytest.mark.parametrize(("characters", "nudged"), [(40, [11]), (6_000, [])])
def test_b017_reading_again_what_left_the_context_is_no_circle(characters: int, nudged: list[int]) -> None:
    """B017: ten equal reads are a circle, but not where a rung took the first of them out of the model's sight in between."""
    run = played([*[Reply(calls=[look(1)])] * 10, "Done."], tools=[looking(characters=characters)])
    assert run.outcome.text == "Done."
    assert meltdowns(run) == nudged


def test_b017_the_grace_is_given_once() -> None:
    """B017: a run whose results leave the context as fast as it reads them is told all the same, and ended in the end."""
    run = played([*[Reply(calls=[look(1)])] * 60, "Done."], tools=[looking(characters=6_000)])
    assert run.outcome.ended == "stalled"
    assert len(run.model.requests) <= 35
