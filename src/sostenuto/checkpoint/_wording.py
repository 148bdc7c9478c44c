"""The sentences we write ourselves into a context, and how to recognise them when a host hands them back."""

from __future__ import annotations

HEADER = "# Checkpoint: reference record of earlier messages"
CONTINUATION = (
    "[CONTINUE: the messages before this point were condensed into the checkpoint above. Resume the work where it stood, using the "
    "checkpoint and the messages that follow; the newest request of the user decides. Do not start over, do not repeat start-up steps, "
    "and do not redo what the checkpoint lists as done.]"
)
COMPACTED = (
    "[CONTEXT COMPACTED: earlier history was condensed into the checkpoint. The task is unfinished: go on from the checkpoint and the "
    "recent messages until the request is complete. Do not treat this as a reason to stop."
)
COMPACTED_TIGHT = " Context is still tight: finish the current piece of work before opening anything new."
DIGEST = "[Checkpoint digest"
PROGRESS = "[PROGRESS: already done in this run, do not redo"

_OPENINGS = (HEADER, "[CONTINUE: the messages before", "[CONTEXT COMPACTED:", DIGEST, PROGRESS)


def is_ours(text: str) -> bool:
    """Whether `text` opens like something we wrote; such a message is never a request."""
    return text.lstrip().startswith(_OPENINGS)


def compacted_nudge(*, critical: bool) -> str:
    """The line for the request after a compaction (origin 6.8, D44); `critical` while usage is still 0.90 or more. Never asks to stop."""
    return COMPACTED + (COMPACTED_TIGHT if critical else "") + "]"
