"""A caller who keeps what it was given: retries, a person's wishes, crashes (D46, D63)."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from sostenuto.manager import ContextManager
from sostenuto.protocols import Raw
from tests.engine.conversing import Quarters
from tests.manager.test_controls import manager, rungs, talked


def kept(context: ContextManager, *, turns: int) -> tuple[list[Raw], list[Raw]]:
    """Drive a keeping caller until a request was compacted; returns what it handed over last and what it got."""
    history, held = talked(turns), [talked(0)[0]]
    handed = held
    context.prepare_sync(held)
    for turn in range(1, len(history), 2):
        handed = [*held, *history[turn : turn + 2]]
        request = context.prepare_sync(handed)
        held = list(request.arguments["messages"])
        if {"compact", "trim"} & set(rungs([request])):
            return handed, held
    raise AssertionError("nothing was compacted")


def test_a_retry_after_a_compaction_is_the_same_request() -> None:
    """A keeping caller whose call failed and who asks again with the same list gets the very same request."""
    context = manager(2_000)
    handed, held = kept(context, turns=40)
    again = context.prepare_sync(list(handed))
    assert again.arguments["messages"] == held
    assert again is context.prepare_sync(copy.deepcopy(handed))
    assert not any(event.rung == "fork" for event in again.events)


def test_a_retry_that_grew_is_an_extension() -> None:
    """A keeping caller who never took the new request over goes on from its old list without a fork."""
    context = manager(2_000)
    handed, held = kept(context, turns=40)
    request = context.prepare_sync([*handed, {"role": "assistant", "content": "Yes."}, {"role": "user", "content": "And now?"}])
    assert request.arguments["messages"][: len(held) - 1] == held[:-1]  # but for the nudge at its end
    assert not any(event.rung == "fork" for event in request.events)


@pytest.mark.parametrize("how", ["compact", "recover"])
def test_a_person_and_an_overflow_speak_of_the_same_conversation(how: str) -> None:
    """Compacting by hand, or recovering, after a compaction of a keeping caller's history is no fork."""
    context = manager(2_000)
    kept(context, turns=40)
    request = context.compact_sync() if how == "compact" else context.recover(maximum=900)
    assert not any(event.rung == "fork" for event in request.events)
    assert how == "compact" or request.tokens <= 900


def test_a_keeping_caller_goes_on_after_a_crash() -> None:
    """The list that a keeping caller holds is known again after the snapshot was restored: no fork, the same next request."""
    context = manager(2_000)
    _, held = kept(context, turns=40)
    restored = ContextManager.restore(json.loads(json.dumps(context.snapshot())), counter=Quarters())
    more: list[Any] = [*held, {"role": "assistant", "content": "Yes."}, {"role": "user", "content": "And now?"}]
    wanted, got = context.prepare_sync(more), restored.prepare_sync(json.loads(json.dumps(more)))
    assert not any(event.rung == "fork" for event in got.events)
    assert got.arguments == wanted.arguments


def test_a_resending_caller_goes_on_after_a_crash() -> None:
    """The whole raw history is known again after a restore, with its edits: the same next request."""
    context, history = manager(2_000), talked(30)
    for length in range(1, len(history), 2):
        context.prepare_sync(history[:length])
    restored = ContextManager.restore(json.loads(json.dumps(context.snapshot())), counter=Quarters())
    assert restored.prepare_sync(json.loads(json.dumps(history))).arguments == context.prepare_sync(history).arguments


def test_markers_of_ours_do_not_gather() -> None:
    """With ``cache="auto"`` a keeping caller hands our marker back, and the next request carries it at the new end alone."""
    context = manager(20_000, format="anthropic", cache="auto")
    held: list[Raw] = []
    history = talked(12)
    for turn in range(0, len(history), 2):
        request = context.prepare_sync([*held, *history[max(0, turn - 1) : turn + 1]])
        held = list(request.arguments["messages"])
        assert len(held) == turn + 1
        assert str(held).count("cache_control") == 1
        assert "cache_control" in str(held[-1])
