"""The ladder inside a run: compaction on request, what forgets, and summarizers that do not work (D14, D26, origin 6)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import pytest

from sostenuto.agent import Purse, summarizing
from sostenuto.manager import ContextManager
from sostenuto.messages import Call
from sostenuto.testing import Fault, Reply, Script, ScriptedModel
from sostenuto.tools import standard_tools
from tests.agent.acting import WINDOW, look, looking, played, steps

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


def summarized(writer: ScriptedModel) -> tuple[Any, Purse]:
    """A run that has to compact, with another model for its summaries."""
    purse = Purse(lambda *_: 0.25)
    context = ContextManager("scripted:model", window=WINDOW, format="openai_chat", summarizer=summarizing(writer, purse=purse))
    wordy: Script = [
        *(Reply(f"Step {n}. " + "What was seen there is described at length. " * 30, calls=[look(n)]) for n in range(60)),
        "Done.",
    ]
    return played(wordy, tools=[looking()], context=context), purse


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
