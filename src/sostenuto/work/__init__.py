"""What is known about the task at hand? Work state, todos, journal records, the preamble of a resume, and the rules of drafts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sostenuto.doors import door

if TYPE_CHECKING:
    from sostenuto.work._drafts import DraftLimits, clash, draft_part_fault, draft_path, is_device, missing, too_large
    from sostenuto.work._journal import Recorded, record_in, record_value, recorded
    from sostenuto.work._known import known
    from sostenuto.work._numbers import NUMBERS
    from sostenuto.work._preamble import HEADING, preamble
    from sostenuto.work._state import FIELDS, STATE, WorkState, patched, rendered, state_in, state_value
    from sostenuto.work._todos import TODOS, Priority, Status, Todo, conflict, is_unchecked, todos_in, todos_value, told

__all__ = [
    "FIELDS",
    "HEADING",
    "NUMBERS",
    "STATE",
    "TODOS",
    "DraftLimits",
    "Priority",
    "Recorded",
    "Status",
    "Todo",
    "WorkState",
    "clash",
    "conflict",
    "draft_part_fault",
    "draft_path",
    "is_device",
    "is_unchecked",
    "known",
    "missing",
    "patched",
    "preamble",
    "record_in",
    "record_value",
    "recorded",
    "rendered",
    "state_in",
    "state_value",
    "todos_in",
    "todos_value",
    "told",
    "too_large",
]

_HOMES = {
    "DraftLimits": "_drafts",
    "FIELDS": "_state",
    "HEADING": "_preamble",
    "NUMBERS": "_numbers",
    "Priority": "_todos",
    "Recorded": "_journal",
    "STATE": "_state",
    "Status": "_todos",
    "TODOS": "_todos",
    "Todo": "_todos",
    "WorkState": "_state",
    "clash": "_drafts",
    "conflict": "_todos",
    "draft_part_fault": "_drafts",
    "draft_path": "_drafts",
    "is_device": "_drafts",
    "is_unchecked": "_todos",
    "known": "_known",
    "missing": "_drafts",
    "patched": "_state",
    "preamble": "_preamble",
    "record_in": "_journal",
    "record_value": "_journal",
    "recorded": "_journal",
    "rendered": "_state",
    "state_in": "_state",
    "state_value": "_state",
    "todos_in": "_todos",
    "todos_value": "_todos",
    "told": "_todos",
    "too_large": "_drafts",
}

__getattr__ = door(__name__, _HOMES)
