"""The pieces of a native message: what is said in it, by whom, and which files its calls name.

Works on the wire's own objects, not on decoded ones, so that the figures judge what would really be sent.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

PieceKind = Literal["text", "call", "result", "thinking", "other"]

PATH_ARGUMENTS = ("file_path", "path", "notebook_path", "filename")
"""Arguments in which the common coding tools name a file."""
MODIFYING_TOOLS = frozenset(
    {
        "apply_patch",
        "create",
        "edit",
        "edit_file",
        "multiedit",
        "notebookedit",
        "replace",
        "str_replace",
        "str_replace_based_edit_tool",
        "str_replace_editor",
        "write",
        "write_file",
    }
)
LONGEST_PATH = 400
"""Characters; anything longer in a path argument is content, not a path."""


class Piece(NamedTuple):
    """One piece of a message. `name` and `arguments` (JSON text or an object) only for a call."""

    role: str
    kind: PieceKind
    text: str
    name: str = ""
    arguments: object = None


def dumped(value: object) -> str:
    """`value` as JSON text with sorted keys; never raises."""
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=repr)
    except (TypeError, ValueError, RecursionError):
        return repr(value)


MESSAGES = ("messages", "input", "contents")
"""Where the wires hold their messages in a request."""
INSTRUCTIONS = ("system", "instructions", "system_instruction", "systemInstruction")
"""Where the wires hold what stands apart from the messages."""


def items(body: Mapping[str, object]) -> list[object]:
    """The messages of a request body in order, its separate system text (if any) as a first message."""
    listed: list[object] = []
    for name in MESSAGES:
        messages = body.get(name)
        listed += messages if isinstance(messages, (list, tuple)) else []
    system = next((body[name] for name in INSTRUCTIONS if body.get(name)), None)
    if not system:
        return listed
    return [_gemini_system(system) if "contents" in body else {"role": "system", "content": system}, *listed]


def _gemini_system(system: object) -> object:
    parts = system.get("parts") if isinstance(system, Mapping) else [{"text": system}] if isinstance(system, str) else system
    return {"role": "system", "parts": parts}


def pieces(message: object) -> Iterator[Piece]:
    """The pieces of one message or item of any wire; odd content becomes ``other``."""
    if not isinstance(message, Mapping):
        yield Piece("", "other", dumped(message))
    elif "parts" in message:
        yield from _gemini(message)
    elif "role" in message:
        yield from _message(message)
    else:
        yield _item(message)


def _message(message: Mapping[str, object]) -> Iterator[Piece]:
    role = {"developer": "system"}.get(str(message.get("role")), str(message.get("role")))
    content = message.get("content")
    if isinstance(content, str):
        yield Piece(role, "result" if role == "tool" else "text", content)
    elif isinstance(content, (list, tuple)):
        for block in content:
            yield _block(role, block)
    reasoning = message.get("reasoning_content")
    if isinstance(reasoning, str) and reasoning:
        yield Piece(role, "thinking", reasoning)
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, (list, tuple)) else ():
        yield _openai_call(role, call)


def _gemini(content: Mapping[str, object]) -> Iterator[Piece]:
    role = {"model": "assistant"}.get(str(content.get("role") or "user"), str(content.get("role") or "user"))
    parts = content.get("parts")
    for part in parts if isinstance(parts, (list, tuple)) else ():
        if not isinstance(part, Mapping):
            yield Piece(role, "other", dumped(part))
            continue
        call = part.get("functionCall") or part.get("function_call")
        answer = part.get("functionResponse") or part.get("function_response")
        if isinstance(call, Mapping):
            yield Piece(role, "call", dumped(call.get("args")), _string(call.get("name")), call.get("args"))
        elif isinstance(answer, Mapping):
            yield Piece("tool", "result", dumped(answer.get("response")))
        elif "text" in part:
            yield Piece(role, "thinking" if part.get("thought") is True else "text", _string(part.get("text")))
        else:
            yield Piece(role, "other", "")


def _item(item: Mapping[str, object]) -> Piece:
    """An item of the Responses wire that is no message."""
    kind = _string(item.get("type"))
    if kind == "reasoning":
        summary = item.get("summary")
        said = [_string(one.get("text")) for one in summary if isinstance(one, Mapping)] if isinstance(summary, list) else []
        return Piece("assistant", "thinking", "\n".join(said))
    if kind.endswith("_output"):
        output = item.get("output")
        return Piece("tool", "result", _result_text(output) if isinstance(output, str | list) else dumped(output))
    if kind.endswith("_call"):
        arguments = next((item[name] for name in ("arguments", "input", "action") if item.get(name) is not None), None)
        text = arguments if isinstance(arguments, str) else dumped(arguments)
        return Piece("assistant", "call", text, _string(item.get("name")) or kind, arguments)
    return Piece("", "other", dumped(item))


def texts(message: object) -> str:
    """Everything readable in one message, pieces joined by newlines."""
    return "\n".join(piece.text for piece in pieces(message))


def user_texts(messages: Iterable[object]) -> list[str]:
    """What the user's role said in words, in order; blank texts and tool results are not among them."""
    found = (piece for message in messages for piece in pieces(message))
    return [piece.text for piece in found if piece.role == "user" and piece.kind == "text" and piece.text.strip()]


def file_paths(messages: Iterable[object]) -> tuple[list[str], list[str]]:
    """Paths named by calls, as (read, modified), each in order of first mention and exactly as the call gave them."""
    read: dict[str, None] = {}
    modified: dict[str, None] = {}
    for message in messages:
        for piece in pieces(message):
            if piece.kind == "call":
                target = modified if piece.name.lower() in MODIFYING_TOOLS else read
                target.update(dict.fromkeys(_paths(piece.arguments)))
    return list(read), list(modified)


def _block(role: str, block: object) -> Piece:
    if not isinstance(block, Mapping):
        return Piece(role, "other", dumped(block))
    kind = block.get("type")
    if kind in ("text", "input_text", "output_text"):
        return Piece(role, "result" if role == "tool" else "text", _string(block.get("text")))
    if kind == "tool_use":
        return Piece(role, "call", dumped(block.get("input")), _string(block.get("name")), block.get("input"))
    if kind == "tool_result":
        return Piece("tool", "result", _result_text(block.get("content")))
    if kind in ("thinking", "redacted_thinking", "reasoning"):
        return Piece(role, "thinking", _string(block.get("thinking")) or _string(block.get("data")))
    return Piece(role, "other", "")


def _result_text(content: object) -> str:
    if isinstance(content, (list, tuple)):
        return "\n".join(_string(block.get("text")) for block in content if isinstance(block, Mapping))
    return _string(content)


def _openai_call(role: str, call: object) -> Piece:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping):
        return Piece(role, "other", dumped(call))
    arguments = function.get("arguments")
    return Piece(role, "call", arguments if isinstance(arguments, str) else dumped(arguments), _string(function.get("name")), arguments)


def _paths(arguments: object) -> Iterator[str]:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return
    if isinstance(arguments, Mapping):
        for name in PATH_ARGUMENTS:
            value = arguments.get(name)
            if isinstance(value, str) and "/" in value and len(value) < LONGEST_PATH:
                yield value


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
