"""A batch of calls that waits for a person: what is known of it, and the document it is kept in (origin 11.2; 14.1, 28)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Any, Final

from sostenuto.agent._closing import last_open
from sostenuto.errors import UnusableInput
from sostenuto.ladder import UNANSWERED
from sostenuto.messages import Call, Message, Result
from sostenuto.protocols import Codec, Papers, Raw
from sostenuto.tools import Ask, Assessed, Compact, Weighed

DOCUMENT: Final = "parked"
"""The name of the document beside the conversation."""
LASTS_S: Final = 86_400.0
"""Seconds a call waits before it can no longer be approved (24 hours)."""
UNKNOWN: Final = (
    "Unknown whether this was done: {name} was approved and had begun, and the run ended before its result was there. It was not begun "
    "again; look at what is there before calling again."
)
PASSED: Final = (
    "{name} was not run: it waited for the person's approval, and nobody approved it before the conversation went on. Nothing was changed."
)
_PLAIN_ID: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:|-]{0,199}")
_RISKS: Final = ("read-only", "low-risk", "high-risk")


@dataclass(frozen=True, slots=True)
class Waiting:
    """A call that waits: `place` in its batch, the `id` it is approved or denied by, and what the person is asked."""

    place: int
    id: str
    ask: Ask
    begun: bool = False


@dataclass(frozen=True, slots=True)
class Parked:
    """A batch of which a call waits for a person.

    Attributes:
        run: the id of the run that ended with it.
        wire: the wire that the model spoke.
        folder: where the run worked; "" where that does not matter.
        expires: until when a call of it can be approved.
        calls: of the reply, all of them, in order.
        answers: what is known already, by place.
        waiting: the calls that wait, in order.
        ids: of every call that waits or waited, by place.
        wish: what another call of the batch asked of the run.
    """

    run: str
    wire: str
    folder: str
    expires: datetime
    calls: tuple[Call, ...]
    answers: Mapping[int, Result]
    waiting: tuple[Waiting, ...]
    ids: Mapping[int, str]
    wish: Compact | None = None

    def is_of(self, calls: Sequence[Call], /, *, wire: str) -> bool:
        """Whether these are the calls of the batch, perhaps as another wire writes them, which may demand other ids."""
        if [_said(call) for call in calls] != [_said(call) for call in self.calls]:
            return False
        return wire != self.wire or [call.id for call in calls] == [call.id for call in self.calls]

    def results(self, calls: Sequence[Call], /) -> list[Result]:
        """An answer for each of its calls, by the ids that the history has for them now. What waits still was approved by nobody."""
        found = {**{one.place: Result("", PASSED.format(name=one.ask.call.tool), succeeded=False) for one in self.waiting}, **self.answers}
        return [replace(found[place], call_id=call.id, name=call.name) for place, call in enumerate(calls)]

    def answered(self, place: int, text: str, *, succeeded: bool) -> Parked:
        """The batch with one more answer."""
        call = self.calls[place]
        answers = {**self.answers, place: Result(call.id, text, succeeded=succeeded, name=call.name)}
        return replace(self, answers=answers, waiting=tuple(one for one in self.waiting if one.place != place))

    def beginning(self, place: int) -> Parked:
        """The batch with one call that is about to be carried out."""
        return replace(self, waiting=tuple(replace(one, begun=one.begun or one.place == place) for one in self.waiting))

    def chosen(self, call_id: str, /, *, approved: bool, now: datetime, reason: str = "", folder: str = "") -> Decision:
        """What a person decided of one call; of one that has its answer already nothing is left to decide.

        Raises:
            UnusableInput: no call of that id waits (the nearest is named), it waited too long to be approved, or would run elsewhere.
        """
        place = next((place for place, known in self.ids.items() if known == call_id), None)
        if place is None:
            near = get_close_matches(call_id[:200], [one.id for one in self.waiting], n=1, cutoff=0.5)
            there = ", ".join(one.id for one in self.waiting) or "none"
            raise UnusableInput(
                f"no call {call_id[:200]!r} waits for approval; {f'did you mean {near[0]}?' if near else f'waiting: {there}'}"
            )
        if approved and now >= self.expires and any(one.place == place for one in self.waiting):
            raise UnusableInput(
                f"call {call_id} waited until {stamp(self.expires)} and can no longer be approved; deny it, or go on with another prompt"
            )
        if approved and folder != self.folder:
            raise UnusableInput(f"call {call_id} is to run in {self.folder}; approve it there, or deny it")
        return Decision(self, place, approved, reason)


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person said of one call of a parked batch; made by `Parked.chosen`."""

    parked: Parked
    place: int
    approved: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Parking:
    """How a run parks what nobody can be asked about now, and what becomes of what was parked before.

    Attributes:
        papers: where a parked batch is written down, beside the conversation.
        run: the id of the run, which a parked one is told by.
        folder: where it works.
        parks: whether such calls wait; without, only what waits already is looked after.
        lasts_s: seconds a call waits.
        decision: what a person decided of a call that waits; the run then goes on without a task.
    """

    papers: Papers
    run: str = ""
    folder: str = ""
    parks: bool = True
    lasts_s: float = LASTS_S
    decision: Decision | None = None


def batch_ids(calls: Sequence[Call], /) -> list[str]:
    """An id for each call that can be typed: its own, where it is plain and nobody else's, else its number."""
    given = [call.id for call in calls]
    fit = [bool(_PLAIN_ID.fullmatch(id)) and given.count(id) == 1 and not id.startswith("number-") for id in given]
    return [id if is_fit else f"number-{number}" for number, (id, is_fit) in enumerate(zip(given, fit, strict=True), start=1)]


def stamp(moment: datetime, /) -> str:
    """A moment as programs read it."""
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def parked_in(papers: Papers, history: Sequence[Raw], /, *, codec: Codec) -> Parked | None:
    """The batch of a history that waits; None where none does, or the document is of another one.

    A call that had begun is answered here: what it did is unknown, and it will not be begun again.
    """
    found = parked_of(papers.read(DOCUMENT))
    if found is None or not found.is_of(last_open(history, codec=codec), wire=codec.name):
        return None
    for one in found.waiting:
        if one.begun:
            found = found.answered(one.place, UNKNOWN.format(name=one.ask.call.tool), succeeded=False)
    return found


def reopened(papers: Papers, history: list[Raw], /, *, codec: Codec) -> list[Raw]:
    """The history without the notes that stand for the answers of the parked batch after a change of wire; else the same list."""
    end = len(history)
    while end and _is_note(codec.decode(history[end - 1])):
        end -= 1
    return history[:end] if end < len(history) and parked_in(papers, history[:end], codec=codec) is not None else history


def _is_note(message: Message) -> bool:
    return bool(message.parts) and all(isinstance(part, Result) and UNANSWERED in part.text for part in message.parts)


def document(parked: Parked, /) -> dict[str, Any]:
    """The batch as it is written down."""
    answers = [{"place": place, "text": one.text, "succeeded": one.succeeded is True} for place, one in sorted(parked.answers.items())]
    return {
        "run": parked.run,
        "wire": parked.wire,
        "folder": parked.folder,
        "expires": stamp(parked.expires),
        "calls": [{"id": call.id, "name": call.name, "arguments": call.arguments, "free": call.free} for call in parked.calls],
        "answers": answers,
        "waiting": [{"place": one.place, "begun": one.begun, **_ask_written(one.ask)} for one in parked.waiting],
        "ids": [{"place": place, "id": id} for place, id in sorted(parked.ids.items())],
        **({"compact": parked.wish.focus} if parked.wish is not None else {}),
    }


def parked_of(value: Any, /) -> Parked | None:
    """The batch that a document holds; None where it holds none, or is broken: then nothing in it can be approved."""
    try:
        return _read(value) if isinstance(value, dict) else None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return None


def _read(value: Mapping[str, Any]) -> Parked:
    calls = tuple(Call(_text(one["id"]), _text(one["name"]), _text(one["arguments"]), one["free"] is True) for one in value["calls"])
    ids = {int(one["place"]): _text(one["id"]) for one in value["ids"]}
    answers = {
        int(one["place"]): Result(
            calls[one["place"]].id, _text(one["text"]), succeeded=one["succeeded"] is True, name=calls[one["place"]].name
        )
        for one in value["answers"]
    }
    waiting = tuple(Waiting(int(one["place"]), ids[one["place"]], _ask_read(one), one["begun"] is not False) for one in value["waiting"])
    if sorted([*answers, *(one.place for one in waiting)]) != list(range(len(calls))) or not all(map(_PLAIN_ID.fullmatch, ids.values())):
        raise ValueError("not every call is there once, or an id is none")
    wish = Compact(_text(value["compact"])) if "compact" in value else None
    expires = datetime.fromisoformat(value["expires"])
    expires = expires if expires.tzinfo else expires.replace(tzinfo=UTC)
    run, wire, folder = (_text(value[key]) for key in ("run", "wire", "folder"))
    return Parked(run, wire, folder, expires, calls, answers, waiting, ids, wish)


def _ask_written(ask: Ask) -> dict[str, Any]:
    weighed, assessed = ask.call, ask.call.assessed
    return {
        "tool": weighed.tool,
        "arguments": dict(weighed.arguments),
        "question": ask.question,
        "risk": ask.risk,
        "why": assessed.why,
        "grants": sorted(assessed.grants),
        "words": list(assessed.words),
    }


def _ask_read(one: Mapping[str, Any]) -> Ask:
    risk = one["risk"]
    if risk not in _RISKS or not isinstance(one["arguments"], dict):
        raise ValueError(risk)
    assessed = Assessed(risk, _text(one["why"]), frozenset(map(_text, one["grants"])), tuple(map(_text, one["words"])))
    return Ask(_text(one["question"]), Weighed(_text(one["tool"]), one["arguments"], assessed), risk)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _said(call: Call) -> tuple[str, str]:
    """What a call is whatever the wire: spacing and order of its arguments may differ."""
    try:
        return call.name, json.dumps(json.loads(call.arguments), sort_keys=True)
    except (ValueError, RecursionError):
        return call.name, call.arguments
