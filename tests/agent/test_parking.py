"""Calls that wait for a person: parked, approved, denied, passed over, and never carried out twice (origin 7.5, 11.2; 14.1, 28)."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sostenuto.agent import Delegation, Event, Outcome, Parked, Parking, Purse, Setup, Stop, codec_of, parked_in, run
from sostenuto.agent._parked import batch_ids, document, parked_of
from sostenuto.errors import UnusableInput
from sostenuto.manager import ContextManager
from sostenuto.messages import Call, Message, Result
from sostenuto.protocols import Raw
from sostenuto.stores.in_memory import InMemory
from sostenuto.testing import Reply, Script, ScriptedModel
from sostenuto.tools import Assessed, Compact, Context, PapersInMemory, Policy, Tool, standard_tools
from tests.agent.acting import WINDOW, check_valid, look, looking, steps

FORMATS = ("anthropic", "gemini", "openai_chat", "openai_responses")
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


@dataclass
class World:
    """One conversation and everything beside it that outlives a run."""

    format: str = "openai_chat"
    papers: Any = field(default_factory=PapersInMemory)
    history: list[Raw] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    why: str = ""
    grants: frozenset[str] = frozenset()
    now: datetime = NOON
    model: ScriptedModel = field(default_factory=lambda: ScriptedModel([]))

    def push(self, *, fails: type[BaseException] | None = None) -> Tool:
        """A tool that changes the world, above every policy of these tests."""

        async def run(arguments: Mapping[str, Any], context: Context, /) -> str:
            await asyncio.sleep(0)
            self.done.append(arguments["what"])
            if fails is not None:
                raise fails
            return f"pushed {arguments['what']}"

        schema = {"type": "object", "properties": {"what": {"type": "string"}}, "required": ["what"]}
        return Tool("push", "Push.", schema, run, risk="high-risk", assess=self.assessed)

    def assessed(self, arguments: Mapping[str, Any], /) -> Assessed:
        """What a call of it would do, in the world as it is now."""
        return Assessed("high-risk", self.why, self.grants)

    def run(self, script: Script, task: str | None = "Go.", *, parking: Parking | None = None, **changes: Any) -> Outcome:
        """One run of it."""
        self.model = ScriptedModel(script, format=self.format, window=WINDOW)
        tools = (self.push(), looking())
        parts: dict[str, Any] = {"tools": tools, "policy": Policy("read-only"), "purse": Purse(lambda *_: 0.001)}
        parts["context"] = ContextManager(self.model.name, window=WINDOW, format=self.format)
        setup = Setup(
            model=self.model,
            parking=parking or Parking(self.papers, "r1"),
            on_event=self.events.append,
            now=lambda: self.now,
            **{**parts, **changes},
        )
        return asyncio.run(run(task, setup, history=self.history))

    @property
    def parked(self) -> Parked | None:
        """What waits, as another process would find it."""
        return parked_in(self.papers, self.history, codec=codec_of(self.format))

    def decided(self, script: Script, call_id: str, *, approved: bool, reason: str = "", **changes: Any) -> Outcome:
        """A run that goes on with what a person said."""
        assert self.parked is not None
        decision = self.parked.chosen(call_id, approved=approved, reason=reason, now=self.now)
        return self.run(script, None, parking=Parking(self.papers, "r1", decision=decision), **changes)

    @property
    def answers(self) -> list[str]:
        """What the calls were answered, in the order of the history."""
        codec = codec_of(self.format)
        return [part.text for raw in self.history for part in codec.decode(raw).parts if isinstance(part, Result)]

    @property
    def first(self) -> str:
        """The id of the call that waits first."""
        assert self.parked is not None
        return self.parked.waiting[0].id

    def check(self, *, sent: int = 0) -> None:
        """The history is valid, and a request was sent that its wire takes."""
        check_valid(self.history, self.format)
        assert not codec_of(self.format).problems(self.model.requests[sent].arguments)


def push(*whats: str) -> list[tuple[str, dict[str, Any]]]:
    """Calls of the tool."""
    return [("push", {"what": what}) for what in whats]


BATCH = Reply("I look, push and look.", calls=[look(1), *push("a"), look(2)])


@pytest.fixture(params=FORMATS)
def world(request: pytest.FixtureRequest) -> World:
    """A conversation of each wire whose batch of three calls waits with the one in the middle."""
    made = World(request.param)
    outcome = made.run([BATCH])
    assert outcome.ended == "parked"
    assert outcome.parked is not None
    return made


def test_a_parked_run_answers_nothing_yet(world: World) -> None:
    """The batch stands at the end of the history without any answer; what needed nobody is done and kept beside it (14.1, 28)."""
    assert world.answers == []
    parked = world.parked
    assert parked is not None
    assert [(one.ask.call.tool, one.ask.risk) for one in parked.waiting] == [("push", "high-risk")]
    assert [text[:4] for text in (parked.answers[0].text, parked.answers[2].text)] == ["look", "look"]
    assert parked.expires == NOON + timedelta(hours=24)
    assert world.done == []
    states = [event.detail["state"] for event in world.events if event.kind == "approval"]
    assert states == ["parked"]
    assert world.events[-1].detail["ended"] == "parked"


def test_an_approved_call_is_carried_out_and_all_are_answered_in_order(world: World) -> None:
    """After the approval the three calls are answered in their order, the request is valid, and nothing waits any more."""
    outcome = world.decided(["Pushed."], world.first, approved=True)
    assert (outcome.ended, outcome.text, world.done) == ("done", "Pushed.", ["a"])
    assert [text[:4] for text in world.answers] == ["look", "push", "look"]
    assert "after the other calls" in world.answers[1]
    world.check()
    assert world.parked is None


def test_a_denied_call_tells_the_model_why(world: World) -> None:
    """After a denial the model reads the person's words, and nothing was done."""
    world.decided(["I see."], world.first, approved=False, reason="not on a Friday")
    assert "They said: not on a Friday" in world.answers[1]
    assert world.done == []
    world.check()


def test_a_new_prompt_passes_over_what_waits(world: World) -> None:
    """Another task answers the call as approved by nobody, keeps the real results of the others, and stands behind all of them."""
    world.run(["Well."], "Leave it.")
    assert [text[:4] for text in world.answers] == ["look", "push", "look"]
    assert "nobody approved it" in world.answers[1]
    assert world.done == []
    world.check()
    assert world.parked is None


def test_a_call_that_had_begun_is_not_done_again(world: World) -> None:
    """A run that is torn down while the call runs leaves it as begun: whatever is said then, it is answered as unknown (14.1, 28)."""
    with pytest.raises(KeyboardInterrupt):
        world.decided(["Never."], first := world.first, approved=True, tools=(world.push(fails=KeyboardInterrupt), looking()))
    assert world.done == ["a"]
    assert world.answers == []
    world.decided(["I look."], first, approved=True)
    assert world.done == ["a"]
    assert "Unknown whether this was done" in world.answers[1]
    assert any("not carried out again" in str(event.detail) for event in world.events if event.kind == "notice")
    world.check()


def test_killed_behind_the_result_the_result_counts(world: World) -> None:
    """Where the answer was written beside the conversation and the history not yet, the next run answers with it, once."""
    before = copy.deepcopy(world.history)
    kept: list[Any] = []

    class Watched(PapersInMemory):
        def write(self, name: str, value: Any, /) -> bool:
            kept.append(copy.deepcopy(value))
            return super().write(name, value)

    first, watched = world.first, Watched()
    watched.write("parked", world.papers.read("parked"))
    world.papers = watched
    world.decided(["Pushed."], first, approved=True)
    world.history, world.papers = before, PapersInMemory()
    world.papers.write("parked", kept[2])
    world.run(["Well."], "And?")
    assert world.answers[1].startswith("pushed a")
    assert world.done == ["a"]
    world.check()


@pytest.mark.parametrize("format", FORMATS)
def test_several_calls_wait_one_after_another(format: str) -> None:
    """Each is decided by its own id; while one is left the run ends parked again, without a request."""
    world = World(format)
    world.run([Reply(calls=push("a", "b", "c"))])
    assert world.parked is not None
    ids = [one.id for one in world.parked.waiting]
    assert len(set(ids)) == 3
    assert world.decided([], ids[1], approved=True).ended == "parked"
    assert world.decided([], ids[0], approved=False).ended == "parked"
    assert world.decided(["Done."], ids[2], approved=True).ended == "done"
    assert world.done == ["b", "c"]
    assert [text.split("\n")[0][:8] for text in world.answers] == ["push was", "pushed b", "pushed c"]
    world.check()


def test_an_expired_call_can_only_be_denied(world: World) -> None:
    """After 24 hours an approval is refused in one line and nothing is done; a denial goes through."""
    world.now = NOON + timedelta(hours=24)
    first = world.first
    with pytest.raises(UnusableInput, match=r"waited until 2026-05-02T12:00:00Z and can no longer be approved"):
        world.decided([], first, approved=True)
    world.decided(["I see."], first, approved=False)
    assert world.done == []
    world.check()


def test_a_wrong_id_names_the_nearest() -> None:
    """An id that is almost one of those that wait names it; one that is none of them says which there are."""
    world = World()
    world.run([BATCH])
    assert world.parked is not None
    first = world.first
    with pytest.raises(UnusableInput, match=f"did you mean {first}"):
        world.parked.chosen(first[:-1] + "_", approved=True, now=NOON)
    with pytest.raises(UnusableInput, match=f"waiting: {first}"):
        world.parked.chosen("§§§§§§§§", approved=True, now=NOON)


@pytest.mark.parametrize("changed", [{"why": "the link leads elsewhere now"}, {"grants": frozenset(["elsewhere"])}])
def test_what_the_call_has_become_meanwhile_was_not_approved(changed: dict[str, Any]) -> None:
    """Where the call would do something else than what the person was shown, it is not carried out, and the model is told."""
    world = World()
    world.run([BATCH])
    first = world.first
    vars(world).update(changed)
    world.decided(["I see."], first, approved=True)
    assert world.done == []
    assert "has to be asked anew" in world.answers[1]


def test_what_is_written_down_is_read_the_same() -> None:
    """A document goes through JSON and back unchanged, and a compaction that the batch asked for happens after it was decided (D26)."""
    world = World()
    compact = next(tool for tool in standard_tools(Path()) if tool.name == "summarize_context")
    tools = (world.push(), compact, looking(characters=2_500))
    world.run([*steps(8)[:8], Reply(calls=[(compact.name, {"focus": "the push"}), *push("a")])], tools=tools)
    held = world.papers.read("parked")
    parked = parked_of(json.loads(json.dumps(held)))
    assert parked == world.parked
    assert parked is not None
    assert parked.wish == Compact("the push")
    assert document(parked) == held
    events = len(world.events)
    world.decided(["Done."], world.first, approved=True, tools=tools)
    assert "compact" in [event.detail["rung"] for event in world.events[events:] if event.kind == "rung"]


@pytest.mark.parametrize("ids", [["", ""], ["a", "a"], ["-x", "a b"], ["number-1", "\x1b[2J"]])
def test_every_call_has_an_id_that_can_be_typed(ids: list[str]) -> None:
    """Where the model's ids are missing, used twice, or nothing for a command line, calls go by their number."""
    assert batch_ids([Call(id, "push", "{}") for id in ids]) == ["number-1", "number-2"]


class Full:
    """Papers that cannot be written any more."""

    def __init__(self, held: Any = None) -> None:
        self.held = held

    def read(self, name: str, /) -> Any:
        """See `Papers`."""
        return self.held

    def write(self, name: str, value: Any, /) -> bool:
        """See `Papers`."""
        return False


def test_what_cannot_be_written_down_does_not_wait() -> None:
    """Where the batch cannot be set aside the call is refused in words, and the run goes on."""
    world = World(papers=Full())
    outcome = world.run([BATCH, "Then not."])
    assert outcome.ended == "done"
    assert "could not be set aside" in world.answers[1]
    world.check(sent=1)


def test_what_cannot_be_marked_as_begun_does_not_begin() -> None:
    """An approved call whose beginning cannot be written down is not carried out, and waits still."""
    world = World()
    world.run([BATCH])
    world.papers = Full(world.papers.read("parked"))
    outcome = world.decided([], world.first, approved=True)
    assert outcome.ended == "failed"
    assert "might be done twice" in str(outcome.error)
    assert world.done == []
    assert world.parked is not None


@pytest.mark.parametrize("broken", [None, 3, {}, {"calls": 4}, "cut", "place", "id", "risk"])
def test_a_broken_document_approves_nothing(broken: Any) -> None:
    """Whatever stands in the document, reading it never fails, and a broken one counts as none."""
    world = World()
    world.run([BATCH])
    held = world.papers.read("parked")
    match broken:
        case "cut":
            broken = {**held, "answers": held["answers"][:1]}
        case "place":
            broken = {**held, "waiting": [{**held["waiting"][0], "place": 99}]}
        case "id":
            broken = {**held, "ids": [{"place": 1, "id": "--deny; rm"}]}
        case "risk":
            broken = {**held, "waiting": [{**held["waiting"][0], "risk": "none"}]}
    world.papers.write("parked", broken)
    assert world.parked is None
    world.run(["Well."], "And?")
    world.check()


def test_the_document_of_another_batch_answers_nothing() -> None:
    """A document that is left over does not answer a later batch, be it of the same words: its calls have other ids."""
    world = World()
    world.run([BATCH])
    calls = [part for part in codec_of("openai_chat").decode(world.history[-1]).parts if isinstance(part, Call)]
    others = tuple(replace(call, id=f"other{number}") for number, call in enumerate(calls))
    world.history[-1:] = codec_of("openai_chat").items(Message("assistant", others))
    assert world.parked is None


def test_without_parking_everything_is_refused_as_before() -> None:
    """A run that does not park refuses in words, and still looks after what waits from before."""
    world = World()
    world.run([BATCH])
    outcome = world.run([Reply(calls=push("b")), "Then not."], "Again.", parking=Parking(world.papers, parks=False))
    assert outcome.ended == "done"
    assert "nobody approved it" in world.answers[1]
    assert "this run allows only what is read-only" in world.answers[3]


def test_what_parks_next_is_not_forgotten_with_what_was_parked_before() -> None:
    """Where the answers of a batch could be written down only after another one was parked, that one still waits."""
    world, store = World(), InMemory()

    def context() -> ContextManager:
        return ContextManager(world.model.name, window=WINDOW, format=world.format, store=store, conversation="c")

    with closing(context()) as first:
        world.run([BATCH], context=first)
    with closing(context()) as second:
        note, notes = second.note, iter([False, False])  # the disk is full for a while
        second.note = lambda messages: next(notes, True) and note(messages)  # type: ignore[method-assign]
        assert world.decided([Reply(calls=push("b"))], world.first, approved=True, context=second).ended == "parked"
    assert world.parked is not None
    assert [one.ask.call.arguments for one in world.parked.waiting] == [{"what": "b"}]


def test_a_sub_agent_does_not_park() -> None:
    """What a sub-agent needs is refused to it, because nobody can be asked inside one; the run above goes on."""
    world = World()
    heard: list[str] = []

    def script(arguments: Mapping[str, Any]) -> Reply | str:
        messages: Sequence[Any] = arguments["messages"]
        told = [str(raw["content"]) for raw in messages if raw["role"] == "tool"]
        if "Look into it." in str(messages[0]["content"]):
            heard.extend(told)
            return "Could not." if told else Reply(calls=push("deep"))
        return "Done." if told else Reply(calls=[("spawn_subagent", {"task": "Look into it."})])

    def made(purse: Purse) -> tuple[ContextManager, Sequence[Tool]]:
        return ContextManager(world.model.name, window=WINDOW, format="openai_chat"), (world.push(),)

    outcome = world.run(script, delegation=Delegation(made))
    assert outcome.ended == "done"
    assert world.done == []
    assert "nobody can be asked inside a sub-agent" in heard[0]


def test_an_interrupt_before_the_approved_call_leaves_it_waiting() -> None:
    """A run that is stopped before it began does nothing, and the call can be approved again."""
    world, stop = World(), Stop()
    world.run([BATCH])
    stop.now()
    outcome = world.decided([], first := world.first, approved=True, stop=stop)
    assert (outcome.ended, world.done) == ("interrupted", [])
    assert world.decided(["Done."], first, approved=True).ended == "done"
    assert world.done == ["a"]
