"""One run from its task to its answer (origin 3.2, A.3)."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from typing import Any

import pytest

from sostenuto.agent import Event, codec_of
from sostenuto.messages import Call, Result, Text
from sostenuto.testing import Fault, Reply, Script
from sostenuto.tools import Context, Tool
from tests.agent.acting import look, looking, played, steps

FORMATS = ("anthropic", "gemini", "openai_chat", "openai_responses")


def test_a_plain_answer_ends_the_run() -> None:
    """A reply without calls is the answer, after one iteration (A.3)."""
    run = played(["The answer."])
    assert (run.outcome.text, run.outcome.ended, run.outcome.spent.iterations) == ("The answer.", "done", 1)
    assert run.outcome.error is None


@pytest.mark.parametrize("format", FORMATS)
def test_calls_are_carried_out_and_the_loop_goes_on(format: str) -> None:
    """On every wire the results of two calls stand behind them in their order, and the next request holds them (A.3)."""
    run = played([Reply("Looking.", calls=[look(1), look(2)]), "Both seen."], tools=[looking()], format=format)
    assert run.outcome.text == "Both seen."
    codec = codec_of(format)
    results = [part for raw in run.model.requests[1].messages for part in codec.decode(raw).parts if isinstance(part, Result)]
    assert [("('part', 1)" in result.text, "('part', 2)" in result.text) for result in results] == [(True, False), (False, True)]
    assert [(call.name, json.loads(call.arguments)["part"]) for call in run.outcome.calls] == [("look", 1), ("look", 2)]


def test_the_model_is_offered_its_tools_and_those_that_read_back() -> None:
    """Beside the tools of the caller a request offers recall and retrieve_tool_result, and none that hands work on without a way to."""
    run = played(["Nothing to do."], tools=[looking()])
    names = [tool["function"]["name"] for tool in run.model.requests[0].tools]
    assert names == ["look", "recall", "retrieve_tool_result"]


def test_the_system_prompt_is_in_every_request() -> None:
    """The instructions lead each request and never enter the history."""
    run = played(steps(2), tools=[looking()], system="Be careful.")
    assert all(request.messages[0] == {"role": "system", "content": "Be careful."} for request in run.model.requests)
    assert all(raw["role"] != "system" for raw in run.outcome.history)


def test_what_a_person_types_meanwhile_is_taken_at_the_next_iteration() -> None:
    """B121: a line that was queued during the first tool call stands in the second request, behind its result."""
    queue: deque[str] = deque()

    async def run(arguments: Mapping[str, Any], context: Context, /) -> str:
        queue.append("Look at the second file too.")
        return "seen"

    typing = Tool("look", "Look.", {"type": "object", "properties": {}, "additionalProperties": True}, run, risk="read-only")
    found = played([Reply(calls=[look(1)]), "Both seen."], tools=[typing], queue=queue)
    roles = [raw["role"] for raw in found.model.requests[1].messages]
    assert roles == ["user", "assistant", "tool", "user"]
    assert found.model.requests[1].messages[-1]["content"] == "Look at the second file too."


def test_what_is_queued_at_the_answer_gets_an_answer_too() -> None:
    """A line that arrives with the final answer is not lost: the run goes on with it."""
    queue: deque[str] = deque()

    def script(arguments: Mapping[str, Any]) -> str:
        if len(arguments["messages"]) == 1:
            queue.append("And now?")
            return "First answer."
        return "Second answer."

    found = played(script, queue=queue)
    assert found.outcome.text == "Second answer."
    assert [raw["content"] for raw in found.outcome.history] == ["Do the work.", "First answer.", "And now?", "Second answer."]


def test_a_line_is_not_taken_where_no_request_follows() -> None:
    """At the iteration limit what is queued stays queued."""
    from sostenuto.budget import Limits

    queue: deque[str] = deque()

    def script(arguments: Mapping[str, Any]) -> Reply:
        queue.append("More.") if not queue else None
        return Reply(calls=[look(len(arguments["messages"]))])

    found = played(script, tools=[looking()], queue=queue, limits=Limits(iterations=2))
    assert found.outcome.ended == "iterations"
    assert list(queue) == ["More."]


def test_streaming_and_batch_are_the_same_loop() -> None:
    """With and without somebody who hears the words the same requests are sent and the same history is left (A.11)."""
    script: Script = [Reply("One.", reasoning="Thinking.", calls=[look(1)]), Reply("Two.", calls=[look(2), look(3)]), "Done."]
    heard, silent = (played(script, tools=[looking()], streaming=streaming) for streaming in (True, False))
    assert heard.outcome.history == silent.outcome.history
    assert [request.arguments for request in heard.model.requests] == [request.arguments for request in silent.model.requests]
    assert "".join(detail["text"] for detail in heard.told("text")) == "One.Two.Done."
    assert "".join(detail["text"] for detail in heard.told("reasoning")) == "Thinking."
    assert not silent.told("text")


def test_malformed_arguments_get_an_answer_the_model_can_use() -> None:
    """A call whose arguments are no JSON is answered as failed, and the run goes on."""
    run = played([Reply(calls=[("look", "{not json")]), Reply(calls=[look(1)]), "Done."], tools=[looking()])
    assert run.outcome.text == "Done."
    assert run.told("tool-end")[0]["succeeded"] is False


def test_an_unknown_tool_gets_an_answer_with_the_nearest_name() -> None:
    """A call of a tool that is not there is answered with what is there."""
    run = played([Reply(calls=[("lok", {})]), "Sorry."], tools=[looking()])
    assert "look" in run.outcome.history[2]["content"]


def test_a_tool_that_breaks_takes_nothing_along() -> None:
    """One call of a batch raises: it is answered so, the other call has its result, and the run goes on."""

    async def broken(arguments: Mapping[str, Any], context: Context, /) -> str:
        raise ValueError("boom")

    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    breaking = Tool("break", "Breaks.", schema, broken, risk="read-only")
    run = played([Reply(calls=[("break", {}), look(1)]), "Done."], tools=[breaking, looking()])
    assert "boom" in run.outcome.history[2]["content"]
    assert "look" in run.outcome.history[3]["content"]


def test_an_answer_that_was_cut_off_is_gone_on_with() -> None:
    """A reply that ran into the output limit is continued, and the answer is both halves; what asked for it was not stored."""
    run = played([Reply("The first half, ", finish="length"), "the second half."])
    assert run.outcome.text == "The first half, the second half."
    assert "CUT OFF" in run.sent(1)
    assert "CUT OFF" not in str(run.outcome.history)


def test_an_answer_that_never_ends_is_reported() -> None:
    """After three continuations that were cut off as well the run ends and says that the answer is not complete."""
    run = played([Reply(f"{number} ", finish="length") for number in range(4)])
    assert (run.outcome.ended, run.outcome.text) == ("cut off", "0 1 2 3 ")
    assert any("not complete" in notice for notice in run.notices)


def test_an_empty_answer_is_asked_about_once() -> None:
    """An empty reply is followed by one nudge; what comes then is the answer, and the history holds no empty message."""
    run = played([Reply(""), "Here it is."])
    assert run.outcome.text == "Here it is."
    assert "EMPTY ANSWER" in run.sent(1)
    assert [raw["content"] for raw in run.outcome.history] == ["Do the work.", "Here it is."]


def test_two_empty_answers_end_the_run() -> None:
    """A second empty reply in a row ends the run, and the person is told (A.3, A.11)."""
    run = played([Reply(""), Reply("")])
    assert run.outcome.ended == "empty"
    assert any("empty answer" in notice for notice in run.notices)


def test_a_model_that_fails_leaves_the_work_behind() -> None:
    """An endpoint that fails in the third request ends the run as failed; the history holds everything until then, and can be sent."""
    run = played([*steps(2)[:2], Fault("server_fault")], tools=[looking()])
    assert run.outcome.ended == "failed"
    assert "server_fault" in str(run.outcome.error)
    assert len(run.outcome.history) == 5


def test_half_an_answer_that_was_heard_is_kept() -> None:
    """A connection that breaks off in the middle of a streamed answer leaves the words that were heard as a message."""
    run = played([Fault("disconnect", begun="Half of it, and the rest.")], streaming=True)
    assert run.outcome.ended == "failed"
    assert run.outcome.history[-1] == {"role": "assistant", "content": "Half of it, "}


def test_a_failing_listener_fails_nothing() -> None:
    """A listener that raises is told of it once at most, and the run comes to its answer."""
    heard: list[Event] = []

    def listener(event: Event) -> None:
        heard.append(event)
        raise RuntimeError("deaf")

    from sostenuto.agent import Setup, run
    from sostenuto.manager import ContextManager
    from sostenuto.testing import ScriptedModel

    async def go() -> str:
        model = ScriptedModel(["Done."])
        return (await run("Go.", Setup(model=model, context=ContextManager(window=8_000, format="openai_chat"), on_event=listener))).text

    import asyncio

    assert asyncio.run(go()) == "Done."
    assert [event.kind for event in heard] == ["start", "notice"]


def test_a_history_with_an_open_call_is_closed_before_it_goes_on() -> None:
    """A conversation that was killed in a tool phase goes on: its open call is answered as unfinished."""
    codec = codec_of("openai_chat")
    from sostenuto.messages import Message

    history = [codec.encode(Message("user", (Text("Go."),))), codec.encode(Message("assistant", (Call("c1", "look", "{}"),)))]
    run = played(["Fine."], task="And now?", history=history, tools=[looking()])
    assert [raw["role"] for raw in run.model.requests[0].messages] == ["user", "assistant", "tool", "user"]


def test_a_run_without_a_task_goes_on_with_its_history() -> None:
    """With no task nothing is added in front of the first request."""
    run = played(["Fine."], task=None, history=[{"role": "user", "content": "Hello."}])
    assert run.model.requests[0].messages == [{"role": "user", "content": "Hello."}]


def test_usage_and_cost_are_told_for_every_request() -> None:
    """Each request is followed by its tokens and dollars, and the totals grow (A.3)."""
    run = played(steps(2), tools=[looking()], price=0.25)
    told = run.told("usage")
    assert [detail["total_usd"] for detail in told] == [0.25, 0.5, 0.75]
    assert run.outcome.spent.total_usd == 0.75
    assert run.outcome.spent.input == sum(detail["input"] for detail in told)


def test_without_a_price_the_cost_is_unknown_not_nothing() -> None:
    """A model without a price leaves a cost that is not known (A.3)."""
    assert played(["Done."], price=None).outcome.spent.cost_known is False


def test_reasoning_without_words_is_heard_and_asked_about() -> None:
    """A reply that only thought is shown as thinking; it is no answer, so the model is asked once more and nobody is warned (A.3)."""
    run = played([Reply("", reasoning="Let me see."), "Forty-two."], streaming=True)
    assert run.outcome.text == "Forty-two."
    assert "".join(detail["text"] for detail in run.told("reasoning")) == "Let me see."
    assert not run.notices
