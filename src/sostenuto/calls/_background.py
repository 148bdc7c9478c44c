"""Work that goes on after its call returned: which id it has, and which call shows that it ended (B115)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_IDS = (
    *("task_id", "taskId", "job_id", "jobId", "run_id", "runId", "bash_id", "shell_id", "shellId", "process_id", "processId"),
    *("agent_id", "agentId", "session_id", "sessionId", "childSessionKey", "sessionKey", "pid"),
)
_ACTIVE = frozenset(["running", "accepted", "started", "starting", "in_progress", "pending", "queued", "backgrounded", "spawned"])
_ENDED = frozenset(
    [
        "completed",
        "complete",
        "done",
        "finished",
        "succeeded",
        "success",
        "failed",
        "error",
        "errored",
        "killed",
        "cancelled",
        "canceled",
        "stopped",
        "exited",
    ]
)
_ENDING_TOOLS = frozenset(["killshell", "kill_shell", "killbash", "taskstop", "close_agent", "stop_agent", "cancel_task", "kill_process"])
_SPOKEN = re.compile(
    r"(?:running in (?:the )?background with (?:id|pid)|running with session id|launched successfully[\s\S]{0,80}?\bagentId|"
    r"background (?:task|job|process) id)[: ]{1,3}([A-Za-z0-9_.:-]{1,80})",
    re.I,
)
_SPOKEN_WORDS = ("background", "running with session id", "launched successfully")
_XML_STATUS = re.compile(r"<status>\s*([a-z_]{1,20})\s*</status>", re.I)
_XML_ID = re.compile(r"<(?:task-id|task_id|agent-id|job-id)>\s*([^<\s]{1,80})\s*</")
_SCAN = 2_000


def _identity(holder: Mapping[str, Any]) -> str | None:
    for key in _IDS:
        value = holder.get(key)
        if isinstance(value, str | int) and not isinstance(value, bool) and 0 < len(str(value)) <= 80:
            return str(value)
    return None


def _status(text: str, body: Mapping[str, Any]) -> str:
    value = body.get("status") or body.get("state")
    if isinstance(value, str):
        return value.lower()
    head = text[:_SCAN]
    found = _XML_STATUS.search(head) if "<" in head else None
    return found.group(1).lower() if found else ""


def running(given: Mapping[str, Any], text: str, *, body: Mapping[str, Any]) -> str | None:
    """The id of work that this call left running, or None."""
    if _status(text, body) in _ACTIVE:
        found = _identity(body) or _identity(given)
        if found:
            return found
    asked = given.get("run_in_background") is True or given.get("background") is True or given.get("is_background") is True
    head = text[:_SCAN]
    # the pattern is slow, and hardly any result holds one of its words
    spoken = _SPOKEN.search(head) if any(word in head.lower() for word in _SPOKEN_WORDS) else None
    if spoken and (asked or not body):
        return spoken.group(1).rstrip(".:")
    return _identity(body) if asked else None


def finished(name: str, given: Mapping[str, Any], *, text: str, body: Mapping[str, Any]) -> str | None:
    """The id of background work that this call shows as ended, or None."""
    if name in _ENDING_TOOLS or _status(text, body) in _ENDED:
        return _identity(given) or _identity(body)
    return None


def announced_end(text: str) -> str | None:
    """The id in a host's message that background work ended, or None."""
    head = text[:_SCAN]
    found, status = _XML_ID.search(head), _XML_STATUS.search(head)
    return found.group(1) if found and status and status.group(1).lower() in _ENDED else None
