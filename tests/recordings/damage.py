"""Records that were damaged somewhere inside: a value of another type, a missing field, a field that does not belong."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 10**12),
    st.floats(allow_nan=False),
    st.text(max_size=4),
    st.just([]),
    st.just({}),
    st.just([None, "x", {"type": 3, "text": [], "id": {}}]),
    st.just({"type": ["message"], "role": {}, "content": 7, "parts": "x", "usage": [1]}),
    st.just([{"type": "message", "role": 1, "content": [[], 0]}]),
)


DEEP = "a value of many levels"
"""Stands where `nested` writes lists in lists."""


def nested(path: Path, records: list[Any], *, levels: int) -> str:
    """Write JSON lines in which every `DEEP` is nested this many levels, and return the path as text."""
    text = "".join(json.dumps(record) + "\n" for record in records)
    path.write_text(text.replace(json.dumps(DEEP), "[" * levels + "]" * levels), encoding="utf-8")
    return str(path)


@st.composite
def damaged(draw: st.DrawFn, records: list[Any]) -> list[Any]:
    """The records with one to four places replaced or removed, at any depth; a record itself may be replaced, repeated or moved."""
    found = copy.deepcopy(records)
    for _ in range(draw(st.integers(1, 4))):
        holder: Any = found
        key: Any = draw(st.integers(0, len(found) - 1)) if found else None
        while key is not None and isinstance(holder[key], (list, dict)) and holder[key] and draw(st.integers(0, 5)):
            holder = holder[key]
            key = draw(st.sampled_from(list(holder) if isinstance(holder, dict) else range(len(holder))))
        if key is None:
            found.append(copy.deepcopy(draw(ODD)))
        elif draw(st.booleans()):
            holder[key] = copy.deepcopy(draw(ODD))
        elif isinstance(holder, dict):
            del holder[key]
        else:
            holder.insert(draw(st.integers(0, len(holder))), holder[key] if draw(st.booleans()) else holder.pop(key))
    return found
