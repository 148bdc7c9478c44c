"""A recorded session as plain chat, which every strategy can be fed: role and text, calls, answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sostenuto.app._wires import CODECS
from sostenuto.engine import translated
from sostenuto.errors import UnusableInput
from sostenuto.judging import Session, session_of
from sostenuto.messages import Call, Media, Message, Opaque, Result, Text
from sostenuto.recordings.opening import open_recording

Raw = dict[str, Any]


def recorded_session(
    path: Path, *, format: str = "auto", name: str = "", pins: Sequence[str] = (), skip_broken_lines: bool = False
) -> Session:
    """The session recorded in `path` as plain chat. Reasoning is left out and a picture is a word, for everybody alike.

    Raises:
        UnusableInput: as `open_recording`, or where the file holds no reply, so that there is no request to judge.
    """
    recording = open_recording(path, format=format, skip_broken_lines=skip_broken_lines)
    source, target = CODECS[recording.format], CODECS["openai_chat"]
    body = translated(recording.messages, source=source, target=target, system=recording.system).body
    found = session_of(name or path.name, plain(body["messages"]), pins=pins)
    if not found.requests:
        raise UnusableInput(f"{path}: no recorded reply, so there is no request to judge; name a recording with assistant messages")
    return found


def plain(messages: Sequence[Mapping[str, Any]]) -> list[Raw]:
    """OpenAI chat messages reduced to what every library has a place for; a message without words or calls is left out."""
    decode = CODECS["openai_chat"].decode
    return [found for raw in messages if (found := _plain(decode(dict(raw)))) is not None]


def _plain(message: Message) -> Raw | None:
    text = "\n".join(_words(part) for part in message.parts if isinstance(part, Text | Media | Opaque))
    for part in message.parts:
        if isinstance(part, Result):
            return {"role": "tool", "tool_call_id": part.call_id, "content": part.text or "(nothing)"}
    calls = [
        {"id": part.id, "type": "function", "function": {"name": part.name, "arguments": part.arguments}}
        for part in message.parts
        if isinstance(part, Call)
    ]
    if not calls and not text.strip():
        return None
    return {"role": message.role, "content": text, **({"tool_calls": calls} if calls else {})}


def _words(part: Text | Media | Opaque) -> str:
    return f"[{part.kind}]" if isinstance(part, Media) else part.text
