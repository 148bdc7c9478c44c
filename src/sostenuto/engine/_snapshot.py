"""A conversation as plain values, and back: the transcript, the edits, and a few figures (D32)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from types import MappingProxyType
from typing import Any

from sostenuto import checkpoint
from sostenuto.engine._crossing import neutral
from sostenuto.engine._fixed import dumped_front, front_back
from sostenuto.engine._matching import guarded, own_end
from sostenuto.engine._plain import plain
from sostenuto.engine._state import Branch, Sent, State
from sostenuto.errors import UnusableInput
from sostenuto.ladder import Cover, Edit, History, Memory, view_of
from sostenuto.messages import Call, Media, Message, Opaque, Part, Result, Source, Text, Thinking
from sostenuto.protocols import Codec, Record
from sostenuto.tokens import Calibration, dump, load

SCHEMA = 1
LOST = "[This message could not be read back from where the conversation is kept.]"
"""What stands in the place of a message whose line was damaged: every other one keeps its ordinal."""
Codecs = Callable[[str], Codec]
"""The codec of a wire by its name."""
_CALIBRATED = "conversation"
"""The name under which a snapshot keeps what was learned; the model may have none."""
_PARTS: Mapping[str, type] = {kind.__name__: kind for kind in (Call, Media, Opaque, Result, Text, Thinking)}


def dumped(state: State, codec: Codec) -> dict[str, Any]:
    """Everything needed to go on in another process, as JSON-able values."""
    return {
        "schema": SCHEMA,
        "format": codec.name,
        "transcript": [_record(state, n, raw) for n, raw in enumerate(state.raws[: state.length])],
        "edits": [dumped_edit(edit) for edit in state.edits],
        "branches": [dumped_branch(state, branch) for branch in state.branches],
        "rewritten": {str(ordinal): print_.hex() for ordinal, print_ in state.history.prints.items()},
        "meta": {**figures(state), "crossed": state.crossed},
    }


def figures(state: State, *, before: State | None = None, held: Mapping[str, Any] = MappingProxyType({})) -> dict[str, Any]:
    """What is kept of a state beside its transcript and edits.

    Args:
        before: the state of an earlier step; `held`: its figures. What did not change since then is not made again.
    """
    folding, last = state.history.folding, plain(state.sent.expected[-1:])
    if state.length and not state.sent.nudges and last == [plain(state.raws[state.length - 1])]:
        last = []  # as the transcript has it
    unsent = state.length > state.sent_to
    return {
        "sent_to": state.sent_to,
        "foreign": folding.foreign,
        "crossings": [list(crossing) for crossing in folding.crossings],
        "kept_mode": state.kept_mode,
        "nudges": 0 if unsent else state.sent.nudges,
        "last_sent": [] if unsent else last,
        **_handed(state, before, held.get("begins")),
        "learned_window": state.learned_window,
        "calibration": dump({_CALIBRATED: state.history.ruler.calibration}),
        "order": _runs(state.order) if state.order is not None else None,
        "memory": {**asdict(state.memory), "hold": dict(state.memory.hold), "ripe_to": 0, "ripe_gain": 0},
        "pins": len(state.history.pinned),
        "front": dumped_front(state.front),
    }


def _runs(ordinals: Sequence[int]) -> list[list[int]]:
    """Ordinals, which rise, as runs: first and count. A run ends where they are further apart than their places."""
    runs: list[list[int]] = []
    at = 0
    while at < len(ordinals):
        start = ordinals[at] - at
        count = bisect_right(range(at, len(ordinals)), start, key=lambda place: ordinals[place] - place)
        runs.append([ordinals[at], count])
        at += count
    return runs


def loaded(snapshot: Mapping[str, Any], history: History, codec: Codec, *, codecs: Codecs) -> State:
    """The state back. An edit whose guard no longer fits the transcript is inactive; of what was sent it knows only the last message.

    `codecs` reads messages that were handed over in another wire.

    Raises:
        UnusableInput: if the snapshot is of a newer schema or not a snapshot.
    """
    if snapshot.get("schema") != SCHEMA:
        raise UnusableInput(f"snapshot schema {snapshot.get('schema')!r} is not {SCHEMA}: it was written by another version of sostenuto")
    try:
        records = list(snapshot["transcript"])
        meta = snapshot.get("meta") or {}
        raws, messages = _read(records, codec, codecs, crossed=int(meta.get("crossed", 0)))
        history.folding.foreign = int(meta.get("foreign", 0))
        history.folding.crossings = tuple((int(before), bool(items)) for before, items in meta.get("crossings", ()))
        pinned = {ordinal for ordinal, record in enumerate(records) if record.get("pinned")}
        history.extend(messages, pinned=pinned, weights=_weights(records, messages, mark=history.ruler.mark))
        history.guards = _guards(records)
        history.prints = {int(ordinal): bytes.fromhex(print_) for ordinal, print_ in snapshot.get("rewritten", {}).items()}
        own = _handed_back(meta.get("begins"), meta.get("handed"), raws)
        branches = tuple(_branch_back(branch, codec, codecs) for branch in snapshot.get("branches", ()))
        edits = tuple(_guarded(_edit_back(entry), history) for entry in snapshot["edits"])
        runs = meta.get("order")
        order = tuple(ordinal for first, count in runs for ordinal in range(first, first + count)) if runs is not None else None
        memory = Memory(**{name: value for name, value in (meta.get("memory") or {}).items() if name in Memory.__slots__})
        figures_of = {name: int(meta.get(name, usual)) for name, usual in (("sent_to", len(raws)), ("crossed", 0), ("nudges", 0))}
        view = view_of(edits, history=history)
        expected = [raws[ordinal] for ordinal in order] if order is not None else list(raws)
        last_sent = list(meta.get("last_sent", ()))
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        raise UnusableInput(
            f"this is not a snapshot of a conversation ({type(error).__name__}: {error}); take it from snapshot()"
        ) from error
    return State(
        history,
        length=len(raws),
        raws=raws,
        expected=expected,
        order=order,
        edits=edits,
        view=view,
        memory=replace(memory, ripe_to=0, ripe_gain=0),
        branches=branches,
        kept_mode=bool(meta.get("kept_mode")),
        own=own,
        sent=Sent(last_sent, nudges=figures_of["nudges"]),
        sent_to=figures_of["sent_to"],
        crossed=figures_of["crossed"],
        learned_window=meta.get("learned_window"),
        front=front_back(meta.get("front")),
    )


def calibration(snapshot: Mapping[str, Any]) -> Calibration | None:
    """What the conversation had learned about its model when the snapshot was taken; None where that is nothing, or cannot be read."""
    meta = snapshot.get("meta")
    return load(meta.get("calibration")).get(_CALIBRATED) if isinstance(meta, Mapping) else None


def _handed(state: State, before: State | None, held: Any) -> dict[str, Any]:
    """What was handed over last by a caller who keeps what a request held: how it begins, and from which message on the log follows.

    The beginning is a figure of its own: it stays until the next edit, while what follows grows with every step. Both are None for
    every other caller.
    """
    own, count = state.own, own_end(state)
    if not own.expected:
        return {"begins": None, "handed": None}
    first = own.expected[: len(own.expected) - count]
    is_known = before is not None and held and len(held["messages"]) == len(first) and before.own.expected[: len(first)] == first
    begins = {
        "messages": held["messages"] if is_known else plain(first),
        "segments": [list(run) for run in own.segments[:-1]],
        "built": [list(run) for run in own.built],
        "changed": sorted(own.changed),
    }
    return {"begins": begins, "handed": {"from": state.length - count, "segments": [list(run) for run in own.segments[-1:]]}}


def _handed_back(begins: Any, handed: Any, raws: list[Any]) -> Sent:
    if not handed:
        return Sent()
    expected = guarded([*begins["messages"], *raws[int(handed["from"]) :]])
    runs = [*begins["segments"], *handed["segments"]], begins["built"]
    segments, built = (tuple((int(a), int(b), int(c)) for a, b, c in entries) for entries in runs)
    return Sent(expected, segments, 0, {int(ordinal): {} for ordinal in begins["changed"]}, built)


def _record(state: State, ordinal: int, raw: Any) -> dict[str, Any]:
    """One message of the transcript; one from another wire also as its parts, for the codec in force cannot read it."""
    record = {"ordinal": ordinal, "pinned": ordinal in state.history.pinned, "raw": plain(raw)}
    return {**record, "message": dumped_message(state.history.messages[ordinal])} if ordinal < state.crossed else record


def _read(records: Sequence[Record], codec: Codec, codecs: Codecs, *, crossed: int) -> tuple[list[Any], list[Message]]:
    """Native messages and what they say. What was handed over in another wire is brought to what every wire can write, as it was then."""
    raws, messages, is_mixed = [], [], False
    for record in records:
        raw = codec.encode(Message("user", (Text(LOST),))) if record.get("lost") else dict(record["raw"])
        raws.append(raw)
        if "message" in record:
            messages.append(_message_back(record["message"]))
            continue
        is_mixed = is_mixed or "wire" in record
        messages.append((codecs(record["wire"]) if "wire" in record and "lost" not in record else codec).decode(raw))
    return raws, [*neutral(messages[:crossed]), *messages[crossed:]] if is_mixed else messages


def _weights(records: Sequence[Record], messages: Sequence[Message], *, mark: str) -> dict[int, list[tuple[int, int]]]:
    """What the records say of the weights of their parts, where it was weighed as it is now."""
    found: dict[int, list[tuple[int, int]]] = {}
    for ordinal, record in enumerate(records if mark else ()):
        weighs = record.get("weighs")
        if not weighs or weighs[0] != mark or "wire" in record or "message" in record:
            continue
        figures = weighs[1:]
        if len(figures) == 2 * len(messages[ordinal].parts) and set(map(type, figures)) == {int} and min(figures) >= 0:
            found[ordinal] = list(zip(figures[::2], figures[1::2], strict=True))
    return found


def _guards(records: Sequence[Record]) -> list[bytes]:
    """The chain of guards, as far as the records hold it; one that is lost fits nothing."""
    guards = [b""]
    for record in records:
        if "guard" not in record and not record.get("lost"):
            break
        guards.append(bytes.fromhex(record["guard"]) if "guard" in record else b"lost")
    return guards


def dumped_branch(state: State, branch: Branch) -> dict[str, Any]:
    """What was left behind; as parts too where some of it may be of another wire."""
    mixed = bool(state.history.folding.crossings)
    records = [
        {"raw": plain(raw), "message": dumped_message(message)} if mixed else {"raw": plain(raw)}
        for raw, message in zip(branch.raws, branch.messages, strict=True)
    ]
    return {"at": branch.at, "transcript": records, "rewritten": branch.rewritten}


def _branch_back(entry: Mapping[str, Any], codec: Codec, codecs: Codecs) -> Branch:
    raws, messages = _read(entry["transcript"], codec, codecs, crossed=len(entry["transcript"]))
    return Branch(entry["at"], tuple(raws), tuple(messages), rewritten=bool(entry.get("rewritten")))


def dumped_message(message: Message) -> dict[str, Any]:
    """A message as its parts, whatever wire it is of."""
    return {"role": message.role, "kind": message.kind, "parts": [_part(part) for part in message.parts]}


def _guarded(edit: Edit, history: History) -> Edit:
    fits = edit.reach < len(history.messages) and history.guard(edit.reach) == edit.guard
    return edit if fits else replace(edit, active=False)


def dumped_edit(edit: Edit) -> dict[str, Any]:
    """An edit as JSON-able values."""
    out: dict[str, Any] = {
        "number": edit.number,
        "kind": edit.kind,
        "cause": edit.cause,
        "reach": edit.reach,
        "guard": edit.guard.hex(),
        "keys": list(edit.keys),
        "tokens_before": edit.tokens_before,
        "tokens_after": edit.tokens_after,
        "active": edit.active,
        "forms": [[*place, _part(form)] for place, form in edit.forms],
    }
    if edit.cover is not None:
        cover = edit.cover
        prose = dict(cover.prose) if cover.prose is not None else None
        out["cover"] = {
            "upto": cover.upto, "standing": list(cover.standing), "text": cover.text, "continuation": cover.continuation, "prose": prose
        }  # fmt: skip
    for name, placed in (("flattened", edit.flattened), ("inserted", edit.inserted)):
        if placed is not None:
            out[name] = [placed[0], dumped_message(placed[1])]
    return out


def _part(part: Part | None) -> dict[str, Any] | None:
    return None if part is None else {"part": type(part).__name__, **asdict(part)}


def _media_back(entry: Mapping[str, Any]) -> Media:
    source = entry.get("source")
    return Media(**{**entry, "source": Source(*source) if source is not None else None})


def _part_back(entry: Mapping[str, Any] | None) -> Part | None:
    if entry is None:
        return None
    values = {name: value for name, value in entry.items() if name != "part"}
    if entry["part"] == "Media":
        return _media_back(values)
    if "media" in values:
        values["media"] = tuple(map(_media_back, values["media"]))
    part: Part = _PARTS[entry["part"]](**values)
    return part


def _edit_back(entry: Mapping[str, Any]) -> Edit:
    cover = None
    if entry.get("cover"):
        saved = entry["cover"]
        # the ledger is a fold over the transcript and is never stored (D53): the next compaction makes it, from the beginning
        cover = Cover(saved["upto"], tuple(saved["standing"]), saved["text"], saved["continuation"], checkpoint.EMPTY, saved["prose"])
    placed = {name: (entry[name][0], _message_back(entry[name][1])) for name in ("flattened", "inserted") if entry.get(name)}
    return Edit(
        entry["number"],
        entry["kind"],
        entry["cause"],
        entry["reach"],
        bytes.fromhex(entry["guard"]),
        forms=tuple(((ordinal, index), _part_back(form)) for ordinal, index, form in entry["forms"]),
        cover=cover,
        flattened=placed.get("flattened"),
        inserted=placed.get("inserted"),
        keys=tuple(entry["keys"]),
        tokens_before=entry["tokens_before"],
        tokens_after=entry["tokens_after"],
        active=entry["active"],
    )


def _message_back(entry: Mapping[str, Any]) -> Message:
    parts = tuple(part for part in map(_part_back, entry["parts"]) if part is not None)
    return Message(entry["role"], parts, kind=entry["kind"])
