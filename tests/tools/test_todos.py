"""manage_todos, list_todos and update_work_state: what is to be done and what is known, on the papers of a conversation (A.8)."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sostenuto.tools import PapersInMemory, standard_tools
from sostenuto.tools._work_state import update_work_state
from sostenuto.work import STATE, TODOS, Todo, state_in, todos_in, todos_value
from tests.tools.working import call, carried, named, numbered

NOW = datetime(2026, 11, 30, 21, 5, 7, tzinfo=UTC)


class Full(PapersInMemory):
    """Papers that nothing can be written to."""

    def write(self, name: str, value: Any, /) -> bool:
        """No room."""
        return False


def test_todos_are_written_whole_and_read() -> None:
    """The list comes back with its counts; what was completed unchecked says so (D43)."""
    papers = PapersInMemory()
    tools = standard_tools(Path("."), papers=papers)
    items = [
        {"content": "first", "status": "completed", "verifiedBy": "the tests"},
        {"content": "second", "status": "completed"},
        {"content": "third", "status": "in_progress", "priority": "high"},
    ]
    written, read = carried(numbered(("manage_todos", {"todos": items}), ("list_todos", {})), tools)
    assert written.text == (
        "3 todos: 1 in_progress, 2 completed\n[x] first - checked by: the tests\n[x] second - nobody has checked it\n[>] third (high)"
    )
    assert read.text == written.text
    assert todos_in(papers.read(TODOS))[2] == Todo("third", "in_progress", "high")


def test_only_one_todo_is_in_progress() -> None:
    """Two of them, or a status that is none, write nothing."""
    papers = PapersInMemory()
    papers.write(TODOS, todos_value([Todo("old")]))
    tools = standard_tools(Path("."), papers=papers)
    two = [{"content": "a", "status": "in_progress"}, {"content": "b", "status": "in_progress"}]
    first, second = carried(
        numbered(("manage_todos", {"todos": two}), ("manage_todos", {"todos": [{"content": "a", "status": "done"}]})), tools
    )
    assert "2 todos are in_progress (a; b); at most one may be. Nothing was written" in first.text
    assert 'todos[0].status must be one of "pending", "in_progress"' in second.text
    assert [todo.content for todo in todos_in(papers.read(TODOS))] == ["old"]


def test_a_list_that_cannot_be_kept_is_told() -> None:
    """A keeper that fails is a failure of the call."""
    tools = standard_tools(Path("."), papers=Full())
    answer = carried([call("manage_todos", {"todos": []})], tools)[0]
    assert (answer.ended, "could not be written" in answer.text) == ("failed", True)
    assert carried([call("list_todos")], tools)[0].text == "The list is empty."


def test_given_fields_are_written_and_the_others_stay() -> None:
    """The tool writes given fields, does not clobber others, and without fields reads back (A.8)."""
    papers = PapersInMemory()
    tools = (update_work_state(papers, now=lambda: NOW),)
    calls: list[tuple[str, dict[str, Any]]] = [
        ("update_work_state", {"goal": "ship", "decisions": ["sqlite"]}),
        ("update_work_state", {"decisions": ["postgres"], "nextStep": "tests"}),
        ("update_work_state", {}),
    ]
    first, second, third = carried(numbered(*calls), tools)
    assert first.text == "Work state: goal, decisions written."
    assert second.text == "Work state: decisions, nextStep written."
    assert third.text == "Goal: ship\nDecisions:\n- postgres\nNext step: tests"
    assert state_in(papers.read(STATE)).updated_at == "2026-11-30T21:05:07+00:00"
    assert carried([call("update_work_state")], standard_tools(Path(".")))[0].text == "Work state is empty."


def test_unknown_and_wrong_fields_write_nothing() -> None:
    """An unknown key is answered with the nearest, a wrong type and a passed bound with the figures (A.8)."""
    papers = PapersInMemory()
    tools = standard_tools(Path("."), papers=papers)
    calls: list[tuple[str, dict[str, Any]]] = [
        ("update_work_state", {"goal": "x", "nextstep": "y"}),
        ("update_work_state", {"decisions": "x"}),
        ("update_work_state", {"goal": "x" * 2_001}),
        ("update_work_state", {"constraints": ["x"] * 51}),
    ]
    answers = carried(numbered(*calls), tools)
    assert [answer.ended for answer in answers] == ["refused"] * 4
    for answer, words in zip(answers, ("did you mean nextStep", "must be a list", "at most 2000", "at most 50"), strict=True):
        assert words in answer.text
    assert papers.read(STATE) is None


def test_work_state_that_cannot_be_kept_is_told() -> None:
    """A keeper that fails is a failure of the call, and nothing claims to be written (D34)."""
    answer = carried([call("update_work_state", {"goal": "x"})], standard_tools(Path("."), papers=Full()))[0]
    assert (answer.ended, "could not be written" in answer.text) == ("failed", True)


def test_a_corrupt_paper_reads_as_none_and_can_be_written_again() -> None:
    """Whatever lies under the names, the tools answer and the next write is sound (A.8)."""
    papers = PapersInMemory()
    papers.write(STATE, [1, {"goal": 5}])
    papers.write(TODOS, {"x": "y"})
    calls: list[tuple[str, dict[str, Any]]] = [
        ("update_work_state", {}),
        ("list_todos", {}),
        ("update_work_state", {"goal": "g"}),
        ("update_work_state", {}),
    ]
    texts = [answer.text for answer in carried(numbered(*calls), standard_tools(Path("."), papers=papers))]
    assert texts == ["Work state is empty.", "The list is empty.", "Work state: goal written.", "Goal: g"]


def test_papers_are_copies() -> None:
    """What is changed after it was handed over or given back changes nothing that is kept."""
    papers, value = PapersInMemory(), {"goal": ["a"]}
    papers.write("state", value)
    value["goal"].append("b")
    papers.read("state")["goal"].append("c")
    assert papers.read("state") == {"goal": ["a"]}


def test_todos_are_one_conversations() -> None:
    """Tools made for another conversation, or for a sub-agent, know nothing of the first one's papers."""
    mine, other = standard_tools(Path(".")), standard_tools(Path("."))
    carried([call("manage_todos", {"todos": [{"content": "a", "status": "pending"}]})], mine)
    assert carried([call("list_todos")], other)[0].text == "The list is empty."


def test_models_are_asked_for_verified_by() -> None:
    """The description of the tool and of the field ask for it whenever something is completed."""
    tool = named(standard_tools(Path(".")), "manage_todos")
    assert "Whenever you mark one completed, say in verifiedBy" in tool.description
    assert "with every completed todo" in str(tool.parameters)
