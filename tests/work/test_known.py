"""What a compaction is told as already durable (D43)."""

from __future__ import annotations

from sostenuto.work import Todo, WorkState, known


def test_the_work_at_hand_in_words() -> None:
    """Objective, what must hold and the open todos come first; what is done or cancelled is not in it."""
    state = WorkState("ship", ("no network",), ("old", "new"), ("a.py",), ("why?",), "tests")
    todos = [Todo("a", "completed"), Todo("b", "in_progress", "high"), Todo("c"), Todo("d", "cancelled")]
    assert known(state, todos).splitlines() == [
        "Objective: ship",
        "Constraints:",
        "- no network",
        "Open todos:",
        "[>] b (high)",
        "[ ] c",
        "Next step: tests",
        "Open questions:",
        "- why?",
        "Decisions, newest first:",
        "- new",
        "- old",
    ]


def test_nothing_known_says_nothing() -> None:
    """An empty state with nothing open gives no text at all."""
    assert known(WorkState(files_touched=("a.py",)), [Todo("a", "completed")]) == ""
