"""Going on with another model in the middle of a conversation: what is told, what stays, what must go (D20, D29)."""

from __future__ import annotations

from typing import Any

import pytest

from sostenuto.manager import ContextManager
from sostenuto.protocols import Raw
from tests.engine import wires
from tests.engine.conversing import CODECS, FORMATS, Quarters, faults, results_in

WORD = "evidence "
MODELS = {
    "anthropic": "anthropic:claude-sonnet-4",
    "gemini": "google:gemini-2.5-pro",
    "openai_chat": "openai:gpt-4.1",
    "openai_responses": "openai:gpt-5",
}
PAIRS = [(one, other) for one in FORMATS for other in FORMATS if one != other]


def begun(format: str, *, window: int = 20_000, model: str = "") -> ContextManager:
    """A manager for a wire."""
    return ContextManager(model or MODELS[format], window=window, counter=Quarters(), format=format)


def worked(format: str, *, cycles: int = 6, size: int = 60) -> list[Raw]:
    """A task and a tool loop that is still open, every step after reasoning."""
    history = [wires.user("The task: find the fault.", format=format)]
    for number in range(cycles):
        history += wires.cycle([f"c{number}"], [f"out {number} {WORD * size}"], format=format, thought=f"t{number}")
    return history


def messages(request: Any) -> list[Raw]:
    """The messages of a request."""
    found: list[Raw] = request.arguments[CODECS[request.format].field]
    return found


def wishes(format: str, window: int = 20_000) -> dict[str, Any]:
    """What a switch is asked with."""
    return {"format": format, "window": window, "counter": Quarters()}


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_an_open_tool_loop_goes_on_in_another_wire(one: str, other: str) -> None:
    """In the middle of a tool loop the next request is legal in the new wire, extends what was handed out, and loses no key."""
    context, history = begun(one), worked(one)
    context.prepare_sync(history, system="Be brief.")
    done = context.switch(MODELS[other], **wishes(other))
    assert done.messages is not None
    assert done.system == "Be brief."
    first = context.prepare_sync(done.messages, system=done.system)
    assert messages(first)[-len(done.messages) :] == done.messages
    own = [*done.messages, *wires.cycle(["d1", "d2"], ["one", "two"], format=other, thought="u1")]
    second = context.prepare_sync(own, system=done.system)
    assert messages(second)[: len(messages(first))] == messages(first)
    for request in (first, second):
        assert faults(request.arguments, format=other, handed=own) == []
    for number in range(6):
        assert context.recall(f"c{number}")[0].text == f"out {number} {WORD * 60}"


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_there_and_back_again(one: str, other: str) -> None:
    """Two switches in a row, back to the first wire, leave a legal history with the same words, and every key."""
    context, history = begun(one), worked(one)
    before = context.prepare_sync(history)
    context.switch(MODELS[other], **wishes(other))
    done = context.switch(MODELS[one], **wishes(one))
    assert done.messages is not None
    after = context.prepare_sync([*done.messages, wires.user("Go on.", format=one)])
    assert faults(after.arguments, format=one, handed=done.messages) == []
    assert results_in(messages(after), format=one) == results_in(messages(before), format=one)


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_calls_in_parallel_stay_one_turn_through_three_wires(one: str, other: str) -> None:
    """Parallel calls of a wire of items, or of one message, are answered wherever they go, also two wires further."""
    context = begun(one)
    context.prepare_sync([wires.user("Task.", format=one), *wires.cycle(["a", "b", "c"], ["1", "2", "3"], format=one, thought="t")])
    for third in FORMATS:
        if third not in (one, other):
            twice = ContextManager.restore(context.snapshot(), counter=Quarters())
            twice.switch(MODELS[other], **wishes(other))
            done = twice.switch(MODELS[third], **wishes(third))
            assert done.messages is not None
            request = twice.prepare_sync(done.messages)
            assert faults(request.arguments, format=third, handed=done.messages) == []
            assert results_in(messages(request), format=third) == ["1", "2", "3"]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_what_was_covered_and_cleared_stays_so(one: str, other: str) -> None:
    """After rewrites in a small window the other wire gets the checkpoint and the forms, not the originals; undo brings them back."""
    context, history = begun(one, window=1_200), worked(one, cycles=14)
    for length in range(1, len(history) + 1):
        request = context.prepare_sync(history[:length])
    context.compact_sync()
    done = context.switch(MODELS[other], **wishes(other, window=20_000))
    assert done.messages is not None
    first = context.prepare_sync([*done.messages, wires.user("Go on.", format=other)])
    assert first.tokens <= request.tokens + 200
    assert faults(first.arguments, format=other, handed=done.messages) == []
    for number in range(14):
        assert context.recall(f"c{number}")[0].text == f"out {number} {WORD * 60}"
    undone = context.undo()
    assert undone.applied
    whole = context.prepare_sync([*done.messages, wires.user("Go on.", format=other)])
    assert whole.tokens > first.tokens
    assert faults(whole.arguments, format=other, handed=done.messages) == []


@pytest.mark.parametrize("format", FORMATS)
def test_before_anything_was_sent(format: str) -> None:
    """A switch before the first request takes effect with it; there is nothing to hand over."""
    context = begun("openai_chat")
    done = context.switch(MODELS[format], **wishes(format, window=5_000))
    assert done.messages is None
    request = context.prepare_sync([wires.user("Hello.", format=format)])
    assert request.format == format
    assert request.window == 5_000


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_a_step_a_person_asks_for_right_after_the_switch(one: str, other: str) -> None:
    """Compacting, previewing and switching on without a request in between work on the history in its new wire."""
    context, history = begun(one), worked(one, cycles=12)
    context.prepare_sync(history, system="Be brief.", tools=context.tools())
    context.switch(MODELS[other], **wishes(other, window=4_000))
    assert context.preview().tokens_after < context.preview().tokens_before
    request = context.compact_sync()
    assert request.format == other
    assert [event.rung for event in request.events if event.rung in ("fork", "absent", "rewritten")] == []
    assert "compact" in [event.rung for event in request.events]
    assert faults(request.arguments, format=other, handed=messages(request)) == []


@pytest.mark.parametrize("format", ["anthropic", "openai_responses"])
def test_another_provider_gets_no_sealed_reasoning(format: str) -> None:
    """On the same wire another provider gets the history without reasoning, and thinking off while a loop is open; the same keeps it."""
    for model, kept in ((MODELS[format], True), ("openrouter:some/model", False)):
        context, history = begun(format), worked(format)
        whole = messages(context.prepare_sync(history))
        done = context.switch(model, window=20_000, counter=Quarters())
        assert done.messages is None
        request = context.prepare_sync(history)
        assert (messages(request) == whole) == kept
        assert ("seal" in str(messages(request))) == kept
        assert request.thinking_off is not kept
        assert {loss.what for loss in done.losses} == (set() if kept else {done.losses[0].what})
        over = [*history, *wires.reply("Done.", format=format), wires.user("Next.", format=format)]
        assert not context.prepare_sync(over).thinking_off


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("other", FORMATS)
def test_a_plan_changes_nothing_and_comes_true(format: str, other: str) -> None:
    """A dry run leaves the conversation as it is; what it says of tokens and rungs is what the next request then is."""
    context, history = begun(format, window=20_000), worked(format, cycles=14)
    before, sent = context.prepare_sync(history), context.snapshot()
    plan = context.switch(MODELS[other], **wishes(other, window=1_500), dry_run=True)
    assert context.snapshot() == sent
    assert context.prepare_sync(history) is before
    assert not plan.applied
    done = context.switch(MODELS[other], **wishes(other, window=1_500))
    assert (done.plan, done.rungs, done.tokens_after, done.losses) == (plan.plan, plan.rungs, plan.tokens_after, plan.losses)
    request = context.prepare_sync(done.messages if done.messages is not None else history)
    assert tuple(event.rung for event in request.events if event.rung in plan.rungs) == plan.rungs
    assert 0 <= request.tokens - plan.tokens_after <= 100  # what a nudge takes
    assert plan.rungs


def test_back_to_a_larger_window_nothing_grows_back_by_itself() -> None:
    """What a small window made the ladder cover stays covered in the larger one, until a person takes it back."""
    context, history = begun("openai_chat", window=20_000), worked("openai_chat", cycles=14)
    context.prepare_sync(history)
    context.switch("openai:small", window=1_200, counter=Quarters())
    small = context.prepare_sync(history)
    context.switch(MODELS["openai_chat"], window=20_000, counter=Quarters())
    assert messages(context.prepare_sync(history)) == messages(small)[: len(messages(small)) - small.nudges]
    assert context.undo().applied


def test_a_plan_says_whether_it_fits() -> None:
    """A window that not even the ladder can make the history fit is told as such in words, and a larger one fits."""
    context, history = begun("openai_chat"), worked("openai_chat")
    context.prepare_sync(history, system="Obey. " * 2_000)
    small = context.switch(MODELS["openai_chat"], window=1_000, counter=Quarters(), dry_run=True)
    assert not small.fits
    assert "cannot be made to fit" in small.plan
    assert "FixedPartTooLarge" not in small.plan
    assert "system" in small.plan
    assert context.switch(MODELS["openai_chat"], window=30_000, counter=Quarters(), dry_run=True).fits


def test_a_guessed_window_is_said_in_the_plan() -> None:
    """Going on with a name that is only alike says from which entry its window is; with an unknown one, what it may have meant."""
    context = begun("openai_chat")
    context.prepare_sync(worked("openai_chat"))
    assert "is not in the catalogue" in context.switch("newhost:gpt-5", dry_run=True).plan
    assert "Did you mean openai:gpt-4o" in context.switch("openai:gtp-4o", dry_run=True).plan
    assert "Did you mean openai:gpt-4o" in ContextManager("openai:gtp-4o").switch("openai:gtp-4o").plan
