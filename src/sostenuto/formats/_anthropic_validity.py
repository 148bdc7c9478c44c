"""What the Anthropic messages endpoint refuses (D57): order of roles, unanswered calls, repeated ids, blank texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sostenuto.formats._blocks import fields
from sostenuto.formats._text import word

_LEGAL = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_THOUGHT = ("thinking", "redacted_thinking")

Block = dict[str, Any]


def is_legal(call_id: str) -> bool:
    """Whether `call_id` matches ``[A-Za-z0-9_-]+``."""
    return bool(call_id) and _LEGAL.issuperset(call_id)


def problems(arguments: Mapping[str, Any]) -> list[str]:
    """Everything wrong with the ``messages`` of a request, one sentence each; empty when valid.

    Neighbours of one role are read as one message, as the endpoint reads them. ``turn n`` counts those.
    """
    messages = [fields(raw) or {} for raw in arguments.get("messages") or ()]
    if not messages:
        return ["there are no messages"]
    found = [*_roles(messages), *_ids(messages)]
    turns = _turns(messages)
    due: list[str] = []
    for at, (role, blocks) in enumerate(turns):
        found.extend(f"turn {at} holds a blank text" for block in blocks if block.get("type") == "text" and not _said(block))
        if role == "assistant":
            found.extend(_assistant(blocks, due, at=at))
            due = _named(blocks, "tool_use", "id")
        else:
            found.extend(_user(blocks, due, at=at))
            due = []
    if due:
        found.append(f"calls {due} at the end have no answer")
    if _thinking_on(arguments.get("thinking")):
        found.extend(_open_loop(turns))
    return found


def _roles(messages: Sequence[Block]) -> Iterator[str]:
    if messages[0].get("role") != "user":
        yield "the first message is not the user's"
    if messages[-1].get("role") == "assistant":
        yield "the last message is the assistant's"
    for at, message in enumerate(messages):
        if message.get("role") not in ("user", "assistant"):
            yield f"message {at} has the unknown role {message.get('role')!r}"
        elif not message.get("content"):
            yield f"message {at} is empty"


def _ids(messages: Sequence[Block]) -> Iterator[str]:
    counts = Counter(call_id for message in messages for call_id in _named(_blocks(message), "tool_use", "id"))
    for call_id, count in counts.items():
        if count > 1:
            yield f"the call id {call_id!r} is used {count} times"
        if not is_legal(call_id):
            yield f"the call id {call_id!r} has characters outside A-Z, a-z, 0-9, _ and -"


def _turns(messages: Sequence[Block]) -> list[tuple[str, list[Block]]]:
    turns: list[tuple[str, list[Block]]] = []
    for message in messages:
        role = message.get("role")
        if role not in ("user", "assistant"):
            continue
        if turns and turns[-1][0] == role:
            turns[-1][1].extend(_blocks(message))
        else:
            turns.append((role, _blocks(message)))
    return turns


def _blocks(message: Block) -> list[Block]:
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list | tuple):
        return []
    return [{"type": "text", "text": block} if isinstance(block, str) else fields(block) or {} for block in content]


def _said(block: Block) -> bool:
    text = block.get("text")
    return isinstance(text, str) and bool(text.strip())


def _named(blocks: Sequence[Block], kind: str, field: str) -> list[str]:
    return [word(block.get(field)) for block in blocks if block.get("type") == kind]


def _assistant(blocks: Sequence[Block], due: Sequence[str], *, at: int) -> Iterator[str]:
    if due:
        yield f"calls {list(due)} have no answer before turn {at}"
    if any(block.get("type") == "tool_result" for block in blocks):
        yield f"turn {at} is the assistant's and holds a tool result"


def _user(blocks: Sequence[Block], due: Sequence[str], *, at: int) -> Iterator[str]:
    given = Counter(_named(blocks, "tool_result", "tool_use_id"))
    asked = set(due)
    if any(block.get("type") == "tool_use" for block in blocks):
        yield f"turn {at} is the user's and holds a call"
    if missing := [call_id for call_id in due if call_id not in given]:
        yield f"turn {at} leaves the calls {missing} without an answer"
    if orphans := [call_id for call_id in given if call_id not in asked]:
        yield f"turn {at} answers {orphans}, which no call directly before it asked"
    if repeated := [call_id for call_id, count in given.items() if count > 1]:
        yield f"turn {at} answers {repeated} more than once"
    kinds = [block.get("type") == "tool_result" for block in blocks]
    if False in kinds and True in kinds[kinds.index(False) :]:
        yield f"turn {at} has a tool result after other content"


def _thinking_on(setting: Any) -> bool:
    return isinstance(setting, dict) and setting.get("type") == "enabled"


def _open_loop(turns: Sequence[tuple[str, list[Block]]]) -> Iterator[str]:
    """With thinking on, the assistant message whose results are being handed in must start with its thinking."""
    if len(turns) < 2 or not any(block.get("type") == "tool_result" for block in turns[-1][1]):
        return
    role, blocks = turns[-2]
    if role == "assistant" and blocks and blocks[0].get("type") not in _THOUGHT:
        yield "thinking is on and the last assistant message of the open tool loop does not start with thinking"
