"""What should happen to the history now? One function, `advance`, over frozen values."""

from sostenuto.ladder._advance import advance
from sostenuto.ladder._compact import absent
from sostenuto.ladder._edit import Cover, Edit, View, applied, checkpoint_messages, view_of
from sostenuto.ladder._history import History, unanswered
from sostenuto.ladder._nudges import nudge_tokens
from sostenuto.ladder._run import Event, Facts, Journal, Keep, Memory, Need, Outcome, Run, Summarize
from sostenuto.ladder._settings import Settings
from sostenuto.ladder._thinking import reasoning
from sostenuto.ladder._zones import in_loop, standing

__all__ = [
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
