"""Field reports on pairs of calls and results, standing rules, and what happens meanwhile (B101 to B135)."""

from __future__ import annotations

import asyncio

import pytest

from sostenuto import ConcurrentPrepare, ContextManager
from tests.engine.conversing import CODECS
from tests.ladder.made_up import FORMATS, Talk, call_ids, faults, manager, played, results, said, sized, summary

NEVER = {"bash": "never"}


@pytest.mark.parametrize("format", FORMATS)
def test_b101_and_b109_a_cut_never_falls_inside_a_batch(format: str) -> None:
    """Wherever a compaction is asked to cut, the cut moves to the boundary of a unit and the list is legal."""
    talk = Talk(format).user("Do the task")
    for _ in range(6):
        talk.cycle(300, 300, 300)
    for at in range(1, len(talk.messages)):
        context = manager(20_000, format=format)
        context.prepare_sync(talk.messages)
        request = context.compact_sync(before=f"m{at}")
        assert faults(request) == []
        assert sorted(call_ids(request)) == sorted(results(request))


@pytest.mark.parametrize("format", FORMATS)
def test_b103_an_answer_made_up_for_an_interrupted_call_goes_with_its_call(format: str) -> None:
    """The made-up answer of an interrupted call is in the request exactly as long as its call is."""
    talk = Talk(format).user("Do the task")
    talk.calls("bash")
    talk.user("I stopped you. Go on.").grown(14, 700)
    requests = played(manager(10_000, format=format, tool_policy=NEVER), talk)
    assert "c1_0" in call_ids(requests[1])
    assert "c1_0" in results(requests[1])
    assert "c1_0" not in call_ids(requests[-1])
    assert "c1_0" not in results(requests[-1])


@pytest.mark.parametrize("format", FORMATS)
def test_b105_and_b111_a_call_in_flight_is_kept_and_no_marker_splits_it(format: str) -> None:
    """A compaction while a call is in flight keeps the call in the tail; its result arrives later and finds it, with nothing between."""
    talk = Talk(format).user("Do the task").grown(8, 700)
    (call_id,) = talk.calls("bash")
    context = manager(10_000, format=format, tool_policy=NEVER)
    context.prepare_sync(talk.messages)
    during = context.compact_sync()
    assert call_id in call_ids(during)
    assert faults(during) == []
    after = context.prepare_sync(talk.result(call_id, "the real answer").messages)
    assert results(after)[call_id] == "the real answer"
    assert faults(after) == []


def test_b107_a_cut_before_a_result_takes_or_leaves_the_whole_unit() -> None:
    """Asked to compact up to a result, the planner chooses a legal cut instead of an error."""
    talk = Talk().user("Do the task").grown(5, 300)
    context = manager(20_000)
    context.prepare_sync(talk.messages)
    assert faults(context.compact_sync(before="m4")) == []


def test_b121_a_prepare_during_a_slow_compaction_is_refused_and_loses_nothing() -> None:
    """While a summarizer runs a second prepare is refused with a clear error, and input that came meanwhile is delivered afterwards."""
    talk = Talk().user("Do the task").grown(12, 700)

    async def meanwhile() -> None:
        waiting, go = asyncio.Event(), asyncio.Event()

        async def slow(prompt: str) -> str:
            waiting.set()
            await go.wait()
            return summary()

        context = ContextManager(window=10_000, counter="o200k", summarizer=slow, tool_policy=NEVER)
        known = [*talk.messages, {"role": "user", "content": sized(6_000, "more")}]
        task = asyncio.create_task(context.prepare(known))
        await waiting.wait()
        with pytest.raises(ConcurrentPrepare):
            await context.prepare([*known, {"role": "user", "content": "QUEUED"}])
        go.set()
        await task
        request = await context.prepare([*known, {"role": "user", "content": "QUEUED"}])
        own = [m for m in request.arguments["messages"] if not str(m["content"]).startswith("[CONTEXT")]
        assert own[-1]["content"] == "QUEUED"

    asyncio.run(meanwhile())


@pytest.mark.parametrize("format", FORMATS)
def test_b123_a_pinned_rule_survives_every_rewrite_byte_equal(format: str) -> None:
    """A pinned rule is sent as the very object the caller passed, through three compactions and more."""
    rule = "Never use tabs in this repository."
    talk = Talk(format).user("Do the task").says("Yes.").user(rule).grown(50, 700)
    requests = played(manager(10_000, format=format, pin=[rule], tool_policy=NEVER), talk)
    assert sum(any(event.rung == "compact" for event in request.events) for request in requests) >= 3
    assert all(any(m is talk.messages[2] for m in request.arguments[CODECS[format].field]) for request in requests[1:])


def test_b117_what_is_open_is_told_after_a_compaction_from_the_record() -> None:
    """The open request stands in the request after a compaction, whoever wrote the summary."""
    talk = Talk().user("Do the task").says("Yes.").user("OPEN: rename the module").grown(20, 700)
    assert "OPEN: rename the module" in said(played(manager(10_000, tool_policy=NEVER), talk)[-1])
