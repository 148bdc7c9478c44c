"""Anthropic's messages wire, as its documentation and public reports show it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sostenuto.protocols import Finish
from sostenuto.testing._answers import Answer, Turn, as_events, as_json, as_object, halves
from sostenuto.testing._script import FaultKind

_FINISHES: Final[Mapping[Finish, str]] = {
    "stop": "end_turn", "calls": "tool_use", "length": "max_tokens", "window": "model_context_window_exceeded", "filtered": "refusal",
    "other": "pause_turn",
}  # fmt: skip
_FAULTS: Final[Mapping[FaultKind, tuple[int, str, str]]] = {
    "too_large": (413, "request_too_large", "Request exceeds the maximum size"),
    "rate_limited": (429, "rate_limit_error", "This request would exceed your organization's rate limit of 50 requests per minute."),
    "unauthorised": (401, "authentication_error", "invalid x-api-key"),
    "refused": (400, "invalid_request_error", "tools.0.input_schema: JSON schema is invalid"),
    "loading": (529, "overloaded_error", "Overloaded"),
    "server_fault": (500, "api_error", "Internal server error"),
}


@dataclass(frozen=True, slots=True)
class AnthropicDialect:
    """Anthropic's way of writing messages."""

    name: str = "anthropic"
    base: str = ""

    def is_asked(self, path: str) -> bool:
        """Whether a path is that of a message."""
        return path == "/v1/messages"

    def is_streamed(self, path: str, body: Mapping[str, Any]) -> bool:
        """Whether the answer is wanted piece by piece."""
        del path
        return bool(body.get("stream"))

    def max_output(self, body: Mapping[str, Any]) -> int | None:
        """The output a request asks for."""
        found = body.get("max_tokens")
        return found if isinstance(found, int) else None

    def window(self, body: Mapping[str, Any], served: int) -> int:
        """The window for a request: here always the model's."""
        del body
        return served

    def key(self, headers: Mapping[str, str]) -> str:
        """The key a request brings."""
        return headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")

    def looked_at(self, path: str, *, model: str, window: int, asked: int) -> Answer | None:
        """What the API says about a model."""
        del asked
        card = {"type": "model", "id": model, "display_name": model, "created_at": "2026-02-19T00:00:00Z"}
        if path == f"/v1/models/{model}":
            return as_json({**card, "max_input_tokens": window, "max_tokens": 8_192})
        return as_json({"data": [card], "has_more": False, "first_id": model, "last_id": model}) if path == "/v1/models" else None

    def answer(self, turn: Turn, *, streamed: bool) -> Answer:
        """A reply."""
        usage = {
            "input_tokens": turn.input - turn.cached, "cache_creation_input_tokens": 0, "cache_read_input_tokens": turn.cached,
            "output_tokens": turn.output,
        }  # fmt: skip
        stop = {"stop_reason": _FINISHES[turn.reply.ends], "stop_sequence": None}
        head = {"id": f"msg_{turn.number}", "type": "message", "role": "assistant", "model": turn.model}
        blocks = _blocks(turn)
        if not streamed:
            return as_json({**head, "content": blocks, **stop, "usage": usage})
        start: dict[str, Any] = {**head, "content": [], "stop_reason": None, "stop_sequence": None, "usage": {**usage, "output_tokens": 1}}
        events: list[tuple[str, Any]] = [("message_start", {"message": start})]
        for index, block in enumerate(blocks):
            events += _block_events(index, block)
        events.insert(2, ("ping", {}))
        events.append(("message_delta", {"delta": stop, "usage": {"output_tokens": turn.output}}))
        events.append(("message_stop", {}))
        return as_events([(name, {"type": name, **value}) for name, value in events])

    def fault(self, kind: FaultKind, turn: Turn, headers: Mapping[str, str]) -> Answer:
        """A failure in Anthropic's words."""
        if kind == "overflow":
            status, name, words = 400, "invalid_request_error", f"prompt is too long: {turn.input} tokens > {turn.window} maximum"
        else:
            status, name, words = _FAULTS[kind]
        body = {"type": "error", "error": {"type": name, "message": words}, "request_id": f"req_{turn.number}"}
        return as_json(body, status=status, headers=headers)

    def error_event(self, turn: Turn) -> Answer:
        """A stream that turns into an error."""
        del turn
        return as_events([("error", {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})])


def _blocks(turn: Turn) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    if turn.reply.reasoning or turn.reply.signature:
        blocks.append({"type": "thinking", "thinking": turn.reply.reasoning, "signature": turn.reply.signature})
    if turn.reply.text:
        blocks.append({"type": "text", "text": turn.reply.text})
    for call in turn.calls:
        blocks.append({"type": "tool_use", "id": call.id, "name": call.name, "input": as_object(call.arguments)})
    return blocks


def _block_events(index: int, block: Mapping[str, Any]) -> list[tuple[str, Any]]:
    kind = block["type"]
    if kind == "thinking":
        begun: dict[str, Any] = {"type": kind, "thinking": "", "signature": ""}
        deltas = [{"type": "thinking_delta", "thinking": words} for words in halves(block["thinking"])]
        deltas.append({"type": "signature_delta", "signature": block["signature"]})
    elif kind == "text":
        begun = {"type": kind, "text": ""}
        deltas = [{"type": "text_delta", "text": words} for words in halves(block["text"])]
    else:
        begun = {**block, "input": {}}
        deltas = [{"type": "input_json_delta", "partial_json": words} for words in ["", *halves(json.dumps(block["input"]))]]
    return [
        ("content_block_start", {"index": index, "content_block": begun}),
        *(("content_block_delta", {"index": index, "delta": delta}) for delta in deltas),
        ("content_block_stop", {"index": index}),
    ]
