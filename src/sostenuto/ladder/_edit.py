"""Edits: the recorded changes of the view. A piece's form depends on the piece and its edit, never on time or fill (D48)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from sostenuto.ladder._history import History
from sostenuto.messages import Message, Part, Text, Unit
from sostenuto.tokens import Measure

if TYPE_CHECKING:
    from sostenuto.checkpoint import Fold, Ledger, Sections
    from sostenuto.ladder._looked import Looked


EditKind = Literal["clip", "clear", "cover", "drop", "insert", "strip", "flatten"]
Place = tuple[int, int]
Form = tuple[Place, Part | None]
"""How the piece at a place reads from now on; None: not at all."""

LEVELS: Mapping[EditKind, int] = MappingProxyType({"insert": 0, "clip": 1, "clear": 2, "strip": 2, "flatten": 2, "cover": 3, "drop": 4})
"""whole 0 < clipped 1 < cleared 2 < covered 3 < dropped 4 (D48)."""

NOTHING = Measure(0, 0)


@dataclass(frozen=True, slots=True)
class Cover:
    """Units before `upto` give way to a checkpoint; `standing` names those that stay byte-equal before it.

    `ledger` is the fold over units before `upto`; `prose` the model's sections, None when no model wrote any; `folds` what of the
    ledger its text has no room for.
    """

    upto: int
    standing: tuple[int, ...]
    text: str
    continuation: str
    ledger: Ledger
    prose: Sections | None = None
    folds: tuple[Fold, ...] = ()

    @property
    def losses(self) -> dict[str, int]:
        """Claim -> items that are not printed in full: they have to be asked for by key (D22)."""
        return {fold.claim: fold.count for fold in self.folds}


@dataclass(frozen=True, slots=True)
class Edit:
    """One recorded change. `reach` is the highest ordinal it read and `guard` the fingerprint of the history up to there (D32)."""

    number: int
    kind: EditKind
    cause: str
    reach: int
    guard: bytes
    forms: tuple[Form, ...] = ()
    cover: Cover | None = None
    flattened: tuple[int, Message] | None = None
    inserted: tuple[int, Message] | None = None
    keys: tuple[str, ...] = ()
    tokens_before: int = 0
    tokens_after: int = 0
    active: bool = True


@dataclass(frozen=True, slots=True)
class View:
    """What the active edits amount to. `head` and `delta` keep the sums of the view up to date in time proportional to an edit.

    `looked` is only a memo of what clearing would free: a view that an edit made starts with none.
    """

    cover: Cover | None = None
    forms: Mapping[Place, Part | None] = field(default_factory=dict)
    levels: Mapping[Place, int] = field(default_factory=dict)
    flattened: Mapping[int, Message] = field(default_factory=dict)
    inserted: Mapping[int, Message] = field(default_factory=dict)
    head: Measure = NOTHING
    delta: Measure = NOTHING
    looked: list[Looked] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def start(self) -> int:
        """Index of the first unit after the cover."""
        return self.cover.upto if self.cover else 0

    @property
    def standing(self) -> tuple[int, ...]:
        """Indexes of covered units that stay whole before the checkpoint."""
        return self.cover.standing if self.cover else ()

    def measure(self, history: History) -> Measure:
        """What the whole view weighs."""
        span = history.span(self.start, len(history.units))
        return span if self.head is NOTHING and self.delta is NOTHING else self.head + span + self.delta

    def unit(self, history: History, number: int) -> Measure:
        """What one unit weighs in the view."""
        if number in self.flattened:
            return message_measure(history, self.flattened[number])
        total = history.unit(number)
        if self.forms:
            for place in history.units[number].parts:
                total += self.shift(history, (place.ordinal, place.index))
        return total

    def shift(self, history: History, place: Place) -> Measure:
        """How much a piece's form differs from the piece."""
        if place not in self.forms:
            return NOTHING
        return history.piece(self.forms[place]) - history.part(*place)

    def shown(self, history: History, unit: Unit) -> Unit:
        """The unit as it reads in the view (a flattened one keeps its parts: a summarizer reads those)."""
        if not self.forms:
            return unit
        placed = tuple(
            replace(place, part=form)
            for place in unit.parts
            if (form := self.forms.get((place.ordinal, place.index), place.part)) is not None
        )
        by_place = {(place.ordinal, place.index): place for place in placed}
        shown_slots = tuple(
            slot._replace(
                call=by_place.get((slot.call.ordinal, slot.call.index), slot.call),
                result=by_place.get((slot.result.ordinal, slot.result.index), slot.result) if slot.result else None,
            )
            for slot in unit.slots
        )
        return replace(unit, parts=placed, slots=shown_slots)


def message_measure(history: History, message: Message) -> Measure:
    """What a message of our own weighs."""
    total = NOTHING
    for part in message.parts:
        total += history.piece(part)
    return total


def checkpoint_messages(cover: Cover) -> tuple[Message, Message]:
    """The checkpoint as one assistant message, and the user's turn that asks to go on (D25)."""
    return (
        Message("assistant", (Text(cover.text),), kind="summary"),
        Message("user", (Text(cover.continuation),), kind="continuation"),
    )


def applied(view: View, edit: Edit, *, history: History) -> View:
    """The view with one more active edit."""
    if edit.cover is not None:
        return _covered(view, edit.cover, history)
    forms, levels, delta, head = dict(view.forms), dict(view.levels), view.delta, view.head
    level = LEVELS[edit.kind]
    for place, form in edit.forms:
        if levels.get(place, 0) > level:
            continue
        before = history.piece(forms[place]) if place in forms else history.part(*place)
        change = history.piece(form) - before
        forms[place], levels[place] = form, level
        owner = history.owner(place)
        if owner in view.standing:
            head += change
        elif owner >= view.start:
            delta += change
    view = replace(view, forms=forms, levels=levels, delta=delta, head=head)
    if edit.flattened is not None:
        number, message = edit.flattened
        delta += message_measure(history, message) - view.unit(history, number)
        view = replace(view, flattened={**view.flattened, number: message}, delta=delta)
    if edit.inserted is not None:
        ordinal, message = edit.inserted
        # a later one in the same place takes it over
        delta += message_measure(history, message)
        delta = delta - message_measure(history, view.inserted[ordinal]) if ordinal in view.inserted else delta
        view = replace(view, inserted={**view.inserted, ordinal: message}, delta=delta)
    return view


def _covered(view: View, cover: Cover, history: History) -> View:
    """The view under a new cover: forms of covered pieces are forgotten, unless they belong to a unit that stands."""
    kept: set[Place] = set()
    for number in cover.standing:
        kept.update((place.ordinal, place.index) for place in history.units[number].parts)
    forms = {place: form for place, form in view.forms.items() if place in kept or history.owner(place) >= cover.upto}
    levels = {place: view.levels[place] for place in forms}
    bare = View(cover=cover, forms=forms, levels=levels, flattened={n: m for n, m in view.flattened.items() if n >= cover.upto})
    head = delta = NOTHING
    for message in checkpoint_messages(cover):
        head += message_measure(history, message)
    for number in cover.standing:
        head += bare.unit(history, number)
    for place in forms:
        if place not in kept:
            delta += bare.shift(history, place)
    for number, message in bare.flattened.items():
        plain = replace(bare, flattened={})
        delta += message_measure(history, message) - plain.unit(history, number)
    # a kept nudge is gone at the next rewrite (D29)
    return replace(bare, head=head, delta=delta, inserted={})


def view_of(edits: Iterable[Edit], *, history: History) -> View:
    """The view all active edits amount to. Only the newest cover counts; the order of the others does not matter."""
    active = [edit for edit in edits if edit.active]
    covers = [edit for edit in active if edit.cover is not None]
    view = View()
    for edit in active:
        if edit.cover is None:
            view = applied(view, edit, history=history)
    if covers:
        newest = covers[-1]
        later = {edit.number for edit in active if edit.number > newest.number}
        kept = {o: m for edit in active if edit.number in later and edit.inserted for o, m in [edit.inserted]}
        view = _covered(view, newest.cover, history) if newest.cover else view
        for message in kept.values():
            view = replace(view, delta=view.delta + message_measure(history, message))
        view = replace(view, inserted=kept)
    return view
