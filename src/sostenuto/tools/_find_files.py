"""find_files: files by the pattern of their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from sostenuto.errors import ToolFailed
from sostenuto.tools._files import assessed_path, source_of
from sostenuto.tools._list_files import PASSED_OVER, folder_at
from sostenuto.tools._paths import allowed_place, walked
from sostenuto.tools._tool import EVERYTHING, Context, Output, Tool, Touched

MOST_FOUND = 500
"""Paths one answer lists; the others are counted."""
_DEEPEST = 100
_LONGEST_PATTERN = 500


def find_files(root: Path) -> Tool:
    """The tool, for folders relative to `root`."""

    def run(arguments: Mapping[str, Any], context: Context, /) -> Output:
        place = allowed_place(arguments.get("path", "."), root=root, granted=context.granted)
        top, pattern = folder_at(place, root=root), arguments["pattern"]
        if not pattern.strip("/ ") or len(pattern) > _LONGEST_PATTERN:
            raise ToolFailed("pattern must hold 1 to 500 characters, such as *.py or src/**/test_*.py")
        wanted = pattern.strip("/").split("/")
        wanted = wanted if len(wanted) > 1 else ["**", *wanted]
        found: list[str] = []
        total = 0
        for folder, entries in walked(top, deepest=_DEEPEST, ignored=PASSED_OVER):
            above = folder.relative_to(top).parts
            for entry in entries:
                if not entry.is_dir(follow_symlinks=False) and matches([*above, entry.name], wanted):
                    total += 1
                    found += [(folder / entry.name).relative_to(top).as_posix()] if total <= MOST_FOUND else []
            if context.stopped.is_set():
                break
        return Output(_told(sorted(found), total, pattern), provenance=source_of(place))

    return Tool(
        "find_files",
        "Find files by name: * and ? stand for letters within a name, [ab] for one of them, ** for any folders. A pattern without / is "
        "looked for at every depth. Paths in the answer are relative to path.",
        {
            "type": "object",
            "properties": {
                "pattern": {"type": "string", "description": "such as *.py or src/**/test_*.py"},
                "path": {"type": "string", "description": "folder to look in, relative to the working directory", "default": "."},
            },
            "required": ["pattern"],
            "additionalProperties": False,
        },
        run,
        risk="read-only",
        assess=lambda arguments: assessed_path(arguments, root=root, risk="read-only", default="."),
        repeatable=True,
        touched=lambda _: Touched(reads=frozenset([EVERYTHING])),
    )


def _told(found: list[str], total: int, pattern: str) -> str:
    if not found:
        return f"No file matches {pattern!r}."
    more = f"\n[{total - len(found):,} more; use a narrower pattern or a folder below]" if total > len(found) else ""
    return "\n".join(found) + more


def matches(names: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether the names of a path, folders first, fit a pattern's, in which ``**`` stands for any number of folders, also none."""
    at = step = 0
    star, resume = -1, 0
    while at < len(names):
        if step < len(wanted) and wanted[step] == "**":
            star, resume, step = step, at, step + 1
        elif step < len(wanted) and fnmatchcase(names[at], wanted[step]):
            at, step = at + 1, step + 1
        elif star >= 0:
            resume += 1
            at, step = resume, star + 1
        else:
            return False
    return all(rest == "**" for rest in wanted[step:])
