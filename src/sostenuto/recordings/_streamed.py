"""A reply that was streamed, put together from its events: one response body as if it had come in one piece."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from sostenuto.recordings._recording import Raw

_FINISHED = ("response.completed", "response.incomplete")


def events(text: str) -> list[Raw]:
    """The JSON objects of an event stream, each on its own ``data:`` line."""
    found = []
    for line in text.splitlines():
        if line.startswith("data:"):
            try:
                value = json.loads(line[5:])
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict):
                found.append(value)
    return found


def whole(found: Sequence[Raw], form: str) -> Raw | None:
    """The response body these events of one wire make up, or ``None`` when they are none."""
    if form == "openai_responses":
        return next((one["response"] for one in reversed(found) if one.get("type") in _FINISHED and _is(one.get("response"), dict)), None)
    if form == "anthropic":
        return _anthropic(found)
    return _gemini(found) if form == "gemini" else _chat(found)


def _anthropic(found: Iterable[Raw]) -> Raw | None:
    message: Raw | None = None
    blocks: list[Raw] = []
    for event in found:
        kind = event.get("type")
        if kind == "message_start" and isinstance(event.get("message"), dict):
            message = dict(event["message"])
        elif kind == "content_block_start" and isinstance(event.get("content_block"), dict):
            blocks.append(dict(event["content_block"]))
        elif kind == "content_block_delta" and blocks and isinstance(event.get("delta"), dict):
            _extend_block(blocks[-1], event["delta"])
        elif kind == "message_delta" and message is not None and isinstance(event.get("usage"), dict):
            counts = message.get("usage")
            message["usage"] = (counts if isinstance(counts, dict) else {}) | event["usage"]
    if message is None:
        return None
    return message | {"content": [_finished_block(block) for block in blocks]}


def _extend_block(block: Raw, delta: Raw) -> None:
    """Pieces of a block; the pieces of a call's input are kept as text until it is whole."""
    for name, field in (("text", "text"), ("thinking", "thinking"), ("signature", "signature"), ("partial_json", "partial_json")):
        if isinstance(delta.get(name), str):
            held = block.get(field)
            block[field] = (held if isinstance(held, str) else "") + delta[name]
    if isinstance(delta.get("citation"), dict):
        cited = block.get("citations")
        block["citations"] = [*(cited if isinstance(cited, list) else []), delta["citation"]]


def _finished_block(block: Raw) -> Raw:
    text = block.pop("partial_json", "")
    if text:
        try:
            block["input"] = json.loads(text)
        except (ValueError, RecursionError):
            block["input"] = {}
    return block


def _chat(found: Iterable[Raw]) -> Raw | None:
    body: Raw = {}
    message: Raw = {"role": "assistant", "content": None}
    calls: dict[Any, Raw] = {}
    for event in found:
        body |= {name: event[name] for name in ("model", "usage", "id") if event.get(name)}
        delta = _first(event.get("choices")).get("delta")
        for name, value in (delta if isinstance(delta, dict) else {}).items():
            if name == "tool_calls":
                _extend_calls(calls, value)
            elif name != "role" and isinstance(value, str):
                message[name] = (message.get(name) or "") + value
    if calls:
        message["tool_calls"] = list(calls.values())
    return body | {"choices": [{"message": message}]} if calls or message.get("content") else None


def _extend_calls(calls: dict[Any, Raw], pieces: object) -> None:
    for piece in pieces if isinstance(pieces, list) else []:
        if not isinstance(piece, dict):
            continue
        index = piece.get("index")
        call = calls.setdefault(index if _is(index, int) else len(calls), {"type": "function", "function": {"name": "", "arguments": ""}})
        if isinstance(piece.get("id"), str):
            call["id"] = piece["id"]
        function = piece.get("function")
        for name in ("name", "arguments"):
            if isinstance(function, dict) and isinstance(function.get(name), str):
                call["function"][name] += function[name]


def _gemini(found: Iterable[Raw]) -> Raw | None:
    body: Raw = {}
    parts: list[Raw] = []
    for event in found:
        body |= event
        content = _first(event.get("candidates")).get("content")
        new = content.get("parts") if isinstance(content, dict) else None
        for part in new if isinstance(new, list) else []:
            if isinstance(part, dict):
                _add_part(parts, part)
    return body | {"candidates": [{"content": {"role": "model", "parts": parts}}]} if parts else None


def _add_part(parts: list[Raw], part: Raw) -> None:
    """Pieces of one text come as parts that hold nothing else."""
    last = parts[-1] if parts else {}
    if _is_text(part) and _is_text(last) and part.get("thought") == last.get("thought"):
        parts[-1] = last | {"text": last["text"] + part["text"]}
    else:
        parts.append(part)


def _is_text(part: Raw) -> bool:
    return isinstance(part.get("text"), str) and not part.keys() - {"text", "thought"} and _is(part.get("thought", False), bool)


def _first(value: object) -> Raw:
    first = value[0] if isinstance(value, list) and value else None
    return first if isinstance(first, dict) else {}


def _is(value: object, kind: type) -> bool:
    return type(value) is kind
