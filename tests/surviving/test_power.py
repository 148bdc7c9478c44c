"""A run that loses its power at any change of the disk: what was acknowledged had been flushed (D34, invariant 8)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sostenuto.engine import amounting
from sostenuto.formats.openai_chat import CODEC
from sostenuto.manager import ContextManager
from sostenuto.stores.files import Files
from sostenuto.stores.papers import FilePapers
from sostenuto.stores.results import FileResults
from tests.surviving.power import Amount, Change, Disk
from tests.surviving.working import NAME, TASK, WINDOW, Work, calls, todos, work

STEPS, SPREAD = 8, 20
LEFT: tuple[tuple[Amount, Any], ...] = (("none", "none"), ("none", "all"), ("half", "all"), ("all", "none"))
"""How much of the bytes, and of the names, that were not flushed is there."""


def lost(life: Work, *, every: int) -> list[str]:
    """What does not hold after a loss of power at each of these changes of a run."""
    trace = life.root / "trace"
    assert life.run(TASK, traced=trace) == 0
    changes: list[Change] = [json.loads(line) for line in trace.read_text().splitlines()]
    assert len(changes) > 100
    found = []
    for number in range(0, len(changes) + 1, every):
        disk = Disk(changes[:number])
        for data, names in LEFT:
            home = life.root / f"left-{number}-{data}-{names}"
            disk.left(home, of=life.home, data=data, names=names)
            found += [f"change {number}, {data} of the bytes, {names} of the names: {line}" for line in wrong(life, home, at=number)]
    return found


def wrong(life: Work, home: Path, *, at: int) -> Iterator[str]:
    """What does not hold of a data home that is left."""
    context = ContextManager("llamacpp:tiny-random", store=Files(home), conversation=NAME, window=WINDOW, format="openai_chat")
    try:
        said = {json.dumps(raw) for raw in context.history}
        engine = context._driver.started()
        sent = engine.emitted(engine.state)[0]
        if sent:
            yield from (f"the view is not valid: {problem}" for problem in CODEC.problems({"messages": sent}))
        cover = context.checkpoint
        if cover and cover not in [record["summary"] for record in context.journal]:
            yield "the checkpoint is not in the journal"
    finally:
        context.close()
    acknowledged = [seen for seen in life.seen if seen.changes <= at and not seen.is_summary]
    results = {message["tool_call_id"] for seen in acknowledged for message in seen.body["messages"] if message["role"] == "tool"}
    snapshot, _ = amounting(Files(home).read(NAME))
    known = {record["raw"]["tool_call_id"] for record in snapshot["transcript"] if record["raw"]["role"] == "tool"}
    yield from (f"the result of {call} is lost" for call in results - known)
    yield from _work(life, home, results)
    if acknowledged and not any(TASK in line for line in said):
        yield "the task is lost"


def _work(life: Work, home: Path, results: set[str]) -> Iterator[str]:
    """What tools of an acknowledged result wrote is there, whole."""
    folder = home / "work" / "default" / NAME
    main = [(number, seen.answered.text) for number, seen in enumerate(life.seen) if seen.answered.text.startswith("Step")]
    for number, text in main:
        step = int(text.split()[1].rstrip("."))
        if f"call_{number}_1" not in results:
            continue
        name = calls(step)[1][0]
        held = FilePapers(folder, home=home).read("todos") or {}
        if name == "manage_todos" and len(held if isinstance(held, list) else held.get("todos", ())) < len(todos(step)):
            yield f"the todos of step {step} are lost"
        draft = home / "scratchpad" / "default" / "log.md"
        if name == "manage_scratchpad" and f"step {step}" not in (draft.read_text().splitlines() if draft.exists() else ()):
            yield f"the draft of step {step} is lost"
        if name == "grep" and FileResults(folder, home=home).kept(f"call_{number}_1") is None:
            yield f"the whole result of step {step} is lost"


def test_a_loss_of_power_takes_nothing_that_was_acknowledged() -> None:
    """What a request had held, and what its tools had written, is there whatever the disk had not got round to; every home opens."""
    with work(steps=STEPS) as life:
        assert lost(life, every=SPREAD) == []


@pytest.mark.long
def test_a_loss_of_power_at_every_change() -> None:
    """The same at each change of the disk."""
    with work(steps=STEPS) as life:
        assert lost(life, every=1) == []
