"""Histories between OpenAI chat messages and `pydantic_ai`'s own: requests and responses made of parts."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_ai import messages as theirs
from pydantic_ai.tools import ToolDefinition

from sostenuto.formats import openai_chat
from sostenuto.messages import Call, Media, Opaque, Part, Result, Text, Thinking
from sostenuto.protocols import Raw

BLOCKS = "thinking_blocks"
"""The field of a message in which sealed thinking stands, whole."""
_SEALS = ("id", "signature", "provider_name", "provider_details")


def as_theirs(messages: Sequence[Raw], known: Mapping[str, Any]) -> list[theirs.ModelMessage]:
    """A history as requests and responses. A message whose `mark` is known is the response it was made of, exactly.

    What stands between two messages of the assistant becomes one request: some providers want all results in one turn.
    """
    found: list[theirs.ModelMessage] = []
    parts: list[Any] = []
    names: dict[str, str] = {}
    for raw in messages:
        decoded = openai_chat.CODEC.decode(raw)
        names.update({part.id: part.name for part in decoded.parts if isinstance(part, Call)})
        if decoded.role != "assistant":
            parts += _asked(decoded.role, decoded.parts, names)
            continue
        if parts:
            found.append(theirs.ModelRequest(parts=parts))
            parts = []
        found.append(known.get(mark(raw)) or _response(raw, decoded.parts))
    if parts:
        found.append(theirs.ModelRequest(parts=parts))
    return found


def as_ours(response: theirs.ModelResponse) -> tuple[Raw | None, str, tuple[Call, ...]]:
    """A response as a message, its words and its calls; no message where it says nothing and calls nothing."""
    thoughts = [part for part in response.parts if isinstance(part, theirs.ThinkingPart)]
    text = "".join(part.content for part in response.parts if isinstance(part, theirs.TextPart))
    held = [part for part in response.parts if isinstance(part, theirs.ToolCallPart)]
    calls = tuple(Call(part.tool_call_id, part.tool_name, part.args_as_json_str()) for part in held)
    if not text and not calls:
        return None, "", ()
    raw: Raw = {"role": "assistant", "content": text or None}
    if words := "\n".join(part.content for part in thoughts if part.content):
        raw["reasoning_content"] = words
    if any(part.signature or part.provider_details for part in thoughts):
        raw[BLOCKS] = [_block(part) for part in thoughts]
    if calls:
        raw["tool_calls"] = [_raw_call(call, part) for call, part in zip(calls, held, strict=True)]
    return raw, text, calls


def mark(raw: Raw, /) -> str:
    """What tells one message of the assistant from another, whoever holds it now: everything in it."""
    return json.dumps(raw, sort_keys=True, default=str)


def definitions(tools: Sequence[Any], /) -> list[ToolDefinition]:
    """Tool definitions of a chat request as `pydantic_ai` takes them."""
    functions = [tool.get("function", tool) for tool in tools if isinstance(tool, Mapping)]
    return [
        ToolDefinition(
            name=str(function.get("name", "")),
            description=function.get("description"),
            parameters_json_schema=function.get("parameters") or {"type": "object", "properties": {}},
        )
        for function in functions
    ]


def _asked(role: str, parts: Sequence[Part], names: Mapping[str, str]) -> list[Any]:
    if role == "system":
        return [theirs.SystemPromptPart(content=part.text) for part in parts if isinstance(part, Text)]
    results = [_returned(part, names) for part in parts if isinstance(part, Result)]
    content = [piece for part in parts if not isinstance(part, Result) for piece in _content(part)]
    if not content:
        return results
    is_plain = len(content) == 1 and isinstance(content[0], str)
    return [*results, theirs.UserPromptPart(content=content[0] if is_plain else content)]


def _returned(result: Result, names: Mapping[str, str]) -> theirs.ToolReturnPart[Any]:
    pieces = [piece for media in result.media for piece in _content(media)]
    content: Any = [result.text, *pieces] if pieces else result.text
    name = result.name or names.get(result.call_id, "") or "tool"
    return theirs.ToolReturnPart(tool_name=name, content=content, tool_call_id=result.call_id)


def _content(part: Part) -> list[Any]:
    """What a user said or showed; what this wire cannot carry is named in words."""
    if isinstance(part, Text):
        return [part.text] if part.text else []
    if isinstance(part, Media):
        return [_shown(part)]
    return [part.text] if isinstance(part, Opaque) and part.text else []


def _shown(media: Media) -> Any:
    source = media.source
    if source is not None and source.data:
        try:
            data = base64.b64decode(source.data, validate=True)
        except (binascii.Error, ValueError):
            return f"[{media.label or media.kind}]"
        return theirs.BinaryContent(data=data, media_type=source.media_type or "application/octet-stream")
    if source is not None and source.url and media.kind == "image":
        return theirs.ImageUrl(url=source.url)
    return f"[{media.label or media.kind}]"


def _response(raw: Raw, parts: Sequence[Part]) -> theirs.ModelResponse:
    """A response made of a message that came from elsewhere or was changed; sealed thinking stands in its blocks, whole."""
    blocks = raw.get(BLOCKS)
    thoughts: list[Any] = [_thought(block) for block in blocks if isinstance(block, Mapping)] if isinstance(blocks, list) else []
    if not thoughts:
        thoughts = [theirs.ThinkingPart(content=part.text) for part in parts if isinstance(part, Thinking) and part.text]
    said = [theirs.TextPart(content=part.text) for part in parts if isinstance(part, Text | Opaque) and part.text]
    raws = [call for call in raw.get("tool_calls") or () if isinstance(call, Mapping)]
    calls = [_call(part, raws) for part in parts if isinstance(part, Call)]
    return theirs.ModelResponse(parts=[*thoughts, *said, *calls])


def _thought(block: Mapping[str, Any]) -> theirs.ThinkingPart:
    return theirs.ThinkingPart(
        content=str(block.get("thinking", "")),
        id=block.get("id"),
        signature=block.get("signature"),
        provider_name=block.get("provider_name"),
        provider_details=block.get("provider_details"),
    )


def _block(part: theirs.ThinkingPart) -> Raw:
    seals = {name: getattr(part, name) for name in _SEALS if getattr(part, name) is not None}
    return {"type": "thinking", "thinking": part.content, **seals}


def _raw_call(call: Call, part: theirs.ToolCallPart) -> Raw:
    raw: Raw = {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
    if part.provider_details:  # Gemini seals its thinking on the first call
        raw["provider"] = {"name": part.provider_name, "details": part.provider_details}
    return raw


def _call(call: Call, raws: Sequence[Mapping[str, Any]]) -> theirs.ToolCallPart:
    nothing: Mapping[str, Any] = {}
    sealed = next((raw["provider"] for raw in raws if raw.get("id") == call.id and isinstance(raw.get("provider"), Mapping)), nothing)
    return theirs.ToolCallPart(
        tool_name=call.name,
        args=call.arguments,
        tool_call_id=call.id,
        provider_name=sealed.get("name"),
        provider_details=sealed.get("details"),
    )
