"""What the providers' own libraries say of a request body: every field is known, every value is what its type allows.

Two judges look at a body. Pydantic validates it strictly, and what it reads lazily (an ``Iterable`` of messages) is read to the end.
Because a ``TypedDict`` lets unknown keys pass there, the second judge walks through the type and the body together and names each key
and value that the type has no place for.
"""

from __future__ import annotations

import collections.abc
import functools
import importlib
import json
import types
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

_WRAPPERS = ("Annotated", "NotRequired", "ReadOnly", "Required")
_LISTS = (list, collections.abc.Iterable, collections.abc.Sequence)
_MAPPINGS = (dict, collections.abc.Mapping)


def named(address: str) -> Any:
    """A type by its ``module:name``; looked up as it runs, so that the type checker does not read whole libraries."""
    module, _, name = address.partition(":")
    return getattr(importlib.import_module(module), name)


def problems(body: Any, *, kind: str, known: Sequence[str] = ()) -> list[str]:
    """What is wrong with a body of the type at the address `kind`; nothing for a valid one.

    Args:
        body: a request, as it is sent.
        kind: the type, as ``module:name``.
        known: keys that some server takes beside the type's own, as ``messages[].reasoning_content``.
    """
    wanted = named(kind)
    found = [each for each in _walked(wanted, body, "") if _anywhere(each) not in {f"{key} is unknown" for key in known}]
    return found or _refused(wanted, _without(body, known))[:5]


def content_problems(contents: Sequence[Any], *, kind: str) -> list[str]:
    """The same for values whose types are pydantic's own models, which refuse unknown fields themselves (Gemini)."""
    wanted, found = named(kind), []
    for place, written in enumerate(map(json.dumps, contents)):
        found += [f"[{place}]{each}" for each in _complaints(functools.partial(wanted.model_validate_json, written))]
    return found


def _refused(kind: Any, body: Any) -> list[str]:
    return _complaints(lambda: _read_out(_adapter(kind).validate_python(body, strict=True)))


def _complaints(validated: collections.abc.Callable[[], object]) -> list[str]:
    wrong: Any = named("pydantic:ValidationError")
    try:
        validated()
    except wrong as error:
        return [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()]
    return []


@functools.cache
def _adapter(kind: Any) -> Any:
    return named("pydantic:TypeAdapter")(kind)


def _read_out(value: Any) -> None:
    """Read what pydantic validates only as it is read."""
    if isinstance(value, Mapping):
        for inner in value.values():
            _read_out(inner)
    elif isinstance(value, collections.abc.Iterable) and not isinstance(value, str | bytes):
        for inner in value:
            _read_out(inner)


def _walked(kind: Any, value: Any, at: str) -> list[str]:
    """Every place of `value` that `kind` has no room for."""
    origin = get_origin(kind)
    if type(kind).__name__ == "TypeAliasType":
        return _walked(kind.__value__, value, at)
    if getattr(origin, "__name__", getattr(origin, "_name", "")) in _WRAPPERS or hasattr(kind, "__metadata__"):
        return _walked(get_args(kind)[0], value, at)
    if kind in (Any, object):
        return []
    if origin in (Union, types.UnionType):
        return min((_walked(each, value, at) for each in get_args(kind)), key=len)
    if is_typeddict(kind) or _is_typed(kind):
        return _fields(kind, value, at)
    if origin is Literal:
        return [] if any(value == each and type(value) is type(each) for each in get_args(kind)) else [f"{at} is {value!r}"]
    if origin in _LISTS:
        if not isinstance(value, list | tuple):
            return [f"{at} is no list"]
        return [f"{at}[{place}]{found}" for place, each in enumerate(value) for found in _item(get_args(kind)[0], json.dumps(each))]
    if origin in _MAPPINGS:
        if not isinstance(value, Mapping):
            return [f"{at} is no mapping"]
        return [found for key, each in value.items() for found in _walked(get_args(kind)[1], each, f"{at}.{key}".lstrip("."))]
    held = origin or kind
    plain: Any = {float: (int, float), None: type(None)}.get(held, held)
    return [] if isinstance(value, plain) and (not isinstance(value, bool) or plain is bool) else [f"{at} is {type(value).__name__}"]


@functools.lru_cache(maxsize=4_096)
def _item(kind: Any, written: str) -> tuple[str, ...]:
    """The same for an item of a list, which a history repeats from request to request."""
    return tuple(f".{found}" if found[:1] not in " [" else found for found in _walked(kind, json.loads(written), ""))


def _is_typed(kind: Any) -> bool:
    """Whether it is a ``TypedDict`` of ``typing_extensions``, which older Pythons do not recognise."""
    return isinstance(kind, type) and hasattr(kind, "__total__") and hasattr(kind, "__required_keys__")


def _fields(kind: Any, value: Any, at: str) -> list[str]:
    if not isinstance(value, Mapping):
        return [f"{at} is no object of {kind.__name__}"]
    hints, found = _hints(kind), []
    for key, inner in value.items():
        where = f"{at}.{key}".lstrip(".")
        found += _walked(hints[key], inner, where) if key in hints else [f"{where} is unknown"]
    missing = [key for key, hint in hints.items() if key not in value and _is_required(kind, key, hint)]
    return found + [f"{at}.{key} is missing".lstrip(".") for key in missing]


@functools.cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


def _is_required(kind: Any, key: str, hint: Any) -> bool:
    said = str(getattr(get_origin(hint), "_name", ""))
    if said in ("Required", "NotRequired"):
        return said == "Required"
    return bool(key in kind.__required_keys__)


def _anywhere(found: str) -> str:
    """A finding without the numbers of its places."""
    pieces = found.split("[")
    return pieces[0] + "".join(f"[{piece[piece.index(']') :]}" for piece in pieces[1:])


def _without(body: Any, known: Sequence[str]) -> Any:
    """The body without the keys that are known beside the type's own."""
    return functools.reduce(lambda held, key: _cut_out(held, key.split(".")), known, body)


def _cut_out(value: Any, path: Sequence[str]) -> Any:
    name, rest = path[0].removesuffix("[]"), path[1:]
    if not isinstance(value, Mapping) or name not in value:
        return value
    if not rest:
        return {key: inner for key, inner in value.items() if key != name}
    inner = value[name]
    return {**value, name: [_cut_out(each, rest) for each in inner] if path[0].endswith("[]") else _cut_out(inner, rest)}
