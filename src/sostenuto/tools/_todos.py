"""manage_todos and list_todos: the list of what is to be done, kept for the conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from sostenuto.errors import ToolFailed
from sostenuto.tools._tool import Context, Tool, Touched

Status = Literal["pending", "in_progress", "completed", "cancelled"]
Priority = Literal["high", "medium", "low"]
MOST_TODOS = 100

_BOXES: dict[str, str] = {"pending": "[ ]", "in_progress": "[>]", "completed": "[x]", "cancelled": "[-]"}
_LIST = frozenset(["the list of todos"])


@dataclass(frozen=True, slots=True)
class Todo:
    """One thing to be done. `verified_by` is what was run to see that it is done; without, nobody has checked (D43)."""

    content: str
    status: Status = "pending"
    priority: Priority = "medium"
    verified_by: str = ""


class Todos(Protocol):
    """Where the list of one conversation is kept."""

    def read(self) -> Sequence[Todo]:
        """The list as it stands."""

    def write(self, todos: Sequence[Todo], /) -> bool:
        """Replace the list; False if it could not be kept. Never raises."""


class TodosInMemory:
    """A list for one process."""

    def __init__(self) -> None:
        self._todos: tuple[Todo, ...] = ()

    def read(self) -> Sequence[Todo]:
        """The list as it stands."""
        return self._todos

    def write(self, todos: Sequence[Todo], /) -> bool:
        """Replace the list."""
        self._todos = tuple(todos)
        return True


def manage_todos(todos: Todos) -> Tool:
    """The tool that replaces the list."""

    def run(arguments: Mapping[str, Any], _: Context, /) -> str:
        new = [
            Todo(item["content"].strip(), item["status"], item.get("priority", "medium"), item.get("verifiedBy", "").strip())
            for item in arguments["todos"]
        ]
        current = [todo.content for todo in new if todo.status == "in_progress"]
        if len(current) > 1:
            raise ToolFailed(f"{len(current)} todos are in_progress ({'; '.join(current)[:200]}); at most one may be. Nothing was written")
        if not todos.write(new):
            raise ToolFailed("the list could not be written; it is as it was")
        return told(new)

    item = {
        "type": "object",
        "properties": {
            "content": {"type": "string", "minLength": 1, "maxLength": 1_000},
            "status": {"enum": list(_BOXES)},
            "priority": {"enum": ["high", "medium", "low"], "default": "medium"},
            "verifiedBy": {"type": "string", "maxLength": 1_000, "description": "what you ran to see that it is done"},
        },
        "required": ["content", "status"],
        "additionalProperties": False,
    }
    return Tool(
        "manage_todos",
        "Write the list of what is to be done, whole each time. At most one todo is in_progress. For a completed one, say in verifiedBy "
        "what you ran to check it; without, it counts as unchecked.",
        {
            "type": "object",
            "properties": {"todos": {"type": "array", "items": item, "maxItems": MOST_TODOS}},
            "required": ["todos"],
            "additionalProperties": False,
        },
        run,
        risk="read-only",
        touched=lambda _: Touched(writes=_LIST),
    )


def list_todos(todos: Todos) -> Tool:
    """The tool that reads the list."""

    def run(_: Mapping[str, Any], __: Context, /) -> str:
        return told(todos.read())

    nothing = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    return Tool(
        "list_todos",
        "Read the list of what is to be done.",
        nothing,
        run,
        risk="read-only",
        repeatable=True,
        touched=lambda _: Touched(reads=_LIST),
    )


def told(todos: Sequence[Todo]) -> str:
    """The list in words: how many stand where, then each."""
    if not todos:
        return "The list is empty."
    counts = ", ".join(f"{count} {status}" for status in _BOXES if (count := sum(todo.status == status for todo in todos)))
    return "\n".join([f"{len(todos)} todo{'' if len(todos) == 1 else 's'}: {counts}", *map(_line, todos)])


def _line(todo: Todo) -> str:
    urgent = "" if todo.priority == "medium" else f" ({todo.priority})"
    checked = f" - checked by: {todo.verified_by}" if todo.verified_by else " - nobody has checked it" if todo.status == "completed" else ""
    return f"{_BOXES[todo.status]} {todo.content}{urgent}{checked}"
