"""OpenAI Responses: the wire of items, where one turn of the assistant is reasoning, words and calls in a row."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

from sostenuto.errors import UnusableInput
from sostenuto.formats import _responses_items, _responses_validity
from sostenuto.formats._blocks import fields, instruction_texts, schema_texts, words
from sostenuto.formats._caching import CachesByItself
from sostenuto.formats._changes import Change
from sostenuto.formats._responses_blocks import media_block, text_block
from sostenuto.formats._responses_calls import CALLS, call_of, made_call, made_result
from sostenuto.formats._responses_items import SPEAKERS, kind_of, parts_of, rewritten, role_of
from sostenuto.formats._responses_structure import looks_like
from sostenuto.formats._responses_validity import LONGEST_ID
from sostenuto.formats._text import well_formed
from sostenuto.messages import Call, Media, Message, Opaque, Part, Result, Text

Raw = dict[str, Any]

_ID_DIGEST_BYTES = 4
_ID_KEPT = 32
"""Letters kept of a call id that is too long: with its digest it leaves room for a mark of ours behind it."""

_SERVER_SIDE = ("previous_response_id", "conversation", "truncation", "context_management")


@dataclass(frozen=True, slots=True)
class OpenAIResponses(CachesByItself):
    """The codec of Responses items. Stateless; a message is one item of ``input`` exactly as the caller holds it."""

    name: str = "openai_responses"
    field: str = "input"
    system_field: str = "instructions"
    itemised: bool = True
    by_name: bool = False
    one_answer: bool = False
    unique_ids: bool = True
    strict: bool = False
    blank_texts: bool = True
    alternating: bool = False

    def decode(self, raw: Raw, /) -> Message:
        """`raw` as a message. Never raises; part i is content block i of a message, any other item is one part."""
        if type(raw) is dict and len(raw) == 2:  # role and content alone: nothing else to look for
            role, content = raw.get("role"), raw.get("content")
            if type(content) is str and content and type(role) is str and role in SPEAKERS:
                return Message(SPEAKERS[role], (Text(content),))
        held = raw if type(raw) is dict else fields(raw)
        if held is None:
            return Message("user", ())
        return Message(role_of(held), parts_of(held))

    def encode(self, message: Message, /) -> Raw:
        """The smallest native form of a message we make. Raises `UnusableInput` for what needs several items: see `items`."""
        made = self.items(message)
        if len(made) > 1:
            raise UnusableInput(f"this message is {len(made)} Responses items; items() gives them one by one")
        return made[0] if made else {"role": _speaker(message), "content": ""}

    def items(self, message: Message, /) -> list[Raw]:
        """The items a message of any wire becomes: its words, each call and each result, in their order; foreign reasoning is left out."""
        made: list[Raw] = []
        said: list[dict[str, Any]] = []
        for part in message.parts:
            if isinstance(part, Call | Result):
                made += _words(said, role=_speaker(message))
                said = []
                made.append(_item(part))
            elif block := _block(part, role=_speaker(message)):
                said.append(block)
        return made + _words(said, role=_speaker(message))

    def rewrite(self, raw: Raw, changes: Mapping[int, Change], /) -> Raw | None:
        """A copy of `raw` in which only the named parts differ (None leaves one out); None when no part remains.

        Unknown fields, order and ids stay. Raises `UnusableInput` for a change this wire cannot hold. A screenshot that goes becomes a
        white picture, for its output takes nothing else.
        """
        return rewritten(fields(raw) or {}, changes)

    def results(self, pieces: Sequence[tuple[Raw | None, int, Result]], /) -> list[Raw]:
        """One output item per result: the caller's own object where it reads as it did, else a changed copy or a new item.

        Where no output is known, the item of the call in its place tells which kind of output answers it; without one it is a function's.
        """
        return [_output(raw, index, result=result) for raw, index, result in pieces]

    def only(self, raw: Raw, keep: Collection[int], /) -> Raw | None:
        """`raw` with only the parts in `keep`; None when none is."""
        held = fields(raw) or {}
        return rewritten(held, {i: None for i in range(len(parts_of(held))) if i not in keep})

    def split_system(self, messages: Sequence[Raw], /) -> int:
        """How many leading items are instructions or settings (system or developer)."""
        for count, raw in enumerate(messages):
            held = fields(raw)
            if held is None or role_of(held) != "system":
                return count
        return len(messages)

    def body(self, messages: list[Raw], /, *, system: Any, tools: Any) -> dict[str, Any]:
        """Keyword arguments for the client."""
        del tools  # the caller passes them himself
        return {"input": messages, "instructions": system} if system else {"input": messages}

    def join_nudge(self, messages: list[Raw], text: str, /) -> list[Raw]:
        """`messages` with `text` at the end of a copy of the last one if it is the user's (D55); else as its own user message."""
        said = well_formed(text)
        last = fields(messages[-1]) if messages else None
        content = last.get("content") if last is not None else None
        if last is None or role_of(last) != "user" or not content or not isinstance(content, str | list):
            return [*messages, {"role": "user", "content": said}]
        joined = f"{content}\n\n{said}" if isinstance(content, str) else [*content, text_block(said, role="user")]
        return [*messages[:-1], {**last, "content": joined}]

    def problems(self, arguments: Mapping[str, Any], /) -> list[str]:
        """What the endpoint would refuse in ``arguments["input"]`` (D57); empty when valid."""
        return _responses_validity.problems(arguments)

    def legal_id(self, call_id: str, /) -> str:
        """`call_id` if it has 1 to 64 characters; else its beginning and a digest, so that two ids never become one."""
        if 0 < len(call_id) <= LONGEST_ID:
            return call_id
        if not call_id:
            return "call"
        mark = blake2b(call_id.encode("utf-8", "surrogatepass"), digest_size=_ID_DIGEST_BYTES).hexdigest()
        return f"{call_id[:_ID_KEPT]}-{mark}"

    def without_id(self, raw: Raw, /) -> Raw:
        """A copy of the item without its ``id`` (D57); itself where it has none, or would say nothing without it."""
        held = fields(raw)
        if held is None:
            return raw
        found = _responses_items.without_id(held)
        return raw if found is held else found

    def tool_definitions(self, tools: Sequence[tuple[str, str, dict[str, Any]]], /) -> list[Any]:
        """The tools (name, description, schema) as this wire lists them; not strict, for any schema is taken."""
        return [
            {"type": "function", "name": name, "description": description, "parameters": schema, "strict": False}
            for name, description, schema in tools
        ]

    def call(self, native: Any, /) -> Call | None:
        """A call item as a client returns it; None for anything else."""
        held = fields(native)
        kind = CALLS.get(kind_of(held)) if held is not None else None
        found = call_of(held, kind=kind) if held is not None and kind is not None else None
        return found if found is not None and found.name else None

    def tool_texts(self, tools: Any, /) -> list[str]:
        """One text per tool schema, for counting."""
        return schema_texts(tools)

    def system_texts(self, system: Any, /) -> list[str]:
        """The texts of an instruction: a string, blocks, or whole messages."""
        return instruction_texts(system)


def server_side(arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """The arguments in force by which the server holds, cuts or compacts history itself: what is behind them no ladder can act on."""
    return tuple(name for name in _SERVER_SIDE if arguments.get(name) and arguments[name] != "disabled")


def _speaker(message: Message) -> str:
    return "user" if message.role == "tool" else message.role


def _words(said: Sequence[dict[str, Any]], *, role: str) -> list[Raw]:
    """The blocks as items: of the assistant one for each, because a list of its blocks is taken only with the id its server gave it."""
    if not said:
        return []
    texts = [words(block) for block in said]
    if role == "assistant" or (len(said) == 1 and texts[0] is not None):
        return [{"role": role, "content": text} for text in texts]
    return [{"role": role, "content": list(said)}]


def _block(part: Part, *, role: str) -> dict[str, Any] | None:
    if isinstance(part, Media):
        held = media_block(part) if role == "user" else None
        return held or text_block(f"[{part.label or part.kind}]", role=role)
    return text_block(well_formed(part.text), role=role) if isinstance(part, Text | Opaque) and part.text else None


def _item(part: Call | Result) -> Raw:
    if isinstance(part, Call):
        return made_call(replace(part, arguments=well_formed(part.arguments)))
    return made_result(replace(part, text=well_formed(part.text)))


def _output(raw: Raw | None, index: int, *, result: Result) -> Raw:
    held = fields(raw) if raw is not None else None
    before = parts_of(held)[index : index + 1] if held is not None else ()
    if raw is not None and before == (result,):
        return raw
    sent = replace(result, text=well_formed(result.text))
    if held is not None and before and isinstance(before[0], Result):
        return rewritten(held, {index: sent}) or made_result(sent)
    asked = CALLS.get(kind_of(held)) if held is not None else None
    return made_result(sent, answer=asked.answer) if asked is not None else made_result(sent)


__all__ = ["CODEC", "OpenAIResponses", "looks_like", "server_side"]

CODEC = OpenAIResponses()
