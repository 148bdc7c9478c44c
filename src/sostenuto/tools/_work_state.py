"""update_work_state: what the agent holds about its task, kept where no compaction reaches (origin 8.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from sostenuto.errors import ToolFailed, UnusableInput
from sostenuto.protocols import Papers
from sostenuto.tools._tool import Context, Tool, Touched
from sostenuto.work import FIELDS, NUMBERS, STATE, patched, rendered, state_in, state_value

_STATE = frozenset(["work state"])
_WHAT = {
    "goal": "what is to be reached, and how one sees that it is",
    "constraints": "what must hold on the way",
    "decisions": "what was settled, with the reason",
    "filesTouched": "paths you wrote",
    "openQuestions": "what is not known yet",
    "nextStep": "what you do next",
}


def _now() -> datetime:
    return datetime.now(UTC)


def update_work_state(papers: Papers, *, now: Callable[[], datetime] = _now) -> Tool:
    """The tool. Only the fields that are given change; without any it reads back what there is."""

    def run(arguments: Mapping[str, Any], _: Context, /) -> str:
        state = state_in(papers.read(STATE))
        if not arguments:
            return rendered(state) or "Work state is empty."
        try:
            state = patched(state, arguments, now=now())
        except UnusableInput as error:
            raise ToolFailed(str(error)) from None
        if not papers.write(STATE, state_value(state)):
            raise ToolFailed("work state could not be written; it is as it was")
        return f"Work state: {', '.join(name for name in FIELDS if name in arguments)} written."

    return Tool(
        "update_work_state",
        "Keep what you know about the task where no compaction reaches: goal, constraints, decisions, files, open questions, next step. "
        "Only the fields you give change; a given list replaces the list, an empty one empties it. Without fields it is read back.",
        {
            "type": "object",
            "properties": {name: _schema(name, most=field.most) for name, field in FIELDS.items()},
            "required": [],
            "additionalProperties": False,
        },
        run,
        risk="read-only",
        touched=lambda arguments: Touched(writes=_STATE) if arguments else Touched(reads=_STATE),
    )


def _schema(name: str, *, most: int) -> dict[str, Any]:
    said = {"description": _WHAT[name]}
    if not most:
        return {"type": "string", "maxLength": NUMBERS.text, **said}
    return {"type": "array", "items": {"type": "string", "maxLength": NUMBERS.item}, "maxItems": most, **said}
