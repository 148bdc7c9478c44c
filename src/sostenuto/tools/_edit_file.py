"""edit_file and multi_edit: exact pieces of a file replaced, all or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sostenuto.errors import ToolFailed
from sostenuto.tools._editing import Edit, around, edited
from sostenuto.tools._files import assessed_path, put_text, text_in, touched_path
from sostenuto.tools._paths import allowed_place, shown_path
from sostenuto.tools._tool import Context, Tool

_PATH = {"type": "string", "description": "relative to the working directory"}
_PIECES: dict[str, Any] = {
    "old_text": {"type": "string", "description": "the exact text to replace, white space included; it must be in the file once"},
    "new_text": {"type": "string", "description": "what stands there instead"},
    "replace_all": {"type": "boolean", "description": "replace every place that holds old_text", "default": False},
}


def edit_file(root: Path) -> Tool:
    """The tool for one edit, for files relative to `root`."""
    properties = {"path": _PATH, **_PIECES}
    told = "Replace an exact piece of a text file. The piece must be in the file exactly once, unless replace_all is set."
    return _tool("edit_file", told, root=root, properties=properties, required=["path", "old_text", "new_text"])


def multi_edit(root: Path) -> Tool:
    """The tool for several edits of one file: one that does not fit leaves the file as it was."""
    one = {"type": "object", "properties": _PIECES, "required": ["old_text", "new_text"], "additionalProperties": False}
    properties = {"path": _PATH, "edits": {"type": "array", "items": one, "minItems": 1, "maxItems": 100}}
    told = "Make several exact replacements in one text file, one after the other, each in what the one before left. All are made or none."
    return _tool("multi_edit", told, root=root, properties=properties, required=["path", "edits"])


def _tool(name: str, told: str, *, root: Path, properties: dict[str, Any], required: list[str]) -> Tool:
    def run(arguments: Mapping[str, Any], context: Context, /) -> str:
        return _run(arguments, context, root=root)

    return Tool(
        name,
        told,
        {"type": "object", "properties": properties, "required": required, "additionalProperties": False},
        run,
        risk="low-risk",
        assess=lambda arguments: assessed_path(arguments, root=root, risk="low-risk"),
        touched=lambda arguments: touched_path(arguments, root=root, writes=True),
    )


def _run(arguments: Mapping[str, Any], context: Context, *, root: Path) -> str:
    place = allowed_place(arguments["path"], root=root, granted=context.granted)
    name = shown_path(place.real, root=root)
    text, how = text_in(place, root=root)
    edits = arguments.get("edits", [arguments])
    made: list[str] = []
    total = 0
    for number, given in enumerate(edits, start=1):
        edit = Edit(given["old_text"], given["new_text"], given.get("replace_all", False))
        try:
            after = edited(text, edit, name=name)
        except ToolFailed as failed:
            raise ToolFailed(f"edit {number} of {len(edits)}: {failed}" if len(edits) > 1 else str(failed)) from None
        text, total = after.text, total + after.places
        made.append(around(text, after.line, lines=len(edit.new.splitlines())) if len(edits) == 1 else f"line {after.line}")
    put_text(place, text, root=root, how=how)
    shown = f"\n{made[0]}" if len(edits) == 1 else f" ({', '.join(made[:20])})"
    return f"Edited {name}: {total:,} replacement{'' if total == 1 else 's'}.{shown}"
