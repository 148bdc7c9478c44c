"""How a call ended, read from flags and structure, never from wording (D40): a log full of "error" may be a success."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

JSON_LIMIT = 200_000
"""Characters up to which a result is tried as JSON."""
HEAD, TAIL = 300, 600
"""Characters at the start and at the end of a result in which the exit line of a command may stand."""

_FIRST = re.compile(r"\A\s*(?:Error: )?(?:\[)?Exit(?:ed)?(?: with)? (?:code|status):? (-?\d{1,10})\b", re.I)
_LINE = re.compile(
    r"^[\[(]?(?:"
    r"Exit (?:Code|Status): |"
    r"(?:The )?(?:command|process) (?:completed|finished|failed|exited|terminated)?(?: ?with)? ?(?:exit )?(?:code|status):? "
    r")(-?\d{1,10})[.\])]{0,2}\s*$",
    re.I | re.M,
)
_ENVELOPE = frozenset(
    [
        "error",
        "errors",
        "code",
        "status",
        "message",
        "type",
        "success",
        "ok",
        "details",
        "detail",
        "name",
        "is_error",
        "iserror",
        "request_id",
        "stack",
        "traceback",
    ]
)
_EXIT_KEYS = ("exit_code", "exitCode", "exit_status", "returncode", "return_code")
_TAGGED = re.compile(r"\A\s*<(tool_use_error|tool_error|error)>")


def structure(text: str) -> Mapping[str, Any]:
    """The JSON object a result is, empty when it is none."""
    stripped = text.strip() if len(text) <= JSON_LIMIT else ""
    if not stripped.startswith("{") or not stripped.endswith("}"):
        return {}
    try:
        read = json.loads(stripped)
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


def exit_status(text: str, body: Mapping[str, Any]) -> int | None:
    """The exit status a command's result states, or None."""
    for holder in (body, body.get("metadata"), body.get("details")):
        for key in _EXIT_KEYS:
            value = holder.get(key) if isinstance(holder, Mapping) else None
            if isinstance(value, int) and not isinstance(value, bool):
                return value
    first = _FIRST.match(text[:HEAD])
    if first:
        return int(first.group(1))
    found = _LINE.findall(text[-TAIL:]) or _LINE.findall(text[:HEAD])
    return int(found[-1]) if found else None


def failed(text: str, body: Mapping[str, Any]) -> bool:
    """Whether the structure of a result says that the call failed."""
    if _TAGGED.match(text[:HEAD]):
        return True
    if body.get("is_error") is True or body.get("isError") is True:
        return True
    if body.get("success") is False or body.get("ok") is False:
        return True
    return bool(body.get("error")) and all(key.lower() in _ENVELOPE for key in body)
