"""What a run is made of."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from sostenuto.agent._event import Listener
from sostenuto.agent._parked import Parking
from sostenuto.agent._purse import Purse
from sostenuto.agent._stop import Stop
from sostenuto.budget import LIMIT_NUMBERS, Limits, Reading
from sostenuto.manager import ContextManager
from sostenuto.protocols import Model
from sostenuto.tools import Handling, Policy, Tool

Timer = Callable[[float], Awaitable[None]]
"""Waits so many seconds."""


async def by_the_clock(seconds: float) -> None:
    """Wait as long as it says."""
    import asyncio

    await asyncio.sleep(seconds)


@dataclass(frozen=True, slots=True)
class Delegation:
    """How a run hands work on.

    Attributes:
        made: makes the context manager of a sub-agent, which gets the same ladder, and its tools; both know the same work state.
        system: what it is told.
        most_deep: levels of sub-agents under the run that a person started; 0 allows none.
        iterations: of one sub-agent.
    """

    made: Callable[[Purse], tuple[ContextManager, Sequence[Tool]]]
    system: str = ""
    most_deep: int = LIMIT_NUMBERS.subagent_depth
    iterations: int = LIMIT_NUMBERS.subagent_iterations


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run stands among those that handed it its work.

    Attributes:
        depth: 0 for a run that a person or a program started.
        tasks: what the runs above were asked, the first one first.
        ceiling: the limit of a run above that is reached, if one is: it ends this run too.
    """

    depth: int = 0
    tasks: tuple[str, ...] = ()
    ceiling: Callable[[], Reading | None] = lambda: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """The parts of a run; see `run` for what they mean."""

    model: Model
    context: ContextManager
    tools: Sequence[Tool] = ()
    system: str = ""
    limits: Limits = field(default_factory=Limits)
    policy: Policy = field(default_factory=Policy)
    handling: Handling = field(default_factory=Handling)
    delegation: Delegation | None = None
    parking: Parking | None = None
    purse: Purse = field(default_factory=Purse)
    streaming: bool = False
    max_output: int | None = None
    on_event: Listener | None = None
    stop: Stop = field(default_factory=Stop)
    place: Place = field(default_factory=Place)
    clock: Callable[[], float] = time.monotonic
    timer: Timer = by_the_clock
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
