"""recall and retrieve_tool_result: what left the context, and what was cut before it came in (D39, origin 4.4)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol

from sostenuto.engine import definitions
from sostenuto.errors import ToolFailed
from sostenuto.messages import Call, Result
from sostenuto.protocols import Codec, KeptResult, KeptResults, Raw
from sostenuto.results import PAGE_CHARACTERS, listed, page
from sostenuto.tools._tool import Context, Output, Running, Tool


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
        return Output(found.text, succeeded=found.succeeded is not False, paged=True)

    return run


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
