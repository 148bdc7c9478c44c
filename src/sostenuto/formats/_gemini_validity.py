"""What the Gemini endpoint refuses (D57): order of roles, calls and responses that do not match, missing thought signatures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sostenuto.formats._blocks import fields
from sostenuto.formats._gemini_fields import held, inner, signature
from sostenuto.formats._gemini_parts import content, kind, listed
from sostenuto.formats._text import word

Block = dict[str, Any]

_ROLES = ("user", "model", "function", "tool")


def problems(arguments: Mapping[str, Any]) -> list[str]:
    """Everything wrong with the ``contents`` of a request, one sentence each; empty when valid."""
    given = arguments.get("contents")
    contents = [content(raw) for raw in (given if isinstance(given, list | tuple) else (given,) if given else ())]
    if not contents:
        return ["there are no contents"]
    held_parts = [[_block(value) for value in listed(each)] for each in contents]
    found = [] if _role(contents[0]) == "user" else ["the first content is not the user's"]
    due = 0
    for at, (each, blocks) in enumerate(zip(contents, held_parts, strict=True)):
        found.extend(_shape(_role(each), blocks, at=at))
        given_back = _count(blocks, "functionResponse")
        if given_back != due:
            found.append(f"content {at} holds {given_back} responses, the one before it {due} calls")
        due = _count(blocks, "functionCall")
    if due:
        found.append(f"{due} calls at the end have no response")
    return [*found, *_unsigned(contents, held_parts)]


def _role(raw: Mapping[str, Any]) -> Any:
    role = raw.get("role")
    return "user" if role is None else role


def _block(value: Any) -> Block:
    return {"text": value} if isinstance(value, str) else fields(value) or {}


def _count(blocks: Sequence[Block], name: str) -> int:
    return sum(held(block, name) is not None for block in blocks)


def _shape(role: Any, blocks: Sequence[Block], *, at: int) -> Iterator[str]:
    if role not in _ROLES:
        yield f"content {at} has the unknown role {role!r}"
    if not blocks:
        yield f"content {at} is empty"
    if any(not kind(block) and not signature(block) for block in blocks):
        yield f"content {at} has a part that holds nothing"
    if role == "model" and _count(blocks, "functionResponse"):
        yield f"content {at} is the model's and holds a response"
    if role != "model" and _count(blocks, "functionCall"):
        yield f"content {at} is not the model's and holds a call"
    for block in blocks:
        call = inner(block, "functionCall") or {}
        if not isinstance(call.get("args"), Mapping | None):
            yield f"content {at} calls {word(call.get('name'))!r} with arguments that are no object"


def _unsigned(contents: Sequence[Block], held_parts: Sequence[Sequence[Block]]) -> Iterator[str]:
    """Where a model signs its thoughts, the first call of every step since the user last spoke must carry a signature.

    Models that do not sign send none at all; so one signature in the turn says that the others are missing.
    """
    start = 0
    for at, (each, blocks) in enumerate(zip(contents, held_parts, strict=True)):
        if _role(each) != "model" and not _count(blocks, "functionResponse"):
            start = at + 1
    steps: list[tuple[int, list[Block]]] = []
    for at in range(start, len(contents)):
        calls = [block for block in held_parts[at] if held(block, "functionCall") is not None]
        if _role(contents[at]) == "model" and calls:
            steps.append((at, calls))
    if any(signature(call) for _, calls in steps for call in calls):
        yield from (f"the first call of content {at} has lost its thought signature" for at, calls in steps if not signature(calls[0]))


__all__ = ["problems"]
