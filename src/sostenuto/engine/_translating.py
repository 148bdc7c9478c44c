"""A whole conversation from one wire into another (issue of every format: ids, roles, results in place, every loss named)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sostenuto.engine._crossing import Loss, crossed, losses, repaired
from sostenuto.engine._emission import Emission, opened
from sostenuto.engine._folds import folding
from sostenuto.ladder import History, View
from sostenuto.protocols import Codec, Raw, Tool
from sostenuto.tokens import Ruler

_SCHEMAS = ("parameters", "input_schema", "parametersJsonSchema", "parameters_json_schema", "inputSchema")


@dataclass(frozen=True, slots=True)
class Translation:
    """A conversation in another wire.

    Attributes:
        body: what a request holds of it: messages, instructions, tools.
        losses: what is not in it as it was; keys count the messages of the original.
    """

    body: dict[str, Any]
    losses: tuple[Loss, ...]


def translated(messages: Sequence[Raw], *, source: Codec, target: Codec, system: Any = None, tools: Any = None) -> Translation:
    """The conversation as `target` writes it. Broken pairs, ids and roles are mended on the way; never raises on odd content.

    In the same wire every message that is legal stays the object it is.
    """
    if source.name == target.name:
        return _mended(messages, source, system=system, tools=tools)
    lead = source.split_system(messages)
    instruction = instruction_text(messages, source, system=system)
    definitions, foreign = defined(tools)
    old = History(Ruler(), folding(source))
    for raw in messages[lead:]:
        old.add(source.decode(raw))
    fresh = crossed(old, target, ruler=old.ruler)
    emission = Emission(fresh, View(), list(messages[lead:]), target, crossed=len(old.messages))
    emission.body(0)
    body = target.body(opened(emission.out, target), system=instruction, tools=None)
    if definitions:
        body["tools"] = target.tool_definitions(definitions)
    told = losses(old, fresh, codec=target, first=lead)
    return Translation(body, (*told, *(Loss(f"{name} has no definition another wire could take", "tools") for name in foreign)))


def instruction_text(messages: Sequence[Raw], codec: Codec, *, system: Any) -> str | None:
    """The instructions of a request as one text, wherever its wire has them: apart, or in the leading messages; None for none."""
    lead = messages[: codec.split_system(messages)]
    spoken = [getattr(part, "text", "") for raw in lead for part in codec.decode(raw).parts]
    return "\n\n".join([*codec.system_texts(system), *spoken]) or None


def _mended(messages: Sequence[Raw], codec: Codec, *, system: Any, tools: Any) -> Translation:
    lead = codec.split_system(messages)
    history = History(Ruler(), folding(codec))
    for raw in messages[lead:]:
        history.add(codec.decode(raw))
    emission = Emission(history, View(), list(messages[lead:]), codec)
    emission.body(0)
    body = codec.body([*messages[:lead], *opened(emission.out, codec)], system=system, tools=None)
    return Translation({**body, "tools": tools} if tools else body, repaired(history.folding.repairs, first=lead))


def defined(tools: Any) -> tuple[list[Tool], list[str]]:
    """Tools of any wire as (name, description, schema), and the names or kinds of those that only their own server knows."""
    found: list[Tool] = []
    foreign: list[str] = []
    for tool in tools if isinstance(tools, Sequence) and not isinstance(tools, str | bytes) else ():
        for one in _declarations(tool):
            name, schema = one.get("name"), next((one[key] for key in _SCHEMAS if isinstance(one.get(key), Mapping)), None)
            served = schema is None and one.get("type") not in (None, "function", "custom")
            if isinstance(name, str) and name and not served:
                description = one.get("description")
                found.append(
                    (name, description if isinstance(description, str) else "", dict(schema or {"type": "object", "properties": {}}))
                )
            else:
                foreign.append(str(name or one.get("type") or next(iter(one), "a tool")))
    return found, foreign


def _declarations(tool: Any) -> Iterable[Mapping[str, Any]]:
    if not isinstance(tool, Mapping):
        return []
    nested = tool.get("functionDeclarations") or tool.get("function_declarations")
    if isinstance(nested, Sequence):
        return [one for one in nested if isinstance(one, Mapping)]
    inner = tool.get("function") or tool.get("custom")
    return [inner if isinstance(inner, Mapping) else tool]
