"""The same small conversation in every wire: what a user says, what a model answers, what it calls and is answered."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sostenuto.messages import Result, Text
from sostenuto.protocols import Raw
from tests.engine.conversing import CODECS

NAMES = ("read_file", "bash", "write_file")


def user(text: str, *, format: str) -> Raw:
    """Words of the user."""
    return {"role": "user", "parts": [{"text": text}]} if format == "gemini" else {"role": "user", "content": text}


def reply(text: str, *, format: str, thought: str = "") -> list[Raw]:
    """Words of the model, perhaps after reasoning."""
    if format == "gemini":
        led: list[Raw] = [{"text": thought, "thought": True}] if thought else []
        return [{"role": "model", "parts": [*led, {"text": text}]}]
    if format == "openai_responses" and thought:
        said = {"type": "message", "id": f"msg_{thought}", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
        return [reasoning(thought), said]
    if format == "anthropic" and thought:
        return [{"role": "assistant", "content": [sealed(thought), {"type": "text", "text": text}]}]
    return [{"role": "assistant", "content": text}]


def reasoning(mark: str) -> Raw:
    """A Responses item of sealed reasoning."""
    return {"type": "reasoning", "id": f"rs_{mark}", "summary": [], "encrypted_content": f"sealed {mark}"}


def sealed(mark: str) -> Raw:
    """An Anthropic block of signed thinking."""
    return {"type": "thinking", "thinking": f"About {mark}.", "signature": f"seal-{mark}"}


def cycle(ids: Sequence[str], texts: Sequence[str], *, format: str, thought: str = "", said: str = "", nameless: bool = False) -> list[Raw]:
    """Calls and their results; perhaps reasoning first and words of the user behind. `nameless`: on the Gemini wire without ids."""
    made = called(ids, format=format, thought=thought, nameless=nameless)
    return [*made, *answered(ids, texts, format=format, said=said, nameless=nameless)]


def called(ids: Sequence[str], *, format: str, thought: str = "", nameless: bool = False) -> list[Raw]:
    """The model's turn that calls one tool per id."""
    asked = [(one, NAMES[number % len(NAMES)], {"path": f"src/{one}.py"}) for number, one in enumerate(ids)]
    if format == "openai_chat":
        return [{"role": "assistant", "content": None, "tool_calls": [_chat_call(*each) for each in asked]}]
    if format == "anthropic":
        blocks = [{"type": "tool_use", "id": one, "name": name, "input": given} for one, name, given in asked]
        return [{"role": "assistant", "content": [*([sealed(thought)] if thought else []), *blocks]}]
    if format == "openai_responses":
        led = [reasoning(thought)] if thought else []
        return [
            *led,
            *(
                {"type": "function_call", "id": f"fc_{one}", "call_id": one, "name": name, "arguments": json.dumps(given)}
                for one, name, given in asked
            ),
        ]
    parts: list[Raw] = [{"functionCall": {**_named(one, nameless), "name": name, "args": given}} for one, name, given in asked]
    parts[0]["thoughtSignature"] = f"seal-{ids[0]}"
    return [{"role": "model", "parts": [*([{"text": f"About {thought}.", "thought": True}] if thought else []), *parts]}]


def answered(ids: Sequence[str], texts: Sequence[str], *, format: str, said: str = "", nameless: bool = False) -> list[Raw]:
    """The answers to `called`, perhaps with words of the user."""
    pairs = list(zip(ids, texts, strict=True))
    if format == "openai_chat":
        out: list[Raw] = [{"role": "tool", "tool_call_id": one, "content": text} for one, text in pairs]
        return [*out, user(said, format=format)] if said else out
    if format == "openai_responses":
        out = [{"type": "function_call_output", "call_id": one, "output": text} for one, text in pairs]
        return [*out, user(said, format=format)] if said else out
    if format == "anthropic":
        blocks: list[Raw] = [{"type": "tool_result", "tool_use_id": one, "content": text} for one, text in pairs]
        return [{"role": "user", "content": [*blocks, *([{"type": "text", "text": said}] if said else [])]}]
    parts: list[Raw] = [
        {"functionResponse": {**_named(one, nameless), "name": NAMES[number % len(NAMES)], "response": {"output": text}}}
        for number, (one, text) in enumerate(pairs)
    ]
    return [{"role": "user", "parts": [*parts, *([{"text": said}] if said else [])]}]


def reworded(raw: Raw, text: str, *, format: str) -> Raw | None:
    """The message with `text` in place of its first words or result; None where it has neither."""
    for index, part in enumerate(CODECS[format].decode(raw).parts):
        if isinstance(part, Text):
            return CODECS[format].rewrite(raw, {index: Text(text)})
        if isinstance(part, Result):
            return CODECS[format].rewrite(raw, {index: replace(part, text=text)})
    return None


def _chat_call(call_id: str, name: str, given: Any) -> Raw:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}


def _named(call_id: str, nameless: bool) -> Raw:
    return {} if nameless else {"id": call_id}
