"""Small made-up recordings of each kind, written the way the programs write them."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Raw = dict[str, Any]

SHARED = Path(os.environ.get("SOSTENUTO_SHARED") or Path(__file__).resolve().parents[2].parent / "shared") / "transcripts"
KINDS = ("entire-cli", "kimi-cli", "claude-reliability", "pi-mono", "tau-bench", "openhands-sdk")


def shared_recordings(*folders: str) -> list[Path]:
    """The shared recordings of the five kinds; empty where the folder is absent."""
    found = [path for folder in folders or KINDS for path in sorted((SHARED / folder).glob("*")) if ".metadata" not in path.name]
    return [path for path in found if path.is_file()]


def jsonl(path: Path, records: Iterable[Any], *, zipped: bool = False) -> str:
    """Write JSON lines and return the path as text."""
    text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    path.write_bytes(gzip.compress(text.encode()) if zipped else text.encode())
    return str(path)


def document(path: Path, value: Any, *, indent: int | None = None) -> str:
    """Write one JSON document and return the path as text."""
    path.write_text(json.dumps(value, ensure_ascii=False, indent=indent), encoding="utf-8")
    return str(path)


def reply(name: str, message_id: str, *blocks: Raw, parent: str | None = None, usage: Raw | None = None, **fields: Any) -> Raw:
    """A Claude Code assistant record."""
    message: Raw = {"id": message_id, "role": "assistant", "type": "message", "model": "claude-opus-4-5", "content": list(blocks)}
    message["usage"] = usage or {
        "input_tokens": 10,
        "cache_read_input_tokens": 1_000,
        "cache_creation_input_tokens": 200,
        "output_tokens": 7,
    }
    return {"type": "assistant", "uuid": name, "parentUuid": parent, "sessionId": "s", "isSidechain": False, "message": message} | fields


def user(name: str, content: Any, *, parent: str | None = None, **fields: Any) -> Raw:
    """A Claude Code user record."""
    record = {"type": "user", "uuid": name, "parentUuid": parent, "sessionId": "s", "isSidechain": False}
    return record | {"message": {"role": "user", "content": content}} | fields


def text(value: str) -> Raw:
    return {"type": "text", "text": value}


def call(name: str, **arguments: Any) -> Raw:
    return {"type": "tool_use", "id": name, "name": "Read", "input": arguments}


def result(name: str, content: Any = "done") -> Raw:
    return {"type": "tool_result", "tool_use_id": name, "content": content}


def boundary(name: str, *, parent: str | None = None, **fields: Any) -> Raw:
    """The record Claude Code writes when it compacts."""
    return {"type": "system", "subtype": "compact_boundary", "uuid": name, "parentUuid": None, "logicalParentUuid": parent} | fields


def pi_message(**message: Any) -> Raw:
    """A pi record that holds a message."""
    return {"type": "message", "timestamp": "2025-11-20T23:33:01.550Z", "message": message}


def pi_reply(*blocks: Raw, **fields: Any) -> Raw:
    """A pi assistant record."""
    usage = {"input": 5, "output": 9, "cacheRead": 900, "cacheWrite": 95}
    message = {"role": "assistant", "content": list(blocks), "provider": "anthropic", "model": "claude-sonnet-4-5", "usage": usage}
    return pi_message(**(message | fields))
