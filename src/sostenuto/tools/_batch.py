"""Carrying out the calls of one reply: together where they do not collide, answered all, in their order (issue Run, origin 7)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from time import monotonic
from typing import TYPE_CHECKING, Any

from sostenuto.errors import ToolFailed
from sostenuto.messages import Call
from sostenuto.tools._answer import Answer, Decided, Ended, Handling
from sostenuto.tools._answering import answer, plain
from sostenuto.tools._approval import Allowed, Ask, Policy, Refused, Weighed, allowed, declined
from sostenuto.tools._calling import asked, assessed, called
from sostenuto.tools._checking import arguments_of
from sostenuto.tools._tool import EVERYTHING, Context, Output, Tool, Touched

if TYPE_CHECKING:
    import asyncio

GRACE_S = 5.0
"""Seconds a stopped call has to tidy up and to hand over what it has."""
_NOTHING = Touched()


@dataclass(frozen=True, slots=True)
class _Planned:
    """A call, taken apart before any of the batch runs; `wrong` says why it cannot."""

    call: Call
    tool: Tool | None = None
    arguments: dict[str, Any] = field(default_factory=dict)
    touched: Touched = _NOTHING
    wrong: str = ""

    @property
    def same(self) -> tuple[str, str]:
        """What makes another call the same one."""
        return self.call.name, json.dumps(self.arguments, sort_keys=True)


async def run_batch(
    calls: Sequence[Call],
    tools: Iterable[Tool],
    *,
    policy: Policy,
    handling: Handling | None = None,
    stop: asyncio.Future[str] | None = None,
) -> tuple[Answer, ...]:
    """Carry out the calls of one reply. One answer for every call, in the order of the calls; never raises for anything a tool does.

    Calls run at the same time, except that two of which one writes what the other touches keep their order. Identical calls of a tool
    that only looks run once. A tool that breaks or takes too long takes no other call along.

    Args:
        calls: as the model gave them.
        tools: what may be called.
        policy: what may run unasked.
        handling: who is asked, where whole results go, how long a result may be, who is told.
        stop: settle it with the reason, and whatever still runs is stopped and answered with that reason and with what it had so far.

    Raises:
        asyncio.CancelledError: the task that waits was cancelled; every call is stopped before.
    """
    import asyncio

    plans = _planned(calls, {tool.name: tool for tool in tools})
    handling = handling or Handling()
    batch = _Batch(plans, policy, handling, asyncio.Semaphore(max(1, handling.at_once)), asyncio.Lock())
    lives = [asyncio.create_task(batch.carried(number), name=f"sostenuto-call-{number}") for number in range(len(plans))]
    batch.lives = lives
    try:
        await _until_done(lives, stop, batch)
    finally:
        for life in lives:
            life.cancel()
        await asyncio.gather(*lives, return_exceptions=True)
    return tuple(batch.final(number, life) for number, life in enumerate(lives))


async def _until_done(lives: list[asyncio.Task[Answer]], stop: asyncio.Future[str] | None, batch: _Batch) -> None:
    """Wait for every call, or for the word to stop; then for those that were stopped."""
    import asyncio

    pending: set[asyncio.Future[Any]] = set(lives)
    while pending and not (stop is not None and stop.done()):
        watched = pending | {stop} if stop is not None else pending
        await asyncio.wait(watched, return_when=asyncio.FIRST_COMPLETED)
        pending = {life for life in pending if not life.done()}
    if pending and stop is not None:
        batch.reason = "the run was stopped" if stop.cancelled() or stop.exception() is not None else str(stop.result())
        for life in pending:
            life.cancel()
        await asyncio.wait(pending)


@dataclass(slots=True)
class _Batch:
    """The calls of one reply while they run."""

    plans: list[_Planned]
    policy: Policy
    handling: Handling
    slots: asyncio.Semaphore
    asking: asyncio.Lock
    reason: str | None = None
    lives: list[asyncio.Task[Answer]] = field(default_factory=list)
    begun: set[str] = field(default_factory=set)

    async def carried(self, number: int) -> Answer:
        """The answer to one call, told to whoever listens."""
        import asyncio

        plan = self.plans[number]
        try:
            made = await self._answered(number, plan)
        except asyncio.CancelledError:
            if self.reason is None:
                raise
            made = self._stopped(plan)
        except Exception as error:  # an asker or a store is anybody's code: its failure is this call's, not the batch's
            made = plain(plan.call, f"{plan.call.name} was not run: {_said(error)}.", "crashed")
        self._tell(self.handling.finished, made)
        return made

    def final(self, number: int, life: asyncio.Task[Answer]) -> Answer:
        """The answer of a call whose life is over; a call that was stopped before its life began has one too."""
        if not life.cancelled():
            return life.result()
        made = self._stopped(self.plans[number])
        self._tell(self.handling.finished, made)
        return made

    async def _answered(self, number: int, plan: _Planned) -> Answer:
        tool, call = plan.tool, plan.call
        if tool is None or plan.wrong:
            return plain(call, plan.wrong, "refused")
        twin = self._twin(number)
        if twin is not None:
            return replace(await _outcome(self.lives[twin]), call_id=call.id, wish=None)
        grants = await self._allowance(tool, plan)
        if isinstance(grants, str):
            return plain(call, grants, "refused")
        if isinstance(grants, Ask):
            return replace(plain(call, grants.question, "waiting"), ask=grants)
        for earlier in range(number):
            if _collide(self.plans[earlier].touched, plan.touched):
                await _outcome(self.lives[earlier])
        async with self.slots:
            return await self._ran(tool, plan, grants)

    async def _allowance(self, tool: Tool, plan: _Planned) -> frozenset[str] | str | Ask:
        """What the call is granted, or why it may not run, or what it waits for."""
        try:
            weighed = Weighed(tool.name, plan.arguments, await assessed(tool, plan.arguments))
        except ToolFailed as failed:
            return f"{tool.name} was not run: {failed}."
        match allowed(weighed, self.policy):
            case Allowed(grants):
                return grants
            case Refused(text):
                self._tell(self.handling.decided, plan.call.id, Decided(tool.name, allowed=False, by_person=False, words=text))
                return text
            case Ask() as ask:
                return await self._asked(ask, plan.call.id)

    async def _asked(self, ask: Ask, call_id: str) -> frozenset[str] | str | Ask:
        """What the person says; they are asked one thing at a time. The question itself where they are to be asked later."""
        tool, ask = ask.call.tool, replace(ask, depth=self.handling.depth)
        if self.handling.ask is None and self.handling.parks:
            return ask
        if self.handling.ask is None:
            where = " inside a sub-agent" if ask.depth else ""
            text = f"{tool} was not run: it is {ask.risk} and nobody can be asked{where}. Nothing was changed; reach the goal otherwise."
            self._tell(self.handling.decided, call_id, Decided(tool, allowed=False, by_person=False, words=text))
            return text
        async with self.asking:
            self._tell(self.handling.asked, call_id, ask)
            said = await asked(self.handling.ask, ask)
        words = said if isinstance(said, str) else ""
        self._tell(self.handling.decided, call_id, Decided(tool, allowed=said is True, by_person=True, words=words))
        if said is True:
            return ask.call.assessed.grants
        return declined(tool, words)

    async def _ran(self, tool: Tool, plan: _Planned, grants: frozenset[str]) -> Answer:
        import asyncio

        call, heard = plan.call, self.handling.heard
        self.begun.add(plan.call.id)
        self._tell(self.handling.started, call.id, call.name, call.arguments)
        told = (lambda piece: self._tell(heard, call.id, piece)) if heard else None
        context = Context(call.id, grants, told, self.handling.sizing)
        begun = monotonic()
        work = asyncio.create_task(called(tool, plan.arguments, context))
        ended: Ended = "timed out"
        note = f"{tool.name} was stopped after {tool.timeout_s:g} seconds, the longest a call of it may take"
        try:
            await asyncio.wait({work}, timeout=tool.timeout_s)
        except asyncio.CancelledError:
            context.stopped.set()
            if self.reason is None:
                await _left(work)
                raise
            ended, note = "stopped", f"{tool.name} was stopped before it was done: {self.reason}"
        if work.done():  # also in the very moment of being stopped
            return _finished(tool, plan, work, handling=self.handling, seconds=monotonic() - begun)
        context.stopped.set()
        output = await _left(work)
        note += ". What it had done until then stays done"
        return answer(call, output, handling=self.handling, ended=ended, note=note, seconds=monotonic() - begun)

    def _twin(self, number: int) -> int | None:
        """The first call that is the same and only looks, unless something that it looks at is written in between."""
        plan = self.plans[number]
        if plan.tool is None or not plan.tool.repeatable:
            return None
        for earlier in range(number):
            other = self.plans[earlier]
            if other.tool is plan.tool and not other.wrong and other.same == plan.same:
                between = self.plans[earlier + 1 : number]
                return None if any(_collide(passed.touched, plan.touched) for passed in between) else earlier
        return None

    def _stopped(self, plan: _Planned) -> Answer:
        """The answer of a call that was stopped and has nothing to say itself."""
        how = "was stopped" if plan.call.id in self.begun else "was not run"
        return plain(plan.call, f"{plan.call.name} {how}: {self.reason or 'the run was stopped'}.", "stopped")

    def _tell(self, listener: Callable[..., None] | None, *words: object) -> None:
        """Tell whoever listens; a listener that fails is its own affair."""
        if listener is not None:
            with suppress(Exception):
                listener(*words)


def _planned(calls: Sequence[Call], tools: dict[str, Tool]) -> list[_Planned]:
    return [_plan(call, tools) for call in calls]


def _plan(call: Call, tools: dict[str, Tool]) -> _Planned:
    tool = tools.get(call.name)
    if tool is None:
        near = get_close_matches(call.name[:100], list(tools), n=1)
        meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(tools)) or 'none'}."
        return _Planned(call, wrong=f"There is no tool {call.name[:100]!r}; {meant}")
    try:
        arguments = arguments_of(tool, call.arguments)
        return _Planned(call, tool, arguments, tool.touched(arguments) if tool.touched else _NOTHING)
    except ToolFailed as failed:
        return _Planned(call, tool, wrong=str(failed))
    except Exception as error:  # a schema or a look at the arguments may be anybody's
        return _Planned(call, tool, wrong=f"{tool.name} was not run, its definition is broken: {_said(error)}.")


def _collide(earlier: Touched, later: Touched) -> bool:
    """Whether one of two calls writes what the other touches."""
    return _meet(earlier.writes, later.reads | later.writes) or _meet(later.writes, earlier.reads)


def _meet(some: frozenset[str], others: frozenset[str]) -> bool:
    return bool(some and others) and (EVERYTHING in some or EVERYTHING in others or not some.isdisjoint(others))


async def _outcome(life: asyncio.Task[Answer]) -> Answer:
    """The answer of another call of the batch, without ending it when the one that waits is ended."""
    import asyncio

    return await asyncio.shield(life)


async def _left(work: asyncio.Task[Output]) -> Output:
    """What a call hands over when it is stopped; nothing where it does not within the time of grace."""
    import asyncio

    work.cancel()
    await asyncio.wait({work}, timeout=GRACE_S)
    if not work.done():
        work.add_done_callback(lambda late: late.cancelled() or late.exception())  # nobody will ask it any more
    return work.result() if work.done() and not work.cancelled() and work.exception() is None else Output("")


def _finished(tool: Tool, plan: _Planned, work: asyncio.Task[Output], *, handling: Handling, seconds: float) -> Answer:
    """The answer of a call that ended by itself: with what it returned, with what it said to the model, or broken."""
    error = None if work.cancelled() else work.exception()
    if work.cancelled() or (error is not None and not isinstance(error, ToolFailed)):
        how = _said(error) if error is not None else "it gave up by itself"
        told = f"{tool.name} broke: {how}. This is a fault of the tool; the arguments were read without one."
        return plain(plan.call, told, "crashed", seconds=seconds)
    output = Output(str(error), succeeded=False) if error is not None else work.result()
    return answer(plan.call, output, handling=handling, ended="done" if output.succeeded else "failed", seconds=seconds)


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error)[:500]}".removesuffix(": ").removesuffix(".")
