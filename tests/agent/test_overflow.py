"""A request that was too long: one recovery, then the error itself (origin 6.9, D19)."""

from __future__ import annotations

import pytest

from sostenuto.testing import Fault, Reply, ScriptedModel
from tests.agent.acting import looking, played, steps


def test_a_refused_request_is_sent_again_smaller() -> None:
    """A server with a smaller window than was thought refuses once; the next request fits it, and the run goes on."""
    served = ScriptedModel([*steps(12), "Done."], window=6_000)  # the refused request takes one of the script too
    run = played([], model=served, tools=[looking(characters=2_000)], window=60_000)
    assert run.outcome.ended == "done"
    refused = [request for request in served.requests if request.input > 6_000]
    assert len(refused) == 1
    assert any(detail["rung"] == "recover" for detail in run.told("rung"))


def test_a_second_refusal_fails_the_run_with_the_error_itself() -> None:
    """B003: where the smaller request is refused as well, the run fails with the provider's words."""
    run = played([*steps(3)[:3], Fault("overflow"), Fault("overflow")], tools=[looking(characters=4_000)])
    assert run.outcome.ended == "failed"
    assert "too long" in str(run.outcome.error)


def test_recovery_is_there_again_after_a_success() -> None:
    """Two refusals with an accepted request between them are recovered from both times."""
    script = [*steps(4)[:4], Fault("overflow"), *steps(4)[:4], Fault("overflow"), "Done."]
    run = played(script, tools=[looking(characters=3_000)])
    assert run.outcome.text == "Done."


def test_too_many_bytes_are_an_overflow_too() -> None:
    """A refusal for the size of the body is recovered from like one for tokens."""
    run = played([*steps(3)[:3], Fault("too_large"), "Done."], tools=[looking(characters=4_000)])
    assert run.outcome.text == "Done."


def test_a_request_that_is_wrong_in_itself_is_not_shortened() -> None:
    """A refusal that says nothing about length ends the run at once."""
    run = played([*steps(2)[:2], Fault("refused")], tools=[looking()])
    assert run.outcome.ended == "failed"
    assert len(run.model.requests) == 3


@pytest.mark.parametrize("reply", [Reply("", finish="window"), Reply("Half an ans", finish="window")])
def test_an_answer_that_met_the_windows_end_is_asked_for_again(reply: Reply) -> None:
    """A reply that stopped because the window was full is dropped, and a smaller request is answered instead (B075)."""
    run = played([*steps(6)[:6], reply, "The whole answer."], tools=[looking(characters=3_000)])
    assert run.outcome.text == "The whole answer."
    assert "Half" not in str(run.outcome.history)
    assert run.model.requests[-1].input < run.model.requests[-2].input


def test_wrong_keys_and_limits_of_rate_end_the_run() -> None:
    """What no other request cures fails the run with its own words."""
    for kind in ("unauthorised", "rate_limited"):
        run = played([Fault(kind)])
        assert run.outcome.ended == "failed"
        assert len(run.model.requests) == 1


@pytest.mark.parametrize("fault", [Fault("overflow"), Fault("refused"), Fault("server_fault"), Fault("unauthorised")])
def test_b085_words_of_an_error_never_enter_the_history(fault: Fault) -> None:
    """B085: what a provider says of a request that it refused is told to the person, and is in no message that is sent again."""
    run = played([*steps(3)[:3], *[fault] * 2], tools=[looking(characters=2_000)])
    assert run.outcome.ended == "failed"
    said = str(run.outcome.error)
    assert said
    assert said not in str(run.outcome.history)
    assert run.outcome.history[-1]["role"] == "tool"
