"""The Gemini wire: contents of parts, responses in user contents, signatures on the parts they belong to."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sostenuto.formats import _gemini_responses, _gemini_validity
from sostenuto.formats._blocks import fields, opaque
from sostenuto.formats._caching import CachesByItself
from sostenuto.formats._changes import Change
from sostenuto.formats._gemini_fields import SNAKE, held, media_part, spelled
from sostenuto.formats._gemini_parts import UNSIGNED, args_of, bare_call, content, listed, part, response_part, rewritten
from sostenuto.formats._gemini_structure import looks_like
from sostenuto.formats._text import compact, well_formed
from sostenuto.messages import Call, Media, Message, Part, Result, Role, Thinking

Raw = dict[str, Any]

_ROLES: dict[str, Role] = {
    "assistant": "assistant",
    "developer": "system",
    "function": "tool",
    "model": "assistant",
    "system": "system",
    "tool": "tool",
    "user": "user",
}


@dataclass(frozen=True, slots=True)
class Gemini(CachesByItself):
    """The codec of Gemini contents. Stateless; a content is a dictionary exactly as the caller holds it, or the client's object.

    Both spellings are read, the endpoint's camelCase and the Python client's snake_case; what is changed keeps its own.
    """

    name: str = "gemini"
    field: str = "contents"
    system_field: str = "system_instruction"
    itemised: bool = False
    by_name: bool = True
    one_answer: bool = True
    unique_ids: bool = False
    strict: bool = True
    blank_texts: bool = True
    alternating: bool = False

    def decode(self, raw: Raw, /) -> Message:
        """`raw` as a message. Never raises; part i is the content's part i."""
        whole = raw if type(raw) is dict else content(raw)
        role = whole.get("role")
        speaker = _ROLES.get(role, "user") if type(role) is str else "user"
        return Message(speaker, tuple(map(part, listed(whole))))

    def encode(self, message: Message, /) -> Raw:
        """The smallest native form of a message we make; results and instructions are the user's on this wire.

        Thinking is left out, for its seal is another model's; the first call carries Google's stand-in for a signature (D29, D57).
        """
        parts = [made for made in map(_made, message.parts) if made is not None]
        first = next((at for at, made in enumerate(parts) if "functionCall" in made), None)
        if first is not None:
            parts[first] = {**parts[first], "thoughtSignature": UNSIGNED}
        return {"role": "model" if message.role == "assistant" else "user", "parts": parts}

    def items(self, message: Message, /) -> list[Raw]:
        """The message as `encode` writes it; none for one that would be empty."""
        made = self.encode(message)
        return [made] if made["parts"] else []

    def rewrite(self, raw: Raw, changes: Mapping[int, Change], /) -> Raw | None:
        """A copy of `raw` in which only the named parts differ (None leaves one out); None when no part remains.

        Unknown fields, order, ids and signatures stay. Raises `UnusableInput` for a change this wire cannot hold.
        """
        return rewritten(content(raw), changes)

    def results(self, pieces: Sequence[tuple[Raw | None, int, Result]], /) -> list[Raw]:
        """ONE user content with the (copied) responses in this order; the caller's own object where it is exactly that."""
        if not pieces:
            return []
        wholes = [content(raw) for raw, _, _ in pieces]
        found = [response_part(whole, piece[1], result=_sendable(piece[2])) for whole, piece in zip(wholes, pieces, strict=True)]
        field = next((spelled(block, "functionResponse") for block in map(fields, found) if block), "functionResponse")
        parts = [
            {field: _gemini_responses.made(result)} if each is None else each for each, (_, _, result) in zip(found, pieces, strict=True)
        ]
        first = pieces[0][0]
        if first is None or any(raw is not first for raw, _, _ in pieces):
            return [{"role": "user", "parts": parts}]
        return [first if listed(wholes[0]) == parts else {**wholes[0], "parts": parts}]

    def only(self, raw: Raw, keep: Collection[int], /) -> Raw | None:
        """`raw` with only the parts in `keep`; None when none is."""
        whole = content(raw)
        return rewritten(whole, {i: None for i in range(len(listed(whole))) if i not in keep})

    def split_system(self, messages: Sequence[Raw], /) -> int:
        """How many leading contents have the role ``system``: not of this wire, but some frameworks hand them over."""
        count = 0
        while count < len(messages) and content(messages[count]).get("role") == "system":
            count += 1
        return count

    def body(self, messages: list[Raw], /, *, system: Any, tools: Any) -> dict[str, Any]:
        """Keyword arguments for the client: ``contents``, and ``system_instruction`` where instructions were given."""
        del tools  # the caller passes them himself
        return {"contents": messages} if system is None else {"system_instruction": system, "contents": messages}

    def join_nudge(self, messages: list[Raw], text: str, /) -> list[Raw]:
        """`messages` with `text` as the last part of a copy of the last user content (D55); as its own content after a model's."""
        said = {"text": well_formed(text)}
        last = content(messages[-1]) if messages else {}
        if last.get("role", "user") != "user" or not listed(last):
            return [*messages, {"role": "user", "parts": [said]}]
        return [*messages[:-1], {**last, "parts": [*listed(last), said]}]

    def problems(self, arguments: Mapping[str, Any], /) -> list[str]:
        """What the endpoint would refuse in the arguments (D57); empty when valid."""
        return _gemini_validity.problems(arguments)

    def legal_id(self, call_id: str, /) -> str:
        """`call_id`: any text is taken, and none at all."""
        return call_id

    def without_id(self, raw: Raw, /) -> Raw:
        """The content itself: no server knows it by an id."""
        return raw

    def tool_definitions(self, tools: Sequence[tuple[str, str, dict[str, Any]]], /) -> list[Any]:
        """The tools (name, description, schema) as this wire lists them: ONE tool that declares all functions.

        The schema stands in ``parametersJsonSchema``, which takes JSON schema as it is; ``parameters`` refuses ``additionalProperties``.
        """
        declared = [{"name": name, "description": description, "parametersJsonSchema": schema} for name, description, schema in tools]
        return [{"functionDeclarations": declared}] if declared else []

    def call(self, native: Any, /) -> Call | None:
        """A part with a function call, or the call alone (a mapping or the client's object); None for anything else."""
        block = fields(native)
        if block is None:
            return None
        found = part(block)
        return found if isinstance(found, Call) else bare_call(block)

    def tool_texts(self, tools: Any, /) -> list[str]:
        """One text per declared function and per tool of another kind, for counting."""
        if not tools:
            return []
        return [text for tool in (tools if isinstance(tools, list | tuple) else [tools]) for text in _tool_texts(tool)]

    def system_texts(self, system: Any, /) -> list[str]:
        """The texts of an instruction: a string, parts, a content, or the argument that holds it."""
        if not system:
            return []
        if isinstance(system, str):
            return [system]
        if isinstance(system, list | tuple):
            return [text for each in system for text in self.system_texts(each)]
        whole = fields(system)
        if whole is None:
            return [opaque(system).text]
        named = held(whole, "systemInstruction")
        if named is not None:
            return self.system_texts(named)
        if "parts" in whole:
            return self.system_texts(listed(whole))
        text = whole.get("text")
        return [text if isinstance(text, str) else opaque(whole).text]


def _made(made: Part) -> dict[str, Any] | None:
    if isinstance(made, Call):
        named = {"id": made.id, "name": made.name} if made.id else {"name": made.name}
        return {"functionCall": {**named, "args": args_of(well_formed(made.arguments))}}
    if isinstance(made, Result):
        return {"functionResponse": _gemini_responses.made(made)}
    if isinstance(made, Thinking):
        return None
    if isinstance(made, Media):
        return media_part(made) or {"text": f"[{made.label or made.kind}]"}
    text = well_formed(made.text)
    return {"text": text} if text.strip() else None


def _sendable(result: Result) -> Result:
    return replace(result, text=well_formed(result.text))


def _tool_texts(tool: Any) -> list[str]:
    if isinstance(tool, str):
        return [tool]
    whole = fields(tool)
    if whole is None:
        return [_described(tool)]
    declared = held(whole, "functionDeclarations")
    if not isinstance(declared, list | tuple):
        return [compact(whole)]
    names = ("functionDeclarations", SNAKE["functionDeclarations"])
    rest = {name: value for name, value in whole.items() if name not in names and value is not None}
    return [*(compact(fields(each) or each) for each in declared), *([compact(rest)] if rest else [])]


def _described(tool: Any) -> str:
    """A Python function handed over as a tool: what the client makes of it starts with its name and its words."""
    name = getattr(tool, "__name__", None)
    if not callable(tool) or not isinstance(name, str):
        return compact(tool)
    return compact({"name": name, "description": " ".join((tool.__doc__ or "").split())})


__all__ = ["CODEC", "Gemini", "looks_like"]

CODEC = Gemini()
