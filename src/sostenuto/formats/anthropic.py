"""The Anthropic messages wire: content blocks, results in user messages, signed thinking."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

from sostenuto.formats import _anthropic_cache, _anthropic_validity
from sostenuto.formats._anthropic_parts import input_of, media_block, parts, result_block, rewritten
from sostenuto.formats._anthropic_structure import looks_like
from sostenuto.formats._blocks import fields, opaque, schema_texts, words
from sostenuto.formats._changes import Change
from sostenuto.formats._text import well_formed
from sostenuto.messages import Call, Media, Message, Part, Result, Role, Text, Thinking

Raw = dict[str, Any]

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system", "tool": "tool"}
_ID_DIGEST_BYTES = 4


@dataclass(frozen=True, slots=True)
class Anthropic:
    """The codec of Anthropic messages. Stateless; a message is a dictionary exactly as the caller holds it."""

    name: str = "anthropic"
    field: str = "messages"
    system_field: str = "system"
    itemised: bool = False
    by_name: bool = False
    one_answer: bool = False
    unique_ids: bool = True
    strict: bool = True
    blank_texts: bool = False
    alternating: bool = False

    def decode(self, raw: Raw, /) -> Message:
        """`raw` as a message. Never raises; part i is content block i."""
        held = raw if type(raw) is dict else fields(raw)
        if held is None:
            return Message("user", ())
        role, content = held.get("role"), held.get("content")
        speaker = _ROLES.get(role, "user") if type(role) is str else "user"
        if type(content) is str and content:
            return Message(speaker, (Text(content),))
        return Message(speaker, parts(content))

    def encode(self, message: Message, /) -> Raw:
        """The smallest native form of a message we make; results and instructions are the user's on this wire."""
        blocks = [block for block in map(_block, message.parts) if block is not None]
        role = "assistant" if message.role == "assistant" else "user"
        if not blocks:
            return {"role": role, "content": ""}
        if len(blocks) == 1 and blocks[0]["type"] == "text":
            return {"role": role, "content": blocks[0]["text"]}
        return {"role": role, "content": blocks}

    def items(self, message: Message, /) -> list[Raw]:
        """The message as `encode` writes it; none for one that would be empty."""
        made = self.encode(message)
        return [made] if made["content"] else []

    def rewrite(self, raw: Raw, changes: Mapping[int, Change], /) -> Raw | None:
        """A copy of `raw` in which only the named parts differ (None leaves one out); None when no part remains.

        Unknown fields, order, ids and cache markers stay; the marker of a block that goes moves to the nearest earlier block.
        Raises `UnusableInput` for a change this wire cannot hold.
        """
        return rewritten(fields(raw) or {}, changes)

    def results(self, pieces: Sequence[tuple[Raw | None, int, Result]], /) -> list[Raw]:
        """ONE user message with the (copied) result blocks in this order; the caller's own object where it is exactly that."""
        if not pieces:
            return []
        blocks = [_result_block(raw, index, result=result) for raw, index, result in pieces]
        first = pieces[0][0]
        if first is None or any(raw is not first for raw, _, _ in pieces):
            return [{"role": "user", "content": blocks}]
        held = fields(first) or {}
        return [first if held.get("content") == blocks else {**held, "content": blocks}]

    def only(self, raw: Raw, keep: Collection[int], /) -> Raw | None:
        """`raw` with only the parts in `keep`; None when none is. Cache markers stay on their blocks, for those live on elsewhere."""
        held = fields(raw) or {}
        return rewritten(held, {i: None for i in range(len(parts(held.get("content")))) if i not in keep}, carry=False)

    def split_system(self, messages: Sequence[Raw], /) -> int:
        """0: instructions are an argument of their own on this wire."""
        del messages
        return 0

    def body(self, messages: list[Raw], /, *, system: Any, tools: Any) -> dict[str, Any]:
        """Keyword arguments for the client: ``messages``, and ``system`` where one was given."""
        del tools  # the caller passes them himself
        return {"messages": messages} if system is None else {"system": system, "messages": messages}

    def join_nudge(self, messages: list[Raw], text: str, /) -> list[Raw]:
        """`messages` with `text` as the last block of a copy of the last user message (D55); as its own message after an assistant's."""
        said = well_formed(text)
        last = fields(messages[-1]) if messages else None
        content = last.get("content") if last is not None else None
        if last is None or last.get("role") != "user" or not content or not isinstance(content, str | list):
            return [*messages, {"role": "user", "content": said}]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        return [*messages[:-1], {**last, "content": [*blocks, {"type": "text", "text": said}]}]

    def problems(self, arguments: Mapping[str, Any], /) -> list[str]:
        """What the endpoint would refuse in the arguments (D57); empty when valid."""
        return _anthropic_validity.problems(arguments)

    def legal_id(self, call_id: str, /) -> str:
        """`call_id` if it matches ``[A-Za-z0-9_-]+``; else its legal letters and a digest, so that two ids never become one."""
        if _anthropic_validity.is_legal(call_id):
            return call_id
        letters = "".join(letter if _anthropic_validity.is_legal(letter) else "_" for letter in call_id)
        mark = blake2b(call_id.encode("utf-8", "surrogatepass"), digest_size=_ID_DIGEST_BYTES).hexdigest()
        return f"{letters or 'call'}-{mark}"

    def without_id(self, raw: Raw, /) -> Raw:
        """The message itself: no server knows it by an id."""
        return raw

    def tool_definitions(self, tools: Sequence[tuple[str, str, dict[str, Any]]], /) -> list[Any]:
        """The tools (name, description, schema) as this wire lists them."""
        return [{"name": name, "description": description, "input_schema": schema} for name, description, schema in tools]

    def call(self, native: Any, /) -> Call | None:
        """A ``tool_use`` block as a client returns it; None for anything else."""
        found = parts([native])
        return found[0] if found and isinstance(found[0], Call) else None

    def tool_texts(self, tools: Any, /) -> list[str]:
        """One text per tool schema, for counting."""
        return schema_texts(tools)

    def system_texts(self, system: Any, /) -> list[str]:
        """The texts of an instruction: a string or blocks."""
        if not system:
            return []
        if isinstance(system, list | tuple):
            return [text for each in system for text in self.system_texts(each)]
        text = words(system)
        return [opaque(system).text if text is None else text]

    def has_marker(self, raw: Raw, /) -> bool:
        """Whether a block of the message carries a cache marker."""
        return _anthropic_cache.count([raw]) > 0

    def with_marker(self, raw: Raw, /) -> Raw:
        """The message with a cache marker on its last block; itself where none may carry one or one already does."""
        return _anthropic_cache.with_marker(raw)

    def mark_cache(self, arguments: dict[str, Any], /, *, stable: int) -> dict[str, Any]:
        """A copy of `arguments` with cache markers on the instructions and on the last message before index `stable`."""
        return _anthropic_cache.marked(arguments, stable=stable)


def _block(part: Part) -> dict[str, Any] | None:
    if isinstance(part, Call):
        return {"type": "tool_use", "id": part.id, "name": part.name, "input": input_of(well_formed(part.arguments))}
    if isinstance(part, Result):
        return _made_result(part)
    if isinstance(part, Thinking):
        if part.redacted:
            return {"type": "redacted_thinking", "data": part.sealed}
        return {"type": "thinking", "thinking": part.text, "signature": part.sealed} if part.sealed else None
    if isinstance(part, Media):
        return media_block(part) or {"type": "text", "text": f"[{part.label or part.kind}]"}
    text = well_formed(part.text)
    return {"type": "text", "text": text} if text.strip() else None


def _made_result(result: Result) -> dict[str, Any]:
    content: Any = well_formed(result.text)
    if result.media:
        shown = [media_block(media) or {"type": "text", "text": f"[{media.label or media.kind}]"} for media in result.media]
        content = [*([{"type": "text", "text": content}] if content.strip() else []), *shown]
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": result.call_id, "content": content}
    return {**block, "is_error": True} if result.succeeded is False else block


def _result_block(raw: Raw | None, index: int, *, result: Result) -> dict[str, Any]:
    found = result_block(fields(raw) or {}, index, result=replace(result, text=well_formed(result.text)))
    return _made_result(result) if found is None else found


__all__ = ["CODEC", "Anthropic", "looks_like"]

CODEC = Anthropic()
