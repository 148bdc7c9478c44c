"""One message of an Inspect log as an OpenAI chat message."""

from __future__ import annotations

import re
from typing import Any

from sostenuto.recordings._chat import call, joined, result, text
from sostenuto.recordings._recording import Raw

# What is too long to be repeated is written once and named by this and its hash; older logs used the short mark.
_ATTACHMENT = re.compile(r"(?:attachment|tc)://(\w+)")


def resolved(value: Any, attachments: object) -> Any:
    """A value with its attachments put back; a reference to nothing stays as it is."""
    if isinstance(value, str):
        named = _ATTACHMENT.fullmatch(value)
        return _attached(named[1], attachments, missing=value) if named else value
    if isinstance(value, list):
        return [resolved(one, attachments) for one in value]
    if isinstance(value, dict):
        return {name: resolved(one, attachments) for name, one in value.items()}
    return value


def message_of(entry: object, *, attachments: object) -> Raw:
    """The message of an entry; empty if it is none."""
    if not isinstance(entry, dict):
        return {}
    whole: Raw = resolved(entry, attachments)
    role = whole.get("role")
    if role == "assistant":
        return _reply(whole)
    if role == "tool":
        return result(text(whole.get("tool_call_id")), _outcome(whole))
    return {"role": role, "content": joined(_parts(whole.get("content")))} if role in ("system", "user") else {}


def _attached(name: str, attachments: object, *, missing: str) -> str:
    if isinstance(attachments, list) and name.isascii() and name.isdigit() and len(name) < 10 and int(name) < len(attachments):
        return text(attachments[int(name)]) or missing
    return text(attachments.get(name)) or missing if isinstance(attachments, dict) else missing


def _reply(entry: Raw) -> Raw:
    content = entry.get("content")
    thoughts = [part for part in content if _kind(part) == "reasoning"] if isinstance(content, list) else []
    spoken = [text(part.get("summary") if part.get("redacted") is True else part.get("reasoning")) for part in thoughts]
    spoken += [text(entry.get("reasoning"))]
    message: Raw = {"role": "assistant", "content": joined(_parts(content)) or None}
    if any(spoken):
        message["reasoning_content"] = "\n".join(thought for thought in spoken if thought)
    if any(text(part.get("signature")) or part.get("redacted") is True for part in thoughts):
        message["thinking_blocks"] = [_thinking(part) for part in thoughts]
    calls = entry.get("tool_calls")
    if isinstance(calls, list) and (given := [_call(one) for one in calls if isinstance(one, dict)]):
        message["tool_calls"] = given
    return message


def _thinking(part: Raw) -> Raw:
    if part.get("redacted") is True:
        return {"type": "redacted_thinking", "data": text(part.get("reasoning"))}
    return {"type": "thinking", "thinking": text(part.get("reasoning")), "signature": text(part.get("signature"))}


def _call(one: Raw) -> Raw:
    function = one.get("function")
    if isinstance(function, dict):
        return call(function.get("name"), function.get("arguments"), id=one.get("id"))
    return call(function, one.get("arguments"), id=one.get("id"))


def _outcome(entry: Raw) -> str | list[Raw]:
    """What a tool said, headed by its error if there was one, as the program words it for the model."""
    content = joined(_parts(entry.get("content")))
    error = entry.get("error")
    message = text(error.get("message")) if isinstance(error, dict) else ""
    if not message or (isinstance(content, str) and message in content):
        return content
    heading = f"Error: {message}"
    if isinstance(content, str):
        return f"{heading}\n{content}" if content else heading
    return [{"type": "text", "text": heading}, *content]


def _parts(content: object) -> list[Raw]:
    """Everything but thoughts as parts of the wire; a kind it does not have stays as it was recorded."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return [_part(part) for part in content if isinstance(part, dict) and _kind(part) != "reasoning"] if isinstance(content, list) else []


def _part(part: Raw) -> Raw:
    kind = _kind(part)
    if kind == "text":
        return {"type": "text", "text": text(part.get("text"))}
    if kind == "image":
        image = {"url": text(part.get("image"))}
        return {"type": "image_url", "image_url": image | ({"detail": part["detail"]} if text(part.get("detail")) else {})}
    if kind == "audio":
        data = text(part.get("audio"))
        return {"type": "input_audio", "input_audio": {"data": data.partition(";base64,")[2] or data, "format": text(part.get("format"))}}
    if kind == "document":
        return {"type": "file", "file": {"file_data": text(part.get("document")), "filename": text(part.get("filename"))}}
    return part


def _kind(part: object) -> str:
    return text(part.get("type")) if isinstance(part, dict) else ""
