"""list_files: what is in a folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sostenuto.errors import ToolFailed
from sostenuto.tools._files import assessed_path, source_of
from sostenuto.tools._paths import Place, allowed_place, shown_path, walked
from sostenuto.tools._tool import EVERYTHING, Context, Output, Tool, Touched

MOST_ENTRIES = 500
"""Entries one answer lists."""
PASSED_OVER = frozenset(
    [".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", ".mypy_cache", ".pytest_cache", ".ruff_cache"]
)
"""Folders that are listed but not looked into: what is in them is made by programs."""


def list_files(root: Path) -> Tool:
    """The tool, for folders relative to `root`."""

    def run(arguments: Mapping[str, Any], context: Context, /) -> Output:
        place = allowed_place(arguments.get("path", "."), root=root, granted=context.granted)
        folder_at(place, root=root)
        lines: list[str] = []
        for folder, entries in walked(place.real, deepest=arguments.get("depth", 1) - 1, ignored=PASSED_OVER):
            inside = folder.relative_to(place.real).as_posix()
            lines += [_line("" if inside == "." else f"{inside}/", entry) for entry in entries]
            if len(lines) > MOST_ENTRIES or context.stopped.is_set():
                break
        more = f"\n[the first {MOST_ENTRIES} entries; name a folder below for others]" if len(lines) > MOST_ENTRIES else ""
        text = "\n".join(lines[:MOST_ENTRIES]) + more
        return Output(text or f"[{shown_path(place.real, root=root)} is empty]", provenance=source_of(place))

    return Tool(
        "list_files",
        "List a folder: one entry a line, folders end in /, links show where they lead, files show their bytes. "
        f"With depth, folders below too, except {', '.join(sorted(PASSED_OVER)[:6])} and the like.",
        {
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "relative to the working directory", "default": "."},
                "depth": {"type": "integer", "minimum": 1, "maximum": 8, "description": "levels to list", "default": 1},
            },
            "required": [],
            "additionalProperties": False,
        },
        run,
        risk="read-only",
        assess=lambda arguments: assessed_path(arguments, root=root, risk="read-only", default="."),
        repeatable=True,
        touched=lambda _: Touched(reads=frozenset([EVERYTHING])),
    )


def folder_at(place: Place, *, root: Path) -> Path:
    """The folder a place is.

    Raises:
        ToolFailed: nothing is there, or it is no folder, or it may not be looked into.
    """
    shown = shown_path(place.real, root=root)
    if not place.real.is_dir():
        what = "is a file; read_file shows it" if place.real.exists() else "is not there; list_files of the folder above shows what is"
        raise ToolFailed(f"{shown} {what}")
    if not os.access(place.real, os.R_OK | os.X_OK):
        raise ToolFailed(f"{shown} may not be looked into (permission denied)")
    return place.real


def _line(above: str, entry: os.DirEntry[str]) -> str:
    name = above + entry.name.encode("utf-8", "replace").decode().replace("\n", "\\n")
    try:
        if entry.is_symlink():
            return f"{name} -> {os.readlink(entry.path)}"
        return f"{name}/" if entry.is_dir() else f"{name}  {entry.stat(follow_symlinks=False).st_size:,}"
    except OSError:
        return name
