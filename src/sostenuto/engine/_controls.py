"""What a person may ask of a conversation: how full it is, take a change back, put it on again (D28, D62)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sostenuto.engine._crossing import Loss
from sostenuto.engine._state import State, reviewed
from sostenuto.ladder import Facts, Settings, View
from sostenuto.ladder import reasoning as in_view
from sostenuto.messages import Result, key_of
from sostenuto.protocols import Raw

LARGEST = 10


@dataclass(frozen=True, slots=True)
class Usage:
    """How full the context is.

    Attributes:
        tokens: of the next request as it stands; in a process that made none, with instructions and tools as of the last one.
        window, source: the window, and where that number comes from.
        components: the tokens by kind; they add up to all of them.
        largest: the ten largest pieces in view with their keys.
        budget: what a request may take: the window less what is kept free for the answer.
    """

    tokens: int
    window: int
    source: str
    components: Mapping[str, int]
    largest: tuple[tuple[str, int], ...]
    budget: int = 0

    @property
    def ratio(self) -> float:
        """Share of the window."""
        return self.tokens / self.window if self.window else 0.0


@dataclass(frozen=True, slots=True)
class Undone:
    """What came of an undo or redo: whether it was done, which edit, the tokens of the view, and a line for the person."""

    applied: bool
    edit: int | None
    tokens: int
    text: str


@dataclass(frozen=True, slots=True)
class Preview:
    """What compacting now, or the next request, would do; nothing has changed.

    Attributes:
        tokens_before: of the context as it stands; `tokens_after` once it is done.
        keys: what would no longer be sent as it is.
        text: the same for a person.
        rungs: what would happen, in order.
        read: tokens that a summarizer would read for it; 0 where none is needed.
    """

    tokens_before: int
    tokens_after: int
    keys: tuple[str, ...]
    text: str
    rungs: tuple[str, ...] = ()
    read: int = 0


@dataclass(frozen=True, slots=True)
class Switched:
    """What changing the model means for this conversation.

    Attributes:
        window: tokens the new model takes.
        tokens: what the history takes as it stands, by the new model's way of counting; `tokens_after` once the next request is made.
        plan: the same in words, one line each.
        rungs: what the ladder will do for the next request, in order (a summary counts as the mechanical one).
        losses: what the new model or wire does not get as it was; each key still returns the original.
        messages: what to go on with where the wire is another one; None where the caller's own messages stay as they are.
        system: the instructions as one text, to hand over as ``system=`` from then on, where the wire is another one.
        applied: False for a plan that was only asked for.
        fits: False where even the ladder cannot make the next request fit the new model; `plan` says what takes the room.
    """

    window: int
    tokens: int
    plan: str
    tokens_after: int = 0
    rungs: tuple[str, ...] = ()
    losses: tuple[Loss, ...] = ()
    messages: list[Raw] | None = None
    system: str | None = None
    applied: bool = True
    fits: bool = True


def usage(state: State, facts: Facts, source: str) -> Usage:
    """Tokens by component, and the ten largest pieces in view."""
    history, view = state.history, state.view
    parts = {"system": facts.system, "checkpoint and standing messages": history.ruler.tokens(view.head)}
    pieces = [
        (place.key, history.ruler.tokens(history.part(place.ordinal, place.index)))
        for number in view.standing
        if number < view.start
        for place in history.units[number].parts
    ]
    for number in range(view.start, len(history.units)):
        unit = history.units[number]
        if number in view.flattened:
            parts["user"] = parts.get("user", 0) + history.ruler.tokens(view.unit(history, number))
            continue
        for place in unit.parts:
            key = (place.ordinal, place.index)
            tokens = history.ruler.tokens(history.part(*key) + view.shift(history, key))
            name = (
                "tool results" if isinstance(place.part, Result) else {"cycle": "assistant", "text": "assistant"}.get(unit.kind, unit.kind)
            )
            parts[name] = parts.get(name, 0) + tokens
            pieces.append((key_of(*key), tokens))
    largest = sorted(pieces, key=lambda piece: -piece[1])[:LARGEST]
    measure = view.measure(history) + facts.system_measure
    total = history.ruler.total(measure)
    beyond = max(0, total - history.ruler.tokens(measure))  # what reports taught counts, not how the schemas were counted before
    tools = min(facts.tools, beyond)
    parts = {"tools": tools, "overhead": beyond - tools, **_adding_up(parts, to=total - beyond)}
    return Usage(total, facts.window, source, {name: tokens for name, tokens in parts.items() if tokens}, tuple(largest), facts.budget)


def _adding_up(parts: Mapping[str, int], *, to: int) -> dict[str, int]:
    """The parts in the same proportions as whole numbers that add up: each was rounded by itself, and a report may have counted less."""
    whole, found, taken = sum(parts.values()), {}, 0
    seen = 0
    for name, tokens in parts.items():
        seen += tokens
        upto = seen * to // whole if whole else 0
        found[name], taken = upto - taken, upto
    return found


def undone(state: State, facts: Facts, settings: Settings, number: int | None) -> tuple[State, Undone]:
    """Take an edit back: the newest one, or the one with that number. What does not fit is not done (D62)."""
    active = [edit for edit in state.edits if edit.active]
    chosen = [edit for edit in active if number is None or edit.number == number][-1:]
    if not chosen:
        return state, Undone(False, None, _total(state, state.view, facts), _not_there(state, number, verb="undo"))
    edit = chosen[0]
    covers = [other.number for other in active if other.cover is not None]
    if edit.cover is not None and edit.number != covers[-1]:
        text = f"Edit {edit.number} lies under a newer checkpoint; undo that one (edit {covers[-1]}) first."
        return state, Undone(False, edit.number, _total(state, state.view, facts), text)
    after = _switched(state, edit.number, active=False)
    total = _total(after, after.view, facts)
    if total > facts.budget:
        text = f"Undoing edit {edit.number} needs {total:,} tokens, but {facts.budget:,} fit; nothing was changed."
        return state, Undone(False, edit.number, total, text)
    rung, above = ("clear", "compact") if edit.kind in ("clip", "clear") else ("compact", "trim")
    line = getattr(settings.thresholds.lines(facts.budget), above)
    after = replace(after, memory=replace(after.memory, hold={**after.memory.hold, rung: line}))
    return after, Undone(True, edit.number, total, f"Edit {edit.number} ({edit.kind}) was undone; the context now takes {total:,} tokens.")


def redone(state: State, facts: Facts, number: int | None) -> tuple[State, Undone]:
    """Put an undone edit on again: the newest one whose history is unchanged, or the one with that number."""
    guard = state.history.guard
    idle = [e for e in state.edits if not e.active and e.reach < state.length and guard(e.reach) == e.guard]
    chosen = [edit for edit in idle if number is None or edit.number == number][-1:]
    if not chosen:
        return state, Undone(False, None, _total(state, state.view, facts), _not_there(state, number, verb="redo"))
    after = _switched(state, chosen[0].number, active=True)
    total = _total(after, after.view, facts)
    return after, Undone(True, chosen[0].number, total, f"Edit {chosen[0].number} is in force again; the context takes {total:,} tokens.")


def _not_there(state: State, number: int | None, *, verb: str) -> str:
    """Why nothing was undone or put on again."""
    known = [edit for edit in state.edits if edit.cause != "lost"]
    edit = next((edit for edit in known if edit.number == number), None)
    if number is None:
        return f"There is nothing to {verb}."
    if edit is not None and verb == "undo":
        return f"Edit {number} ({edit.kind}) is undone already."
    if edit is not None and edit.active:
        return f"Edit {number} ({edit.kind}) is in force already."
    if edit is not None:
        return f"Edit {number} ({edit.kind}) cannot be put on again: what was said before it is no longer what it was."
    numbers = [edit.number for edit in known]
    there = f"edits {numbers[0]} to {numbers[-1]}" if len(numbers) > 1 else f"edit {numbers[0]}" if numbers else "none"
    return f"There is no edit {number}: this conversation has {there}."


def _switched(state: State, number: int, *, active: bool) -> State:
    """The state with one edit taken back or put on again."""
    edits = tuple(replace(edit, active=active) if edit.number == number else edit for edit in state.edits)
    return replace(reviewed(state, history=state.history, edits=edits), request=None)


def _total(state: State, view: View, facts: Facts) -> int:
    return state.history.ruler.total(view.measure(state.history) + facts.system_measure)


def reasoning(state: State) -> bool:
    """Whether any reasoning is in view that a repair could leave out."""
    return bool(in_view(state.history, state.view))
