"""A batch: together, in order, all answered."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from sostenuto.errors import ToolFailed
from sostenuto.tools import Answer, Ask, Compact, Context, Decided, Handling, Output, Policy, Touched, run_batch
from tests.tools.working import ANYTHING, call, carried, doing, numbered

Given = Mapping[str, Any]


def test_ten_calls_run_at_the_same_time_and_an_eleventh_waits() -> None:
    """Ten calls meet at a barrier, which no fewer could pass, and never are more than ten of twenty running."""
    running, most = 0, 0
    met = asyncio.Event()

    async def meet(_: Given, __: Context) -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        if running == 10:
            met.set()
        await met.wait()
        await asyncio.sleep(0)
        running -= 1
        return "met"

    answers = carried(numbered(*[("meet", {"n": n}) for n in range(20)]), [doing("meet", meet)])
    assert [answer.text for answer in answers] == ["met"] * 20
    assert most == 10


def test_synchronous_functions_run_at_the_same_time_too() -> None:
    """Three plain functions wait for each other in threads, which one thread alone could not."""
    barrier = threading.Barrier(3)

    def meet(_: Given, __: Context) -> str:
        return f"place {barrier.wait(timeout=20)}"

    answers = carried(numbered(*[("meet", {})] * 3), [doing("meet", meet)])
    assert {answer.text for answer in answers} == {"place 0", "place 1", "place 2"}


def test_answers_come_in_the_order_of_the_calls() -> None:
    """The first call ends last, and its answer stands first."""
    second = asyncio.Event()
    finished: list[str] = []

    async def first(_: Given, __: Context) -> str:
        await second.wait()
        return "first"

    async def other(_: Given, __: Context) -> str:
        second.set()
        return "second"

    tools = [doing("first", first), doing("second", other)]
    handling = Handling(finished=lambda answer: finished.append(answer.text))
    answers = carried(numbered(("first", {}), ("second", {})), tools, handling=handling)
    assert [answer.text for answer in answers] == ["first", "second"]
    assert finished == ["second", "first"]
    assert [answer.call_id for answer in answers] == ["c0", "c1"]


@pytest.mark.parametrize(
    "error", [ValueError("odd"), SystemExit(3), RecursionError("deep"), StopIteration("stop"), asyncio.CancelledError()]
)
@pytest.mark.parametrize("threaded", [True, False], ids=["sync", "async"])
def test_a_tool_that_breaks_takes_no_other_along(error: BaseException, threaded: bool) -> None:
    """Whatever a tool raises, its own call is answered as crashed and the one beside it is done."""

    def broken(_: Given, __: Context) -> str:
        raise error

    async def broken_later(_: Given, __: Context) -> str:
        raise error

    tools = [doing("broken", broken if threaded else broken_later), doing("fine", lambda _, __: "fine")]
    bad, good = carried(numbered(("broken", {}), ("fine", {})), tools)
    assert (bad.ended, good.text) == ("crashed", "fine")
    assert "broken broke" in bad.text


def test_a_failure_the_tool_states_is_no_crash() -> None:
    """What a tool says to the model arrives word for word, as a failure."""

    def refuse(_: Given, __: Context) -> str:
        raise ToolFailed("the file is gone; look again")

    (answer,) = carried([call("refuse")], [doing("refuse", refuse)])
    assert (answer.text, answer.ended, answer.succeeded) == ("the file is gone; look again", "failed", False)


def test_a_call_that_takes_too_long_is_stopped_and_says_so() -> None:
    """After its time a call is cancelled and answered; what it hands over while it ends is in the answer."""

    async def long(_: Given, __: Context) -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "as far as it came"
        return "never"

    answer, other = carried(
        numbered(("long", {}), ("fine", {})), [doing("long", long, timeout_s=0.05), doing("fine", lambda _, __: "fine")]
    )
    assert answer.ended == "timed out"
    assert answer.text.startswith("as far as it came\n[long was stopped after 0.05 seconds")
    assert other.ended == "done"


def test_a_thread_that_hangs_is_left_behind_and_told() -> None:
    """A plain function that hangs holds up nothing, and sees that nobody waits any more."""
    told = threading.Event()

    def hang(_: Given, context: Context) -> str:
        if context.stopped.wait(timeout=20):
            told.set()
        return "late"

    (answer,) = carried([call("hang")], [doing("hang", hang, timeout_s=0.05)])
    assert answer.ended == "timed out"
    assert told.wait(timeout=20)


def test_on_the_word_to_stop_every_call_is_answered() -> None:
    """What is done stays done, what runs is stopped with the reason and its partial output, what waits is not begun."""

    async def go() -> tuple[Answer, ...]:
        stop: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        async def running(_: Given, __: Context) -> Output:
            stop.set_result("the person interrupted")
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                return Output("half")
            return Output("never")

        everything = Touched(writes=frozenset(["*"]))
        tools = [
            doing("fine", lambda _, __: "fine", touched=lambda _: everything),
            doing("running", running, touched=lambda _: everything),
            doing("waiting", lambda _, __: "never", touched=lambda _: everything),
        ]
        return await run_batch(numbered(("fine", {}), ("running", {}), ("waiting", {})), tools, policy=ANYTHING, stop=stop)

    fine, running, waiting = asyncio.run(go())
    assert (fine.ended, fine.text) == ("done", "fine")
    assert running.ended == "stopped"
    assert running.text.startswith("half\n[running was stopped before it was done: the person interrupted.")
    assert (waiting.ended, waiting.text) == ("stopped", "waiting was not run: the person interrupted.")


def test_a_batch_that_was_stopped_before_it_began_answers_every_call() -> None:
    """With the word to stop already given, nothing runs and everything is answered and told."""
    told: list[Answer] = []

    async def go() -> tuple[Answer, ...]:
        stop: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        stop.set_result("time is up")
        handling = Handling(finished=told.append)
        return await run_batch(
            numbered(("a", {}), ("b", {})), [doing("a", lambda _, __: "ran")], policy=ANYTHING, handling=handling, stop=stop
        )

    answers = asyncio.run(go())
    assert [answer.ended for answer in answers] == ["stopped", "stopped"]
    assert told == list(answers)


def test_cancelling_the_one_who_waits_stops_the_calls_first() -> None:
    """The task that waits is cancelled, and the tool has ended before that is known outside."""
    ended: list[str] = []

    async def go() -> None:
        begun = asyncio.Event()

        async def running(_: Given, __: Context) -> str:
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.append("tidied up")
            return "never"

        task = asyncio.create_task(run_batch([call("running")], [doing("running", running)], policy=ANYTHING))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(go())
    assert ended == ["tidied up"]


def test_calls_that_collide_keep_their_order() -> None:
    """A read after a write of the same thing sees what was written, although the write is slow."""
    held = {"a": "old"}
    released = asyncio.Event()

    async def write(_: Given, __: Context) -> str:
        await released.wait()
        held["a"] = "new"
        return "written"

    async def free(_: Given, __: Context) -> str:
        released.set()
        return held["a"]

    on_a = frozenset(["a"])
    tools = [
        doing("write", write, touched=lambda _: Touched(writes=on_a)),
        doing("read", lambda _, __: held["a"], touched=lambda _: Touched(reads=on_a)),
        doing("free", free),
    ]
    answers = carried(numbered(("write", {}), ("read", {}), ("free", {})), tools)
    assert [answer.text for answer in answers] == ["written", "new", "old"]


def test_the_same_look_is_taken_once_in_a_batch() -> None:
    """Equal calls of a tool that only looks run once and all get the answer; written in between, it is taken again."""
    looks: list[int] = []

    def look(_: Given, __: Context) -> str:
        looks.append(1)
        return f"look {len(looks)}"

    on_a = frozenset(["a"])
    see = doing("look", look, repeatable=True, touched=lambda _: Touched(reads=on_a))
    write = doing("write", lambda _, __: "written", touched=lambda _: Touched(writes=on_a))
    answers = carried(
        numbered(("look", '{"x": 1, "y": 2}'), ("look", '{"y": 2, "x": 1}'), ("write", {}), ("look", '{"x": 1, "y": 2}')), [see, write]
    )
    assert [answer.text for answer in answers] == ["look 1", "look 1", "written", "look 2"]
    assert [answer.call_id for answer in answers] == ["c0", "c1", "c2", "c3"]


def test_an_unknown_tool_and_wrong_arguments_are_answered_with_what_would_be_right() -> None:
    """The model reads the nearest tool, or what is wrong with its arguments."""
    unknown, wrong = carried(numbered(("raed", {}), ("read", "{")), [doing("read", lambda _, __: "")])
    assert (unknown.ended, wrong.ended) == ("refused", "refused")
    assert "did you mean read?" in unknown.text
    assert "not JSON" in wrong.text


def test_the_person_is_asked_one_thing_at_a_time_and_their_words_reach_the_model() -> None:
    """Two dangerous calls are asked for one after the other; a refusal in words is passed on, a consent lets the call run."""
    asked: list[Ask] = []
    at_once = 0

    async def ask(question: Ask) -> bool | str:
        nonlocal at_once
        at_once += 1
        assert at_once == 1
        asked.append(question)
        await asyncio.sleep(0)
        at_once -= 1
        return True if len(asked) == 1 else "use the other folder"

    tool = doing("wipe", lambda _, __: "wiped", risk="high-risk")
    answers = carried(numbered(("wipe", {"n": 1}), ("wipe", {"n": 2})), [tool], policy=Policy(attended=True), handling=Handling(ask=ask))
    assert [answer.ended for answer in answers] == ["done", "refused"]
    assert "They said: use the other folder" in answers[1].text
    assert "n: 1" in asked[0].question


def test_a_person_who_takes_their_time_holds_up_nothing_else() -> None:
    """While a plain function waits for the person, the other call of the batch runs: the answer waits for it."""
    ran = threading.Event()

    def ask(_: Ask) -> bool:
        return ran.wait(timeout=20)

    def run(_: Given, __: Context) -> str:
        ran.set()
        return "ran"

    tools = [doing("wipe", lambda _, __: "wiped", risk="high-risk"), doing("look", run)]
    answers = carried(numbered(("wipe", {}), ("look", {})), tools, policy=Policy(attended=True), handling=Handling(ask=ask))
    assert [answer.text for answer in answers] == ["wiped", "ran"]


def test_nobody_to_ask_is_a_refusal_and_a_broken_asker_a_crash() -> None:
    """An attended policy without anybody who asks refuses; an asker that raises fails only its call."""

    def broken(_: Ask) -> bool:
        raise OSError("terminal gone")

    tool, policy = doing("wipe", lambda _, __: "wiped", risk="high-risk"), Policy(attended=True)
    assert carried([call("wipe")], [tool], policy=policy)[0].ended == "refused"
    (answer,) = carried([call("wipe")], [tool], policy=policy, handling=Handling(ask=broken))
    assert answer.ended == "crashed"
    assert "terminal gone" in answer.text


def test_what_is_asked_and_what_comes_of_it_is_told() -> None:
    """Each question is told before it is put, each decision after it; a refusal without a question is told too, a free call never."""
    told: list[tuple[str, object]] = []
    handling = Handling(
        ask=lambda question: question.call.arguments["n"] == 1 or "no",
        depth=2,
        asked=lambda call_id, ask: told.append((call_id, ask.depth)),
        decided=lambda call_id, found: told.append((call_id, found)),
    )
    tools = [doing("wipe", lambda _, __: "wiped", risk="high-risk"), doing("look", lambda _, __: "seen")]
    calls = numbered(("wipe", {"n": 1}), ("look", {}), ("wipe", {"n": 2}))
    carried(calls, tools, policy=Policy(attended=True), handling=handling)
    yes, no = Decided("wipe", allowed=True, by_person=True), Decided("wipe", allowed=False, by_person=True, words="no")
    assert told == [("c0", 2), ("c0", yes), ("c2", 2), ("c2", no)]
    told.clear()
    answers = carried(calls, tools, policy=Policy(), handling=handling)
    assert [found for _, found in told] == [
        Decided("wipe", allowed=False, by_person=False, words=answers[0].text),
        Decided("wipe", allowed=False, by_person=False, words=answers[2].text),
    ]


def test_listeners_hear_everything_and_cannot_break_anything() -> None:
    """Start, output and end are told; a listener that raises is no matter."""
    heard: list[tuple[str, ...]] = []

    def speak(_: Given, context: Context) -> Output:
        assert context.heard is not None
        context.heard("piece")
        return Output("done", wish=Compact("this"))

    def started(*words: str) -> None:
        heard.append(words)
        raise RuntimeError("a listener's own trouble")

    handling = Handling(started=started, heard=lambda *words: heard.append(words))
    (answer,) = carried([call("speak", "{}")], [doing("speak", speak)], handling=handling)
    assert heard == [("c1", "speak", "{}"), ("c1", "piece")]
    assert answer == replace(answer, text="done", ended="done", wish=Compact("this"))


@pytest.mark.parametrize("schema", [{"properties": [1]}, {"properties": {"x": {}}, "required": 3}, {"properties": {"x": {"minimum": "a"}}}])
def test_a_broken_definition_breaks_only_its_own_call(schema: Any) -> None:
    """A schema that is none, as a stranger's server may send it, is an answer like any other."""
    broken = replace(doing("broken", lambda _, __: "ran"), parameters=schema)
    bad, good = carried(numbered(("broken", {"x": 1}), ("fine", {})), [broken, doing("fine", lambda _, __: "fine")])
    assert bad.text
    assert good.text == "fine"


def test_an_empty_batch_has_no_answers() -> None:
    """No calls, no answers, no error."""
    assert carried([], []) == ()
