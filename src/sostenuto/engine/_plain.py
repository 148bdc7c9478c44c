"""Native messages as plain values, for a snapshot: a client's objects are written as their own dump says (D32)."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from enum import Enum
from typing import Any


def plain(value: Any) -> Any:
    """`value` with every client's object in it as the dictionary it dumps to; the very same value where there is none.

    Bytes become base64, as the wires write them; what no client would send is written as it prints.
    """
    if value is None or type(value) in (str, int, float, bool):
        return value
    if isinstance(value, Mapping):
        made = {name: plain(item) for name, item in value.items()}
        return value if type(value) is dict and all(made[name] is value[name] for name in made) else made
    if isinstance(value, list | tuple):
        items = [plain(item) for item in value]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, str | int | float):
        return value
    return b64encode(value).decode() if isinstance(value, bytes | bytearray) else _dumped(value)


def _dumped(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    if not callable(dump):
        return str(value)
    try:
        return plain(dump(exclude_unset=True))
    except Exception:  # someone else's object: it was read as nothing, and is kept as nothing
        return {}
