"""The demo's cast: tools that really read the installed package, and a scripted model that audits it with them.

Nothing is asked of any network; the script is the same on every run, what the tools answer is what is installed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Raw = dict[str, Any]

TASK = (
    "Audit the installed sostenuto package. List its files, read them, and check three things: numbers stand in one table of their "
    "room, every public function says what it raises, nothing below the engine does input or output. "
    "Keep this rule: REPORT ONLY WHAT YOU HAVE READ. Finish with one line for each room."
)
PATTERNS = ("raise ", "import os", r"def [a-z_]+\(", "TODO", r"\d{4,}", "open\\(")
"""What the audit searches for, one after the other."""
GREEDY, AT_ONCE = 7, 3
"""The request (from 0) after which several of the largest files are read at once, and how many."""
PAGE = 80
"""Lines of a file that are read unless all are asked for."""
MATCHES = 60
"""Lines a search answers with at most."""

TOOLS: list[Raw] = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {
                "type": "object",
                "properties": {field: {"type": "string"} for field in (argument, *optional)},
                "required": [argument],
            },
        },
    }
    for name, description, argument, optional in (
        ("list_files", "List the files below a folder of the package.", "path", ()),
        ("read_file", "Read the beginning of a file of the package, or all its lines.", "path", ("lines",)),
        ("grep", "Search all files of the package for a regular expression.", "pattern", ()),
    )
]


@dataclass(frozen=True, slots=True)
class Tools:
    """The tools, bound to a folder. A call never raises: what cannot be done is said in the answer."""

    root: Path

    def files(self) -> list[str]:
        """Every Python file below the folder, sorted."""
        return sorted(path.relative_to(self.root).as_posix() for path in self.root.rglob("*.py"))

    def largest(self, count: int) -> list[str]:
        """The `count` largest files, in order of their names."""
        by_size = sorted(self.files(), key=lambda name: (-(self.root / name).stat().st_size, name))
        return sorted(by_size[:count])

    def run(self, name: str, arguments: Mapping[str, str]) -> str:
        """The answer of one call."""
        known: dict[str, Callable[[Mapping[str, str]], str]] = {"list_files": self._list, "read_file": self._read, "grep": self._grep}
        return known[name](arguments) if name in known else f"no tool {name!r}"

    def _list(self, arguments: Mapping[str, str]) -> str:
        return "\n".join(f"{name}  {(self.root / name).stat().st_size} bytes" for name in self.files())

    def _read(self, arguments: Mapping[str, str]) -> str:
        if arguments.get("path") not in self.files():
            return f"no file {arguments.get('path')!r}"
        lines = (self.root / arguments["path"]).read_text(encoding="utf-8").splitlines()
        most = len(lines) if arguments.get("lines") == "all" else PAGE
        rest = [f"... {len(lines) - most} more lines"] if len(lines) > most else []
        return "\n".join([*(f"{number:4}  {line}" for number, line in enumerate(lines[:most], start=1)), *rest])

    def _grep(self, arguments: Mapping[str, str]) -> str:
        wanted = re.compile(arguments.get("pattern", ""))
        found: list[str] = []
        for name in self.files():
            lines = (self.root / name).read_text(encoding="utf-8").splitlines()
            found += [f"{name}:{number}: {line.strip()}" for number, line in enumerate(lines, start=1) if wanted.search(line)]
        return "\n".join(found[:MATCHES]) + (f"\n... {len(found) - MATCHES} more" if len(found) > MATCHES else "")


Step = list[tuple[str, Raw]]
"""The calls after one request: tool name and arguments."""


def script(files: list[str], *, cycles: int, largest: list[str]) -> Iterator[Step]:
    """What the model does, request by request: list once, then read file after file, now and then two at once or a search.

    Once it reads the `largest` files in one go, more than may enter the context whole.
    """
    yield [("list_files", {"path": "."})]
    reads = iter(_spread(files, wanted=2 * cycles))
    for cycle in range(1, cycles):
        if cycle == GREEDY:
            yield [("read_file", {"path": path, "lines": "all"}) for path in largest]
        elif cycle % 6 == 5:
            yield [("grep", {"pattern": PATTERNS[cycle // 6 % len(PATTERNS)]})]
        elif cycle % 4 == 2:
            yield [("read_file", {"path": next(reads)}), ("read_file", {"path": next(reads)})]
        else:
            yield [("read_file", {"path": next(reads)})]


def said(cycle: int, step: Step) -> Raw:
    """The model's answer to one request, in OpenAI chat format."""
    names = ", ".join(str(next(iter(arguments.values()))) for _, arguments in step)
    calls = [
        {"id": f"call_{cycle}_{index}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for index, (name, arguments) in enumerate(step)
    ]
    return {"role": "assistant", "content": f"Step {cycle + 1}: looking at {names}.", "tool_calls": calls}


def answered(message: Raw, answer: Callable[[Raw], str]) -> list[Raw]:
    """The tool messages that answer a message's calls."""
    return [{"role": "tool", "tool_call_id": call["id"], "content": answer(call)} for call in message["tool_calls"]]


def _spread(files: list[str], *, wanted: int) -> list[str]:
    """`wanted` files in order, starting again where there are fewer."""
    return [files[index % len(files)] for index in range(wanted)]
