"""What a result may lose without losing anything: echoes of the call, counts that can be counted, diagnostics (origin 10, phase 1)."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

_FILE = "totalEdits fullDiff wasTruncated"
_ECHOES: dict[str, str] = {
    "grep": "pattern recursive regex ignoreCase filePattern exclude excludeDir contextLines outputMode totalFound message backend",
    "read_file": "encoding",
    "edit_file": _FILE,
    "multi_edit": _FILE,
    "write_file": _FILE,
    "ls": "[].name",
    "find": "[].name",
    "read_pdf": "fileType totalLines pagesExtracted",
    "execute_command": "command success",
    "shell": "command success",
    "http_request": "request response.elapsedMs response.truncated",
    "web_search": "query provider timestamp totalResults results[].source",
}
"""Per tool the fields that go. ``a.b`` is a field of a field, ``a[].b`` a field of every item; all else stays."""


def shaped(value: Any, *, tool: str) -> Any:
    """`value` without what its tool only echoes; the same object where nothing goes. The tool's own value is never changed."""
    name = tool.rpartition("__")[2].removeprefix("execute_") if tool not in _ECHOES else tool
    if isinstance(value, Mapping) and "error" in value and isinstance(value.get("result"), Mapping):
        inner = shaped(value["result"], tool=tool)
        return value if inner is value["result"] else {**value, "result": inner}
    for path in _ECHOES.get(name, "").split():
        value = _without(value, path.replace("[]", ".[]").lstrip(".").split("."))
    if name == "read_pdf" and isinstance(value, Mapping) and value.get("content") and "tables" in value:
        return _without(value, ["tables"])
    return value


def _without(value: Any, path: list[str]) -> Any:
    """A copy of `value` without the field at the end of `path`; every level on the way is copied, nothing is changed in place."""
    step, rest = path[0], path[1:]
    if step == "[]":
        if not isinstance(value, list | tuple):
            return value
        items = [_without(item, rest) for item in value]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    if not isinstance(value, Mapping) or step not in value:
        return value
    if not rest:
        return {key: held for key, held in value.items() if key != step}
    inner = _without(value[step], rest)
    return value if inner is value[step] else {**value, step: inner}


def text_of(value: Any) -> str:
    """A result as text: a text as it is, nothing as nothing, anything else as JSON. Never raises."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    try:
        return json.dumps(value, ensure_ascii=False, default=_plain)
    except (TypeError, ValueError, RecursionError):
        return repr(value)


def _plain(value: Any) -> Any:
    """What JSON does not know, as something it does."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): held for key, held in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)
    if isinstance(value, bytes | bytearray):
        return bytes(value).decode("utf-8", "replace")
    return str(value)
