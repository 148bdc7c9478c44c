"""A kept conversation told again: from its records, in the order they were written, every request that was made of it.

Whole requests are not kept: each is made again from what was said until then and the edits in force, which is what it was made from.
Instructions and tools are not part of a conversation, so they are not in it.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sostenuto.app._kept import manager_of, snapshot_of, understood
from sostenuto.app._transcripts import decoded
from sostenuto.app._wires import CODECS
from sostenuto.messages import key_of
from sostenuto.protocols import Kept, Raw, Record
from sostenuto.replaying import Happening, dumped

if TYPE_CHECKING:
    from sostenuto.messages import Message

RUNGS: Mapping[str, str] = {"cover": "compact", "drop": "trim"}
"""Kind of an edit -> the rung that people know it by, where they differ."""
CAUSES: Mapping[str, str] = {
    "admit": "it was too large to come in whole",
    "clear": "room was needed",
    "mechanical": "mechanical checkpoint",
    "trim": "nothing milder made enough room",
}
"""Cause of an edit -> the same in words, where its record has only a name for it."""
_AFTER = "mechanical after "
"""How the cause of a mechanical checkpoint begins that stands for a summary which could not be used (D23)."""


def cause_told(cause: object) -> str:
    """Why an edit was made, in words."""
    text = str(cause)
    return f"mechanical, summary {text.removeprefix(_AFTER)}" if text.startswith(_AFTER) else CAUSES.get(text, text)


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that was done to the view: behind which message, what, and which edit it was; ``key`` is "" before the first message."""

    key: str
    happening: Happening
    edit: int | None = None


@dataclass(frozen=True, slots=True)
class Retold:
    """One request: the messages it held, how many of them lived in it alone, the whole history it was made of, and what was done for it.

    `restart` says that the history went another way than for the request before.
    """

    messages: list[Raw]
    nudges: int
    history: Sequence[Raw]
    happenings: tuple[Happening, ...]
    restart: bool


def timeline(kept: Kept, *, conversation: str) -> list[Event]:
    """Everything that was done to the view, in order.

    Raises:
        UnusableInput: the records cannot be understood.
    """
    walk = _Walk()
    found: list[Event] = []
    with understood(conversation):
        for _, record in _in_order(kept):
            happened = walk.happened(record)
            walk.take(record)
            if happened is not None:
                found.append(happened)
    return found


def retold(kept: Kept, *, conversation: str) -> Iterator[Retold]:
    """Every request of a conversation, since it is spoken in the wire it is in; at the end how it would go on now, where that is new.

    Raises:
        UnusableInput: the records cannot be understood.
    """
    telling = _Telling(kept, conversation)
    for is_edits, record in _in_order(kept):
        with understood(conversation):
            made = list(telling.take(record, is_edits=is_edits))
        yield from made
    yield from telling.finished()


def _in_order(kept: Kept) -> Iterator[tuple[bool, Record]]:
    """The records of both lists as they were written; True for those of the edits."""
    said = ((int(record["seq"]), False, record) for record in kept.transcript)
    done = ((int(record["seq"]), True, record) for record in kept.edits)
    for _, is_edits, record in heapq.merge(said, done, key=lambda one: one[:2]):
        yield is_edits, record


@dataclass(slots=True)
class _Walk:
    """Where the walk over the records stands: the number of messages, and the edits so far."""

    length: int = 0
    edits: dict[int, Record] = field(default_factory=dict)

    def take(self, record: Record) -> None:
        if "ordinal" in record:
            self.length = int(record["ordinal"]) + 1
        elif "fork" in record:
            self.length = min(self.length, int(record["fork"]))
        elif "edit" in record:
            self.edits[int(record["edit"]["number"])] = record["edit"]

    def happened(self, record: Record) -> Event | None:
        """What a record says was done; asked before it is taken."""
        if "edit" in record:
            edit = record["edit"]
            number, rung = int(edit["number"]), RUNGS.get(edit["kind"], str(edit["kind"]))
            tokens = int(edit["tokens_before"]), int(edit["tokens_after"])
            return self._event(Happening(rung, *tokens, cause_told(edit["cause"]), tuple(map(str, edit["keys"]))), number)
        if "active" in record:
            number, is_active = int(record["active"][0]), bool(record["active"][1])
            edit = self.edits.get(number, {})
            tokens = int(edit.get("tokens_before", 0)), int(edit.get("tokens_after", 0))
            told = (
                Happening("redo", *tokens, f"edit {number} put on again")
                if is_active
                else Happening("undo", *tokens[::-1], f"edit {number} taken back")
            )
            return self._event(told, number)
        if "fork" in record and int(record["fork"]) < self.length:
            at = int(record["fork"])
            return self._event(
                Happening("fork", 0, 0, f"went another way from {key_of(at)} on", (f"{key_of(at)}-{key_of(self.length - 1)}",))
            )
        if "rewritten" in record:
            first, stop = int(record["rewritten"][0]), int(record["rewritten"][1])
            return self._event(
                Happening("rewritten", 0, 0, "changed by the host", tuple(map(key_of, range(first, min(stop, self.length)))))
            )
        return None

    def _event(self, happening: Happening, edit: int | None = None) -> Event:
        return Event(key_of(self.length - 1) if self.length else "", happening, edit)


class _Telling:
    """Makes the requests again. The view is built from the records where something was done to it, else what was said is added."""

    def __init__(self, kept: Kept, conversation: str) -> None:
        self._kept, self._conversation = kept, conversation
        self._walk = _Walk()
        self._wire = str(snapshot_of(kept, conversation=conversation)["format"])
        self._from = max((int(record["seq"]) for record in kept.transcript if "wire" in record), default=0)
        self._spoken = ""  # the wire in which records are read now
        self._said: list[list[Raw]] = []  # each message in the wire of the conversation
        self._roles: list[str] = []
        self._view: list[Raw] = []  # the messages of the last request, and how many of the history it was made of
        self._behind = 0
        self._told = 0  # messages that were there at the last request
        self._is_changed = False  # whether something was done since then, so that the view is not that one with more behind it
        self._is_other = True  # whether the history went another way since then
        self._done: list[Happening] = []
        self._meta: dict[str, Any] = {}  # the figures as they stand: a record has only those that changed
        self._seq = -1

    def take(self, record: Record, *, is_edits: bool) -> Iterator[Retold]:
        """One more record; the requests that it ends."""
        self._seq = int(record["seq"])
        if (event := self._walk.happened(record)) is not None:
            self._done.append(event.happening)
            self._is_changed = True
        self._walk.take(record)
        if not is_edits:
            self._say(record)
            return
        changed = record.get("meta", {})
        self._meta = {**self._meta, **changed}
        if int(changed.get("sent_to", -1)) == len(self._said) > 0:
            yield from self._requests(self._meta)

    def finished(self) -> Iterator[Retold]:
        """What no request is written down for: replies that came in all at once, and what was done since the last one."""
        if self._done or self._told < len(self._said):
            yield from self._requests({})

    def _say(self, record: Record) -> None:
        if "wire" in record:
            self._is_changed = bool(self._spoken)
            self._spoken = str(record["wire"])
        elif "ordinal" in record:
            self._add(int(record["ordinal"]), record["raw"])
        elif "fork" in record:
            self._cut(int(record["fork"]))
        elif "rewritten" in record:
            self._said = list(self._said)
            for ordinal, body in record["bodies"].items():
                if int(ordinal) < len(self._said):
                    self._said[int(ordinal)] = self._native(body, decoded(body, wire=self._spoken))
            self._is_other = True

    def _add(self, ordinal: int, raw: Mapping[str, Any]) -> None:
        self._cut(ordinal)
        lost = ordinal - len(self._said)
        self._said += [[]] * lost
        self._roles += [""] * lost
        message = decoded(raw, wire=self._spoken)
        self._said.append(self._native(raw, message))
        self._roles.append(message.role)

    def _cut(self, at: int) -> None:
        if at < len(self._said):
            del self._said[at:], self._roles[at:]
            self._told, self._is_changed, self._is_other = min(self._told, at), True, True

    def _native(self, raw: Mapping[str, Any], message: Message) -> list[Raw]:
        return [dict(raw)] if self._spoken == self._wire else CODECS[self._wire].items(message)

    def _requests(self, meta: Mapping[str, Any]) -> Iterator[Retold]:
        """The request that was made, and before it those whose replies had come in since the last one."""
        first, self._told = self._told, len(self._said)
        if self._seq < self._from:  # spoken in another wire
            return
        if not self._is_changed or not first:
            inner = [at for at in range(first + 1, self._told) if self._roles[at] == "assistant" != self._roles[at - 1]]
            for at in inner:
                yield self._request(at)
            if inner and not meta and not self._done and self._roles[-1] == "assistant":
                return  # the last word is a reply, and nobody has asked since
        yield self._request(self._told, meta, is_last=True)
        self._done = []

    def _request(self, upto: int, meta: Mapping[str, Any] | None = None, *, is_last: bool = False) -> Retold:
        history = [raw for one in self._said[:upto] for raw in one]
        if is_last and self._is_changed:
            self._view, self._is_changed = self._built(history), False
        else:
            self._view = [*self._view, *history[self._behind :]] if not self._is_other else list(history)
        self._behind = len(history)
        nudges = list(meta.get("last_sent", ())) if meta and meta.get("nudges") else []
        happenings, restart, self._is_other = tuple(self._done) if is_last else (), self._is_other, False
        return Retold([*self._view, *nudges], len(nudges), history, happenings, restart)

    def _built(self, history: Sequence[Raw]) -> list[Raw]:
        """The view as the records until now make it, untouched messages as the very objects that were said."""
        until = Kept(
            [record for record in self._kept.transcript if int(record["seq"]) <= self._seq],
            [record for record in self._kept.edits if int(record["seq"]) <= self._seq],
        )
        snapshot = snapshot_of(until, conversation=self._conversation)
        meta = {**snapshot["meta"], "kept_mode": True, "order": None}
        emitted = manager_of({**snapshot, "edits": _seen(snapshot), "meta": meta}, conversation=self._conversation).history
        return _same_objects(emitted, history)


def _seen(snapshot: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The edits without the checkpoints that are not in view: to restore one costs a walk over all that it covers.

    A checkpoint that read what a fork has left behind since then is in no view, whatever it says (D32).
    """
    said, edits = snapshot["transcript"], snapshot["edits"]
    covers = [edit for edit in edits if edit.get("cover") and edit["active"] and edit["reach"] < len(said)]
    newest = max((edit["number"] for edit in covers if said[edit["reach"]].get("guard") == edit["guard"]), default=-1)
    return [{**edit, "active": False, "cover": None} if edit.get("cover") and edit["number"] != newest else edit for edit in edits]


def _same_objects(emitted: Sequence[Raw], said: Sequence[Raw]) -> list[Raw]:
    """The emitted messages, each that equals one that was said as that object, in the order they were said."""
    places: dict[str, list[int]] = {}
    for place in range(len(said) - 1, -1, -1):
        places.setdefault(dumped(said[place]), []).append(place)
    last, found = -1, []
    for raw in emitted:
        left = places.get(dumped(raw), [])
        while left and left[-1] <= last:
            left.pop()
        found.append(said[last := left.pop()] if left else raw)
    return found
