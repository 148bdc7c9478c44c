"""What a matched list does to the state: entries are added, replaced, left behind on a branch or marked absent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sostenuto.engine._crossing import carried_over
from sostenuto.engine._foreign import refuse_other_wires
from sostenuto.engine._matching import Match, guarded, handed_over
from sostenuto.engine._state import Branch, Sent, State, branch_key, reviewed
from sostenuto.ladder import Event, History
from sostenuto.messages import Message, Opaque, fingerprint, range_key
from sostenuto.protocols import Codec, Raw

SERVER_COMPACTIONS = frozenset({"compaction", "compaction_summary", "context_compaction"})
"""Kinds of blocks and items in which a server hands back what it compacted itself."""

IsPinned = Callable[[Raw, Message], bool]


@dataclass(frozen=True, slots=True)
class Growth:
    """The state with the handed-over list taken in, and whether the history object was replaced."""

    state: State
    dropped_before: int | None = None


def rebuilt(history: History, messages: list[Message], *, pinned: set[int], weighed: bool = False) -> History:
    """A history of these messages, folded from the beginning: after a fork, a rewrite by the host or a failed step.

    `weighed` says that `history` was weighed by the ruler and folded by the rules that it has now: then nothing is weighed again up to
    the first message that is another one.
    """
    fresh = History(history.ruler, history.folding.alike())
    fresh.folding.foreign = min(fresh.folding.foreign, len(messages))
    fresh.folding.crossings = tuple((min(before, len(messages)), items) for before, items in fresh.folding.crossings)
    pairs = enumerate(zip(messages, history.messages, strict=False))
    length = min(len(messages), len(history.messages)) if weighed else 0
    same = min(length, next((ordinal for ordinal, (new, old) in pairs if new is not old), length))
    for ordinal, message in enumerate(messages):
        fresh.add(message, pinned=ordinal in pinned, weights=history.weighed(ordinal) if ordinal < same else None)
    fresh.prints = {ordinal: print_ for ordinal, print_ in history.prints.items() if ordinal < len(messages)}
    return fresh


def grown(state: State, handed: list[Raw], found: Match, *, codec: Codec, is_pinned: IsPinned) -> Growth:
    """Take in a matched list (D46).

    Raises:
        UnknownFormat: a message that is new or changed is of another wire; nothing was taken in then.
    """
    for position, ordinal in found.fresh:
        refuse_other_wires(handed[position], ordinal, codec=codec)
    first = found.at if found.kind in ("fork", "new") else state.length
    for position in range(found.taken, len(handed)):
        refuse_other_wires(handed[position], first + position - found.taken, codec=codec)
    before = None
    if found.kind in ("fork", "new"):
        state = _forked(state, found)
    elif found.kind == "rewritten":
        state = _rewritten(state, handed, found, codec)
    elif found.kind == "dropped":
        before = found.at
        state = _shortened(state, handed, found)
    state = _added(state, handed, found, codec=codec, is_pinned=is_pinned)
    return Growth(state, before)


def _added(state: State, handed: list[Raw], found: Match, *, codec: Codec, is_pinned: IsPinned) -> State:
    new = handed[found.taken :]
    messages = list(map(codec.decode, new))
    pinned = {
        at for at, (raw, message) in enumerate(zip(new, messages, strict=True)) if is_pinned(raw, message) or _stands_for_others(message)
    }
    state.history.extend(messages, pinned=pinned)
    first = state.length
    length = first + len(new)
    if found.kept_mode:
        raws, expected = [*state.raws[:first], *new], [*state.expected, *new]
        for position, ordinal in found.fresh:
            raws[ordinal] = handed[position]
        order = (*state.order, *range(first, length)) if state.order is not None else None
    elif state.order is None:
        raws, expected, order = handed, handed, None
    else:
        order = (*state.order, *range(first, length))
        raws = [*state.raws[:first], *new]
        for position, ordinal in enumerate(order):
            raws[ordinal] = handed[position]
        expected = handed
    made = state.made
    if made is not None and any(ordinal in made.swapped or ordinal in made.gone for _, ordinal in found.fresh):
        made = None  # what a changed message was made from carries something else now, such as a cache marker
    known = found.taken if found.kind == "extension" and not found.fresh and not found.kept_mode else 0
    return replace(
        state,
        made=made,
        raws=raws,
        expected=guarded(expected, state.expected, equal=known),
        order=order,
        length=length,
        kept_mode=found.kept_mode,
        own=handed_over(handed, state, found) if found.kept_mode else Sent(),
    )


def _stands_for_others(message: Message) -> bool:
    """A server's own compaction holds what it replaced, sealed: nothing else can say it again, so no rung may take it."""
    is_likely = Opaque in map(type, message.parts)
    return is_likely and any(isinstance(part, Opaque) and part.kind in SERVER_COMPACTIONS for part in message.parts)


def _forked(state: State, found: Match) -> State:
    """The list goes another way from `found.at` on: edits that read further are inactive, the old way stays recallable (D32)."""
    at = found.at
    left = Branch(at, _as_handed_over(state, at, state.length), tuple(state.history.messages[at : state.length]))
    history = rebuilt(state.history, state.history.messages[:at], pinned={o for o in state.history.pinned if o < at}, weighed=True)
    edits = tuple(replace(edit, active=edit.active and edit.reach < at) for edit in state.edits)
    said = "this is taken as a new conversation" if found.kind == "new" else f"the history goes another way from message {at} on"
    lost = sum(old.active and not new.active for old, new in zip(state.edits, edits, strict=True))
    note = f"{said}; {lost} edits that read further no longer apply" if lost else said
    key = branch_key(range_key(at, max(at, state.length - 1)), len(state.branches))
    event = Event("fork", 0, 0, note, (key,))
    order = tuple(o for o in state.order if o < at) if state.order is not None else None
    return replace(
        reviewed(state, history=history, edits=edits),
        length=at,
        crossed=min(state.crossed, at),
        raws=state.raws[:at],
        expected=state.expected[: at if order is None else len(order)],
        order=order,
        sent_to=min(state.sent_to, at),
        branches=(*state.branches, left),
        events=(*state.events, event),
        waiting=(*state.waiting, f"Note: {said}.") if found.kind == "new" else state.waiting,
    )


def _rewritten(state: State, handed: list[Raw], found: Match, codec: Codec) -> State:
    """The host changed messages where they stand: they get a new body, edits stay (D46)."""
    messages = list(state.history.messages)
    prints: dict[int, bytes] = {}
    for position, ordinal in found.fresh:
        message = codec.decode(handed[position])
        if message != messages[ordinal]:
            prints[ordinal] = fingerprint(messages[ordinal])
        messages[ordinal] = message
    history = rebuilt(state.history, messages, pinned=state.history.pinned, weighed=True)
    history.prints = {**prints, **history.prints}
    edits = carried_over(state.edits, old=state.history, new=history)
    first, last = min(prints, default=found.at), max(prints, default=found.at)
    key = branch_key(range_key(first, last), len(state.branches))
    event = Event("rewritten", 0, 0, f"the host rewrote message {found.at}", (key,))
    old = Branch(first, _as_handed_over(state, first, last + 1), tuple(state.history.messages[first : last + 1]), rewritten=True)
    return replace(
        reviewed(state, history=history, edits=edits),
        branches=(*state.branches, old),
        events=(*state.events, event),
    )


def _as_handed_over(state: State, first: int, stop: int) -> tuple[Raw, ...]:
    """Native messages as they were when they came: the newest may have been changed in place since, their copies were not."""
    places = {ordinal: place for place, ordinal in enumerate(state.order)} if state.order is not None else None
    out: list[Raw] = []
    for ordinal in range(first, stop):
        place = ordinal if places is None else places.get(ordinal, len(state.expected))
        out.append(state.expected[place] if place < len(state.expected) else state.raws[ordinal])
    return tuple(out)


def _shortened(state: State, handed: list[Raw], found: Match) -> State:
    """The host no longer hands over some messages: they stay in the log and recallable (D46)."""
    order = state.order if state.order is not None else tuple(range(state.length))
    rest = tuple(ordinal for _, ordinal in found.fresh)
    kept = tuple(order[: found.taken - len(rest)]) + rest
    still = set(kept)
    gone = [ordinal for ordinal in order if ordinal not in still]
    event = Event("absent", 0, 0, f"the host left out {len(gone)} messages", (range_key(gone[0], gone[-1]),) if gone else ())
    return replace(state, order=kept, events=(*state.events, event), made=None)
