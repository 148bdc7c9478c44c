"""Work state: what the agent itself holds about its task, patched field by field (origin 8.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, Final

from sostenuto.errors import UnusableInput
from sostenuto.work._lines import one_line
from sostenuto.work._numbers import NUMBERS

STATE: Final = "state"
"""The name of the document that holds it (`sostenuto.protocols.Papers`)."""


@dataclass(frozen=True, slots=True)
class WorkState:
    """What is known about the task at hand; every field may be empty.

    Attributes:
        goal: what is to be reached.
        constraints: what must hold on the way.
        decisions: what was settled, with its reason.
        files_touched: paths that were written.
        open_questions: what is not known yet.
        next_step: what comes next.
        updated_at: when it was last changed, ISO 8601; "" for never.
    """

    goal: str = ""
    constraints: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    files_touched: tuple[str, ...] = ()
    open_questions: tuple[str, ...] = ()
    next_step: str = ""
    updated_at: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """How a field is called: as an attribute, and in words; and the most entries it may have, 0 for a single text."""

    attribute: str
    label: str
    most: int = 0


FIELDS: Final[Mapping[str, Field]] = MappingProxyType(
    {
        "goal": Field("goal", "Goal"),
        "constraints": Field("constraints", "Constraints", NUMBERS.items),
        "decisions": Field("decisions", "Decisions", NUMBERS.items),
        "filesTouched": Field("files_touched", "Files touched", NUMBERS.files),
        "openQuestions": Field("open_questions", "Open questions", NUMBERS.items),
        "nextStep": Field("next_step", "Next step"),
    }
)
"""Name in JSON -> field, in the order of origin 8.1; ``updatedAt`` is set by code and no field of its own."""


def patched(state: WorkState, changes: Mapping[str, Any], *, now: datetime) -> WorkState:
    """The state with the fields that `changes` gives, by their names in JSON; the others stay. A given list replaces the list.

    Blank entries are left out; an empty text or list empties its field. Without changes it is the very same state.

    Raises:
        UnusableInput: a name is unknown (the nearest is said), a type is wrong, or a bound is passed (with the figures); nothing changed.
    """
    if not changes:
        return state
    new: dict[str, Any] = {}
    for name, value in changes.items():
        field = FIELDS.get(name)
        if field is None:
            raise UnusableInput(_unknown(name))
        new[field.attribute] = _list(name, value, most=field.most) if field.most else _text(name, value)
    return replace(state, **new, updated_at=now.isoformat(timespec="seconds"))


def _unknown(name: object) -> str:
    shown = str(name)[:80]
    near = get_close_matches(shown, FIELDS, n=1, cutoff=0.4)
    return f"work state has no field {shown!r}; " + (f"did you mean {near[0]!r}?" if near else f"there are {', '.join(FIELDS)}")


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise UnusableInput(f"{name} must be a text, not {type(value).__name__}; nothing was changed")
    if len(value) > NUMBERS.text:
        raise UnusableInput(f"{name} has {len(value):,} characters and {NUMBERS.text:,} is the most; nothing was changed")
    return value.strip()


def _list(name: str, value: object, *, most: int) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise UnusableInput(f"{name} must be a list of texts, not {type(value).__name__}; nothing was changed")
    if len(value) > most:
        raise UnusableInput(f"{name} has {len(value):,} entries and {most} is the most; nothing was changed")
    for index, item in enumerate(value):
        if not isinstance(item, str):
            raise UnusableInput(f"{name}[{index}] must be a text, not {type(item).__name__}; nothing was changed")
        if len(item) > NUMBERS.item:
            raise UnusableInput(f"{name}[{index}] has {len(item):,} characters and {NUMBERS.item} is the most; nothing was changed")
    return tuple(item.strip() for item in value if item.strip())


def state_in(value: object) -> WorkState:
    """The state in a JSON value, whoever wrote it. What is no state is an empty one; of a field over its bounds the first part stays,
    and one of a wrong type is empty. Never raises.
    """
    if not isinstance(value, Mapping):
        return WorkState()
    found: dict[str, Any] = {}
    for name, field in FIELDS.items():
        given = value.get(name)
        if field.most and isinstance(given, list | tuple):
            found[field.attribute] = tuple(
                item.strip()[: NUMBERS.item] for item in given[: field.most] if isinstance(item, str) and item.strip()
            )
        elif not field.most and isinstance(given, str):
            found[field.attribute] = given.strip()[: NUMBERS.text]
    moment = value.get("updatedAt")
    return WorkState(**found, updated_at=moment[: NUMBERS.moment] if isinstance(moment, str) else "")


def state_value(state: WorkState) -> dict[str, Any]:
    """The state as a JSON value; fields without anything are left out."""
    held = {name: getattr(state, field.attribute) for name, field in FIELDS.items()}
    listed = {name: list(value) if isinstance(value, tuple) else value for name, value in held.items() if value}
    return {**listed, "updatedAt": state.updated_at} if state.updated_at else listed


def rendered(state: WorkState) -> str:
    """The state in words: labelled sections in the order of `FIELDS`, those without anything left out; "" for an empty state."""
    lines: list[str] = []
    for field in FIELDS.values():
        lines += section(field.label, getattr(state, field.attribute))
    return "\n".join(lines)


def section(label: str, value: str | tuple[str, ...]) -> list[str]:
    """The lines of one field, each entry on one line; none for an empty one."""
    if isinstance(value, str):
        return [f"{label}: {one_line(value)}"] if value.strip() else []
    return [f"{label}:", *(f"- {one_line(item)}" for item in value)] if value else []
