"""The two tools that page back what left the context, in the caller's own format (D39, origin 4.4)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sostenuto.engine._recall import read, search
from sostenuto.engine._state import State
from sostenuto.errors import UnknownKey
from sostenuto.ladder import Settings
from sostenuto.protocols import Codec

PAGE_CHARACTERS = 23_000
"""Origin 4.4: the widest result budget of 24,000 less 1,000 for the footer, so that a page is never cut again."""
PAGE_SHARE = 0.10
"""Of the window, in tokens: the other bound of a page (D41)."""

_TOOLS: tuple[tuple[str, str, dict[str, Any], list[str]], ...] = (
    (
        "recall",
        "Read back what left the context. Give a key (m12.0, m12-m40, files:read, files:modified, requests, commands, values) "
        "for the original text, page by page, or query words to search for.",
        {"key": {"type": "string"}, "query": {"type": "string"}, "offset": {"type": "integer", "minimum": 0}},
        [],
    ),
    (
        "retrieve_tool_result",
        "Read a stored tool result by its call id or key, page by page.",
        {"tool_call_id": {"type": "string"}, "offset": {"type": "integer", "minimum": 0}},
        ["tool_call_id"],
    ),
)


@dataclass(frozen=True, slots=True)
class Answering:
    """A call of one of our tools, taken apart."""

    id: str
    name: str
    arguments: Mapping[str, Any]


def tools(codec: Codec) -> list[Any]:
    """The definitions, as this wire writes them."""
    return codec.tool_definitions(
        [(name, description, _schema(properties, required)) for name, description, properties, required in _TOOLS]
    )


def _schema(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def taken(native: Any, codec: Codec) -> Answering | None:
    """A native call (a mapping or a client's object) of one of our tools; None for any other tool."""
    call = codec.call(native)
    if call is None or call.name not in {tool[0] for tool in _TOOLS}:
        return None
    try:
        arguments = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        arguments = {}
    return Answering(call.id, call.name, arguments if isinstance(arguments, Mapping) else {})


def answered(call: Answering, state: State, *, settings: Settings, window: int) -> tuple[str, bool]:
    """The text of the answer, framed as data, and whether the call succeeded. Bad arguments get an answer that says what is right."""
    key = call.arguments.get("key") or call.arguments.get("tool_call_id")
    query = call.arguments.get("query")
    offset = call.arguments.get("offset", 0)
    if not isinstance(offset, int) or isinstance(offset, bool) or offset < 0:
        return f"offset must be a whole number of characters, 0 or more, not {str(offset)[:40]!r}", False
    if isinstance(key, str) and key.strip():
        return _page(key.strip(), offset, state, settings=settings, window=window)
    if isinstance(query, str) and query.strip():
        hits = search(state, query.strip())
        if not hits:
            return f"Nothing holds {query[:80]!r}. Try fewer or other words.", True
        lines = [f"{hit.key} ({hit.source}, about {hit.tokens:,} tokens): {' '.join(hit.text.split())[:240]}" for hit in hits[:10]]
        return _framed("search", "\n".join(lines) + '\nRead one whole with recall(key="…").'), True
    return "Give a key such as m12.0, or query words.", False


def _page(key: str, offset: int, state: State, *, settings: Settings, window: int) -> tuple[str, bool]:
    try:
        hit = read(state, key, settings=settings)
    except UnknownKey as unknown:
        return str(unknown), False
    text, total = hit.text, len(hit.text)
    if offset and offset >= total:
        return f"offset {offset:,} is past the end: {key} has {total:,} characters", False
    size = _page_size(text[offset : offset + PAGE_CHARACTERS], state, int(PAGE_SHARE * window))
    page = text[offset : offset + size]
    if offset == 0 and len(page) == total:
        return _framed(f"{key}, {hit.source}", page), True
    end = offset + len(page)
    more = f"next: offset={end}" if end < total else "this is the end"
    return _framed(f"{key}, {hit.source}", page) + f"\n[characters {offset:,} to {end:,} of {total:,}; {more}]", True


def _page_size(text: str, state: State, tokens: int) -> int:
    ruler = state.history.ruler
    if ruler.text(text) <= tokens:
        return max(1, len(text))
    head, _ = ruler.clip(text, head=max(1, tokens), tail=0)
    return max(1, len(head))


def _framed(source: str, text: str) -> str:
    """Kept text is data: whatever looks like the frame's own end is taken apart (origin 4.5)."""
    defused = text.replace("</kept", "<\\/kept").replace("<kept", "<\\kept")
    quoted = source.replace('"', "'").replace("\n", " ")
    return f'<kept source="{quoted}">\n{defused}\n</kept>'
