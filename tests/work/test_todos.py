"""Todos: read from anything, at most one in progress, unchecked where nobody checked (origin 8.2, D43)."""

from __future__ import annotations

import json

from sostenuto.work import NUMBERS, Todo, conflict, is_unchecked, todos_in, todos_value, told


def test_what_is_written_is_read_back() -> None:
    """A list comes back as it was, with what each todo was checked by."""
    todos = (Todo("a", "completed", "high", "pytest"), Todo("b", "in_progress"), Todo("c", "cancelled", "low"))
    value = json.loads(json.dumps(todos_value(todos)))
    assert value[0] == {"content": "a", "status": "completed", "priority": "high", "verifiedBy": "pytest"}
    assert "verifiedBy" not in value[1]
    assert todos_in(value) == todos


def test_a_corrupt_list_loses_only_what_is_no_todo() -> None:
    """What is no list is none; an entry without words is left out, an unknown status or priority is the usual one."""
    assert todos_in({"content": "a"}) == todos_in(None) == ()
    odd = [5, {"content": " "}, {"content": ["x"]}, {"content": "a", "status": "done", "priority": [], "verifiedBy": 5}]
    assert todos_in(odd) == (Todo("a"),)
    assert len(todos_in([{"content": "a" * 5_000}] * 5_000)) == NUMBERS.todos
    assert len(todos_in([{"content": "a" * 5_000}])[0].content) == NUMBERS.todo


def test_at_most_one_is_in_progress() -> None:
    """Two of them are named; one, or none, is fine."""
    assert conflict([Todo("a", "in_progress"), Todo("b", "in_progress")]) == "2 todos are in_progress (a; b); at most one may be"
    assert conflict([Todo("a", "in_progress"), Todo("b")]) == conflict([]) == ""


def test_completed_without_a_check_says_so() -> None:
    """A completed todo without verifiedBy is shown as unchecked, one with it tells by what it was checked (D43)."""
    todos = [Todo("a", "completed"), Todo("b", "completed", verified_by="the tests\nall green"), Todo("c\n# d", priority="high")]
    assert [is_unchecked(todo) for todo in todos] == [True, False, False]
    assert told(todos).splitlines() == [
        "3 todos: 1 pending, 2 completed",
        "[x] a - nobody has checked it",
        "[x] b - checked by: the tests all green",
        "[ ] c # d (high)",
    ]
    assert told([]) == "The list is empty."
