"""What a call did, in one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sostenuto.calls import _arguments, _background, _outcome
from sostenuto.calls._policy import Clear, ToolPolicy, Trait, plain
from sostenuto.calls._table import DEFAULT
from sostenuto.messages import Call, Result


@dataclass(frozen=True, slots=True)
class Facts:
    """What a call did.

    Attributes:
        paths: the strings the call gave, exactly; no repeats.
        modifies: whether a success of this call changes those paths.
        command: the shell command, or None.
        exit_status: stated by the result; None when it states none.
        succeeded: false only on a flag or on structure; a missing result counts as success (origin 7.1).
        span: of a read of one path, first and last line asked for, last None for "to the end"; None for the whole file.
        running: id of work this call left running in the background.
        finished: id of background work this call shows as ended.
    """

    paths: tuple[str, ...] = ()
    modifies: bool = False
    command: str | None = None
    exit_status: int | None = None
    succeeded: bool = True
    span: tuple[int, int | None] | None = None
    running: str | None = None
    finished: str | None = None

    @property
    def line_range(self) -> str | None:
        """`span` in words (``12-80``, ``12-``), None for the whole file."""
        if self.span is None:
            return None
        first, last = self.span
        return f"{first}-" if last is None else f"{first}-{last}"


def facts(call: Call, result: Result | None, *, policy: ToolPolicy = DEFAULT) -> Facts:
    """What `call` did, given its `result` (None when nothing answered). Arguments that are not a JSON object say nothing; never raises."""
    trait, given = policy.trait(call.name), _arguments.arguments(call.arguments)
    text = result.text if result is not None else ""
    body = _outcome.structure(text)
    command = _arguments.command(given, trait)
    status = _outcome.exit_status(text, body) if trait.command else None
    found = _arguments.paths(given, trait)
    looks = _looks(given, trait)
    reads = (trait.reads or looks) and len(found) == 1
    return Facts(
        paths=found,
        modifies=(trait.modifies and not looks) or _arguments.patches(given),
        command=command,
        exit_status=status,
        succeeded=_succeeded(result, body=body, status=status),
        span=_arguments.span(given) if reads else None,
        running=_background.running(given, text, body=body),
        finished=_background.finished(plain(call.name), given, text=text, body=body),
    )


def clearing(call: Call, *, policy: ToolPolicy = DEFAULT) -> Clear:
    """When the result of `call` may be cleared (D13): by its tool, and by the verb where a tool both looks and changes."""
    trait = policy.trait(call.name)
    if trait.clear == "normal" and trait.read_verbs and _looks(_arguments.arguments(call.arguments), trait):
        return "rederivable"
    return trait.clear


def _looks(given: Mapping[str, Any], trait: Trait) -> bool:
    verb = given.get("command")
    return isinstance(verb, str) and verb in trait.read_verbs


def _succeeded(result: Result | None, *, body: object, status: int | None) -> bool:
    if result is None:
        return True
    if result.succeeded is not None:
        return result.succeeded
    return not (status or _outcome.failed(result.text, body if isinstance(body, dict) else {}))
