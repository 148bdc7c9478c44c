"""What one message of a Gemini CLI session is on the Gemini wire: parts of the person, parts of the model, and its tools' responses."""

from __future__ import annotations

import re
from typing import Any

from sostenuto.recordings._recording import Raw, token_sum

_COMMAND = re.compile(r"\s*(?:/[A-Za-z][\w:-]*|\?)\s*(?:\s.*)?\Z", re.DOTALL)
_SPENT = ("input", "output", "thoughts", "total")


def parts(content: object) -> list[Raw]:
    """Content as parts: a text, a part, or a list of both; blank texts and what is neither are left out."""
    found = content if isinstance(content, list) else [content]
    texts = [{"text": one} if isinstance(one, str) else one for one in found]
    return [one for one in texts if isinstance(one, dict) and one and one.get("text") != ""]


def is_command(record: Raw) -> bool:
    """Whether this reads like a command to the program (``/stats``); a path or a comment does not."""
    found = parts(record.get("content"))
    text = found[0].get("text") if len(found) == 1 else None
    return isinstance(text, str) and _COMMAND.match(text) is not None


def continues_reply(record: Raw) -> bool:
    """Whether this record only holds the calls of a reply whose text stands in the record before it: it cost nothing of its own."""
    return not parts(record.get("content")) and not record.get("thoughts") and token_sum(record.get("tokens"), _SPENT) is None


def model_parts(record: Raw) -> list[Raw]:
    """Thoughts, text and calls of a reply, in this order."""
    thoughts = record.get("thoughts")
    thought = [_thought(one) for one in (thoughts if isinstance(thoughts, list) else []) if isinstance(one, dict)]
    calls: list[Raw] = [{"functionCall": _call(one)} for one in _calls(record)]
    return [*thought, *parts(record.get("content")), *calls]


def response_parts(record: Raw) -> list[Raw]:
    """The responses to the calls of a reply in their order, then whatever else the tools returned (pictures)."""
    responses: list[Raw] = []
    others: list[Raw] = []
    for call in _calls(record):
        found = parts(call.get("result"))
        answers = [part for part in found if isinstance(part.get("functionResponse"), dict)]
        if answers:
            responses.append(answers[0])
            others += [part for part in found if part is not answers[0]]
        elif found:
            responses.append({"functionResponse": _named(call) | {"response": {"output": _joined(found)}}})
            others += [part for part in found if not isinstance(part.get("text"), str)]
    return [*responses, *others]


def _calls(record: Raw) -> list[Raw]:
    calls = record.get("toolCalls")
    return [one for one in calls if isinstance(one, dict)] if isinstance(calls, list) else []


def _call(call: Raw) -> Raw:
    arguments = call.get("args")
    return _named(call) | {"args": arguments if isinstance(arguments, dict) else {}}


def _named(call: Raw) -> Raw:
    return {field: call[field] for field in ("id", "name") if isinstance(call.get(field), str)}


def _thought(thought: Raw) -> Raw:
    """A thought as the model wrote it: its subject is its heading."""
    subject, description = (_text(thought.get(name)) for name in ("subject", "description"))
    return {"text": f"**{subject}**\n\n{description}" if subject else description, "thought": True}


def _joined(found: list[Raw]) -> str:
    return "\n".join(part["text"] for part in found if isinstance(part.get("text"), str))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
