"""The note that keeps a model from doing again what the kept messages show as done (origin 7.1). No model is asked."""

from __future__ import annotations

from collections.abc import Iterable

from sostenuto.calls import DEFAULT, Facts, ToolPolicy, facts
from sostenuto.checkpoint._items import one_line
from sostenuto.checkpoint._numbers import NUMBERS
from sostenuto.checkpoint._redaction import redacted
from sostenuto.checkpoint._wording import PROGRESS
from sostenuto.messages import Call, Unit


def progress(units: Iterable[Unit], *, policy: ToolPolicy = DEFAULT) -> str:
    """Files read, files modified, commands run and the last action of `units`; "" without a path-bearing success and without a command."""
    done = [(slot.call_part, facts(slot.call_part, slot.result_part, policy=policy)) for unit in units for slot in unit.slots]
    read, modified = _paths(done, wrote=False), _paths(done, wrote=True)
    commands = dict.fromkeys(one_line(redacted(did.command), NUMBERS.progress_text) for _, did in done if did.command is not None)
    if not (read or modified or commands):
        return ""
    lines = [PROGRESS + ":"]
    lines += [f"Files read: {_short(list(read))}"] if read else []
    lines += [f"Files modified: {_short(list(modified))}"] if modified else []
    lines += [f"Commands run: {_short(list(commands))}"] if commands else []
    return "\n".join([*lines, f"Last action: {_action(done[-1][0])}]"])


def _paths(done: list[tuple[Call, Facts]], *, wrote: bool) -> dict[str, None]:
    return {path: None for _, did in done if did.succeeded and did.modifies is wrote for path in did.paths}


def _short(items: list[str]) -> str:
    shown = ", ".join(items[: NUMBERS.progress_items])
    hidden = len(items) - NUMBERS.progress_items
    return f"{shown}, +{hidden} more" if hidden > 0 else shown


def _action(call: Call) -> str:
    return f"{call.name}({one_line(redacted(call.arguments), NUMBERS.progress_text)})"
