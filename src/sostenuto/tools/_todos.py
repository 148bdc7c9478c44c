"""manage_todos and list_todos: the list of what is to be done, kept for the conversation (origin 8.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from sostenuto.errors import ToolFailed
from sostenuto.protocols import Papers
from sostenuto.tools._tool import Context, Tool, Touched
from sostenuto.work import NUMBERS, TODOS, Priority, Status, conflict, todos_in, todos_value, told

_LIST = frozenset(["the list of todos"])


def manage_todos(papers: Papers) -> Tool:
    """The tool that replaces the list."""

    def run(arguments: Mapping[str, Any], _: Context, /) -> str:
        new = todos_in(arguments["todos"])
        if why := conflict(new):
            raise ToolFailed(f"{why}. Nothing was written")
        if not papers.write(TODOS, todos_value(new)):
            raise ToolFailed("the list could not be written; it is as it was")
        return told(new)

    item = {
        "type": "object",
        "properties": {
            "content": {"type": "string", "minLength": 1, "maxLength": NUMBERS.todo},
            "status": {"enum": list(get_args(Status))},
            "priority": {"enum": list(get_args(Priority)), "default": "medium"},
            "verifiedBy": {
                "type": "string",
                "maxLength": NUMBERS.todo,
                "description": "with every completed todo: what you ran to see that it is done, and what came of it",
            },
        },
        "required": ["content", "status"],
        "additionalProperties": False,
    }
    return Tool(
        "manage_todos",
        "Write the list of what is to be done, whole each time; it outlives compactions. At most one todo is in_progress. Whenever you "
        "mark one completed, say in verifiedBy what you ran to check it; without, it counts as unchecked.",
        {
            "type": "object",
            "properties": {"todos": {"type": "array", "items": item, "maxItems": NUMBERS.todos}},
            "required": ["todos"],
            "additionalProperties": False,
        },
        run,
        risk="read-only",
        touched=lambda _: Touched(writes=_LIST),
    )


def list_todos(papers: Papers) -> Tool:
    """The tool that reads the list."""

    def run(_: Mapping[str, Any], __: Context, /) -> str:
        return told(todos_in(papers.read(TODOS)))

    nothing = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    return Tool(
        "list_todos",
        "Read the list of what is to be done; what is completed and was not checked says so.",
        nothing,
        run,
        risk="read-only",
        repeatable=True,
        touched=lambda _: Touched(reads=_LIST),
    )
