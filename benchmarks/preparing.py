"""How long `prepare` takes: growing histories, callers who parse theirs again, cleared results in view, edits, and `fit`."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator
from typing import Any

from benchmarks.histories import TOOLS, Raw, characters, chat, following
from benchmarks.measured import Measured, cpu_s, settle, typical_s
from sostenuto import ContextManager, fit

MODEL = "openai:gpt-5"
VAST = 10**9  # tokens: no rung fires
FIXED_S, PER_OLDER_S, PER_CHARACTER_S = 100e-6, 30e-9, 25e-9
"""The budget of `prepare`: seconds fixed, per older message, and per new character."""
COMPARED = 1.25
"""What a history parsed again may add, as a multiple of what Python's own ``==`` takes for the two lists. The first plan gave 400 ns a
message; ``==`` alone takes 490 to 590 ns once the lists are larger than the processor's caches, and nothing cheaper is sound."""
PARSED_STEPS = 12
STEPS = 60  # requests measured at each size


def manager(window: int = VAST, **wishes: Any) -> ContextManager:
    """A manager that estimates, so that no encoder is measured along."""
    return ContextManager(MODEL, counter="family", window=window, **wishes)


def rows(sizes: list[int]) -> Iterator[Measured]:
    """Every figure about `prepare`."""
    for size in sizes:
        yield growing(size)
    for size in sizes:
        yield parsed_again(size)
    for size in [size for size in sizes if 1_000 <= size <= 10_000]:
        yield cleared_in_view(size)
    yield from edits(min(10_000, max(sizes)))
    yield from stateless([size for size in sizes if size <= 1_000])


def growing(size: int) -> Measured:
    """One message added each time, the same objects handed over again."""
    history = chat(size)
    new = following(history, seed=7, count=STEPS)
    context = manager()
    first = cpu_s(lambda: context.prepare_sync(history, tools=TOOLS))
    ratios, times = _steps(context, history, new)
    note = f"median of {STEPS}; the first request took {first / size * 1e6:.0f} µs a message"
    return Measured(f"prepare, one message added to {size:,}", times * 1e6, times / ratios * 1e6, "µs", note=note)


def _steps(context: ContextManager, history: list[Raw], new: list[Raw]) -> tuple[float, float]:
    """Median of time over budget, and of the time, for one request per new message."""
    ratios: list[float] = []
    times: list[float] = []
    settle()
    for message in new:
        history = [*history, message]
        # a name bound now: the loop's variable would be another one by the time it is called
        took = cpu_s(lambda handed=history: context.prepare_sync(handed, tools=TOOLS))  # type: ignore[misc]
        ratios.append(took / (FIXED_S + PER_OLDER_S * len(history) + PER_CHARACTER_S * characters([message])))
        times.append(took)
    return statistics.median(ratios), statistics.median(times)


def parsed_again(size: int) -> Measured:
    """The caller reads its history from text each time: equal, not identical. What that adds to the same request with the same objects.

    Both are measured right after the parsing, which leaves neither lists nor code in the processor's caches.
    """
    kept = history = chat(size)
    new = following(history, seed=7, count=PARSED_STEPS)
    context, beside = manager(), manager()
    context.prepare_sync(history, tools=TOOLS)
    beside.prepare_sync(kept, tools=TOOLS)
    added: list[float] = []
    plain: list[float] = []
    for message in new:
        before, history = history, json.loads(json.dumps([*history, message]))
        settle()
        plain.append(cpu_s(lambda a=before, b=history: a == b[: len(a)]))  # type: ignore[misc]
        history = json.loads(json.dumps(history))  # the comparison must not find a warm cache
        took = cpu_s(lambda handed=history: context.prepare_sync(handed, tools=TOOLS))  # type: ignore[misc]
        kept = [*kept, message]
        json.loads(json.dumps(kept))
        added.append(took - cpu_s(lambda handed=kept: beside.prepare_sync(handed, tools=TOOLS)))  # type: ignore[misc]
    floor = statistics.median(plain)
    note = f"beyond the same objects; comparing the two lists alone takes Python {floor * 1e6:,.0f} µs"
    return Measured(f"{size:,} messages parsed again", statistics.median(added) * 1e6, COMPARED * floor * 1e6, "µs", note=note)


def cleared_in_view(size: int) -> Measured:
    """Many placeholders among the older messages: a window in which old results were cleared and nothing fires any more."""
    history = chat(size)
    context = manager(window=int(characters(history) / 4 * 1.3))
    request = context.prepare_sync(history, tools=TOOLS)
    cleared = sum(len(event.keys) for event in request.events if event.rung == "clear")
    ratios, times = _steps(context, history, following(history, seed=7, count=STEPS))
    return Measured(
        f"prepare among {size:,}, {cleared:,} results cleared", times * 1e6, times / ratios * 1e6, "µs", note=f"median of {STEPS}"
    )


def edits(size: int) -> Iterator[Measured]:
    """What the request takes in which a rung fires. No budget: rungs are rare."""
    history = chat(size)
    for name, share in (("clear", 1.3), ("compact", 0.9)):
        tight = manager(window=int(characters(history) / 4 * share))
        settle()
        took = cpu_s(lambda tight=tight: tight.prepare_sync(history, tools=TOOLS))  # type: ignore[misc]
        whole = cpu_s(lambda: manager().prepare_sync(history, tools=TOOLS))
        yield Measured(f"an edit over {size:,} messages: {name}", max(0.0, took - whole) * 1e3, None, "ms", note="beyond taking them in")


def stateless(sizes: list[int]) -> Iterator[Measured]:
    """`fit` replays the ladder over every request boundary of the history."""
    for size in sizes:
        history = chat(size)
        window = int(characters(history) / 4 * 0.5)
        settle()
        took = typical_s(lambda h=history, w=window: fit(h, model=MODEL, counter="family", window=w, tools=TOOLS), times=1)  # type: ignore[misc]
        yield Measured(f"fit over {size:,} messages", took * 1e3, None, "ms", note=f"half of it fits; {took / size * 1e6:.0f} µs a message")
