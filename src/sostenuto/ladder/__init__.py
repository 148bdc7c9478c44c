"""What should happen to the history now? One function, `advance`, over frozen values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sostenuto.doors import door

if TYPE_CHECKING:
    from sostenuto.ladder._advance import advance
    from sostenuto.ladder._compact import absent
    from sostenuto.ladder._edit import Cover, Edit, View, applied, checkpoint_messages, view_of
    from sostenuto.ladder._history import UNANSWERED, History, unanswered
    from sostenuto.ladder._nudges import nudge_tokens
    from sostenuto.ladder._run import Event, Facts, Journal, Keep, Memory, Need, Outcome, Run, Summarize
    from sostenuto.ladder._settings import Settings
    from sostenuto.ladder._thinking import reasoning
    from sostenuto.ladder._zones import in_loop, standing

__all__ = [
    "UNANSWERED",
    "Cover",
    "Edit",
    "Event",
    "Facts",
    "History",
    "Journal",
    "Keep",
    "Memory",
    "Need",
    "Outcome",
    "Run",
    "Settings",
    "Summarize",
    "View",
    "absent",
    "advance",
    "applied",
    "checkpoint_messages",
    "in_loop",
    "nudge_tokens",
    "reasoning",
    "standing",
    "unanswered",
    "view_of",
]

_HOMES = {
    "Cover": "_edit",
    "Edit": "_edit",
    "Event": "_run",
    "Facts": "_run",
    "History": "_history",
    "Journal": "_run",
    "Keep": "_run",
    "Memory": "_run",
    "Need": "_run",
    "Outcome": "_run",
    "Run": "_run",
    "Settings": "_settings",
    "Summarize": "_run",
    "UNANSWERED": "_history",
    "View": "_edit",
    "absent": "_compact",
    "advance": "_advance",
    "applied": "_edit",
    "checkpoint_messages": "_edit",
    "in_loop": "_zones",
    "nudge_tokens": "_nudges",
    "reasoning": "_thinking",
    "standing": "_zones",
    "unanswered": "_history",
    "view_of": "_edit",
}

__getattr__ = door(__name__, _HOMES)
