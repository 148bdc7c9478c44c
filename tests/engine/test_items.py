"""Histories of items: reasoning and what it led to stay together, and ids go exactly where reasoning went (D57)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.engine import Profile
from sostenuto.errors import FixedPartTooLarge
from sostenuto.manager import ContextManager
from sostenuto.protocols import Raw
from tests.engine import wires
from tests.engine.conversing import Quarters, faults, fewer, manager
from tests.engine.witness import Witness

FORMAT = "openai_responses"
WORD = "evidence "
Draw = Any


@st.composite
def loops(draw: Draw) -> list[Raw]:
    """Turns of tool loops and replies, some led by reasoning, in items with ids."""
    history: list[Raw] = [wires.user("The task: find the fault.", format=FORMAT)]
    for number in range(draw(st.integers(2, 14))):
        thought = f"t{number}" if draw(st.booleans()) else ""
        if draw(st.integers(0, 3)):
            ids = [f"c{number}_{each}" for each in range(draw(st.integers(1, 3)))]
            texts = [f"{one} {WORD * draw(st.integers(0, 300))}" for one in ids]
            said = "and hurry" if draw(st.integers(0, 4)) == 0 else ""
            history += wires.cycle(ids, texts, format=FORMAT, thought=thought, said=said)
        else:
            history += wires.reply(f"{number} {WORD * draw(st.integers(1, 60))}", format=FORMAT, thought=thought)
            history.append(wires.user(f"Go on, {number}.", format=FORMAT))
    return history


WINDOWS = st.sampled_from((600, 900, 1_500, 3_000))


def lengths(history: list[Raw]) -> list[int]:
    """Where a request would be made: before each turn of the assistant, and at the end."""
    theirs = [raw.get("role") == "assistant" or raw.get("type") in ("reasoning", "function_call") for raw in history]
    return [n for n in range(1, len(history)) if theirs[n] and not theirs[n - 1]] + [len(history)]


def name_of(item: Raw) -> str:
    """What an item can be found again by, with or without its id."""
    if item.get("type") == "reasoning":
        return str(item["encrypted_content"])
    content = item.get("content")
    return str(item.get("call_id") or (content if isinstance(content, str) else json.dumps(content)))


def ids_are_right(history: list[Raw], out: list[Raw]) -> int:
    """Check that an item has its id exactly if the nearest reasoning before it in its turn is sent; returns how many lost theirs."""
    sent = {name_of(item): item for item in out if item.get("type") != "function_call_output"}
    leader: Raw | None = None
    lost = 0
    for at, item in enumerate(history):
        if item.get("role") == "user":
            leader = None
        elif item.get("type") == "reasoning":
            leader = item
            if name_of(item) in sent:
                behind = out[[name_of(each) for each in out].index(name_of(item)) + 1]
                assert name_of(behind) == name_of(history[at + 1])
        elif "id" in item and name_of(item) in sent:
            is_led = leader is None or name_of(leader) in sent
            assert ("id" in sent[name_of(item)]) == is_led
            lost += not is_led
    return lost


@fewer(of_ten=4)
@given(loops(), WINDOWS)
def test_ids_go_exactly_where_reasoning_went(history: list[Raw], window: int) -> None:
    """In any window every request is legal, its reasoning is followed by what it led to, and no id outlives its reasoning."""
    context = manager(window, format=FORMAT)
    witness = Witness(context, format=FORMAT)
    for length in lengths(history):
        try:
            request = context.prepare_sync(history[:length])
        except FixedPartTooLarge:
            return
        witness.see(history[:length], request)
        ids_are_right(history[:length], request.arguments["input"])


@fewer(of_ten=2)
@given(loops(), WINDOWS)
def test_a_restart_changes_no_byte(history: list[Raw], window: int) -> None:
    """A process that ends after each request and goes on from its snapshot sends the very requests of one that never ended."""
    context, again = manager(window, format=FORMAT), manager(window, format=FORMAT)
    for length in lengths(history):
        try:
            request = context.prepare_sync(history[:length])
        except FixedPartTooLarge:
            return
        assert again.prepare_sync(history[:length]).arguments == request.arguments
        saved = json.loads(json.dumps(again.snapshot()))
        again = ContextManager.restore(saved, window=window, counter=Quarters())


@given(loops(), WINDOWS)
def test_reasoning_bound_to_its_prefix_goes_with_its_ids(history: list[Raw], window: int) -> None:
    """Where reasoning is dropped by a rewrite the items it led to stay, without their ids."""
    context = manager(window, format=FORMAT, profile=Profile(prefix_bound_thinking=True))
    for length in lengths(history):
        try:
            request = context.prepare_sync(history[:length])
        except FixedPartTooLarge:
            return
        assert faults(request.arguments, format=FORMAT, handed=history[:length]) == []
        ids_are_right(history[:length], request.arguments["input"])


def test_ids_stay_gone_from_request_to_request() -> None:
    """After another provider took over, items are without ids in every later request, also behind a restart."""
    history = [
        wires.user("The task.", format=FORMAT),
        *wires.cycle(["c1", "c2"], ["one", "two"], format=FORMAT, thought="t1"),
        *wires.reply("Done.", format=FORMAT, thought="t2"),
        wires.user("Go on.", format=FORMAT),
    ]
    context = ContextManager("openai:gpt-5", window=20_000, counter=Quarters(), format=FORMAT)
    whole = context.prepare_sync(history).arguments["input"]
    assert whole == history
    said = context.switch("xai:grok-4", window=20_000, counter=Quarters())
    assert [loss.key for loss in said.losses] == ["m1.0", "m6.0"]
    first = context.prepare_sync(history).arguments["input"]
    assert [item for item in first if item.get("type") == "reasoning" or "id" in item] == []
    history += [*wires.cycle(["c3"], ["three"], format=FORMAT, thought="t3")]
    second = context.prepare_sync(history).arguments["input"]
    assert second[: len(first)] == first
    assert second[len(first) :] == history[-3:]
    again = ContextManager.restore(json.loads(json.dumps(context.snapshot())), window=20_000, counter=Quarters())
    assert again.prepare_sync(history).arguments["input"] == second


@pytest.mark.parametrize("window", [900, 1_500])
def test_recall_returns_items_as_they_came(window: int) -> None:
    """Every item that left the context is returned by its key."""
    history = [wires.user("The task.", format=FORMAT)]
    for number in range(12):
        history += wires.cycle([f"c{number}"], [f"out {number} {WORD * 90}"], format=FORMAT, thought=f"t{number}")
    context = manager(window, format=FORMAT)
    for length in lengths(history):
        context.prepare_sync(history[:length])
    for ordinal, item in enumerate(history):
        text = item.get("output") or item.get("arguments") or item.get("content")
        if text:
            assert context.recall(f"m{ordinal}.0")[0].text == text
        assert f"[m{ordinal}.0 " in context.recall(f"m{ordinal}")[0].text


HELD = [
    {"type": "function_call_output", "call_id": "call_held", "output": "what the server asked for"},
    {"role": "user", "content": "And now?"},
]


def test_outputs_of_calls_that_a_server_holds_stand() -> None:
    """An output whose call was never handed over is sent in every request, also under covers, and is told of once."""
    history: list[Raw] = list(HELD)
    context = manager(900, format=FORMAT)
    told: list[str] = []
    rungs: list[str] = []
    for number in range(14):
        request = context.prepare_sync(history)
        told += [notice for notice in request.notices if "kept by the server" in notice]
        rungs += [event.rung for event in request.events]
        assert request.arguments["input"][0] is history[0]
        history += wires.cycle([f"c{number}"], [f"out {number} {WORD * 60}"], format=FORMAT, thought=f"t{number}")
    assert len(told) == 1
    assert "compact" in rungs


@pytest.mark.parametrize("kind", ["compaction", "compaction_summary"])
def test_compaction_items_stand_through_covers(kind: str) -> None:
    """What a server compacted itself is in every request as it came, whatever is covered around it."""
    sealed = {"type": kind, "id": "cmp_1", "encrypted_content": "sealed"}
    history: list[Raw] = [wires.user("The task.", format=FORMAT), sealed, wires.user("Go on.", format=FORMAT)]
    context = manager(900, format=FORMAT)
    rungs: list[str] = []
    for number in range(14):
        request = context.prepare_sync(history)
        rungs += [event.rung for event in request.events]
        assert any(item is sealed for item in request.arguments["input"])
        assert faults(request.arguments, format=FORMAT, handed=history) == []
        history += wires.cycle([f"c{number}"], [f"out {number} {WORD * 60}"], format=FORMAT, thought=f"t{number}")
    assert "compact" in rungs


def test_an_output_without_an_id_answers_nothing() -> None:
    """An output that names no call is left out and named, even where a server might hold the call."""
    context = manager(2_000, format="openai_responses")
    request = context.prepare_sync([{"type": "function_call_output", "output": "?"}, {"role": "user", "content": "Go on."}])
    assert request.arguments["input"] == [{"role": "user", "content": "Go on."}]
    assert [event.keys for event in request.events if event.rung == "repair"] == [("m0.0",)]
