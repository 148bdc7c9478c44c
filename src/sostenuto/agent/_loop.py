"""The loop of one run: prepare, speak, record, append, carry out the calls, and again (origin 3.2)."""

from __future__ import annotations

from collections import deque
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sostenuto.agent._circles import Circles
from sostenuto.agent._cleared import cleared_calls
from sostenuto.agent._closing import closed, codec_of
from sostenuto.agent._event import Telling
from sostenuto.agent._nudging import tag, written
from sostenuto.agent._outcome import Ending, Outcome
from sostenuto.agent._parking import Parker
from sostenuto.agent._setup import Setup
from sostenuto.agent._speaking import Speaking
from sostenuto.agent._stop import Stopped, raced
from sostenuto.agent._working import Work
from sostenuto.budget import Reading, Spent, ended_by, limit_notices, limit_nudges, limit_reached
from sostenuto.engine import Request, profile_of
from sostenuto.errors import SostenutoError
from sostenuto.messages import Call, Message, Text
from sostenuto.protocols import Raw, Spoken
from sostenuto.tools import Compact, Tool, results_cleared

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from sostenuto.ladder import Event as Rung

CONTINUED = 3
"""How often an answer that ran into the output limit is gone on with."""
GO_ON = "[CUT OFF: your answer ended at the output limit. Go on exactly where it stopped; repeat nothing.]"
SAY_SOMETHING = "[EMPTY ANSWER: your last answer held neither words nor a tool call. Go on with the task, or say that it is done and how.]"


class Loop:
    """One run. `go` runs it to its end; the history is grown in place and is valid whenever nothing runs."""

    def __init__(self, setup: Setup, *, history: list[Raw], queue: deque[str], tools: Sequence[Tool]) -> None:
        self._setup = setup
        self._history = history
        self._queue = queue
        self._tools = tuple(tools)
        self._codec = codec_of(setup.model.format)
        self._telling = Telling(setup.on_event, depth=setup.place.depth)
        self._started = setup.clock()
        self._definitions = self._codec.tool_definitions([tool.definition for tool in self._tools])
        self._speaking = Speaking(setup, codec=self._codec, definitions=self._definitions, telling=self._telling, told=self._told_request)
        self._parker = Parker(setup, codec=self._codec, telling=self._telling)
        self._calls: list[Call] = []
        self._circles = Circles()
        self._told: frozenset[str] = frozenset()
        self._nudge = ""  # of the loop's own, for the next request
        self._kept_tags: set[str] = set()
        self._wish: Compact | None = None
        self._answer: list[str] = []  # of one answer that needed several replies
        self._words = ""
        self._silent = False
        profile = profile_of(setup.model.name)
        self._bound, self._alternating = profile.prefix_bound_thinking, profile.alternating_roles

    @property
    def spent(self) -> Spent:
        """What the run has taken until now."""
        return replace(self._setup.purse.spent, duration_s=self._setup.clock() - self._started)

    async def go(self) -> Outcome:
        """Run to the end. Errors of this package are an outcome; whatever else goes wrong leaves a valid history behind too."""
        if not self._parker.is_decided:
            self._close()
        error: SostenutoError | None = None
        self._telling.tell("start", model=self._setup.model.name, window=self._setup.context.window.tokens)
        try:
            async with self._deadline():
                ended = await self._decided() or await self._iterations()
        except Stopped:
            ended = self._setup.stop.cause or "interrupted"
            if ended == "duration" and self._setup.limits.duration_s is not None:
                seconds = self._setup.limits.duration_s
                self._limit_ended(Reading("duration", max(seconds, self.spent.duration_s), seconds))
        except SostenutoError as raised:
            ended, error = "failed", raised
        finally:
            self._keep_partial()
            self._note()
        return self._ended(ended, error)

    async def _decided(self) -> Ending | None:
        """Go on with what a person decided of a parked call, if this run does."""
        if not self._parker.is_decided:
            return None
        waits = await self._parker.decided(self._tools)
        self._calls += self._parker.carried_out
        if waits:
            return "parked"
        self._close()
        return None

    def _close(self) -> None:
        """Answer what is open: the calls of a parked batch with what is known of them, others as unfinished."""
        self._parker.look(self._history)
        self._history[:] = closed(self._history, codec=self._codec, known=self._parker.answers)
        if self._parker.left is not None:
            self._wish = self._parker.left.wish
            self._note()

    def _keep_partial(self) -> None:
        """What was heard of a reply that never came to its end stays, as the model's own words."""
        self._words = self._speaking.heard.strip() or self._words
        self._history += self._speaking.partial
        self._speaking.forget()

    def _note(self) -> None:
        """Have what was said since written down, where the conversation is to outlive this process; a request does so anyway."""
        with suppress(SostenutoError):
            if self._setup.context.note(self._history):
                self._parker.forget()

    def _ended(self, ended: Ending, error: SostenutoError | None) -> Outcome:
        spent = self.spent
        self._telling.tell(
            "end",
            ended=ended,
            iterations=spent.iterations,
            total_tokens=spent.tokens,
            cost_usd=round(spent.total_usd, 9),
            cost_known=spent.cost_known,
            seconds=round(spent.duration_s, 3),
            **({"error": str(error)} if error is not None else {}),
        )
        return Outcome(self._words, ended, self._history, spent, tuple(self._calls), error, self._parker.parked)

    async def _iterations(self) -> Ending:
        setup = self._setup
        while True:
            reading = limit_reached(setup.limits, self.spent) or setup.place.ceiling()
            if reading is not None:
                self._limit_ended(reading)
                return reading.name
            if setup.stop.cause is not None:
                raise Stopped  # before anything is taken that no request would follow
            self._deliver()
            setup.purse.begin_iteration()
            self._tell_limits()
            request = await raced(self._prepared(), setup.stop)
            spoken = await self._speaking.reply(request, self._lines(), alternating=self._alternating)
            setup.context.record(spoken.usage)
            self._nudge = ""
            ended = await self._worked(spoken) if spoken.calls else self._said(spoken)
            if ended is not None:
                return ended

    # ------------------------------------------------------------------ before the request

    def _deliver(self) -> None:
        """What the person typed meanwhile. Only here, so that it is never taken where no request follows (origin 14.1, 33)."""
        while self._queue:
            text = self._queue.popleft()
            self._history.append(self._codec.encode(Message("user", (Text(text),))))
            self._telling.tell("input", text=text)

    def _tell_limits(self) -> None:
        texts, self._told = limit_notices(self._setup.limits, self.spent, told=self._told)
        self._telling.tell("iteration", number=self.spent.iterations, limit=self._setup.limits.iterations)
        for text in texts if not self._setup.place.depth else ():
            self._notice(text)

    async def _prepared(self) -> Request:
        setup, wish = self._setup, self._wish
        self._store_nudges()
        asked: dict[str, Any] = {"system": setup.system or None, "tools": self._definitions, "max_output": setup.max_output}
        request = await setup.context.prepare(self._history, **asked)
        if wish is not None and not any(event.rung == "compact" for event in request.events):
            self._told_rungs(request)
            request = await setup.context.compact(focus=wish.focus)
        self._wish = None
        return request

    def _lines(self) -> tuple[str, ...]:
        """The nudges of the next request; where they had to be written down, none are left to say."""
        own = (self._circles.nudge, self._nudge)
        limits = () if self._bound else limit_nudges(self._setup.limits, self.spent)
        return tuple(filter(None, (*limits, *(() if self._bound else own))))

    def _store_nudges(self) -> None:
        """Where thinking is bound to everything before it, a line that comes and goes would break it: it is written down, once (D29)."""
        if not self._bound:
            return
        for line in filter(None, (*limit_nudges(self._setup.limits, self.spent), self._circles.nudge, self._nudge)):
            if tag(line) not in self._kept_tags:
                self._kept_tags.add(tag(line))
                self._history.append(written(line, codec=self._codec))

    def _told_request(self, request: Request) -> None:
        self._told_rungs(request)
        self._telling.tell(
            "request",
            number=self.spent.iterations,
            tokens=request.tokens,
            window=request.window,
            percent=request.tokens * 100 // max(1, request.window),
        )

    def _told_rungs(self, request: Request) -> None:
        for event in request.events:
            self._telling.tell(
                "rung",
                rung=event.rung,
                before=event.tokens_before,
                after=event.tokens_after,
                reclaimed=max(0, event.tokens_before - event.tokens_after),
                budget=request.window,
                reason=event.reason,
                **self._compaction(event),
            )
        for notice in request.notices:
            self._notice(notice)
        gone = cleared_calls(request.events, self._history, codec=self._codec)
        if gone:
            results_cleared(self._tools, gone)
            self._circles.excuse(call for call in self._calls if call.id in gone)

    def _compaction(self, event: Rung) -> dict[str, Any]:
        """What else is told of a compaction: what it was made for, by whom, how long its summary took and what it cost (B189)."""
        if event.rung != "compact":
            return {}
        known = {name: event.detail[name] for name in ("trigger", "by")}
        return {**known, "seconds": round(event.seconds, 3), "cost_usd": self._setup.purse.internal_usd()}

    # ------------------------------------------------------------------ after the reply

    def _said(self, spoken: Spoken) -> Ending | None:
        """What a reply without calls means: the answer, a part of it, or nothing."""
        self._speaking.forget()
        if not spoken.text.strip():
            return self._said_nothing(spoken)
        self._history += spoken.messages
        self._silent = False
        self._answer.append(spoken.text)
        self._words = "".join(self._answer)
        if spoken.finish in ("length", "window"):
            if len(self._answer) <= CONTINUED:
                self._nudge = GO_ON
                return None
            self._notice(f"The answer is not complete: it ran into the output limit {len(self._answer)} times in a row.")
            return "cut off"
        if (pieces := len(self._answer)) > 1:
            self._notice(f"The answer is longer than the output limit: it came in {pieces} pieces, which stand one behind the other.")
        self._answer = []
        return None if self._queue else "done"

    def _said_nothing(self, spoken: Spoken) -> Ending | None:
        if any(self._codec.decode(raw).parts for raw in spoken.messages):
            self._history += spoken.messages  # reasoning, or a block of the provider's own
        if not self._silent:
            self._silent, self._nudge = True, SAY_SOMETHING
            return None
        self._notice("The model gave an empty answer twice; ask again, or ask another model.")
        return "empty"

    async def _worked(self, spoken: Spoken) -> Ending | None:
        setup, work, parks = self._setup, Work(spoken, codec=self._codec), False
        self._speaking.forget()
        self._silent, self._answer = False, []
        self._words = spoken.text if spoken.text.strip() else self._words
        self._calls += spoken.calls
        self._history += spoken.messages
        self._note()  # what the calls will do is known before they do it
        try:
            await work.done(self._tools, policy=setup.policy, handling=setup.handling, stop=setup.stop, telling=self._telling)
            parks = self._parker.parks(work)
        finally:
            if not parks:
                self._history += work.messages
            self._note()
        if parks:
            return "parked"
        self._wish = work.wish
        ended = self._circles.closed_by(spoken.calls)
        if ended:
            self._telling.tell("stalled")
            self._notice("Stopped: the model repeated the same tool calls after it was told so; what was done is kept.")
            return "stalled"
        return None

    # ------------------------------------------------------------------ saying so

    def _notice(self, text: str) -> None:
        self._telling.tell("notice", text=text)

    def _limit_ended(self, reading: Reading) -> None:
        self._telling.tell("limit", name=reading.name, used=reading.used, limit=reading.limit)
        if not self._setup.place.depth:
            self._notice(ended_by(reading))

    @asynccontextmanager
    async def _deadline(self) -> AsyncIterator[None]:
        """Ends the run when its time is up, wherever it is (origin 7.3)."""
        seconds = self._setup.limits.duration_s
        if seconds is None:
            yield
            return
        import asyncio

        async def end() -> None:
            await self._setup.timer(seconds)
            self._setup.stop.now("duration")

        watch = asyncio.ensure_future(end())
        try:
            yield
        finally:
            watch.cancel()
