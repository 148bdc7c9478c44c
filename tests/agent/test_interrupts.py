"""An interrupt, or a task that is torn down, at every point at which a run waits: the history stays valid."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.agent import Delegation, Purse, Setup, Stop, codec_of, run, summarizing
from sostenuto.manager import ContextManager
from sostenuto.messages import Message, Text
from sostenuto.protocols import Raw
from sostenuto.testing import Reply
from sostenuto.tools import Policy
from tests.agent.acting import Hesitant, check_valid, look, looking

How = Literal["stop", "cancel"]
WINDOW = 4_000


class Injector:
    """Lets the event loop turn so many times, then ends the run. `reached` says whether it came to that."""

    def __init__(self, turns: int, how: How, stop: Stop) -> None:
        self.turns, self.how, self.stop = turns, how, stop
        self.reached = False
        self.task: asyncio.Task[Any] | None = None

    def tick(self) -> None:
        """One turn of the loop."""
        if self.task is None or self.task.done():
            return
        self.turns -= 1
        if self.turns >= 0:
            asyncio.get_running_loop().call_soon(self.tick)
            return
        self.reached = True
        if self.how == "stop":
            self.stop.now()
        else:
            self.task.cancel()


def scripted(format: str) -> Any:
    """Five batches of looks, one of them handed on, enough for a compaction in a small window, then an answer."""
    codec = codec_of(format)
    replies = iter(range(1_000))
    child_replies = iter(range(1_000))

    def script(arguments: Mapping[str, Any]) -> Reply | str:
        first = codec.decode(arguments[codec.field][0])
        said = "".join(part.text for part in first.parts if isinstance(part, Text))
        if said not in ("Do the work.", "Part one."):
            return "## Goal\nDo the work.\n"  # it is asked for a summary
        if said == "Part one.":
            return Reply("Child.", calls=[look(100)]) if next(child_replies) < 1 else "Child done."
        number = next(replies)
        if number == 1:
            return Reply("Handing on.", calls=[("spawn_subagent", {"task": "Part one."}), look(1)])
        return Reply(f"Step {number}.", reasoning="Hm.", calls=[look(number), look(number + 50)]) if number < 5 else "Done."

    return script


async def attempt(turns: int, how: How, format: str) -> tuple[bool, list[Raw]]:
    """One run that is ended after so many turns of the loop: whether it came to that, and the history it left."""
    stop = Stop()
    model = Hesitant(scripted(format), format=format)
    purse = Purse(lambda *_: 0.01)

    def context(purse: Purse) -> ContextManager:
        return ContextManager(model.name, window=WINDOW, format=format, summarizer=summarizing(model, purse=purse))

    history: list[Raw] = []
    setup = Setup(
        model=model,
        context=context(purse),
        tools=(looking(characters=1_500),),
        policy=Policy("read-only"),
        delegation=Delegation(lambda purse: (context(purse), (looking(characters=1_500),))),
        purse=purse,
        stop=stop,
        streaming=True,
    )
    injector = Injector(turns, how, stop)
    injector.task = asyncio.ensure_future(run("Do the work.", setup, history=history))
    asyncio.get_running_loop().call_soon(injector.tick)
    try:
        outcome = await injector.task
        assert outcome.history is history
        assert outcome.ended == ("interrupted" if injector.reached and outcome.ended != "done" else "done"), outcome.error
    except asyncio.CancelledError:
        assert how == "cancel"
    return injector.reached, history


def test_the_run_of_these_tests_compacts_and_hands_on() -> None:
    """Left alone, it comes to its end, by way of a sub-agent and of rungs of the ladder."""
    reached, history = asyncio.run(attempt(10**6, "stop", "openai_chat"))
    assert not reached
    assert history[-1]["content"] == "Done."
    assert "Child done." in str(history)


@pytest.mark.parametrize("how", ["stop", "cancel"])
def test_an_end_at_every_turn_of_the_loop_leaves_a_valid_history(how: How) -> None:
    """Ended at each single turn, from the first to the last, a run leaves a history in which every call is answered."""
    for turns in range(1_000):
        reached, history = asyncio.run(attempt(turns, how, "openai_chat"))
        check_valid(history, "openai_chat")
        if not reached:
            assert turns > 50
            return
    raise AssertionError("the run did not come to an end")


@given(st.integers(0, 140), st.sampled_from(["stop", "cancel"]), st.sampled_from(["anthropic", "gemini", "openai_responses"]))
def test_an_end_at_any_turn_is_fine_on_the_other_wires(turns: int, how: How, format: str) -> None:
    """On the other wires too the history is valid wherever the run was ended."""
    _, history = asyncio.run(attempt(turns, how, format))
    check_valid(history, format)


@given(st.integers(0, 140))
def test_a_run_that_was_ended_goes_on(turns: int) -> None:
    """Library 17: after an interrupt anywhere the same history takes another request, which is answered."""

    async def again() -> str:
        _, history = await attempt(turns, "stop", "openai_chat")
        codec = codec_of("openai_chat")
        history.append(codec.encode(Message("user", (Text("Are you there?"),))))
        model = Hesitant(["Yes."])
        outcome = await run(None, Setup(model=model, context=ContextManager(window=16_000, format="openai_chat")), history=history)
        return outcome.text

    assert asyncio.run(again()) == "Yes."
