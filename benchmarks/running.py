"""What an iteration of a run costs beside the model and the tools: a scripted one, in a window far too small for it."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from benchmarks.measured import Measured
from sostenuto.agent import Event, Purse, Setup, run
from sostenuto.budget import Limits
from sostenuto.manager import ContextManager
from sostenuto.protocols import Heard, Spoken
from sostenuto.testing import Reply, ScriptedModel
from sostenuto.tools import Context, Policy, Tool

ITERATIONS = 300
WINDOW = 16_000
BUDGET_MS = 5.0
RESULT = "measured value of the sensor, all within its limits; " * 25


def rows() -> Iterator[Measured]:
    """The overhead of one iteration: the median, and the slowest twentieth."""
    found = _overhead_ms()
    note = f"{ITERATIONS} iterations of two calls in a window of {WINDOW:,}"
    yield Measured("one iteration of a run, beside model and tools (median)", statistics.median(found), BUDGET_MS, "ms", note=note)
    yield Measured("the same, 95th percentile", statistics.quantiles(found, n=20)[-1], None, "ms", note=note)


class _Timed(ScriptedModel):
    """Says how long it took to speak, all in all."""

    took = 0.0

    async def speak(
        self, arguments: Mapping[str, Any], /, *, tools: Sequence[Any] = (), max_output: int | None = None, thinking: bool = True,
        heard: Heard | None = None,
    ) -> Spoken:  # fmt: skip
        """A reply, its time added up."""
        before = time.perf_counter()
        try:
            return await super().speak(arguments, tools=tools, max_output=max_output, thinking=thinking, heard=heard)
        finally:
            self.took += time.perf_counter() - before


def _overhead_ms() -> list[float]:
    numbers = iter(range(1, ITERATIONS + 1))

    def script(arguments: Mapping[str, Any]) -> Reply | str:
        number = next(numbers)
        calls = [("look", {"path": f"file{number}.txt"}), ("look", {"path": f"other{number % 40}.txt"})]
        return Reply(f"Step {number}.", calls=calls) if number < ITERATIONS else "Done."

    async def look(arguments: Mapping[str, Any], context: Context, /) -> str:
        return f"{arguments['path']}: {RESULT}"

    schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"], "additionalProperties": False}
    model = _Timed(script, window=WINDOW)
    begun: list[tuple[float, float]] = []

    def listener(event: Event) -> None:
        if event.kind in ("iteration", "end"):
            begun.append((time.perf_counter(), model.took))

    setup = Setup(
        model=model,
        context=ContextManager(model.name, window=WINDOW, format=model.format),
        tools=(Tool("look", "Look at a file.", schema, look, risk="read-only"),),
        policy=Policy("read-only"),
        limits=Limits(iterations=ITERATIONS + 20),
        purse=Purse(lambda *_: 0.0),
        on_event=listener,
    )
    outcome = asyncio.run(run("Look at every file.", setup))
    assert outcome.ended == "done", outcome
    return [((later[0] - earlier[0]) - (later[1] - earlier[1])) * 1e3 for earlier, later in pairwise(begun)]
