"""Todos: what is to be done in one conversation, and who has seen that it is done (origin 8.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal, get_args

from sostenuto.work._lines import one_line
from sostenuto.work._numbers import NUMBERS

TODOS: Final = "todos"
"""The name of the document that holds them (`sostenuto.protocols.Papers`)."""

Status = Literal["pending", "in_progress", "completed", "cancelled"]
Priority = Literal["high", "medium", "low"]

_BOXES: Final[Mapping[str, str]] = MappingProxyType({"pending": "[ ]", "in_progress": "[>]", "completed": "[x]", "cancelled": "[-]"})


@dataclass(frozen=True, slots=True)
class Todo:
    """One thing to be done. `verified_by` is what was run to see that it is done; without, nobody has checked (D43)."""

    content: str
    status: Status = "pending"
    priority: Priority = "medium"
    verified_by: str = ""

    @property
    def is_open(self) -> bool:
        """Whether there is still something to do."""
        return self.status in ("pending", "in_progress")


def is_unchecked(todo: Todo) -> bool:
    """Whether it is said to be done and nobody has checked."""
    return todo.status == "completed" and not todo.verified_by


def conflict(todos: Sequence[Todo]) -> str:
    """Why the list cannot stand, "" where it can: at most one todo is in progress (origin 8.2)."""
    current = [todo.content for todo in todos if todo.status == "in_progress"]
    return f"{len(current)} todos are in_progress ({'; '.join(current)[:200]}); at most one may be" if len(current) > 1 else ""


def todos_in(value: object) -> tuple[Todo, ...]:
    """The todos in a JSON value, whoever wrote it: what is no todo is left out, an unknown status is a pending one. Never raises."""
    if not isinstance(value, list | tuple):
        return ()
    return tuple(todo for item in value[: NUMBERS.todos] if (todo := _todo(item)) is not None)


def _todo(item: object) -> Todo | None:
    content = item.get("content") if isinstance(item, Mapping) else None
    if not isinstance(item, Mapping) or not isinstance(content, str) or not content.strip():
        return None
    status, priority, checked = item.get("status"), item.get("priority"), item.get("verifiedBy")
    return Todo(
        content.strip()[: NUMBERS.todo],
        next((known for known in get_args(Status) if known == status), "pending"),
        next((known for known in get_args(Priority) if known == priority), "medium"),
        checked.strip()[: NUMBERS.todo] if isinstance(checked, str) else "",
    )


def todos_value(todos: Iterable[Todo]) -> list[dict[str, Any]]:
    """The todos as a JSON value."""
    return [
        {"content": todo.content, "status": todo.status, "priority": todo.priority}
        | ({"verifiedBy": todo.verified_by} if todo.verified_by else {})
        for todo in todos
    ]


def told(todos: Sequence[Todo]) -> str:
    """The list in words: how many stand where, then each; what is completed and unchecked says so."""
    if not todos:
        return "The list is empty."
    counts = ", ".join(f"{count} {status}" for status in _BOXES if (count := sum(todo.status == status for todo in todos)))
    return "\n".join([f"{len(todos)} todo{'' if len(todos) == 1 else 's'}: {counts}", *map(line, todos)])


def line(todo: Todo) -> str:
    """One todo on one line."""
    urgent = "" if todo.priority == "medium" else f" ({todo.priority})"
    checked = (
        f" - checked by: {one_line(todo.verified_by)}" if todo.verified_by else " - nobody has checked it" if is_unchecked(todo) else ""
    )
    return f"{_BOXES[todo.status]} {one_line(todo.content)}{urgent}{checked}"
