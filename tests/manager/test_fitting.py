"""`fit`: the stateless form extends its own edits (algorithms 1), and twenty rounds of compaction lose nothing (invariant 6)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.errors import FixedPartTooLarge
from sostenuto.manager import ContextManager, fit
from sostenuto.protocols import Raw
from tests.engine.conversing import CODECS, FORMATS, Quarters, boundaries, faults
from tests.manager.test_controls import cycle, manager, talked, worked
from tests.strategies.histories import histories

SHORTER = {"clear", "compact", "trim", "strip", "flatten"}


@given(st.integers(1, 30), st.integers(1, 10), st.sampled_from((1_200, 2_500, 6_000)))
def test_fit_is_prefix_stable(turns: int, more: int, window: int) -> None:
    """What `fit` sends for a longer history is what a manager that had sent every earlier request sends."""
    history = talked(turns + more)
    context = manager(window)
    for length in range(1, len(history) + 1, 2):
        request = context.prepare_sync(history[:length])
    assert fit(history, window=window, counter=Quarters(), format="openai_chat").arguments == request.arguments
    short = fit(history[: 2 * turns + 1], window=window, counter=Quarters(), format="openai_chat")
    long = fit(history, window=window, counter=Quarters(), format="openai_chat")
    if len(long.arguments["messages"]) > len(short.arguments["messages"]):
        head = [raw for raw in short.arguments["messages"] if raw in history]
        assert head[0] == long.arguments["messages"][0]


@st.composite
def cases(draw: Any) -> tuple[str, list[Raw], int]:
    """A format, a sound history, a window."""
    name = draw(st.sampled_from(FORMATS))
    return name, draw(histories(format=name, steps=12)), draw(st.sampled_from((600, 1_500, 4_000)))


def asked_at(history: list[Raw], *, format: str) -> list[int]:
    """Lengths at which the model was asked: before each of its turns, and at the end."""
    theirs = [CODECS[format].decode(raw).role == "assistant" for raw in history]
    return [n for n in boundaries(history, format=format) if n == len(history) or theirs[n]]


@given(cases())
def test_fit_is_what_a_manager_sends_in_any_wire(case: tuple[str, list[Raw], int]) -> None:
    """`fit` gives the legal request that a manager gives that was asked before each turn of the model."""
    name, history, window = case
    context = manager(window, format=name)
    try:
        for length in asked_at(history, format=name):
            request = context.prepare_sync(history[:length])
    except FixedPartTooLarge:
        return
    made = fit(history, window=window, counter=Quarters(), format=name)
    assert made.arguments == request.arguments
    assert faults(made.arguments, format=name, handed=history) == []


@given(cases())
def test_fit_of_more_extends_the_edits(case: tuple[str, list[Raw], int]) -> None:
    """The edits of a history are the first edits of the same history with more behind it."""
    name, history, window = case
    lengths = asked_at(history, format=name)

    def edits(upto: int) -> list[Any]:
        context = manager(window, format=name)
        for length in [n for n in lengths if n <= upto]:
            context.prepare_sync(history[:length])
        return context.snapshot()["edits"]  # type: ignore[no-any-return]

    try:
        known: list[Any] = []
        for length in lengths[-3:]:
            now = edits(length)
            assert now[: len(known)] == known
            known = now
    except FixedPartTooLarge:
        return


def nothing(prompt: str) -> str:
    """A summary that says nothing about what was done."""
    del prompt
    return "## Current State\nAll is well.\n\n## Next Steps\nGo on.\n"


@pytest.mark.parametrize("summarizer", ["mechanical", nothing])
def test_what_was_covered_stays_covered(summarizer: Any) -> None:
    """Through twenty compactions every file that was read or written is named in view, or under a key that is in view."""
    context = manager(6_000, summarizer=summarizer)
    history: list[Raw] = [{"role": "user", "content": "Port all modules."}]
    rounds, number = 0, 0
    while rounds < 20:
        for _ in range(3):
            history += cycle(number, "ok " * 300)
            number += 1
        request = context.prepare_sync(history)
        if not any(event.rung == "compact" for event in request.events):
            request = context.compact_sync()
        rounds += any(event.rung in ("compact", "trim") for event in request.events)
        in_view = json.dumps(request.arguments["messages"])
        listed = context.recall("files:read")[0].text if "files:read" in in_view else ""
        for done in range(number):
            assert f"src/m{done}.py" in in_view or f"src/m{done}.py" in listed
        assert number < 200


@pytest.mark.parametrize("window", [1_500, 3_000])
def test_a_cleared_result_stays_cleared(window: int) -> None:
    """Once a result is cleared or covered no later request sends it again."""
    context: ContextManager = manager(window)
    history = worked(40, size=100)
    gone: set[int] = set()
    for length in range(3, len(history) + 1, 2):
        sent = {id(raw) for raw in context.prepare_sync(history[:length]).arguments["messages"]}
        assert not gone & sent
        gone |= {id(raw) for raw in history[:length] if id(raw) not in sent}
    assert gone
