"""Work that is handed on (origin 7.3)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from typing import Any

import pytest

from sostenuto.agent import Delegation, Purse
from sostenuto.budget import Limits
from sostenuto.manager import ContextManager
from sostenuto.testing import Fault, Reply, ScriptedModel
from sostenuto.tools import Tool
from tests.agent.acting import WINDOW, Played, look, looking, played


def handing(*tasks: str) -> Reply:
    """A reply that hands these tasks on."""
    return Reply("Handing on.", calls=[("spawn_subagent", {"task": task}) for task in tasks])


def asked(arguments: Mapping[str, Any]) -> str:
    """The task of whoever sends this request."""
    return next(str(raw["content"]) for raw in arguments["messages"] if raw["role"] == "user")


def turns(arguments: Mapping[str, Any]) -> int:
    """How many replies its history holds."""
    return sum(raw["role"] == "assistant" for raw in arguments["messages"])


def delegation(**changes: Any) -> Delegation:
    """Sub-agents with the same tools and a ladder of their own."""

    def made(_: Purse) -> tuple[ContextManager, tuple[Tool, ...]]:
        return ContextManager("scripted:model", window=WINDOW, format="openai_chat"), (looking(),)

    return Delegation(made, system="You are a sub-agent.", **changes)


def results(run: Played) -> list[str]:
    """The texts of the tool results of the run itself."""
    return [str(raw["content"]) for raw in run.outcome.history if raw["role"] == "tool"]


def family(child: Any, *, tasks: tuple[str, ...] = ("Part one.",)) -> Any:
    """A script in which the run hands tasks on, and each sub-agent plays `child`."""

    def script(arguments: Mapping[str, Any]) -> Any:
        if asked(arguments) == "Do the work.":
            return handing(*tasks) if not turns(arguments) else "Done."
        return child(arguments)

    return script


def test_a_sub_agent_has_its_own_context_and_its_answer_comes_back() -> None:
    """It sees its task and nothing of the conversation; its answer is a result of the run that sent it."""
    run = played(family(lambda arguments: "Forty-two."), delegation=delegation())
    assert run.outcome.text == "Done."
    request = run.model.requests[1]
    assert [raw["content"] for raw in request.messages] == ["You are a sub-agent.", "Part one."]
    assert "Forty-two." in results(run)[0]


def test_the_whole_answer_is_kept_under_an_id_at_the_end() -> None:
    """A long answer comes back cut, ends with its id, and can be read whole under it."""
    whole = " ".join(f"fact{number}" for number in range(6_000))

    def script(arguments: Mapping[str, Any]) -> Any:
        if asked(arguments) != "Do the work.":
            return whole
        if not turns(arguments):
            return handing("Collect the facts.")
        said = str(arguments["messages"][-1]["content"])
        if turns(arguments) == 1:
            key = re.findall(r"subagent-[0-9a-f]{8}-\d{8}T\d{6}", said)[-1]
            return Reply(calls=[("retrieve_tool_result", {"tool_call_id": key})])
        return "Done."

    run = played(script, delegation=delegation())
    cut, page = results(run)
    assert len(cut) < len(whole)
    assert re.search(r"subagent-[0-9a-f]{8}-\d{8}T\d{6}\W*$", cut.splitlines()[-1]) or "subagent-" in cut[-400:]
    assert "fact0 fact1" in page


def test_a_sub_agent_has_thirty_iterations_of_its_own() -> None:
    """One that never ends is stopped after 30 requests; what it had comes back, and why it ended."""
    run = played(family(lambda arguments: Reply("Looking on.", calls=[look(turns(arguments))])), delegation=delegation())
    assert len(run.model.requests) == 32
    assert "Looking on." in results(run)[0]
    assert "used up its iterations" in results(run)[0]
    assert run.outcome.spent.iterations == 2


def test_its_cost_counts_and_its_tokens_do_not() -> None:
    """Dollars of a sub-agent are in the sum of the run, its tokens are not (origin 7.3)."""
    run = played(family(lambda arguments: "Done."), delegation=delegation(), price=0.25)
    assert (run.outcome.spent.cost_usd, run.outcome.spent.delegated_usd) == (0.5, 0.25)
    assert run.outcome.spent.input == sum(detail["input"] for detail in run.told("usage"))


def test_what_is_left_of_the_cost_is_passed_down() -> None:
    """A sub-agent that spends the rest is stopped there, and then the run itself is."""
    run = played(
        family(lambda arguments: Reply(calls=[look(turns(arguments))])), delegation=delegation(), price=0.25, limits=Limits(cost_usd=1.0)
    )
    assert run.outcome.ended == "cost"
    assert len(run.model.requests) == 4
    assert "cost limit was reached" in results(run)[0]


def test_sub_agents_at_the_same_time_share_what_is_left() -> None:
    """Four at once do not spend four times what is left: each stops when all of them together have."""
    tasks = tuple(f"Part {number}." for number in range(4))
    script = family(lambda arguments: Reply(calls=[look(turns(arguments))]), tasks=tasks)
    run = played(script, delegation=delegation(), price=0.25, limits=Limits(cost_usd=2.0))
    assert run.outcome.ended == "cost"
    assert run.outcome.spent.total_usd <= 2.0 + 3 * 0.25


def test_an_unknown_cost_below_makes_the_cost_unknown_above() -> None:
    """A sub-agent's call without a price leaves the whole run's cost incomplete."""
    run = played(family(lambda arguments: "Done."), delegation=delegation(), price=None)
    assert run.outcome.spent.cost_known is False


def test_levels_end_at_three() -> None:
    """Each level hands its work on with other words; the third sub-agent is refused a fourth, in words it can act on."""

    def script(arguments: Mapping[str, Any]) -> Any:
        level = 0 if asked(arguments) == "Do the work." else int(asked(arguments).split()[1])
        return "Done." if turns(arguments) else handing(f"Level {level + 1} please.")

    run = played(script, delegation=delegation())
    assert run.outcome.text == "Done."
    levels = {asked(request.arguments) for request in run.model.requests}
    assert levels == {"Do the work.", "Level 1 please.", "Level 2 please.", "Level 3 please."}
    refused = [raw["content"] for request in run.model.requests for raw in request.messages if raw["role"] == "tool"]
    assert any("3 is the most" in text for text in refused)


def test_a_circle_of_sub_agents_is_refused() -> None:
    """Who hands on the very task that was given, to it or to those above it, is told so and does it itself."""

    def script(arguments: Mapping[str, Any]) -> Any:
        if turns(arguments):
            return "Done."
        return handing("Part one.") if asked(arguments) == "Do the work." else handing("do  the WORK.")

    run = played(script, delegation=delegation())
    refused = [str(raw["content"]) for raw in run.model.requests[2].messages if raw["role"] == "tool"]
    assert "round in a circle" in refused[0]
    assert run.outcome.text == "Done."


def test_without_levels_there_is_no_way_to_hand_on() -> None:
    """With no delegation the tool is not offered."""
    run = played(["Done."], tools=[looking()])
    assert "spawn_subagent" not in str(run.model.requests[0].tools)


def test_a_sub_agent_that_fails_fails_alone() -> None:
    """An endpoint that fails for it is a failed result; the run goes on."""
    run = played(family(lambda arguments: Fault("server_fault")), delegation=delegation())
    assert run.outcome.text == "Done."
    assert "failed" in results(run)[0]


def test_nothing_left_is_nothing_to_hand_on() -> None:
    """With its tokens used up by the very reply that hands work on, a run is told that there is nothing left to hand on."""
    run = played(family(lambda arguments: "Never."), delegation=delegation(), limits=Limits(tokens=50))
    assert "nothing left to hand on" in results(run)[0]
    assert run.outcome.ended == "tokens"


@pytest.mark.parametrize("after", range(1, 4))
def test_an_interrupt_reaches_a_sub_agent_and_keeps_what_it_had(after: int) -> None:
    """A person who stops the run while a sub-agent works gets the sub-agent's words until then in the result."""
    from sostenuto.agent import Stop

    stop = Stop()

    def child(arguments: Mapping[str, Any]) -> Reply:
        if turns(arguments) == after:
            asyncio.get_running_loop().call_soon(stop.now)
        return Reply(f"Found {turns(arguments)}.", calls=[look(turns(arguments))])

    run = played(family(child), delegation=delegation(), stop=stop)
    assert run.outcome.ended == "interrupted"
    assert "Found" in results(run)[0]


def test_events_of_sub_agents_say_how_deep_they_are() -> None:
    """What a sub-agent does is told with its depth, and its notices are not told to the person (A.3)."""
    run = played(family(lambda arguments: Reply("On.", calls=[look(turns(arguments))])), delegation=delegation())
    assert {event.depth for event in run.events} == {0, 1}
    assert not [event for event in run.events if event.depth and event.kind == "notice" and "iteration" in str(event.detail)]


def test_b159_a_sub_agent_has_the_ladder_too() -> None:
    """B159: sixty calls with long results in a window of 32,000 tokens end in the sub-agent's answer, by way of rungs of its own."""

    def made(_: Purse) -> tuple[ContextManager, tuple[Tool, ...]]:
        return ContextManager("scripted:model", window=32_000, format="openai_chat"), (looking(characters=3_000),)

    def child(_: Mapping[str, Any]) -> Any:
        count = next(counts)
        return Reply(calls=[look(3 * count + each) for each in range(3)]) if count < 20 else "All sixty were looked at."

    counts = iter(range(21))
    served = ScriptedModel(family(child), window=32_000)
    run = played([], model=served, delegation=Delegation(made), window=100_000)
    assert run.outcome.text == "Done."
    assert "All sixty were looked at." in results(run)[0]
    assert "clear" in {event.detail["rung"] for event in run.events if event.kind == "rung" and event.depth == 1}


def test_b157_the_answers_of_seven_sub_agents_fit_together() -> None:
    """B157: seven answers of 30,000 characters in a window that is more than half full leave a request that fits and leads back to each."""
    tasks = tuple(f"Part {number}." for number in range(7))

    def before(arguments: Mapping[str, Any]) -> Any:
        if arguments["messages"][0]["content"] != "You are a sub-agent.":
            return handing(*tasks) if not turns(arguments) else "Done."
        return "word " * 6_000

    served = ScriptedModel(before, window=40_000)
    history = [{"role": "user", "content": "word " * 18_000}]
    run = played([], model=served, delegation=delegation(), window=40_000, history=history)
    assert run.outcome.text == "Done."
    said = [str(raw["content"]) for raw in served.requests[-1].messages if raw["role"] == "tool"]
    assert len(said) == 7
    assert sum(map(len, said)) <= 4 * 20_000
    assert all("subagent-" in text or "recall(" in text for text in said)
