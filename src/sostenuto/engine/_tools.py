"""The two tools that page back what left the context, in the caller's own format (D39, origin 4.4)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sostenuto.engine._recall import Hit, names_key, read
from sostenuto.engine._searching import search
from sostenuto.engine._state import State
from sostenuto.errors import UnknownKey
from sostenuto.ladder import Settings
from sostenuto.messages import Call
from sostenuto.protocols import Codec, Finder, Tool
from sostenuto.results import PAGE_CHARACTERS, PAGE_SHARE, Provenance, defused, enclosed, framed, inherited, listed, page, widened

HITS_A_PAGE = 10
NOTHING_HOLDS = "Nothing holds "
"""How the answer to a search without a find begins."""
_FARTHEST = 2**31
"""No search has so many finds; what a model asks for may be any number."""
SHOWN_CHARACTERS = 240
"""Of an excerpt; the find stands in its first third."""

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
        "Read a stored tool result by its call id or key, page by page; with search, the lines that hold exactly these words.",
        {"tool_call_id": {"type": "string"}, "offset": {"type": "integer", "minimum": 0}, "search": {"type": "string"}},
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
    return codec.tool_definitions(definitions())


def definitions() -> list[Tool]:
    """The two tools as every wire can write them."""
    return [(name, description, _schema(properties, required)) for name, description, properties, required in _TOOLS]


def _schema(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def taken(native: Any, codec: Codec) -> Answering | None:
    """A native call (a mapping or a client's object, or our own `Call`) of one of our tools; None for any other tool."""
    call = native if isinstance(native, Call) else codec.call(native)
    if call is None or call.name not in {tool[0] for tool in _TOOLS}:
        return None
    try:
        arguments = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        arguments = {}
    return Answering(call.id, call.name, arguments if isinstance(arguments, Mapping) else {})


def answered(
    call: Answering, state: State, *, settings: Settings, window: int, finder: Finder | None = None
) -> tuple[str, bool]:  # fmt: skip
    """The text of the answer, framed as data, and whether the call succeeded. Bad arguments get an answer that says what is right."""
    key = call.arguments.get("key") or call.arguments.get("tool_call_id")
    query = call.arguments.get("query")
    offset = call.arguments.get("offset", 0)
    if not isinstance(offset, int) or isinstance(offset, bool) or offset < 0:
        return f"offset must be a whole number, 0 or more, not {str(offset)[:40]!r}", False
    if isinstance(key, str) and key.strip():
        search_for = call.arguments.get("search")
        words = search_for.strip() if isinstance(search_for, str) else ""
        return _page(key.strip(), offset, state, words=words, settings=settings, window=window)
    if isinstance(query, str) and names_key(state, query.strip()):
        paged, is_known = _page(query.strip(), offset, state, words="", settings=settings, window=window)
        if is_known:
            return paged, True
    if isinstance(query, str) and query.strip():
        return _hits(query.strip(), offset, state, finder=finder, longest=int(PAGE_SHARE * window))
    return "Give a key such as m12.0, or query words.", False


def _hits(query: str, offset: int, state: State, *, finder: Finder | None, longest: int) -> tuple[str, bool]:
    """A page of what a search finds, each with its key, and the offset of the next page; at most `longest` tokens, but one find."""
    hits = search(state, query, finder=finder, offset=min(offset, _FARTHEST), limit=HITS_A_PAGE + 1)
    if not hits and offset:
        return f"offset {offset:,} is past the end: there are fewer finds of {query[:80]!r}", False
    if not hits:
        return f"{NOTHING_HOLDS}{query[:80]!r}. Try fewer or other words.", True
    lines: list[str] = []
    for hit in hits[:HITS_A_PAGE]:
        line = _line(hit, foreign=inherited(read(state, hit.key, settings=Settings()).text))
        if lines and state.history.ruler.text("\n".join([*lines, line])) > longest:
            break
        lines.append(line)
    stop = offset + len(lines)
    more = f"next: offset={stop}" if len(hits) > len(lines) else "this is the end"
    footer = f"\n[finds {offset + 1:,} to {stop:,}; {more}]" if offset or len(hits) > len(lines) else ""
    return _framed("search", "\n".join(lines) + '\nRead one whole with recall(key="…").') + footer, True


def _line(hit: Hit, *, foreign: Provenance | None) -> str:
    """A find: words of strangers are named as such, and no mark of a frame is left in them."""
    whose = f", {foreign.kind} data from {foreign.source}" if foreign is not None else ""
    shown = defused(" ".join(hit.text.split()), element="untrusted")
    return f"{hit.key} ({hit.source}{whose}, about {hit.tokens:,} tokens): {shown[:SHOWN_CHARACTERS]}"


def _page(key: str, offset: int, state: State, *, words: str, settings: Settings, window: int) -> tuple[str, bool]:
    try:
        hit = read(state, key, settings=settings)
    except UnknownKey as unknown:
        return str(unknown), False
    source, foreign = f"{key}, {hit.source}", inherited(hit.text)
    if words:
        return _framed(source, listed(hit.text, words), foreign=foreign), True
    fits, most = int(PAGE_SHARE * window), widened(PAGE_CHARACTERS, window=window)
    found = page(hit.text, offset=offset, longest=lambda piece: _page_size(piece, state, fits), most=most)
    if found is None:
        return f"offset {offset:,} is past the end: {key} has {len(hit.text):,} characters", False
    # a whole original brings its own frame; a piece of it would be without one
    return f"{_framed(source, found.text, foreign=None if found.is_whole else foreign)}\n{found.footer}".rstrip("\n"), True


def _page_size(text: str, state: State, tokens: int) -> int:
    ruler = state.history.ruler
    if ruler.text(text) <= tokens:
        return max(1, len(text))
    head, _ = ruler.clip(text, head=max(1, tokens), tail=0)
    return max(1, len(head))


def _framed(source: str, text: str, *, foreign: Provenance | None = None) -> str:
    """Kept text is data: whatever looks like the frame's own end is taken apart; words of strangers have a frame inside (origin 4.5)."""
    return enclosed(framed(text, foreign) if foreign is not None else text, element="kept", attributes={"source": source})
