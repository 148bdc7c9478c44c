"""OpenAI chat messages as readers of that wire write them, and the difference between a history and what was sent of it."""

from __future__ import annotations

import json

from sostenuto.recordings._recording import Raw


def text(value: object) -> str:
    """The value if it is a string, else nothing."""
    return value if isinstance(value, str) else ""


def json_text(value: object) -> str:
    """Arguments as the wire wants them: a string stays, anything else is written as JSON, nothing is an empty object."""
    return value if isinstance(value, str) else json.dumps({} if value is None else value, ensure_ascii=False)


def call(name: object, arguments: object, *, id: object) -> Raw:
    """One tool call."""
    return {"id": text(id), "type": "function", "function": {"name": text(name), "arguments": json_text(arguments)}}


def result(id: str, content: str | list[Raw]) -> Raw:
    """The answer to one tool call."""
    return {"role": "tool", "tool_call_id": id, "content": content}


def joined(parts: list[Raw]) -> str | list[Raw]:
    """Content parts as content: nothing as an empty string, a single text as a string."""
    if not parts:
        return ""
    if len(parts) == 1 and parts[0].get("type") == "text":
        return text(parts[0].get("text"))
    return parts


def says_nothing(message: Raw) -> bool:
    """Whether a message has neither content nor calls nor thoughts, which no provider takes."""
    return not any(message.get(name) for name in ("content", "tool_calls", "reasoning_content", "thinking_blocks"))


class Numbering:
    """A number for every different message, so that long histories are compared without reading them again."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __call__(self, message: Raw) -> int:
        """Equal messages have equal numbers."""
        return self._numbers.setdefault(json.dumps(message, sort_keys=True), len(self._numbers))


def sent_from(held: list[int], sent: list[int]) -> tuple[int, int]:
    """Where an as-sent history (D56) leaves the full one: ``(boundary, preface)``.

    Args:
        held: numbers of the full history before the reply.
        sent: numbers of the request that was recorded for it.

    Returns:
        The request is its own first ``preface`` messages and then the full history from ``boundary``; ``(0, 0)`` if both are the same.
    """
    if held == sent:
        return 0, 0
    common = 0
    for mine, theirs in zip(reversed(held), reversed(sent), strict=False):
        if mine != theirs:
            break
        common += 1
    return len(held) - common, len(sent) - common
