"""Every figure: good where nothing was spoiled, bad where just that property was."""

from __future__ import annotations

import pytest

from sostenuto.judging import Run, Sent, Session, Share, Verdict, session_of, untouched, untouched_costs, weighing
from sostenuto.replaying import costs
from tests.judging.sessions import PIN, Raw, Spoil, session, spoiled, verdict


def replaced(old: str, new: str = "gone") -> Spoil:
    """Say something else in place of `old`, wherever it stands."""

    def spoil(messages: list[Raw], number: int) -> list[Raw]:
        return [{**message, "content": message["content"].replace(old, new)} for message in messages]

    return spoil


def renamed(old: str) -> Spoil:
    """Let every call name another file than `old`."""

    def spoil(messages: list[Raw], number: int) -> list[Raw]:
        return [_elsewhere(message, old) for message in messages]

    return spoil


def _elsewhere(message: Raw, old: str) -> Raw:
    if "tool_calls" not in message:
        return message
    calls = [
        {**one, "function": {**one["function"], "arguments": one["function"]["arguments"].replace(old, "x")}}
        for one in message["tool_calls"]
    ]
    return {**message, "tool_calls": calls}


def test_doing_nothing_in_a_large_budget_keeps_everything() -> None:
    """All shares are whole, nothing is broken or paid again, and the cost is that of doing nothing."""
    found = verdict()
    whole = Share(1.0, 1.0)
    assert (found.task, found.newest, found.pins, found.users, found.files_read, found.files_modified, found.forward) == (whole,) * 7
    assert (found.failed, found.broken, found.over, found.unavoidable, found.rewrites, found.rebilled, found.saved) == (0,) * 7
    assert (found.facts, found.probes > 0, found.cost, found.recoverable) == (1.0, True, 1.0, None)


@pytest.mark.parametrize(
    ("figure", "spoil"),
    [
        ("task", replaced("Find the lost rows of build_48213.")),
        ("newest", replaced("Next: part 6, please.")),
        ("pins", replaced(PIN)),
        ("users", replaced("Next: part 3, please.")),
        ("files_read", renamed("src/read_2.py")),
        ("files_modified", renamed("src/made_2.py")),
        ("forward", renamed("src/")),
    ],
)
def test_what_is_taken_out_of_view_costs_its_own_share(figure: str, spoil: Spoil) -> None:
    """A strategy that loses one property is below 1 in it, in the mean and in the worst request, and whole in the first task otherwise."""
    made = reused()
    found = verdict(spoiled(made, spoil), made=made)
    share = getattr(found, figure)
    assert share.mean < 1
    assert share.worst < share.mean or share.worst == 0
    if figure != "task":
        assert found.task.worst == 1


def reused() -> Session:
    """The small session, whose last replies name files of the first ones again."""
    messages = [dict(message) for message in session().messages if message["content"] != PIN]
    again = [
        {"role": "assistant", "content": "I look at src/read_1.py and src/made_2.py again."},
        {"role": "user", "content": "Next: part 6, please."},
    ]
    return session_of("reused", [*messages, *again, {"role": "assistant", "content": "Done."}], pins=[PIN])


def test_a_fact_that_left_is_missed_when_it_is_used_again() -> None:
    """Without the result that brought it, the probe of the request that used it fails."""
    assert verdict(spoiled(session(), replaced("cursor_77123"))).facts < 1


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda messages, number: [m for m in messages if m.get("tool_call_id") != "w0"], id="a call without its result"),
        pytest.param(lambda messages, number: [m for m in messages if "tool_calls" not in m], id="results without their calls"),
        pytest.param(lambda messages, number: _swapped(messages), id="parallel results out of order"),
        pytest.param(lambda messages, number: [*messages, *[m for m in messages if m.get("tool_call_id") == "w0"]], id="a result twice"),
    ],
)
def test_a_broken_pair_is_counted(spoil: Spoil) -> None:
    """Each way of tearing calls and results apart makes the requests that hold the pair broken, and only those."""
    found = verdict(spoiled(session(), spoil))
    assert found.broken == found.requests - 1


def _swapped(messages: list[Raw]) -> list[Raw]:
    places = [at for at, message in enumerate(messages) if message.get("tool_call_id") in ("r0", "w0")]
    if len(places) == 2:
        messages[places[0]], messages[places[1]] = messages[places[1]], messages[places[0]]
    return messages


def test_a_request_above_its_budget_is_counted_and_shows_nothing() -> None:
    """In half of the space doing nothing is too long in the later requests, and they are credited with nothing."""
    found = verdict(budget=verdict().peak // 2)
    assert found.over > 0
    assert found.unavoidable == 0
    assert found.task.worst == found.pins.worst == 0
    assert found.task.mean == pytest.approx(1 - found.over / found.requests)


def test_what_cannot_be_made_smaller_is_no_fault() -> None:
    """Where the protected part alone is above the budget, a request counts as unavoidable and keeps its credit."""
    found = verdict(budget=5)
    assert (found.over, found.unavoidable) == (0, found.requests)
    assert found.task.worst == 1


def test_a_prefix_that_changes_each_time_is_paid_again() -> None:
    """A line with the request's number in front makes every request a rewrite, dearer than doing nothing."""
    found = verdict(spoiled(session(), lambda messages, number: [{"role": "system", "content": f"Request {number}."}, *messages]))
    assert found.rewrites > 90
    assert found.rebilled > 0.5
    assert found.cost > 2
    assert found.saved < 0


def test_fewer_tokens_are_saved_tokens() -> None:
    """Half of every request left out is about half of the tokens saved."""
    found = verdict(spoiled(session(), lambda messages, number: messages[len(messages) // 2 :]))
    assert 0.2 < found.saved < 0.8


def test_a_summarizer_is_paid_for() -> None:
    """The same requests cost more by what the summarizer read and wrote."""
    plain, made = verdict(), untouched(session())
    assert verdict(Run(made.requests, summaries=2, summarizer=plain.sent)).cost > plain.cost


def test_a_request_that_was_not_made_is_counted_and_shows_nothing() -> None:
    """A strategy that raises on its last request has one failure, named, and no credit for that request."""
    made = untouched(session())
    found = verdict(Run((*made.requests[:-1], Sent(failure="KeyError: 'x'"))))
    assert (found.failed, found.failures) == (1, ("KeyError: 'x'",))
    assert found.task.worst == 0


def test_times_are_quantiles_of_the_requests_that_were_made() -> None:
    """One slow request among quick ones moves the 99th percentile and not the median."""
    made = untouched(session()).requests
    found = verdict(Run((Sent(made[0].messages, seconds=2.0), *(Sent(sent.messages, seconds=0.001) for sent in made[1:]))))
    assert (found.p50_ms, found.p99_ms) == (1.0, 2000.0)


def _giving_back(change: str = "") -> Verdict:
    made = session()
    cleared = spoiled(made, lambda messages, number: [{**m, "content": "[m0-m99 cleared]"} if m["role"] == "tool" else m for m in messages])
    return verdict(Run(cleared.requests, original=lambda at: made.messages[at]["content"] + change, search=lambda words: []), made=made)


def test_what_left_must_come_back_byte_for_byte() -> None:
    """Cleared results that come back as they were are all recoverable; with one more character none is."""
    assert (_giving_back().recoverable, _giving_back().pointed) == (1.0, 1.0)
    assert _giving_back(" ").recoverable == 0.0


def test_a_pointer_has_to_stand_in_the_request() -> None:
    """A strategy that could give results back but names no key in the request has told nobody."""
    made = session()
    cleared = spoiled(made, lambda messages, number: [{**m, "content": "[cleared]"} if m["role"] == "tool" else m for m in messages])
    found = verdict(Run(cleared.requests, original=lambda at: made.messages[at]["content"]), made=made)
    assert (found.recoverable, found.pointed) == (1.0, 0.0)


def test_a_search_that_finds_the_fact_makes_it_reachable() -> None:
    """A fact out of view counts as reachable only where the search gives back the message that brought it."""
    made = session()
    lost = spoiled(made, replaced("cursor_77123"))
    bodies = [message["content"] for message in made.messages if "cursor_77123 was" in message["content"]]
    assert verdict(Run(lost.requests, search=lambda words: bodies), made=made).facts_reachable == 1
    assert verdict(Run(lost.requests, search=lambda words: ["It was cursor_77123."]), made=made).facts_reachable == 0


def test_doing_nothing_costs_the_same_however_it_is_computed() -> None:
    """The short way to the price of doing nothing agrees with the prices of its requests."""
    made, weigh = session(), weighing()
    long_way = costs(({"messages": list(sent.messages)} for sent in untouched(made).requests), weigh=weigh)
    short = untouched_costs(made, made.requests, weigh=weigh)
    assert (short.sent, short.billed) == (long_way.sent, long_way.billed)


def test_a_run_of_another_session_is_refused() -> None:
    """A run with too few requests raises, it is not judged as far as it goes."""
    with pytest.raises(ValueError, match="cannot be judged"):
        verdict(Run(untouched(session()).requests[1:]))
