"""recall and retrieve_tool_result: what left the context, and what was cut before it came in (D39, origin 4.4)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol

from sostenuto.engine import NOTHING_HOLDS, definitions
from sostenuto.errors import ToolFailed
from sostenuto.messages import Call, Result
from sostenuto.protocols import Codec, KeptResult, KeptResults, Raw
from sostenuto.results import PAGE_CHARACTERS, defused, enclosed, excerpt, listed, page, scanned, wanted
from sostenuto.tools._tool import Context, Output, Running, Tool

WHOLES = 5
SHOWN_CHARACTERS = 240
"""Whole results that a search names, and how much of each is shown."""
_ALL_WORDS, _MOST_WORDS = 2, 3


class Recalling(Protocol):
    """What is asked of a conversation: `ContextManager.answer`."""

    def answer(self, call: Any, /) -> Raw | None:
        """The message that answers a call of one of these tools."""


def recall_tools(conversation: Recalling, *, codec: Codec, kept: KeptResults | None = None) -> tuple[Tool, ...]:
    """The two tools.

    Args:
        conversation: the context manager whose transcript is read.
        codec: how its messages are written.
        kept: whole results that were cut before they entered the transcript; asked first.
    """
    return tuple(
        Tool(name, description, schema, _running(name, conversation, codec, kept), risk="read-only", repeatable=True)
        for name, description, schema in definitions()
    )


def _running(name: str, conversation: Recalling, codec: Codec, kept: KeptResults | None) -> Running:
    async def run(arguments: Mapping[str, Any], context: Context, /) -> Output:
        key = arguments.get("tool_call_id") or arguments.get("key") or arguments.get("query")
        whole = kept.kept(key.strip()) if kept is not None and isinstance(key, str) else None
        if whole is not None and isinstance(key, str):
            return _page(whole, key.strip(), arguments, context)
        answer = conversation.answer(Call(context.call_id, name, json.dumps(dict(arguments))))
        found = next((part for part in codec.decode(answer).parts if isinstance(part, Result)), None) if answer is not None else None
        if found is None:
            raise ToolFailed(f"{name} cannot be answered in this conversation; run the original tool again")
        query = arguments.get("query") if not (arguments.get("key") or arguments.get("offset")) else None
        is_found = not found.text.startswith(NOTHING_HOLDS)
        wholes = ""
        if name == "recall" and kept is not None and isinstance(query, str) and query.strip():
            wholes = _wholes(kept, query, worst=_ALL_WORDS if is_found else _MOST_WORDS)
        if not wholes:
            return Output(found.text, succeeded=found.succeeded is not False, paged=True)
        return Output(f"{found.text}\n{wholes}" if is_found else wholes, paged=True)

    return run


def _wholes(kept: KeptResults, query: str, *, worst: int) -> str:
    """The whole results with these words, of a rank up to the worst (see `Found`), each with its key; "" for none."""
    looked_for, lines = wanted(query), []
    texts = ((key, whole.text) for key in kept.listed() if (whole := kept.kept(key)) is not None)
    for key, rank in scanned(texts, looked_for)[:WHOLES]:
        whole = kept.kept(key)
        if whole is not None and rank <= worst:
            whose = f", {whole.provenance.kind} data from {whole.provenance.source}" if whole.provenance is not None else ""
            shown = defused(" ".join(excerpt(whole.text, looked_for).split()), element="untrusted")
            lines.append(f"{key} (whole result of {whole.tool}{whose}, {len(whole.text):,} characters): {shown[:SHOWN_CHARACTERS]}")
    told = '\nRead one page by page, or its lines with certain words: retrieve_tool_result(tool_call_id="…", search="…").'
    return enclosed("\n".join(lines) + told, element="kept", attributes={"source": "whole results"}) if lines else ""


def _page(whole: KeptResult, key: str, arguments: Mapping[str, Any], context: Context) -> Output:
    """A page of a kept result, as foreign as the whole (origin 4.5), or the places in it that hold certain words."""
    if arguments.get("search"):
        return Output(listed(whole.text, arguments["search"]), provenance=whole.provenance)
    offset = arguments.get("offset", 0)
    sizing = context.sizing
    found = page(whole.text, offset=offset, longest=lambda piece: sizing.longest(piece, PAGE_CHARACTERS), most=sizing.page)
    if found is None:
        raise ToolFailed(f"offset {offset:,} is past the end: {key} has {len(whole.text):,} characters")
    return Output(found.text, provenance=whole.provenance, paged=True, footer=found.footer)
