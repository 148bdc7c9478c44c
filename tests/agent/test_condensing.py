"""The ladder inside a run: compaction on request, what forgets, and summarizers that do not work (D14, D26, origin 6)."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import pytest

from sostenuto.agent import Purse, summarizing
from sostenuto.manager import ContextManager
from sostenuto.messages import Call
from sostenuto.testing import Fault, Reply, Script, ScriptedModel
from sostenuto.tools import standard_tools
from tests.agent.acting import WINDOW, Played, look, looking, played, steps

SUMMARY = """## Goal
Look at all parts.
## Constraints & Preferences
(none)
## Covered So Far
data.txt
## Progress
### Done
Some parts.
### In Progress
(none)
### Blocked
(none)
## Key Decisions
(none)
## Next Steps
Look on.
## Critical Context
The number is 4711.
"""


def test_compaction_inside_a_batch_runs_behind_it(tmp_path: Any) -> None:
    """A model that asks for it beside another call gets both results first; the next request is compacted, the batch whole in it."""
    (condense,) = (tool for tool in standard_tools(tmp_path) if tool.name == "summarize_context")
    script: Script = [*steps(8)[:8], Reply(calls=[("summarize_context", {"focus": "the parts"}), look(99)]), "Done."]
    run = played(script, tools=[looking(characters=2_500), condense], window=20_000)
    assert run.outcome.text == "Done."
    compactions = [detail for detail in run.told("rung") if detail["rung"] == "compact"]
    assert len(compactions) == 1
    last = run.model.requests[-1]
    assert [raw.get("role") for raw in last.messages if "call_8" in str(raw)] == ["assistant", "tool", "tool"]


def test_a_tool_is_told_when_its_results_left_the_context() -> None:
    """What remembers its answers hears which of them the model no longer sees (D14)."""
    forgotten: list[Collection[str]] = []
    remembering = replace(looking(characters=2_500), forget=forgotten.append)
    run = played(steps(40), tools=[remembering])
    gone = {each for batch in forgotten for each in batch}
    ids = [call.id for call in run.outcome.calls]
    assert gone
    assert gone <= set(ids)
    assert ids[-1] not in gone


def summarized(writer: ScriptedModel) -> tuple[Played, Purse]:
    """A run that has to compact, with another model for its summaries, and what those cost."""
    purse = Purse(lambda *_: 0.25)
    return condensed(None, summarizer=summarizing(writer, purse=purse)), purse


def condensed(purse: Purse | None, *, summarizer: Any) -> Played:
    """A run that has to compact."""
    context = ContextManager("scripted:model", window=WINDOW, format="openai_chat", summarizer=summarizer)
    wordy: Script = [
        *(Reply(f"Step {n}. " + "What was seen there is described at length. " * 30, calls=[look(n)]) for n in range(60)),
        "Done.",
    ]
    return played(wordy, tools=[looking()], context=context, purse=purse)


def test_the_summarizer_is_another_model_and_its_cost_counts() -> None:
    """A summary that fits the schema is used, and what it cost is booked as internal: dollars, no tokens (A.6)."""
    writer = ScriptedModel(lambda _: SUMMARY, name="scripted:writer", format="anthropic")
    run, purse = summarized(writer)
    assert run.outcome.text == "Done."
    assert any("4711" in str(request.messages) for request in run.model.requests)
    assert writer.requests[0].thinking is False
    assert writer.requests[0].tools == ()
    assert purse.spent.cost_usd == 0.25 * len(writer.requests)
    assert purse.spent.tokens == 0


@pytest.mark.parametrize(
    "answer", [Fault("server_fault"), Fault("unauthorised"), Reply(""), Reply("## Goal\nLoo", finish="length"), "and on " * 3_000]
)
def test_a_summarizer_that_fails_fails_no_run(answer: Any) -> None:
    """Whatever is wrong with its summaries, the run comes to its answer by the mechanical checkpoint, and the person is told once."""
    run, _ = summarized(ScriptedModel(lambda _: answer, name="scripted:writer"))
    assert run.outcome.text == "Done."
    assert any(detail["rung"] == "compact" for detail in run.told("rung"))
    assert sum("could not be used" in notice for notice in run.notices) == 1


def test_what_left_the_context_can_be_read_back() -> None:
    """A result that was cleared is named in its place, and the model reads it whole by its id."""
    number = iter(range(100))

    def script(arguments: Mapping[str, Any]) -> Reply | str:
        step = next(number)
        if step < 20:
            return Reply(calls=[look(step)])
        return Reply(calls=[("retrieve_tool_result", {"tool_call_id": "call_0_0"})]) if step == 20 else "Done."

    run = played(script, tools=[looking(characters=2_500)])
    assert any(detail["rung"] == "clear" for detail in run.told("rung"))
    assert isinstance(run.outcome.calls[-1], Call)
    assert "('part', 0)" in str(run.outcome.history[-2]["content"])


def test_lib_53_results_that_refill_the_window_are_not_condensed_every_step() -> None:
    """Library 53: eighty results of more than half of the window each lead to clears, and hardly ever to a compaction."""
    run = played([*[Reply(f"Step {n}.", calls=[look(n)]) for n in range(80)], "Done."], tools=[looking(characters=38_000)])
    rungs = [detail["rung"] for detail in run.told("rung")]
    assert run.outcome.text == "Done."
    assert rungs.count("compact") <= 4
    assert rungs.count("clear") <= 40


def test_b189_a_compaction_is_told_with_what_it_was_made_for_and_what_it_cost() -> None:
    """B189: one event for each compaction, with trigger, tokens before and after, who wrote it, how long that took and its dollars."""
    purse, writer = Purse(lambda *_: 0.25), ScriptedModel(lambda _: SUMMARY, name="scripted:writer")
    run = condensed(purse, summarizer=summarizing(writer, purse=purse))
    told = [detail for detail in run.told("rung") if detail["rung"] == "compact"]
    assert told
    assert {(detail["trigger"], detail["by"]) for detail in told} == {("threshold", "model")}
    assert all(detail["after"] < detail["before"] and detail["seconds"] >= 0 for detail in told)
    assert sum(detail["cost_usd"] for detail in told) == 0.25 * len(writer.requests)
    assert all("cost_usd" not in detail for detail in run.told("rung") if detail["rung"] != "compact")


def test_b189_where_no_price_is_known_the_cost_of_a_compaction_is_none() -> None:
    """An unknown price is no price of nothing, and stays with its own compaction."""
    purse = Purse(lambda *_: None)
    purse.pay("scripted:writer", None, internal=True)
    assert (purse.internal_usd(), purse.internal_usd()) == (None, 0.0)


@pytest.mark.parametrize("by", ["model", "mechanical"])
def test_b191_b193_a_compaction_moves_the_counters_by_what_it_cost_and_nothing_else(by: str) -> None:
    """B191, B193: each reply adds its own dollars and tokens, a mechanical compaction none, a model's its price; no counter falls."""
    price, purse = 0.25, Purse(lambda *_: 0.25)
    writer = ScriptedModel(lambda _: SUMMARY, name="scripted:writer")
    run = condensed(purse, summarizer=summarizing(writer, purse=purse) if by == "model" else "mechanical")
    dollars = tokens = 0.0
    compactions = 0
    for event in run.events:
        if event.kind == "rung" and event.detail["rung"] == "compact":
            compactions += 1
            dollars += event.detail["cost_usd"]
        if event.kind == "usage":
            dollars += price
            tokens += event.detail["input"] + event.detail["output"]
            assert event.detail["total_usd"] == pytest.approx(dollars)
            assert event.detail["total_tokens"] == tokens
    assert compactions >= 2
    assert dollars == pytest.approx(price * (len(run.model.requests) + len(writer.requests)))
    assert bool(writer.requests) is (by == "model")
    assert run.outcome.spent.cost_usd == pytest.approx(dollars)


@pytest.mark.parametrize("fails", [False, True])
def test_b181_what_is_typed_while_a_summary_is_written_is_delivered_in_order(fails: bool) -> None:
    """B181: two lines typed during a slow compaction follow it in the next request; where the run ends before, they are still queued."""
    queue: deque[str] = deque()

    async def slow(prompt: str) -> str:
        if not queue:
            queue.extend(["First this.", "Then that."])
        await asyncio.sleep(0)
        return SUMMARY

    def script(arguments: Mapping[str, Any]) -> Reply | Fault | str:
        if fails and queue:
            return Fault("unauthorised")
        words = str(arguments)
        return "Done." if "Then that." in words else Reply("Seen. " + "It is described at length. " * 60, calls=[look(len(words))])

    context = ContextManager("scripted:model", window=WINDOW, format="openai_chat", summarizer=slow)
    run = played(script, tools=[looking()], context=context, queue=queue)
    said = [str(raw["content"]) for raw in run.outcome.history if raw["role"] == "user"]
    assert any(detail["rung"] == "compact" for detail in run.told("rung"))
    if fails:
        assert run.outcome.ended == "failed"
        assert list(queue) == ["First this.", "Then that."]
    else:
        assert run.outcome.text == "Done."
        assert said == ["Do the work.", "First this.", "Then that."]
        assert [detail["text"] for detail in run.told("input")] == said[1:]
