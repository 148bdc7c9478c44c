"""The JSON schema of a Python type, and the way back from JSON to a value of the type."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired, Required, Union, get_args, get_origin, get_type_hints, is_typeddict

from sostenuto.errors import UnusableInput
from sostenuto.tools._checking import problems

_SIMPLE: dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
_SUPPORTED = (
    "str, int, float, bool, None, list[…], dict[str, …], Literal[…], Optional[…] and other unions, dataclasses, TypedDicts, "
    "and Annotated[…, 'what it is']"
)


def schema_of(kind: Any, *, where: str) -> dict[str, Any]:
    """The schema of the values a type takes. `where` names the place for an error.

    Raises:
        UnusableInput: for a type that has no plain form in JSON; the text says which ones have.
    """
    return _schema(kind, where, ())


def _schema(kind: Any, where: str, within: tuple[Any, ...]) -> dict[str, Any]:
    origin, given = get_origin(kind), get_args(kind)
    if kind is Any:
        return {}
    if kind in _SIMPLE:
        return {"type": _SIMPLE[kind]}
    if origin is Annotated:
        said = [note for note in given[1:] if isinstance(note, str)]
        return {**_schema(given[0], where, within), **({"description": said[0]} if said else {})}
    if origin in (Required, NotRequired):
        return _schema(given[0], where, within)
    if origin is Literal:
        return {"enum": list(given)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_schema(option, where, within) for option in given]}
    if kind is list or origin is list:
        return {"type": "array", **({"items": _schema(given[0], f"{where}[]", within)} if given else {})}
    if kind is dict or (origin is dict and given[0] is str):
        return {"type": "object", **({"additionalProperties": _schema(given[1], f"{where}.*", within)} if given else {})}
    if _has_fields(kind):
        if kind in within:
            raise UnusableInput(f"{where}: {kind.__name__} contains itself, which has no plain schema; use dict[str, Any] there")
        return _record(kind, where, (*within, kind))
    raise UnusableInput(f"{where}: the type {_named(kind)} has no plain form in JSON; use {_SUPPORTED}")


def _has_fields(kind: Any) -> bool:
    return isinstance(kind, type) and (dataclasses.is_dataclass(kind) or is_typeddict(kind))


def _record(kind: Any, where: str, within: tuple[Any, ...]) -> dict[str, Any]:
    hints = hints_of(kind, where=where)
    if is_typeddict(kind):
        # the hints, because a class whose annotations are texts does not know which of its own keys may be left out
        required = [name for name, hint in hints.items() if get_origin(hint) is not NotRequired and name in kind.__required_keys__]
    else:
        held = [field for field in dataclasses.fields(kind) if field.init]
        hints = {field.name: hints[field.name] for field in held}
        required = [f.name for f in held if f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING]
    return {
        "type": "object",
        "properties": {name: _schema(hint, f"{where}.{name}", within) for name, hint in hints.items()},
        "required": required,
        "additionalProperties": False,
    }


def hints_of(thing: Any, *, where: str) -> dict[str, Any]:
    """The annotations of a function or class, resolved.

    Raises:
        UnusableInput: one names what cannot be found from the module it is written in.
    """
    try:
        return get_type_hints(thing, include_extras=True)
    except (NameError, TypeError) as error:
        raise UnusableInput(f"{where}: an annotation cannot be read ({error}); name types that its module can see") from None


def value_of(kind: Any, value: Any) -> Any:
    """JSON `value`, already checked, as a value of the type: objects become dataclasses where those are asked for."""
    origin, given = get_origin(kind), get_args(kind)
    if origin is Annotated or origin in (Required, NotRequired):
        return value_of(given[0], value)
    if kind is float and isinstance(value, int):
        return float(value)
    if kind is int and isinstance(value, float):
        return int(value)
    if origin in (Union, types.UnionType):
        fitting = [option for option in given if not list(problems(value, _schema(option, "", ())))]
        return value_of(fitting[0], value) if fitting else value
    if origin is list and isinstance(value, list):
        return [value_of(given[0], item) for item in value]
    if origin is dict and isinstance(value, Mapping):
        return {name: value_of(given[1], item) for name, item in value.items()}
    if _has_fields(kind) and isinstance(value, Mapping):
        hints = hints_of(kind, where=kind.__name__)
        held = {name: value_of(hints[name], item) for name, item in value.items()}
        return held if is_typeddict(kind) else kind(**held)
    return value


def _named(kind: Any) -> str:
    return getattr(kind, "__qualname__", None) or str(kind)
