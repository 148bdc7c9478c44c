"""write_file: a file, whole."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sostenuto.errors import ToolFailed
from sostenuto.tools._files import Written, assessed_path, put_text, touched_path
from sostenuto.tools._paths import allowed_place, shown_path
from sostenuto.tools._tool import Context, Tool


def write_file(root: Path) -> Tool:
    """The tool, for files relative to `root`."""

    def run(arguments: Mapping[str, Any], context: Context, /) -> str:
        place = allowed_place(arguments["path"], root=root, granted=context.granted)
        shown = shown_path(place.real, root=root)
        if place.real.exists() and not place.real.is_file():
            raise ToolFailed(f"{shown} is there and is no file; choose another name")
        done = "Overwrote" if place.real.exists() else "Created"
        put_text(place, arguments["content"], root=root, how=Written())
        lines = len(arguments["content"].splitlines())
        return f"{done} {shown}: {lines:,} line{'' if lines == 1 else 's'}."

    return Tool(
        "write_file",
        "Write a text file whole, as UTF-8; one that is there is replaced, missing folders are made. "
        "To change part of a file, use edit_file.",
        {
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "relative to the working directory"},
                "content": {"type": "string", "description": "everything the file shall hold"},
            },
            "required": ["path", "content"],
            "additionalProperties": False,
        },
        run,
        risk="low-risk",
        assess=lambda arguments: assessed_path(arguments, root=root, risk="low-risk"),
        touched=lambda arguments: touched_path(arguments, root=root, writes=True),
    )
