"""What is known about a tool by its name: which argument is a path, does it modify, may its result be cleared (D13, DESIGN 5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, get_args

from sostenuto.errors import UnknownSetting

Clear = Literal["first", "rederivable", "normal", "last", "never"]
"""When a result of the tool may be cleared, in the order of D13; ``never`` protects it for good.

All that qualifies goes in one step (D12), so only ``last`` makes a difference: such results stay if the others are enough.
"""


@dataclass(frozen=True, slots=True)
class Trait:
    """What one tool does.

    Attributes:
        clear: when its results may be cleared (D13).
        modifies: whether a successful call changes the paths it names.
        paths: names of the arguments that hold paths or addresses; None looks for the usual names (origin 7.1).
        command: names of the arguments that hold a shell command.
        reads: whether its result is the content of the file it names, so that a later read of the file replaces it.
        read_verbs: for tools with a verb argument, the verbs that only look (then `modifies` does not apply).
    """

    clear: Clear = "normal"
    modifies: bool = False
    paths: tuple[str, ...] | None = None
    command: tuple[str, ...] = ()
    reads: bool = False
    read_verbs: tuple[str, ...] = ()


UNKNOWN = Trait()
"""A tool nobody described: its paths are found by their usual names and count as inspected (origin 7.1)."""


def plain(name: str) -> str:
    """`name` without the prefix of its server or namespace, in lower case: ``mcp__files__Read_File`` is ``read_file``."""
    lowered = name.lower()
    return lowered.rpartition("__")[2].rpartition(".")[2].rpartition("/")[2] or lowered


@dataclass(frozen=True, slots=True)
class ToolPolicy:
    """A table from tool name to `Trait`, looked up without regard to case, first whole and then without its namespace."""

    tools: Mapping[str, Trait] = field(default_factory=dict)

    def trait(self, name: str) -> Trait:
        """The row for `name`; `UNKNOWN` when there is none."""
        found = self.tools.get(name.lower()) or self.tools.get(plain(name))
        return found or UNKNOWN

    def extended(self, rows: Mapping[str, Trait]) -> ToolPolicy:
        """This table with `rows` laid over it."""
        return ToolPolicy({**self.tools, **{name.lower(): row for name, row in rows.items()}})

    def hinted(self, tools: Iterable[Mapping[str, Any]]) -> ToolPolicy:
        """This table with the Model Context Protocol's ``readOnlyHint`` of `tools` for names that have no row.

        `tools` are definitions in any wire format; those without annotations change nothing.
        """
        rows: dict[str, Trait] = {}
        for tool in tools:
            inner = tool.get("function")
            definition = inner if isinstance(inner, Mapping) else tool
            name, notes = definition.get("name"), definition.get("annotations") or tool.get("annotations")
            if not isinstance(name, str) or not isinstance(notes, Mapping) or self.trait(name) is not UNKNOWN:
                continue
            hint = notes.get("readOnlyHint")
            if isinstance(hint, bool):
                rows[name] = Trait(clear="rederivable") if hint else Trait(modifies=True)
        return self.extended(rows) if rows else self

    def configured(self, rows: Mapping[str, Mapping[str, Any] | str]) -> ToolPolicy:
        """This table with rows as a person writes them: ``{"my_tool": "never"}`` or ``{"my_tool": {"modifies": True, "paths": ["out"]}}``.

        Raises:
            UnknownSetting: an unknown field or value; the text names it and what is allowed.
        """
        read = {name: _row(name, row, start=self.trait(name)) for name, row in rows.items()}
        return self.extended(read)


def _row(name: str, row: Mapping[str, Any] | str, *, start: Trait) -> Trait:
    given: object = {"clear": row} if isinstance(row, str) else row
    if not isinstance(given, Mapping):
        raise UnknownSetting(f"tool_policy[{name!r}]: {row!r} is neither one of {', '.join(get_args(Clear))} nor a mapping of fields")
    known = [f.name for f in fields(Trait)]
    changes: dict[str, Any] = {}
    for key, value in given.items():
        if key not in known:
            from difflib import get_close_matches

            near = get_close_matches(str(key), known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"use one of {', '.join(known)}"
            raise UnknownSetting(f"tool_policy[{name!r}]: unknown field {key!r}; {hint}")
        changes[key] = _value(f"tool_policy[{name!r}].{key}", key, value=value)
    return replace(start, **changes)


def _value(where: str, key: str, *, value: Any) -> Any:
    if key == "clear":
        if value not in get_args(Clear):
            raise UnknownSetting(f"{where}: {value!r} is not one of {', '.join(get_args(Clear))}")
        return value
    if key in ("modifies", "reads"):
        if not isinstance(value, bool):
            raise UnknownSetting(f"{where}: {value!r} is not true or false")
        return value
    names = (value,) if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not all(isinstance(n, str) for n in names):
        raise UnknownSetting(f"{where}: {value!r} is not an argument name or a list of them")
    return tuple(names)
