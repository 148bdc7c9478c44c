"""A tool out of a plain typed function: its signature becomes the schema, its docstring what the model is told."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, cast, get_args, overload

from sostenuto.errors import UnknownSetting, UnusableInput
from sostenuto.tools._schema import hints_of, schema_of, value_of
from sostenuto.tools._tool import TIMEOUT_S, Context, Risk, Running, Tool

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What every wire takes as the name of a tool."""
_SECTION = re.compile(r"^(?:Args|Arguments|Parameters|Returns|Yields|Raises|Examples?|Notes?):\s*$", re.M)
_ARGUMENT = re.compile(r"^ {1,8}(\w+)(?: \([^)\n]*\))?:[ \t]*(.*)$")


@overload
def tool(
    function: Callable[..., Any],
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    risk: Risk = "high-risk",
    timeout_s: float = TIMEOUT_S,
    repeatable: bool = False,
) -> Tool: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    risk: Risk = "high-risk",
    timeout_s: float = TIMEOUT_S,
    repeatable: bool = False,
) -> Callable[[Callable[..., Any]], Tool]: ...
def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    risk: Risk = "high-risk",
    timeout_s: float = TIMEOUT_S,
    repeatable: bool = False,
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """A `Tool` that calls `function`, sync (in a thread) or async. Also a decorator, with or without arguments.

    Every parameter needs an annotation: str, int, float, bool, list, dict, Literal, unions, dataclasses or TypedDicts of these. A parameter
    of type `Context` is given the context of the call and is not shown to the model. The first part of the docstring is the description, a
    section ``Args:`` describes the parameters. What the function returns is the result: a text, anything JSON can write, or an `Output`.

    Args:
        function: what runs.
        name: what the model calls it; default: the function's name.
        description: what the model is told; default: the docstring.
        risk: ``"read-only"``, ``"low-risk"`` or ``"high-risk"``: the tier of its calls.
        timeout_s: seconds a call may take.
        repeatable: it only looks: identical calls of one batch run once.

    Raises:
        UnusableInput: a parameter has no annotation or one without a plain form in JSON; names it and what is supported.
        UnknownSetting: a risk or a name that cannot be.
    """
    if function is None:
        return lambda made: tool(made, name=name, description=description, risk=risk, timeout_s=timeout_s, repeatable=repeatable)
    called = name or str(getattr(function, "__name__", ""))
    if not NAME.fullmatch(called):
        raise UnknownSetting(f"tool name {called!r}: use 1 to 64 letters, digits, _ and -, and give it as name= where it is a lambda")
    if risk not in get_args(Risk):
        raise UnknownSetting(f"tool {called}: risk={risk!r} is not one of {', '.join(get_args(Risk))}")
    told, notes = _documented(inspect.getdoc(function) or "")
    kinds, schema = _parameters(function, called, notes)
    return Tool(called, description or told or called, schema, _running(function, kinds), risk, timeout_s=timeout_s, repeatable=repeatable)


def _parameters(function: Callable[..., Any], name: str, notes: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The type of each parameter, and the schema of those that the model gives."""
    hints = hints_of(function, where=f"tool {name}")
    kinds: dict[str, Any] = {}
    properties: dict[str, Any] = {}
    required: list[str] = []
    for parameter in inspect.signature(function).parameters.values():
        where = f"tool {name}, parameter {parameter.name}"
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            raise UnusableInput(f"{where}: it cannot be given by name; write it as a plain parameter with a type")
        if parameter.name not in hints:
            raise UnusableInput(f"{where}: it has no annotation; write its type, such as {parameter.name}: str")
        kinds[parameter.name] = hints[parameter.name]
        if hints[parameter.name] is Context:
            continue
        schema = schema_of(hints[parameter.name], where=where)
        if parameter.name in notes:
            schema = {**schema, "description": notes[parameter.name]}
        if parameter.default is parameter.empty:
            required.append(parameter.name)
        elif isinstance(parameter.default, str | int | float | bool):
            schema = {**schema, "default": parameter.default}
        properties[parameter.name] = schema
    return kinds, {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _running(function: Callable[..., Any], kinds: Mapping[str, Any]) -> Running:
    wants = [name for name, kind in kinds.items() if kind is Context]

    def given(arguments: Mapping[str, Any], context: Context) -> dict[str, Any]:
        built = {name: value_of(kinds[name], value) for name, value in arguments.items()}
        return {**built, **dict.fromkeys(wants, context)}

    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__):

        async def awaited(arguments: Mapping[str, Any], context: Context, /) -> Any:
            return await function(**given(arguments, context))

        return cast(Running, awaited)

    def run(arguments: Mapping[str, Any], context: Context, /) -> Any:
        return function(**given(arguments, context))

    return cast(Running, run)


def _documented(text: str) -> tuple[str, dict[str, str]]:
    """The description in a docstring, and what its section of arguments says of each."""
    sections = list(_SECTION.finditer(text))
    told = text[: sections[0].start()] if sections else text
    notes: dict[str, str] = {}
    for number, section in enumerate(sections):
        if not section.group().startswith(("Args", "Arguments", "Parameters")):
            continue
        end = sections[number + 1].start() if number + 1 < len(sections) else len(text)
        last = ""
        for line in text[section.end() : end].splitlines():
            named = _ARGUMENT.match(line)
            if named and not (last and line.startswith(" " * 8)):
                last = named.group(1)
                notes[last] = named.group(2).strip()
            elif last and line.strip():
                notes[last] = f"{notes[last]} {line.strip()}".strip()
    return told.strip(), notes
