"""What a person is shown before a call above the approval policy runs: all of it, and nothing in it can act on the terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import unified_diff
from typing import TYPE_CHECKING, Any, Final

from sostenuto.cli._harmless import visible

if TYPE_CHECKING:
    from sostenuto.tools import Ask

HEAD, TAIL = 14, 8
"""Lines of a long text that are shown at once: its first and its last ones; everything else on request."""
BAR: Final = "  | "
"""Before every line that a model wrote, so that none of them can pass for one of ours."""
_DIFFED = 200
"""Lines on either side up to which a difference is looked for; it takes the square of them."""
_WORDS = 2
"""Words of a command that make its beginning: the program, and what it is to do."""


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that is shown: what it is, and its lines."""

    name: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Always:
    """What "always in this run" covers. `words` is how the person is told; `key` decides whether another call is covered."""

    key: tuple[str, ...]
    words: str


def always(ask: Ask) -> Always:
    """The kind of a call: for the shell commands with the same beginning, or the very same one where it is no simple command; for
    other tools the tool and its risk."""
    tool, command = ask.call.tool, ask.call.arguments.get("command")
    if tool == "shell" and isinstance(command, str):
        beginning = ask.call.assessed.words[:_WORDS]
        if beginning:
            return Always((tool, "beginning", *beginning), f"commands that begin with: {visible(' '.join(beginning))}")
        return Always((tool, "same", command), "this very command")
    return Always((tool, ask.risk), f"{visible(tool)} where it is {ask.risk}")


def title(ask: Ask) -> str:
    """The line above: which tool, for whom, how dangerous it is, and why."""
    why = f": {visible(ask.call.assessed.why)}" if ask.call.assessed.why else ""
    who = " for a sub-agent" if ask.depth else ""
    return f"{visible(ask.call.tool)} asks to run{who} ({ask.risk}{why})"


def parts(ask: Ask, *, before: str | None, width: int) -> tuple[Part, ...]:
    """What is shown of a call: its arguments, and for edits of a file the difference they make.

    Args:
        before: what the file holds that is to be written; None where there is none, or it is not known.
        width: columns; longer lines are folded.
    """
    left = dict(ask.call.arguments)
    made: list[Part] = []
    if ask.call.tool == "write_file" and isinstance(left.get("content"), str):
        made.append(_changed("content", before, left.pop("content"), width=width))
    for number, edit in enumerate(_edits(left), start=1):
        made.append(_changed(f"change {number}", str(edit.get("old_text")), str(edit.get("new_text")), width=width))
    shown = [Part(visible(name), _lines(_text(value), width)) for name, value in left.items()]
    return (*shown, *made)


def short(part: Part) -> list[str]:
    """A part as it is shown at once: what is left out is counted, and the end is always there."""
    hidden = len(part.lines) - HEAD - TAIL
    size = f" ({len(part.lines):,} lines)" if len(part.lines) > 1 else ""
    if hidden <= 1:
        return [f"  {part.name}{size}", *(BAR + line for line in part.lines)]
    left_out = f"  ... {hidden:,} lines are not shown here (v shows all of them) ..."
    return [f"  {part.name}{size}", *(BAR + line for line in part.lines[:HEAD]), left_out, *(BAR + line for line in part.lines[-TAIL:])]


def whole(shown: tuple[Part, ...]) -> list[str]:
    """Every line of every part."""
    return [line for part in shown for line in (f"  {part.name}", *(BAR + one for one in part.lines))]


def is_long(shown: tuple[Part, ...]) -> bool:
    """Whether something is left out of what is shown at once."""
    return any(len(part.lines) - HEAD - TAIL > 1 for part in shown)


def _edits(arguments: dict[str, Any]) -> list[Mapping[str, Any]]:
    """The pieces that edit_file or multi_edit replace, taken out of the arguments; none where it is another tool."""
    if isinstance(arguments.get("old_text"), str) and isinstance(arguments.get("new_text"), str):
        return [{"old_text": arguments.pop("old_text"), "new_text": arguments.pop("new_text")}]
    edits = arguments.get("edits")
    if isinstance(edits, list) and edits and all(isinstance(edit, Mapping) and {"old_text", "new_text"} <= edit.keys() for edit in edits):
        extra = [edit for edit in edits if edit.get("replace_all")]
        arguments.pop("edits")
        if extra:
            arguments["replace_all"] = f"for {len(extra)} of {len(edits)} changes"
        return edits
    return []


def _changed(name: str, before: str | None, after: str, *, width: int) -> Part:
    """The difference between two texts; of long ones all that goes and all that comes."""
    if before is None:
        return Part(f"{name} of a new file", _lines(after, width))
    old, new = before.split("\n"), after.split("\n")
    if max(len(old), len(new)) <= _DIFFED:
        lines = list(unified_diff(old, new, lineterm="", n=2))[2:]  # without the names of the files, which are none
    else:
        lines = [*(f"-{line}" for line in old), *(f"+{line}" for line in new)]
    return Part(f"{name}, as a difference", tuple(piece for line in lines for piece in _folded(visible(line), width)) or ("(nothing)",))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)


def _lines(text: str, width: int) -> tuple[str, ...]:
    lines = text.removesuffix("\n").split("\n")  # the end of a line is not a line of its own
    return tuple(piece for line in lines for piece in _folded(visible(line), width))


def _folded(line: str, width: int) -> Iterator[str]:
    room = max(20, width - len(BAR) - 1)
    for start in range(0, max(1, len(line)), room):
        yield line[start : start + room]
