"""How a piece reads once it is clipped or cleared. The words are part of the bytes that are sent, so they never vary."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from sostenuto.ladder._numbers import NUMBERS
from sostenuto.messages import Call, Part, Result, Text
from sostenuto.tokens import Ruler


def how_to_read(key: str, *, named: str | None) -> str:
    """The half sentence that says how to get a piece back: by the tool that was handed over, else by running the tool again (D41)."""
    if named == "recall":
        return f'recall(key="{key}") returns it'
    if named:
        return f'{named}(tool_call_id="{key}") returns it'
    return "run the tool again if it is needed"


def cleared(result: Result, *, tool: str, key: str, tokens: int, named: str | None) -> Result:
    """The placeholder of a cleared result, the least a result can be: the tool's name, its size and the way back (origin 4.1)."""
    way = how_to_read(key, named=named)
    way = way if named else way.capitalize()
    return replace(result, text=f"[Result of {tool or 'a tool'} cleared to save space: about {tokens:,} tokens. {way}.]", media=())


def clipped_text(text: str, *, key: str, size: int, ruler: Ruler, named: str | None, what: str = "result") -> str:
    """Head and tail of a text, together about `size` tokens with the note between them; the text itself if that is not shorter."""
    if what != "result":
        named = named and "recall"  # the other tool returns results only
    longest = _note(key, left_out=10_000_000, named=named, what=what)
    room = max(NUMBERS.least_piece, size - ruler.text(longest) - NUMBERS.note_slack)
    front = room - room // 3
    if what == "message":  # a task is known by its beginning, also in a script that takes two tokens for a character
        front = min(room, max(front, ruler.text(text[: NUMBERS.told])))
    head, tail = ruler.clip(text, head=front, tail=room - front)
    if len(head) + len(tail) >= len(text):
        return text
    left_out = ruler.text(text) - ruler.text(head) - ruler.text(tail)
    note = _note(key, left_out=max(1, left_out), named=named, what=what)
    return f"{head}\n{note}\n{tail}"


def _note(key: str, *, left_out: int, named: str | None, what: str) -> str:
    if named:
        return f"[… about {left_out:,} tokens of this {what} left out here; {how_to_read(key, named=named)} whole …]"
    again = "run the tool again if they are needed" if what == "result" else f"kept under key {key}"
    return f"[… about {left_out:,} tokens of this {what} left out here; {again} …]"


def clipped(part: Part, *, key: str, size: int, ruler: Ruler, named: str | None) -> Part:
    """A result, user text or call cut to about `size` tokens; the same object if it is no longer than that."""
    if isinstance(part, Result):
        text = clipped_text(part.text, key=key, size=size, ruler=ruler, named=named)
        if text == part.text and part.media:  # only attachments go: nothing in the text would say so
            text = f"{text}\n[… attachments left out here; {how_to_read(key, named=named)} whole …]".lstrip()
        return part if text == part.text else replace(part, text=text, media=())
    if isinstance(part, Text):
        text = clipped_text(part.text, key=key, size=size, ruler=ruler, named=named, what="message")
        return part if text == part.text else replace(part, text=text)
    if isinstance(part, Call):
        return _clipped_call(part, key=key, size=size, ruler=ruler)
    return part


def _clipped_call(call: Call, *, key: str, size: int, ruler: Ruler) -> Call:
    """Arguments cut inside their JSON strings, so that they stay JSON and short values such as paths stay whole (D50)."""
    if call.free:
        text = clipped_text(call.arguments, key=key, size=size, ruler=ruler, named=None, what="call")
        return call if len(text) >= len(call.arguments) else replace(call, arguments=text)
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return call
    strings = _strings(arguments)
    if not strings:
        return call
    share = max(NUMBERS.string_least, size // strings)

    def cut(value: Any) -> Any:
        if isinstance(value, str):
            if ruler.text(value) <= share + NUMBERS.string_slack:
                return value
            head, tail = ruler.clip(value, head=share - share // 3, tail=share // 3)
            return value if len(head) + len(tail) >= len(value) else f"{head}[… left out, whole under key {key} …]{tail}"
        if isinstance(value, list):
            return [cut(item) for item in value]
        if isinstance(value, dict):
            return {name: cut(item) for name, item in value.items()}
        return value

    text = json.dumps(cut(arguments), ensure_ascii=False)
    return call if len(text) >= len(call.arguments) else replace(call, arguments=text)


def _strings(value: Any) -> int:
    if isinstance(value, str):
        return 1
    if isinstance(value, list):
        return sum(_strings(item) for item in value)
    if isinstance(value, dict):
        return sum(_strings(item) for item in value.values())
    return 0
