"""What a compaction is told is already durable, and what code writes back into the checkpoint (D43)."""

from __future__ import annotations

from collections.abc import Sequence

from sostenuto.work._state import WorkState, section
from sostenuto.work._todos import Todo, line


def known(state: WorkState, todos: Sequence[Todo]) -> str:
    """The work at hand in words; "" where nothing is.

    What must not be lost stands first, because a reader with little room keeps the first lines: the objective, what must hold, the
    open todos, the next step; then the open questions and the decisions, newest first. Constraints are in it beside what D43 names: a
    summarizer that is told that work state is stored elsewhere may leave them out.
    """
    open_ = [line(todo) for todo in todos if todo.is_open]
    return "\n".join(
        [
            *section("Objective", state.goal),
            *section("Constraints", state.constraints),
            *(["Open todos:", *open_] if open_ else []),
            *section("Next step", state.next_step),
            *section("Open questions", state.open_questions),
            *section("Decisions, newest first", tuple(reversed(state.decisions))),
        ]
    )
