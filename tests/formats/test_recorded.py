"""Every message of the recorded sessions in these wires."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sostenuto.formats import anthropic, openai_chat
from sostenuto.messages import Call, Media, Opaque, Result, Text, Thinking

Raw = dict[str, Any]


def _claude_code(folder: Path) -> Iterator[Raw]:
    for name in ("entire-cli", "kimi-cli", "claude-reliability"):
        for file in sorted((folder / "transcripts" / name).glob("*.jsonl*")):
            text = gzip.decompress(file.read_bytes()).decode() if file.suffix == ".gz" else file.read_text(encoding="utf-8")
            for line in text.splitlines():
                message = json.loads(line).get("message") if line.strip() else None
                if isinstance(message, dict) and "role" in message:
                    yield message


def _chat(folder: Path) -> Iterator[Raw]:
    for file in sorted((folder / "transcripts" / "tau-bench").glob("*.json")):
        yield from json.loads(file.read_text(encoding="utf-8"))["traj"]
    for file in sorted((folder / "transcripts" / "openhands-sdk").glob("*.json")):
        held = json.loads(file.read_text(encoding="utf-8"))
        yield from held.get("messages") or ()
        yield from (choice["message"] for choice in (held.get("response") or {}).get("choices") or ())


def test_every_recorded_anthropic_message_decodes(shared: Path) -> None:
    """Each block of the recorded sessions is a part of its own class, in its place, and a copy without changes is equal."""
    classes = {"text": Text, "thinking": Thinking, "tool_use": Call, "tool_result": Result, "image": Media}
    seen = 0
    for raw in _claude_code(shared):
        parts = anthropic.CODEC.decode(raw).parts
        blocks = raw["content"] if isinstance(raw["content"], list) else [{"type": "text"}]
        assert [type(part) for part in parts] == [classes.get(block["type"], Opaque) for block in blocks if raw["content"]]
        assert anthropic.CODEC.rewrite(raw, {}) == raw
        seen += 1
    assert seen > 1000


def test_every_recorded_chat_message_decodes(shared: Path) -> None:
    """Each recorded chat message decodes to known parts, holds its calls, and a copy without changes is equal."""
    seen = 0
    for raw in _chat(shared):
        parts = openai_chat.CODEC.decode(raw).parts
        assert parts
        assert not any(isinstance(part, Opaque) for part in parts)
        assert sum(isinstance(part, Call) for part in parts) == len(raw.get("tool_calls") or ())
        assert openai_chat.CODEC.rewrite(raw, {}) == raw
        seen += 1
    assert seen > 50
