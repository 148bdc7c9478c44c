"""Are the arguments of a call what its tool wants? The answer to a wrong call says what is wrong so that a model can mend it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from sostenuto.errors import ToolFailed
from sostenuto.tools._tool import Tool

_SHOWN = 60
_MOST_PROBLEMS = 6

_NAMES: dict[str, tuple[tuple[type, ...], str]] = {
    "string": ((str,), "a text"),
    "integer": ((int,), "a whole number"),
    "number": ((int, float), "a number"),
    "boolean": ((bool,), "true or false"),
    "array": ((list,), "a list"),
    "object": ((dict,), "an object"),
    "null": ((type(None),), "null"),
}


def arguments_of(tool: Tool, text: str) -> dict[str, Any]:
    """The arguments of a call of `tool`, read from JSON `text` and checked against its schema; no text is no arguments.

    Raises:
        ToolFailed: they are no JSON object, one is missing, unknown or of a wrong type; the text names each with its value.
    """
    given = _read(tool, text)
    try:
        found = list(problems(given, tool.parameters))
    except RecursionError:
        found = ["they are nested too deeply"]
    if found:
        listed = "; ".join(found[:_MOST_PROBLEMS]) + (f"; and {len(found) - _MOST_PROBLEMS} more" if len(found) > _MOST_PROBLEMS else "")
        raise ToolFailed(f"{tool.name} was not run, its arguments are not right: {listed}. Call it again with {_wanted(tool)}.")
    properties = tool.parameters.get("properties", {})
    return {name: _whole(value, properties.get(name)) for name, value in given.items()}


def _read(tool: Tool, text: str) -> dict[str, Any]:
    try:
        given = json.loads(text, parse_constant=_no_constant) if text.strip() else {}
    except RecursionError:
        raise ToolFailed(f"{tool.name} was not run: its arguments are nested too deeply. Send one flat JSON object.") from None
    except ValueError as error:
        where = f" near {text[max(0, at - 20) : at + 20]!r}" if (at := getattr(error, "pos", -1)) >= 0 else ""
        said = str(error).partition(": line")[0]
        raise ToolFailed(f"{tool.name} was not run: its arguments are not JSON ({said}{where}). Send {_wanted(tool)}.") from None
    if not isinstance(given, dict):
        raise ToolFailed(f"{tool.name} was not run: its arguments are {_shown(given)}, not an object. Send {_wanted(tool)}.")
    return given


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _wanted(tool: Tool) -> str:
    """One JSON object in outline: the names and types that the tool takes, those that may be left out marked."""
    required = tool.parameters.get("required", ())
    listed = [
        f'"{name}"{"" if name in required else "?"}: {_kind(schema)}' for name, schema in tool.parameters.get("properties", {}).items()
    ]
    return "one JSON object {" + ", ".join(listed) + "}" if listed else "an empty JSON object {}"


def problems(value: Any, schema: Any, *, where: str = "", root: Any = None) -> Iterator[str]:
    """What is wrong with `value` by a JSON schema, one sentence for each; words of a schema that are not known demand nothing."""
    root = schema if root is None else root
    schema = _resolved(schema, root)
    if not isinstance(schema, Mapping):
        return
    options = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(options, list) and not any(not list(problems(value, option, where=where, root=root)) for option in options):
        yield f"{where or 'the value'} must be {_kind(schema)}, not {_shown(value)}"
        return
    if not _is_kind(value, schema):
        yield f"{where or 'the value'} must be {_kind(schema)}, not {_shown(value)}"
        return
    yield from _bounds(value, schema, where or "the value")
    if isinstance(value, dict) and ("properties" in schema or "additionalProperties" in schema):
        yield from _fields(value, schema, where=where, root=root)
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            yield from problems(item, schema["items"], where=f"{where}[{index}]", root=root)


def _resolved(schema: Any, root: Any) -> Any:
    """The schema a reference names; only names within the same schema are followed, and not in circles."""
    for _ in range(8):
        name = schema.get("$ref") if isinstance(schema, Mapping) else None
        if not isinstance(name, str):
            return schema
        schema = root
        for step in name.removeprefix("#/").split("/"):
            schema = schema.get(step) if isinstance(schema, Mapping) else None
    return None


def _is_kind(value: object, schema: Mapping[str, Any]) -> bool:
    if "enum" in schema:
        return any(type(value) is type(allowed) and bool(value == allowed) for allowed in schema["enum"])
    if "const" in schema:
        return bool(value == schema["const"])
    kinds = schema.get("type")
    if kinds is None:
        return True
    return any(_fits(value, kind) for kind in (kinds if isinstance(kinds, list) else [kinds]))


def _fits(value: object, kind: object) -> bool:
    known = _NAMES.get(kind) if isinstance(kind, str) else None
    if known is None:
        return True
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, known[0]) or (kind == "integer" and isinstance(value, float) and value.is_integer())


def _bounds(value: Any, schema: Mapping[str, Any], where: str) -> Iterator[str]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        size, least, most, unit = value, schema.get("minimum"), schema.get("maximum"), ""
    elif isinstance(value, str):
        size, least, most, unit = len(value), schema.get("minLength"), schema.get("maxLength"), " characters long"
    elif isinstance(value, list):
        size, least, most, unit = len(value), schema.get("minItems"), schema.get("maxItems"), " items long"
    else:
        return
    if isinstance(least, int | float) and size < least:
        yield f"{where} must be at least {least}{unit}, not {_shown(size)}"
    if isinstance(most, int | float) and size > most:
        yield f"{where} must be at most {most}{unit}, not {_shown(size)}"


def _fields(value: dict[str, Any], schema: Mapping[str, Any], *, where: str, root: Any) -> Iterator[str]:
    known = schema.get("properties", {})
    lead = f"{where}." if where else ""
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{lead}{name} is missing ({_kind(known.get(name, {}))})"
    for name, held in value.items():
        if name in known:
            yield from problems(held, known[name], where=f"{lead}{name}", root=root)
        elif schema.get("additionalProperties") is False:
            near = get_close_matches(name[:100], list(known), n=1)
            yield f"there is no {lead}{name[:_SHOWN]}" + (f", did you mean {near[0]}" if near else "")
        elif isinstance(schema.get("additionalProperties"), Mapping):
            yield from problems(held, schema["additionalProperties"], where=f"{lead}{name[:_SHOWN]}", root=root)


def _kind(schema: Any) -> str:
    """In words what a schema takes."""
    if not isinstance(schema, Mapping):
        return "any value"
    if "enum" in schema:
        return "one of " + ", ".join(json.dumps(value, ensure_ascii=False) for value in schema["enum"])
    options = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(options, list):
        return " or ".join(dict.fromkeys(_kind(option) for option in options))
    kinds = schema.get("type")
    names = [_NAMES[kind][1] for kind in (kinds if isinstance(kinds, list) else [kinds]) if isinstance(kind, str) and kind in _NAMES]
    return " or ".join(names) or "any value"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _whole(value: Any, schema: Any) -> Any:
    """A whole number that was written with a point, as the whole number."""
    wanted = schema.get("type") if isinstance(schema, Mapping) else None
    return int(value) if wanted == "integer" and isinstance(value, float) and value.is_integer() else value
