"""Parking a batch that waits for a person, and going on with it: each step is written down before and after it is taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from sostenuto.agent._event import Telling
from sostenuto.agent._parked import DOCUMENT, Parked, Waiting, batch_ids, document, parked_in
from sostenuto.agent._setup import Setup
from sostenuto.agent._stop import Stopped
from sostenuto.agent._working import Work, shown, watching
from sostenuto.errors import UnusableInput
from sostenuto.messages import Call, Result
from sostenuto.protocols import Codec, Raw
from sostenuto.tools import Answer, Ask, Asking, Tool, declined, run_batch

LATE = "[It waited for approval, and ran after the other calls of its batch.]"
OTHERWISE = "what it would do has changed since they approved it, so it has to be asked anew"


class Parker:
    """What the loop asks of parking.

    `parked` is the batch that a run ends with, None where it ends otherwise; `carried_out` what it did of one that was parked before.
    """

    def __init__(self, setup: Setup, *, codec: Codec, telling: Telling) -> None:
        self._setup = setup
        self._codec = codec
        self._telling = telling
        self._parking = setup.parking
        self._left: Parked | None = None  # from before this run
        self.parked: Parked | None = None
        self.carried_out: tuple[Call, ...] = ()  # of what was parked before

    @property
    def is_decided(self) -> bool:
        """Whether the run goes on with what a person decided."""
        return self._parking is not None and self._parking.decision is not None

    @property
    def left(self) -> Parked | None:
        """The batch from before this run that its history now has the answers of."""
        return self._left

    def look(self, history: Sequence[Raw]) -> None:
        """See whether the history has a batch that was parked, and that nobody decides about now."""
        if self._parking is not None and not self.is_decided:
            self._left = parked_in(self._parking.papers, history, codec=self._codec)

    def answers(self, calls: Sequence[Call]) -> Sequence[Result] | None:
        """The answers to these open calls, where they are those of the batch; None where they are not."""
        return self._left.results(calls) if self._left is not None and self._left.is_of(calls, wire=self._codec.name) else None

    def forget(self) -> None:
        """The history has everything, and is written down: the document is not needed any more."""
        if self._parking is not None and self._left is not None:
            self._parking.papers.write(DOCUMENT, None)
            self._left = None

    def parks(self, work: Work) -> bool:
        """Set the calls of a batch aside that wait for a person. False where none does, or where that cannot be written down."""
        parking, calls = self._parking, work.calls
        if parking is None or not work.waiting:
            return False
        ids = batch_ids(calls)
        waiting = tuple(Waiting(place, ids[place], ask) for place, ask in sorted(work.waiting.items()))
        expires = self._setup.now() + timedelta(seconds=parking.lasts_s)
        known = {one.place: one.id for one in waiting}
        parked = Parked(parking.run, self._codec.name, parking.folder, expires, calls, work.results, waiting, known, work.wish)
        if not parking.papers.write(DOCUMENT, document(parked)):
            self._telling.tell("notice", text="A call that needs approval could not be set aside, and was refused.")
            return False
        self._ended_with(parked)
        return True

    async def decided(self, tools: Sequence[Tool]) -> bool:
        """Carry out, or refuse, the call that was decided about. True where another one waits still: then the run ends again.

        Raises:
            UnusableInput: that it begins could not be written down, so it did not begin.
        """
        assert self._parking is not None
        assert self._parking.decision is not None
        decision = self._parking.decision
        parked = decision.parked
        one = next((one for one in parked.waiting if one.place == decision.place), None)
        if one is None:
            known = parked.answers[decision.place].text.split("\n", 1)[0][:200]
            self._telling.tell(
                "notice", text=f"Call {parked.ids[decision.place]} has its answer already, and is not carried out again: {known}"
            )
        elif decision.approved:
            parked = await self._carried_out(one, parked, tools=tools)
        else:
            tool = one.ask.call.tool
            parked = parked.answered(one.place, declined(tool, decision.reason), succeeded=False)
            self._telling.tell("approval", state="answered", id=one.id, name=tool, allowed=False, text=decision.reason)
        self._parking.papers.write(DOCUMENT, document(parked))
        if parked.waiting:
            self._ended_with(parked)
            return True
        self._left = parked
        return False

    async def _carried_out(self, one: Waiting, parked: Parked, *, tools: Sequence[Tool]) -> Parked:
        """The batch with the answer of a call that was approved. Nothing runs before it stands somewhere that it does."""
        setup, parking = self._setup, self._parking
        assert parking is not None
        if setup.stop.cause is not None:
            raise Stopped
        if not parking.papers.write(DOCUMENT, document(parked.beginning(one.place))):
            raise UnusableInput(f"call {one.id} was not carried out: that it begins could not be written down, so it might be done twice")
        handling = watching(replace(setup.handling, ask=_agreeing(one.ask), parks=False), self._telling)
        (answer,) = await run_batch([parked.calls[one.place]], tools, policy=setup.policy, handling=handling, stop=setup.stop.future)
        self.carried_out = (parked.calls[one.place],)
        return parked.answered(one.place, _told(answer, parked), succeeded=answer.succeeded)

    def _ended_with(self, parked: Parked) -> None:
        self.parked, self._left = parked, None  # the document is that of this batch now
        for one in parked.waiting:
            self._telling.tell("approval", state="parked", **shown(one.id, one.ask))


def _agreeing(approved: Ask) -> Asking:
    """Says yes to the very thing that was approved, and no to what the same call has become meanwhile."""

    async def ask(now: Ask) -> bool | str:
        is_same = now.question == approved.question and now.call.assessed.grants == approved.call.assessed.grants
        return is_same or OTHERWISE

    return ask


def _told(answer: Answer, parked: Parked) -> str:
    ran = answer.ended not in ("refused", "waiting")
    return f"{answer.text}\n{LATE}" if ran and len(parked.calls) > 1 else answer.text
