"""OpenAI chat completions: the wire of most endpoints, local servers included."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sostenuto.errors import UnusableInput
from sostenuto.formats import _openai_chat_validity
from sostenuto.formats._blocks import fields, instruction_texts, schema_texts
from sostenuto.formats._caching import CachesByItself
from sostenuto.formats._changes import Change
from sostenuto.formats._openai_chat_parts import call_of, located, media_block, rewritten
from sostenuto.formats._openai_chat_structure import looks_like
from sostenuto.formats._text import well_formed
from sostenuto.messages import Call, Media, Message, Part, Result, Role, Text, Thinking

Raw = dict[str, Any]

_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
_SYSTEM = ("system", "developer")


def _role(raw: Raw) -> Role:
    role = raw.get("role")
    known = _ROLES.get(role) if isinstance(role, str) else None
    if known is not None:
        return known
    return "assistant" if raw.get("tool_calls") else "user"


@dataclass(frozen=True, slots=True)
class OpenAIChat(CachesByItself):
    """The codec of OpenAI chat messages. Stateless; a message is a dictionary exactly as the caller holds it."""

    name: str = "openai_chat"
    field: str = "messages"
    system_field: str = ""
    itemised: bool = False
    by_name: bool = False
    one_answer: bool = False
    unique_ids: bool = False
    strict: bool = False
    blank_texts: bool = True
    alternating: bool = False

    def decode(self, raw: Raw, /) -> Message:
        """`raw` as a message. Never raises; part indices are those `rewrite` and `only` take."""
        if type(raw) is dict and len(raw) == 2:  # role and content alone: nothing else to look for
            role, content = raw.get("role"), raw.get("content")
            if type(content) is str and content and type(role) is str:
                known = _ROLES.get(role)
                if known is not None and known != "tool":
                    return Message(known, (Text(content),))
        elif type(raw) is dict and len(raw) == 3 and raw.get("role") == "tool":  # a plain answer to a call
            call_id, content = raw.get("tool_call_id"), raw.get("content")
            if type(call_id) is str and type(content) is str:
                return Message("tool", (Result(call_id, content),))
        held = fields(raw)
        if held is None:
            return Message("user", ())
        speaker = _role(held)
        return Message(speaker, tuple(part for _, part in located(held, role=speaker)))

    def encode(self, message: Message, /) -> Raw:
        """The smallest native form of a message we make. Raises `UnusableInput` for more than one tool result: each is its own message."""
        results = [part for part in message.parts if isinstance(part, Result)]
        if len(results) > 1:
            raise UnusableInput(f"{len(results)} results cannot be one chat message; make one message of each")
        if results:
            return _tool_message(results[0])
        blocks = [block for part in message.parts if (block := _content_block(part, role=message.role)) is not None]
        texts = [str(block["text"]) for block in blocks if block["type"] == "text"]
        calls = [_tool_call(part) for part in message.parts if isinstance(part, Call)]
        thought = "\n".join(part.text for part in message.parts if isinstance(part, Thinking))
        out: Raw = {"role": message.role, "content": texts[0] if texts else None if calls else ""}
        if len(blocks) > 1 or len(blocks) > len(texts):
            out["content"] = blocks
        if thought:
            out["reasoning_content"] = well_formed(thought)
        if calls:
            out["tool_calls"] = calls
        return out

    def items(self, message: Message, /) -> list[Raw]:
        """The message as `encode` writes it; none for one that would be empty."""
        made = self.encode(message)
        return [made] if made.get("content") or made.get("tool_calls") else []

    def rewrite(self, raw: Raw, changes: Mapping[int, Change], /) -> Raw | None:
        """A copy of `raw` in which only the named parts differ (None leaves one out); None when no part remains.

        Unknown fields, order, ids and cache markers stay. Raises `UnusableInput` for a change this wire cannot hold.
        """
        held = fields(raw) or {}
        return rewritten(held, changes, role=_role(held))

    def results(self, pieces: Sequence[tuple[Raw | None, int, Result]], /) -> list[Raw]:
        """One tool message per result: the caller's own object where the result reads as it did, else a changed copy or a new message."""
        found: list[Raw] = []
        for raw, index, result in pieces:
            if raw is None:
                found.append(_tool_message(result))
            elif (index == 0 and _is_answer(raw, result)) or self.decode(raw).parts[index : index + 1] == (result,):
                found.append(raw)
            else:
                found.append(self.rewrite(raw, {index: result}) or _tool_message(result))
        return found

    def only(self, raw: Raw, keep: Collection[int], /) -> Raw | None:
        """`raw` with only the parts in `keep`; None when none is. Cache markers stay on their blocks, for those live on elsewhere."""
        held = fields(raw) or {}
        speaker = _role(held)
        count = len(located(held, role=speaker))
        return rewritten(held, {i: None for i in range(count) if i not in keep}, role=speaker, carry=False)

    def split_system(self, messages: Sequence[Raw], /) -> int:
        """How many leading messages are instructions (system or developer)."""
        for count, raw in enumerate(messages):
            if (fields(raw) or {}).get("role") not in _SYSTEM:
                return count
        return len(messages)

    def body(self, messages: list[Raw], /, *, system: Any, tools: Any) -> dict[str, Any]:
        """Keyword arguments for the client. This wire has no ``system`` argument: one that was given leads the messages."""
        del tools  # the caller passes them himself
        if not system:
            return {"messages": messages}
        lead = {"role": "system", "content": system}
        present = any((fields(raw) or {}).get("content") == system for raw in messages[: self.split_system(messages)])
        return {"messages": messages if present else [lead, *messages]}

    def join_nudge(self, messages: list[Raw], text: str, /) -> list[Raw]:
        """`messages` with `text` at the end of a copy of the last one (D55); as its own user message after an assistant's."""
        said = well_formed(text)
        last = fields(messages[-1]) if messages else None
        content = last.get("content") if last is not None else None
        if last is None or _role(last) not in ("user", "tool") or not isinstance(content, str | list):
            return [*messages, {"role": "user", "content": said}]
        joined = f"{content}\n\n{said}" if isinstance(content, str) else [*content, {"type": "text", "text": said}]
        return [*messages[:-1], {**last, "content": joined}]

    def problems(self, arguments: Mapping[str, Any], /) -> list[str]:
        """What the endpoint would refuse in ``arguments["messages"]`` (D57); empty when valid."""
        return _openai_chat_validity.problems(arguments)

    def legal_id(self, call_id: str, /) -> str:
        """`call_id`, or ``call`` for an empty one; chat endpoints take any other."""
        return call_id or "call"

    def without_id(self, raw: Raw, /) -> Raw:
        """The message itself: no server knows it by an id."""
        return raw

    def tool_definitions(self, tools: Sequence[tuple[str, str, dict[str, Any]]], /) -> list[Any]:
        """The tools (name, description, schema) as this wire lists them."""
        return [
            {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}
            for name, description, schema in tools
        ]

    def call(self, native: Any, /) -> Call | None:
        """A tool call as a client returns it; None for anything else."""
        held = fields(native)
        found = call_of(held) if held is not None else None
        return found if isinstance(found, Call) and found.name else None

    def tool_texts(self, tools: Any, /) -> list[str]:
        """One text per tool schema, for counting."""
        return schema_texts(tools)

    def system_texts(self, system: Any, /) -> list[str]:
        """The texts of an instruction: a string, blocks, or whole messages."""
        return instruction_texts(system)


def _content_block(part: Part, *, role: Role) -> dict[str, Any] | None:
    if isinstance(part, Call | Thinking | Result):
        return None
    if isinstance(part, Media):  # only a user may attach something
        return (media_block(part) if role == "user" else None) or {"type": "text", "text": f"[{part.label or part.kind}]"}
    return {"type": "text", "text": well_formed(part.text)} if part.text else None


def _is_answer(raw: Raw, result: Result) -> bool:
    """Whether a plain tool message reads as `result`, told without reading it: the text is the very one that was read from it."""
    if type(raw) is not dict or raw.get("role") != "tool" or raw.get("content") is not result.text or result.media:
        return False
    return raw.get("tool_call_id") == result.call_id and raw.get("name", "") == result.name and result.succeeded is None


def _tool_message(result: Result) -> Raw:
    """A new answer; without the tool's name, which its call holds already and OpenAI's types have no field for."""
    return {"role": "tool", "tool_call_id": result.call_id, "content": well_formed(result.text)}


def _tool_call(call: Call) -> Raw:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": well_formed(call.arguments)}}


__all__ = ["CODEC", "OpenAIChat", "looks_like"]

CODEC = OpenAIChat()
