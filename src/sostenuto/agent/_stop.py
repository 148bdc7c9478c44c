"""How a run is ended from outside, wherever it is: a person's interrupt, or its deadline."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, Literal, TypeVar

if TYPE_CHECKING:
    import asyncio

Cause = Literal["interrupted", "duration"]
REASONS: dict[Cause, str] = {"interrupted": "the person interrupted the run", "duration": "the run's time was up"}
"""What an open call is answered with."""

Made = TypeVar("Made")


class Stopped(Exception):
    """The run was stopped while something was awaited. Never leaves the room."""


class Stop:
    """Hand one to `run`, and call `now` to end that run: it closes what is open, keeps partial work and returns."""

    def __init__(self) -> None:
        self.cause: Cause | None = None
        self._future: asyncio.Future[str] | None = None

    def now(self, cause: Cause = "interrupted") -> None:
        """End the run. To be called in the thread of its event loop; the first cause counts."""
        if self.cause is None:
            self.cause = cause
        if self._future is not None and not self._future.done():
            self._future.set_result(REASONS[self.cause])

    @property
    def future(self) -> asyncio.Future[str]:
        """Done, with the reason in words, as soon as the run is to end. Needs a running event loop."""
        if self._future is None:
            import asyncio

            self._future = asyncio.get_running_loop().create_future()
            if self.cause is not None:
                self._future.set_result(REASONS[self.cause])
        return self._future


async def raced(work: Coroutine[Any, Any, Made], stop: Stop, /) -> Made:
    """What `work` returns, unless the run is stopped before: then `work` is cancelled and waited for.

    Raises:
        Stopped: it was stopped. What was finished in the same moment counts as finished.
    """
    import asyncio

    if stop.cause is not None:
        work.close()
        raise Stopped
    task = asyncio.ensure_future(work)
    both: set[asyncio.Future[Any]] = {task, stop.future}
    try:
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            task.cancel()
            await asyncio.wait({task})
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait({task})
        if not task.cancelled():
            task.exception()  # looked at, so that nobody is told it was never looked at
        raise
    if task.cancelled() or (stop.future.done() and task.exception() is not None):
        raise Stopped
    return task.result()
