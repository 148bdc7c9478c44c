"""manage_scratchpad: long drafts of the agent, kept across conversations until they are deleted (issue Work)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sostenuto.errors import ToolFailed, UnusableInput
from sostenuto.protocols import Drafts
from sostenuto.results import PAGE_CHARACTERS, page
from sostenuto.tools._tool import Context, Output, Tool, Touched

_PAD = frozenset(["the scratchpad"])
_NEEDS = {"list": (), "read": ("draft",), "write": ("draft", "content"), "append": ("draft", "content"), "delete": ("draft",)}
"""Action -> the arguments it cannot do without."""


def manage_scratchpad(drafts: Drafts) -> Tool:
    """The tool: one for all that can be done with drafts."""

    def run(arguments: Mapping[str, Any], context: Context, /) -> str | Output:
        action = arguments["action"]
        lacking = [name for name in _NEEDS[action] if name not in arguments]
        if lacking:
            raise ToolFailed(f"{action} needs {' and '.join(lacking)}; nothing was done")
        try:
            return _done(drafts, action, arguments, context)
        except UnusableInput as error:
            raise ToolFailed(str(error)) from None

    return Tool(
        "manage_scratchpad",
        "Long drafts of yours, outside of the project: outlines, notes, parts of a report. They stay across conversations until deleted, "
        "and agents you hand work to share them. list; read (long ones in pages: offset); write replaces, append adds to the end; delete.",
        {
            "type": "object",
            "properties": {
                "action": {"enum": list(_NEEDS)},
                "draft": {"type": "string", "description": "its path in the scratchpad, such as report/outline.md; no file of the project"},
                "content": {"type": "string", "description": "for write and append"},
                "offset": {"type": "integer", "minimum": 0, "description": "for read: the character to go on from"},
            },
            "required": ["action"],
            "additionalProperties": False,
        },
        run,
        risk="read-only",
        touched=lambda arguments: Touched(reads=_PAD) if arguments.get("action") in ("list", "read") else Touched(writes=_PAD),
    )


def _done(drafts: Drafts, action: str, arguments: Mapping[str, Any], context: Context) -> str | Output:
    path = arguments.get("draft", "").strip()  # not called path: the ledger of a conversation lists paths as files of the project
    match action:
        case "list":
            return _listed(drafts)
        case "read":
            return _read(drafts.read(path), path=path, offset=arguments.get("offset", 0), context=context)
        case "delete":
            drafts.delete(path)
            return f"Deleted {path}."
        case _:
            size = drafts.write(path, arguments["content"], append=action == "append")
            return f"{'Appended to' if action == 'append' else 'Wrote'} {path}: {size:,} bytes now."


def _listed(drafts: Drafts) -> str:
    found = drafts.listed()
    if not found:
        return "There are no drafts."
    total = sum(size for _, size in found)
    lines = [f"{path} ({size:,} bytes)" for path, size in found]
    return "\n".join([f"{len(found):,} draft{'' if len(found) == 1 else 's'}, {total:,} bytes together:", *lines])


def _read(text: str, *, path: str, offset: int, context: Context) -> Output:
    found = page(text, offset=offset, longest=lambda piece: context.sizing.longest(piece, PAGE_CHARACTERS))
    if found is None:
        raise ToolFailed(f"offset {offset:,} is past the end: {path} has {len(text):,} characters")
    return Output(found.text or f"[{path} is empty]", paged=True, footer=found.footer)
