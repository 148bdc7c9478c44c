"""What a log is given of a conversation, step by step, and the snapshot that its records amount to (D32).

The transcript's records: ``wire`` (from which ordinal on messages are of which wire), ``ordinal`` (one message, with the guard up to
it, and, in a log that begins later than the conversation, what it was before), ``fork`` (what follows goes another way from that
ordinal on), ``rewritten`` (the host gave messages another body), ``branch`` (one that was left before this log began). The edits'
records: ``edit`` (one edit, whole; a later one with the same number takes its place), ``active`` (an undo, or its undoing),
``pinned``, ``meta`` (figures that changed).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from sostenuto.engine._plain import plain
from sostenuto.engine._snapshot import SCHEMA, dumped_branch, dumped_edit, dumped_message, figures
from sostenuto.engine._state import Branch, State
from sostenuto.ladder import Edit, History
from sostenuto.protocols import Codec, Kept, Record

_LOST: Mapping[str, Any] = {
    **{"kind": "clip", "cause": "lost", "reach": 2**53, "guard": "", "keys": [], "forms": []},
    **{"tokens_before": 0, "tokens_after": 0, "active": False},
}
"""What stands in the place of an edit whose line was damaged: never in force, and the others keep their numbers."""


_ODD = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError)
"""What comes of values that no version of ours writes."""
_UPTO = "upto"
"""The figure that says which records of the transcript the figures know of."""
_MOST_MISSING = 100_000
"""Records that may be missing between two that are there; a number beyond is no gap but a damaged line."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """How far a log knows a conversation: the state after its last step, and the number of the next record.

    `odd` records in it were no sense to anybody, and were gone around.
    """

    state: State | None = None
    seq: int = 0
    wire: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)
    odd: int = 0


def recorded(known: Recorded, state: State, codec: Codec, *, also: Mapping[str, Any]) -> tuple[Recorded, list[Record], list[Record]]:
    """The records of one step, and how far the log knows the conversation once it has them.

    Args:
        known: the state of the step before.
        also: figures that are kept beside those of the state.

    Returns:
        What is known then; records for the transcript; records for the edits. Both are empty where nothing changed.
    """
    said = [*_wire(known, state, codec), *_branches(known, state), *_messages(known, state)]
    meta = {**figures(state, before=known.state, held=known.meta), **also, **({_UPTO: known.seq + len(said) - 1} if said else {})}
    done = [*_edits(known, state), *_pins(known, state)]
    held = {} if any("fork" in record for record in said) else known.meta  # the figures are then known to be of what follows the fork
    changed = {name: value for name, value in meta.items() if name not in held or held[name] != value}
    if changed:
        done.append({"meta": changed})
    seq = known.seq
    transcript: list[Record] = [{"seq": number, **record} for number, record in enumerate(said, seq)]
    edits: list[Record] = [{"seq": number, **record} for number, record in enumerate(done, seq + len(said))]
    return Recorded(state, seq + len(said) + len(done), codec.name, meta), transcript, edits


def _wire(known: Recorded, state: State, codec: Codec) -> Iterator[dict[str, Any]]:
    if known.wire != codec.name:
        yield {"wire": codec.name, "from": state.crossed}


def _branches(known: Recorded, state: State) -> Iterator[dict[str, Any]]:
    if known.state is None:
        yield from ({"branch": dumped_branch(state, branch)} for branch in state.branches)
        return
    for branch in state.branches[len(known.state.branches) :]:
        yield _rewritten(branch, state) if branch.rewritten else {"fork": branch.at}


def _rewritten(branch: Branch, state: State) -> dict[str, Any]:
    """The new bodies of the messages that the host changed, and the fingerprints of the old ones."""
    ordinals = [
        branch.at + step for step, old in enumerate(branch.messages) if old != state.history.messages[branch.at + step]
    ]  # fmt: skip
    return {
        "rewritten": [branch.at, branch.at + len(branch.messages)],
        "bodies": {str(ordinal): plain(state.raws[ordinal]) for ordinal in ordinals},
        "prints": {str(ordinal): state.history.first_print(ordinal).hex() for ordinal in ordinals},
    }


def _messages(known: Recorded, state: State) -> Iterator[dict[str, Any]]:
    history = state.history
    for ordinal in range(_common(known, state), state.length):
        said = {"guard": history.guard(ordinal).hex(), "raw": plain(state.raws[ordinal])}
        record = {"ordinal": ordinal, **said, **_weighed(history, ordinal), **_past(known, state, ordinal)}
        yield {**record, "pinned": True} if ordinal in history.pinned else record


def _weighed(history: History, ordinal: int) -> dict[str, Any]:
    """What the parts weigh, under the mark of what weighed them: whoever goes on with the conversation need not weigh it all again."""
    mark = history.ruler.mark
    return {"weighs": [mark, *chain.from_iterable(history.weighed(ordinal))]} if mark else {}


def _past(known: Recorded, state: State, ordinal: int) -> dict[str, Any]:
    """What a log that begins in the middle of a conversation cannot know: a message of another wire, the first body of a rewritten one."""
    if known.state is not None:
        return {}
    crossed = {"message": dumped_message(state.history.messages[ordinal])} if ordinal < state.crossed else {}
    first = state.history.prints.get(ordinal)
    return {**crossed, "print": first.hex()} if first is not None else crossed


def _common(known: Recorded, state: State) -> int:
    """The first ordinal the log does not hold, or no longer holds."""
    if known.state is None:
        return 0
    forks = (branch.at for branch in state.branches[len(known.state.branches) :] if not branch.rewritten)
    return min((known.state.length, *forks))


def _edits(known: Recorded, state: State) -> Iterator[dict[str, Any]]:
    before = known.state.edits if known.state is not None else ()
    for number, edit in enumerate(state.edits):
        old = before[number] if number < len(before) else None
        if old is edit:
            continue
        if old is not None and _is_same_but_for_activity(old, edit):
            yield {"active": [edit.number, edit.active]}
        elif old != edit:
            yield {"edit": dumped_edit(edit)}


def _is_same_but_for_activity(old: Edit, new: Edit) -> bool:
    return old.active != new.active and replace(old, active=new.active) == new


def _pins(known: Recorded, state: State) -> Iterator[dict[str, Any]]:
    """Messages that were pinned after they had been written."""
    if known.state is None:
        return
    held = known.meta.get("pins", 0)
    if len(state.history.pinned) != held:
        late = sorted(ordinal for ordinal in state.history.pinned if ordinal < _common(known, state))
        if late:
            yield {"pinned": late}


# ------------------------------------------------------------------ and back


def amounting(kept: Kept) -> tuple[dict[str, Any], Recorded]:
    """The snapshot that the records of a log amount to, and how far the log knows it (without its state).

    Lines that are missing, or stand where they make no sense, are gone around: every other message keeps its ordinal.
    """
    told, done = _Told(), _Done()
    said, made = _taken(told.take, kept.transcript), _taken(done.take, kept.edits)
    odd = len(kept.transcript) + len(kept.edits) - len(said) - len(made)
    meta = done.meta
    try:
        caught_up = _caught_up(meta, said, length=len(told.log))
    except _ODD:  # the figures are of no version of ours; every message can be read without them
        meta, caught_up, odd = {}, {}, odd + 1
    lost = {ordinal for ordinal, record in enumerate(told.log) if record.get("lost")}
    for ordinal in done.pinned:
        if ordinal < len(told.log):
            told.log[ordinal] = {**told.log[ordinal], "pinned": True}
    seq = max((int(records[-1]["seq"]) + 1 for records in (kept.transcript, kept.edits) if records), default=0)
    snapshot = {
        "schema": SCHEMA,
        "format": told.wire,
        "transcript": told.stamped(told.log, first=0),
        "edits": done.without(lost),
        "branches": told.branches,
        "rewritten": told.prints,
        "meta": {**caught_up, "crossed": told.crossed},
    }
    return snapshot, Recorded(None, seq, told.wire, meta, odd)


def sensible(kept: Kept) -> Kept:
    """The records without those of kinds that no version of ours writes: what `amounting` goes around."""
    return Kept(_taken(_Told().take, kept.transcript), _taken(_Done().take, kept.edits), kept.notes)


def _taken(take: Callable[[Record], None], records: Sequence[Record]) -> list[Record]:
    """Take records; those that could be taken."""
    found = []
    for record in records:
        try:
            take(record)
        except _ODD:
            continue
        found.append(record)
    return found


def _caught_up(meta: Mapping[str, Any], said: Sequence[Record], *, length: int) -> Mapping[str, Any]:
    """The figures for a transcript that goes further than they do: its writer died before it wrote those of its last step."""
    newest = int(meta.get(_UPTO, -1))
    late = [record for record in said if int(record["seq"]) > newest]
    forks = [int(record["fork"]) for record in late if "fork" in record]
    first = min((*forks, *(int(record["ordinal"]) for record in late if "ordinal" in record)), default=length)
    if first >= length and not forks:
        return meta
    out = {**meta, "last_sent": [], "nudges": 0, "begins": None, "handed": None}  # the newest message was in no request
    if "sent_to" in meta:
        out["sent_to"] = min(int(meta["sent_to"]), first)
    if meta.get("order") is not None:
        old = [[start, min(count, first - start)] for start, count in meta["order"] if start < first]
        out["order"] = [*old, [first, max(0, length - first)]]
    if meta.get("kept_mode") and meta.get("handed") and not forks:
        handed = meta["handed"]
        place = [len(meta["begins"]["messages"]) + first - handed["from"], first, length - first]
        out["begins"] = meta["begins"]
        out["handed"] = {**handed, "segments": [*handed["segments"], place]}
    return out


class _Told:
    """The transcript's records, taken one after the other."""

    def __init__(self) -> None:
        self.log: list[Record] = []
        self.branches: list[dict[str, Any]] = []
        self.prints: dict[str, str] = {}
        self._wires: list[tuple[int, str]] = []  # from which ordinal on, which wire

    @property
    def wire(self) -> str:
        """The wire in force."""
        return self._wires[-1][1] if self._wires else ""

    @property
    def crossed(self) -> int:
        """Messages before this ordinal are of another wire."""
        return self._wires[-1][0] if self._wires else 0

    def take(self, record: Record) -> None:
        """One more record."""
        if "wire" in record:
            first = int(record["from"])
            self._wires = [*self._wires, (first, str(record["wire"]))] if first else [(0, str(record["wire"]))]
        elif "fork" in record:
            self._fork(int(record["fork"]))
        elif "rewritten" in record:
            self._rewrite(record)
        elif "branch" in record:
            self.branches.append(record["branch"])
        elif "ordinal" in record:
            self._add(int(record["ordinal"]), record)

    def _add(self, ordinal: int, record: Record) -> None:
        if not isinstance(record["raw"], dict) or not 0 <= ordinal <= len(self.log) + _MOST_MISSING:
            raise ValueError(f"message {ordinal} is none")
        if ordinal < len(self.log):
            self._fork(ordinal)  # the line that said so is lost
        while len(self.log) < ordinal:
            self.log.append({"ordinal": len(self.log), "lost": True})
        self.log.append(record)
        if "print" in record:
            self.prints[str(ordinal)] = str(record["print"])

    def _fork(self, at: int) -> None:
        if at >= len(self.log):
            return
        self.branches.append({"at": at, "transcript": self.stamped(self.log[at:], first=at)})
        del self.log[at:]
        self._wires = [(min(first, at), wire) for first, wire in self._wires]
        self.prints = {ordinal: print_ for ordinal, print_ in self.prints.items() if int(ordinal) < at}

    def _rewrite(self, record: Record) -> None:
        first, stop = (int(ordinal) for ordinal in record["rewritten"])
        self.branches.append({"at": first, "transcript": self.stamped(self.log[first:stop], first=first), "rewritten": True})
        for ordinal, body in record["bodies"].items():
            if int(ordinal) < len(self.log):
                self.log[int(ordinal)] = {**_unweighed(self.log[int(ordinal)]), "raw": body}
        self.prints = {**record["prints"], **self.prints}

    def stamped(self, records: Sequence[Record], *, first: int) -> list[Record]:
        """The records, those of another wire than the last one with its name."""
        out = list(records)
        for number in range(len(self._wires) - 1):
            start, wire = self._wires[number]
            for ordinal in range(max(start, first), min(self._wires[number + 1][0], first + len(out))):
                out[ordinal - first] = {**out[ordinal - first], "wire": wire}
        return out


def _unweighed(record: Record) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != "weighs"}


class _Done:
    """The edits' records, taken one after the other: the edits as they stand, the figures, and what was pinned later."""

    def __init__(self) -> None:
        self.meta: dict[str, Any] = {}
        self.pinned: list[int] = []
        self._edits: dict[int, dict[str, Any]] = {}

    def take(self, record: Record) -> None:
        """One more record."""
        if "edit" in record:
            number = int(record["edit"]["number"])
            if not 0 <= number <= len(self._edits) + _MOST_MISSING:
                raise ValueError(f"edit {number} is none")
            self._edits[number] = dict(record["edit"])
        elif "active" in record:
            number, active = record["active"]
            if number in self._edits:
                self._edits[number] = {**self._edits[number], "active": bool(active)}
        elif "pinned" in record:
            self.pinned += map(int, record["pinned"])
        elif "meta" in record:
            self.meta.update(record["meta"])

    def without(self, lost: Collection[int]) -> list[dict[str, Any]]:
        """Every edit, without the forms of messages whose lines are damaged: what stands in their place has no such pieces."""
        edits = [self._edits.get(number, {**_LOST, "number": number}) for number in range(max(self._edits, default=-1) + 1)]
        return [{**edit, "forms": [form for form in edit["forms"] if form[0] not in lost]} for edit in edits] if lost else edits
