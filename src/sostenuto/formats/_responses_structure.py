"""What gives OpenAI Responses items away (D58)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sostenuto.formats._blocks import fields
from sostenuto.formats._responses_calls import ANSWERS, CALLS
from sostenuto.formats._responses_items import MESSAGE, REASONING, REFERENCE

_CERTAIN = 4
"""An item says of which type it is; that weighs more than a block, for two wires write some blocks alike."""
_SURE = 3
_OWN_KINDS = frozenset({*CALLS, *ANSWERS, REASONING, REFERENCE, "additional_tools", "compaction", "compaction_summary"}) | {
    "code_interpreter_call",
    "file_search_call",
    "image_generation_call",
    "mcp_approval_request",
    "mcp_approval_response",
    "mcp_call",
    "mcp_list_tools",
    "tool_search_call",
    "tool_search_output",
    "web_search_call",
}
_OWN_BLOCKS = frozenset({"input_text", "output_text", "input_image", "input_file"})


def looks_like(messages: Sequence[Any], system: Any) -> int:
    """How surely `messages` are Responses items, by structure alone (D58): 0 no, 3 sure, 4 certain."""
    del system
    best = 0
    for raw in messages:
        best = max(best, _resemblance(fields(raw) or {}))
        if best == _CERTAIN:
            break
    return best


def _resemblance(item: dict[str, Any]) -> int:
    kind, content = item.get("type"), item.get("content")
    if isinstance(kind, str) and kind in _OWN_KINDS:
        return _CERTAIN
    is_message = kind == MESSAGE
    if isinstance(content, list):
        kinds = {held.get("type") for held in map(fields, content) if held is not None and isinstance(held.get("type"), str)}
        # a reply of another wire has the type "message" too, but not these blocks
        return _CERTAIN if kinds & _OWN_BLOCKS or (is_message and "refusal" in kinds) else 0
    return _SURE if is_message and isinstance(content, str) and "tool_calls" not in item else 0
