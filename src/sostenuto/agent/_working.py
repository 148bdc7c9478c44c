"""The tool phase: a batch is carried out, and every call of it is answered, whatever happens (origin 7.5)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from sostenuto.agent._closing import answering, missing_answer
from sostenuto.agent._event import Telling
from sostenuto.agent._stop import REASONS, Stop
from sostenuto.messages import Call, Result
from sostenuto.protocols import Codec, Raw, Spoken
from sostenuto.tools import Answer, Ask, Compact, Decided, Handling, Policy, Tool, run_batch

SHOWN = 400
"""Characters of arguments in an event."""
REFUSED = "{name} was not run: the person has to be asked, nobody can be now, and it could not be set aside. Nothing was changed."


class Work:
    """One batch. `messages` answer every call of it at any moment: one whose answer is not there yet counts as unfinished."""

    def __init__(self, spoken: Spoken, *, codec: Codec) -> None:
        self._spoken = spoken
        self._codec = codec
        self._answers: dict[int, Answer] = {}
        self._why = "the run was cut short"

    async def done(self, tools: Sequence[Tool], *, policy: Policy, handling: Handling, stop: Stop, telling: Telling) -> None:
        """Carry the calls out. On a stop those that still run are stopped and answered with the reason."""
        if stop.cause is not None:
            self._why = REASONS[stop.cause]
            return
        watched = watching(handling, telling, finished=self._finished)
        answers = await run_batch(self._spoken.calls, tools, policy=policy, handling=watched, stop=stop.future)
        self._answers = dict(enumerate(answers))

    def _finished(self, answer: Answer) -> None:
        """Remember an answer as it comes: if the batch is torn down, the work that was finished is not lost."""
        for place, call in enumerate(self._spoken.calls):
            if call.id == answer.call_id and place not in self._answers:
                self._answers[place] = answer
                return

    @property
    def calls(self) -> tuple[Call, ...]:
        """Those of the batch."""
        return tuple(self._spoken.calls)

    @property
    def waiting(self) -> dict[int, Ask]:
        """What has to be asked before the calls at these places can run."""
        return {place: answer.ask for place, answer in self._answers.items() if answer.ask is not None}

    @property
    def results(self) -> dict[int, Result]:
        """The answers to the others, by place."""
        return {place: self._result(place, call) for place, call in enumerate(self._spoken.calls) if place not in self.waiting}

    @property
    def wish(self) -> Compact | None:
        """What a tool asked of the run; the last one counts."""
        return next((answer.wish for _, answer in sorted(self._answers.items(), reverse=True) if answer.wish), None)

    @property
    def messages(self) -> list[Raw]:
        """The answers as native messages, in the order of the calls."""
        pieces = [(call, self._result(place, call)) for place, call in enumerate(self._spoken.calls)]
        return answering(pieces, self._spoken.messages, codec=self._codec)

    def _result(self, place: int, call: Call) -> Result:
        answer = self._answers.get(place)
        if answer is None:
            return missing_answer(call, why=self._why)
        if answer.ask is not None:
            return Result(call.id, REFUSED.format(name=call.name), succeeded=False, name=call.name)
        return Result(call.id, answer.text, succeeded=answer.succeeded, name=call.name)


def watching(handling: Handling, telling: Telling, *, finished: object = None) -> Handling:
    """The same handling, with everything told to whoever watches the run as well."""
    started, heard, told = handling.started, handling.heard, handling.finished

    def on_start(call_id: str, name: str, arguments: str) -> None:
        telling.tell("tool-start", id=call_id, name=name, arguments=arguments[:SHOWN])
        if started is not None:
            started(call_id, name, arguments)

    def on_output(call_id: str, text: str) -> None:
        telling.tell("tool-output", id=call_id, text=text)
        if heard is not None:
            heard(call_id, text)

    def on_finish(answer: Answer) -> None:
        if callable(finished):
            finished(answer)
        telling.tell(
            "tool-end",
            id=answer.call_id,
            name=answer.tool,
            ended=answer.ended,
            succeeded=answer.succeeded,
            characters=answer.characters,
            shown=len(answer.text),
            seconds=round(answer.seconds, 3),
        )
        if told is not None:
            told(answer)

    return replace(deciding(handling, telling), started=on_start, heard=on_output, finished=on_finish)


def shown(call_id: str, ask: Ask) -> dict[str, str]:
    """What an event says of a call that a person has to be asked about."""
    arguments = json.dumps(dict(ask.call.arguments), ensure_ascii=False, default=repr)[:SHOWN]
    return {"id": call_id, "name": ask.call.tool, "risk": ask.risk, "why": ask.call.assessed.why, "arguments": arguments}


def deciding(handling: Handling, telling: Telling) -> Handling:
    """The same handling, with every question to the person, and every refusal without one, told as well."""
    asked, decided = handling.asked, handling.decided

    def on_asked(call_id: str, ask: Ask) -> None:
        telling.tell("approval", state="asked", **shown(call_id, ask))
        if asked is not None:
            asked(call_id, ask)

    def on_decided(call_id: str, found: Decided) -> None:
        state = "answered" if found.by_person else "refused"
        telling.tell("approval", state=state, id=call_id, name=found.tool, allowed=found.allowed, text=found.words)
        if decided is not None:
            decided(call_id, found)

    return replace(handling, asked=on_asked, decided=on_decided, depth=telling.depth)
