"""What OpenAI chat endpoints refuse (D57): calls without their answers, arguments that are no JSON, empty messages."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from sostenuto.formats._blocks import fields
from sostenuto.formats._text import word

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_SPOKEN = ("content", "refusal", "reasoning_content", "audio", "function_call")
"""Fields of which one must speak in an assistant message without calls; other reasoning fields alone are an empty message."""


def problems(arguments: Mapping[str, Any]) -> list[str]:
    """Everything wrong with the ``messages`` of a request, one sentence each with the message's index; empty when valid."""
    found: list[str] = []
    due: Counter[str] = Counter()
    caller = -1
    for at, raw in enumerate(arguments.get("messages") or ()):
        message = fields(raw)
        if message is None:
            found.append(f"message {at} is no object")
            continue
        role = message.get("role")
        if role == "tool":
            _answer(word(message.get("tool_call_id")), due, at=at, found=found)
            continue
        if role == "function" and caller == at - 1:
            continue
        if due:
            found.append(f"calls {list(due)} of message {caller} have no answer before message {at}")
        due = Counter()
        if not isinstance(role, str) or role not in _ROLES:
            found.append(f"message {at} has the unknown role {role!r}")
        elif role == "function":
            found.append(f"function result at message {at} answers no call")
        elif role == "assistant":
            due, caller = Counter(_calls(message, at=at, found=found)), at
        elif message.get("content") in (None, "", []):
            found.append(f"message {at} ({role}) is empty")
    if due:
        found.append(f"calls {list(due)} of message {caller} have no answer")
    return found


def _answer(call_id: str, due: Counter[str], *, at: int, found: list[str]) -> None:
    if call_id in due:
        due[call_id] -= 1
        if not due[call_id]:
            del due[call_id]
    else:
        found.append(f"tool message {at} answers {call_id!r}, which no call directly before it asked")


def _calls(message: dict[str, Any], *, at: int, found: list[str]) -> list[str]:
    held = message.get("tool_calls")
    calls = [fields(call) or {} for call in held] if isinstance(held, list | tuple) else []
    if not calls and not any(message.get(name) for name in _SPOKEN):
        found.append(f"message {at} (assistant) is empty")
    ids = [word(call.get("id")) for call in calls]
    if len(set(ids)) != len(ids):
        found.append(f"message {at} uses a call id twice")
    for call in calls:
        if call.get("type") != "custom" and not _is_json((fields(call.get("function")) or {}).get("arguments")):
            found.append(f"message {at} has a call whose arguments are not JSON text")
    return ids


def _is_json(arguments: Any) -> bool:
    if arguments is None or arguments == "":
        return True  # a call without arguments
    try:
        json.loads(arguments)
    except (TypeError, ValueError, RecursionError):
        return False
    return True
