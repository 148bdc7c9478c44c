"""What the arguments of a call say: paths, command, lines of a file. Never raises; what cannot be read says nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from sostenuto.calls._policy import Trait

PATH_LIMIT = 400
"""Characters from which a value is taken for text, not for a path."""

_STRONG = frozenset(
    [
        "path",
        "source",
        "file_path",
        "filepath",
        "notebook_path",
        "filename",
        "file",
        "target_file",
        "absolute_path",
        "relative_path",
        "paths",
        "files",
        "file_paths",
        "source_path",
        "target_path",
        "destination_path",
        "directory_path",
    ]
)
_WEAK = frozenset(["target", "destination", "dir", "directory", "folder", "cwd", "workdir"])
"""Names that often hold something else ("JFK"): their value must look like a path."""

_PATCH_FILE = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): ([^\n]{1,399})$", re.M)
_CONTROL = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]")
_PATCH_START = "*** Begin Patch"
_SHELLS = frozenset(("bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh", "powershell", "pwsh", "cmd"))


def arguments(text: object) -> Mapping[str, Any]:
    """The arguments of a call as a mapping; empty when `text` is not a JSON object."""
    if not isinstance(text, str):
        return text if isinstance(text, Mapping) else {}
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        stripped = text.lstrip()
        return {"patch": text} if stripped.startswith(_PATCH_START) else {}
    if isinstance(read, str) and read.lstrip().startswith(_PATCH_START):
        return {"patch": read}
    return read if isinstance(read, dict) else {}


def paths(given: Mapping[str, Any], trait: Trait) -> tuple[str, ...]:
    """The path strings of a call exactly as it gave them, first seen first, without repeats."""
    found: dict[str, None] = {}
    for key, value in given.items():
        for path in _values(value):
            if _names_path(key, trait) or (_weak(key, trait) and _looks_like_path(path)):
                found[path] = None
    for path in _patched(given):
        found[path] = None
    return tuple(found)


def _names_path(key: str, trait: Trait) -> bool:
    if trait.paths is not None and key in trait.paths:
        return True
    lowered = key.lower()
    return lowered in _STRONG or lowered.endswith(("_path", "filepath", "_paths"))


def _weak(key: str, trait: Trait) -> bool:
    return trait.paths is None and key.lower() in _WEAK


def _looks_like_path(value: str) -> bool:
    return "/" in value or "\\" in value or (value.count(".") == 1 and " " not in value and not value.endswith("."))


def _values(value: object) -> Iterator[str]:
    if isinstance(value, str):
        if value.strip() and len(value) < PATH_LIMIT and not _CONTROL.search(value):
            yield value
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, str):
                yield from _values(item)
            elif isinstance(item, Mapping):
                yield from _values(item.get("path") or item.get("file_path"))


def _patched(given: Mapping[str, Any]) -> Iterator[str]:
    for value in (given.get("patch"), given.get("input"), given.get("command")):
        texts = value if isinstance(value, list) else [value]
        for text in texts:
            if isinstance(text, str) and _PATCH_START in text:
                yield from (path for m in _PATCH_FILE.finditer(text) for path in _values(m.group(1).rstrip("\r")))


def patches(given: Mapping[str, Any]) -> bool:
    """Whether a call carries a patch in its arguments (a shell that is asked to apply one)."""
    return any(True for _ in _patched(given))


def command(given: Mapping[str, Any], trait: Trait) -> str | None:
    """The shell command of a call, or None; a list form loses the shell that wraps it."""
    for key in trait.command:
        value = given.get(key)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            wrapped = len(value) >= 3 and value[0] in _SHELLS and value[1].startswith(("-", "/"))
            return value[-1] if wrapped else " ".join(value)
    return None


def _number(given: Mapping[str, Any], *keys: str) -> int | None:
    for key in keys:
        value = given.get(key)
        if isinstance(value, bool):
            continue
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
            return int(value)
        if isinstance(value, int | float) and -1 <= value < 10**9:
            return int(value)
    return None


def span(given: Mapping[str, Any]) -> tuple[int, int | None] | None:
    """First and last line a read asked for, last None for "to the end"; None when the call names no lines."""
    view = given.get("view_range") or given.get("line_range")
    if isinstance(view, list) and len(view) == 2 and all(isinstance(n, int) for n in view):
        return max(1, view[0]), None if view[1] < 0 else view[1]
    start = _number(given, "start_line", "line_start", "startLine", "offset", "line_number", "start")
    end = _number(given, "end_line", "line_end", "endLine", "end")
    limit = _number(given, "limit", "num_lines", "head", "max_lines")
    if start is None and end is None and limit is None:
        return None
    first = max(1, start or 1)
    if end is None or end < first:
        end = first + limit - 1 if limit is not None and limit > 0 else None
    return first, end
