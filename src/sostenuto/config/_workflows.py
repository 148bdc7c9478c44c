"""Workflows: a task in Markdown, with a few settings in front of it (beyond-a-run)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from sostenuto.config._layers import Layer
from sostenuto.config._reading import fault_of
from sostenuto.config._table import KEYS
from sostenuto.errors import UnknownSetting, UnusableInput, reason

FOLDER = "workflows"
FILE = "WORKFLOW.md"
LARGEST = 1_000_000
"""Bytes of a workflow; no task is longer."""
_FENCE = "---"
_FACTS = ("name", "description", "agent")
_QUOTED = re.compile(r"""(?:'((?:[^']|'')*)'|("(?:[^"\\]|\\.)*"))(?:[ \t]+#.*)?""")
_COMMENT = re.compile(r"(?:^|[ \t])#.*")
_ENTRY = re.compile(r"([A-Za-z][A-Za-z0-9_.-]*)[ \t]*:(?:[ \t]+(.*))?")


@dataclass(frozen=True, slots=True)
class Workflow:
    """A task that is kept. `task` is the body of the file, byte for byte; `settings` are those in front of it."""

    name: str
    task: str
    path: Path
    description: str = ""
    agent: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def layer(self) -> Layer:
        """Its settings as a source."""
        return Layer(f"workflow {self.name}", self.settings)


def workflow_file(named: str, /, *, project: Path, home: Path) -> Path:
    """Where a workflow is: a file that was named, else ``workflows/<name>/`` of the project or of the data home.

    Raises:
        UnknownSetting: there is none; the nearest is named.
    """
    if named.endswith(".md") or "/" in named or "\\" in named:
        path = Path(named).expanduser()
        if path.is_dir():
            return _in_folder(path)
        if not path.is_file():
            raise UnknownSetting(f"workflow {named}: no such file; name a Markdown file, or a workflow in {FOLDER}/")
        return path
    folders = [base / FOLDER for base in (project, home)]
    for folder in folders:
        if named and named not in (".", "..") and (folder / named).is_dir():
            return _in_folder(folder / named)
    there = sorted({path.name for folder in folders if folder.is_dir() for path in folder.iterdir() if path.is_dir()})
    near = get_close_matches(named, there, n=1)
    known = f"there are {', '.join(there)}" if there else f"write one into {folders[0]}/{named}/{FILE}"
    hint = f"did you mean {near[0]!r}?" if near else known
    raise UnknownSetting(f"there is no workflow {named!r}; {hint}")


def _in_folder(folder: Path) -> Path:
    if (folder / FILE).is_file():
        return folder / FILE
    found = sorted(folder.glob("*.md"))
    if len(found) != 1:
        how = "holds no Markdown file" if not found else f"holds {len(found)} Markdown files"
        raise UnusableInput(f"{folder}: {how}; call the workflow's file {FILE}")
    return found[0]


def read_workflow(path: Path, /) -> Workflow:
    """A workflow from its file.

    Raises:
        UnusableInput: it cannot be read, a line in front is not understood, or there is no task.
    """
    try:
        if path.stat().st_size > LARGEST:
            raise UnusableInput(f"{path}: larger than {LARGEST:,} bytes; a workflow is a task, put data into files it names")
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise UnusableInput(f"{path}: not UTF-8; save it as UTF-8") from None
    except OSError as error:
        raise UnusableInput(f"{path}: cannot be read ({reason(error)}); check the path and the permissions") from None
    lines, task = _parted(text, path)
    facts, settings = _entries(lines, path)
    if not task.strip():
        raise UnusableInput(f"{path}: holds no task; write it below the second {_FENCE}")
    name = facts.get("name") or (path.parent.name if path.name == FILE else path.stem)
    return Workflow(name, task, path, facts.get("description", ""), facts.get("agent", ""), settings)


def _parted(text: str, path: Path) -> tuple[list[tuple[int, str]], str]:
    """The numbered lines in front, and the body as it stands; a file without them is all body."""
    head, *rest = text.removeprefix("\ufeff").splitlines(keepends=True) or [""]
    if head.rstrip() != _FENCE:
        return [], text
    for number, line in enumerate(rest, start=2):
        if line.rstrip() == _FENCE:
            return [(place, one.rstrip("\r\n")) for place, one in enumerate(rest[: number - 2], start=2)], "".join(rest[number - 1 :])
    raise UnusableInput(f"{path} line 1: the settings in front are never closed; put a line {_FENCE} below them")


def _entries(lines: list[tuple[int, str]], path: Path) -> tuple[dict[str, str], dict[str, Any]]:
    facts: dict[str, str] = {}
    settings: dict[str, Any] = {}
    for number, line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found = _ENTRY.fullmatch(line.rstrip())
        if found is None:
            raise UnusableInput(f"{path} line {number}: not understood; write one `key: value` on a line")
        key, value = found.group(1), _scalar(found.group(2) or "")
        if key in facts or key in settings:
            raise UnusableInput(f"{path} line {number}: {key} stands there twice; keep one of them")
        if key in _FACTS:
            facts[key] = value if isinstance(value, str) else str(value if value is not None else "")
            continue
        fault = _unknown(key) or fault_of(key, value, place="workflow")
        if fault:
            raise UnusableInput(f"{path} line {number}: {fault}")
        if value is not None:
            settings[key] = value
    return facts, settings


def _unknown(key: str) -> str:
    names = [*_FACTS, *(name for name, known in KEYS.items() if "workflow" in known.places)]
    if key in names or key in KEYS:
        return ""
    folded = {name.casefold(): name for name in names}
    near = get_close_matches(key.replace("-", "").replace("_", "").casefold(), folded, n=1)
    hint = f"did you mean {folded[near[0]]!r}?" if near else f"there are {', '.join(names)}"
    return f"unknown key {key!r}, {hint}"


def _scalar(text: str) -> Any:
    """One value as front matter writes it: a number, true, false, null, a quoted text, else the text itself; a comment is left out."""
    quoted = _QUOTED.fullmatch(text.strip())
    if quoted is not None and quoted.group(1) is not None:
        return quoted.group(1).replace("''", "'")
    plain = quoted.group(2) if quoted is not None else _COMMENT.sub("", text).strip()
    try:
        value = json.loads(plain)
    except (ValueError, RecursionError):
        return plain if plain not in ("", "~") else None
    return plain if isinstance(value, dict | list) else value
