"""What an agent is told before anything else (D43)."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sostenuto.app._persona import instructions


def told(*tools: str, **more: Any) -> str:
    """The system prompt of a run with these tools."""
    terms: Any = SimpleNamespace(settings={"persona": "You are terse."})
    return instructions(terms, Path("folder"), tools=tools, **more)


def test_verified_by_is_asked_for_where_there_are_todos() -> None:
    """With the tool the prompt asks for verifiedBy whenever a todo is completed; each tool of work state is told of only where it is."""
    assert "Whenever you mark a todo completed, say in verifiedBy" in told("manage_todos", "grep")
    assert "update_work_state" not in told("manage_todos")
    assert "manage_scratchpad" in told("manage_scratchpad")
    assert not any(word in told("grep") for word in ("verifiedBy", "update_work_state", "manage_scratchpad"))


def test_the_words_do_not_depend_on_the_order_of_the_tools() -> None:
    """The same tools give the same words, so that a provider's cache holds."""
    assert told("manage_todos", "update_work_state") == told("update_work_state", "manage_todos")
    assert told("manage_todos", is_subagent=True).startswith("You are terse.\n\nYou work on a task")
