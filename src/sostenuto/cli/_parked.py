"""A run that ended because a call waits for approval: what a program and a person are told, and how they decide (origin 11.2)."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from sostenuto.cli._harmless import visible
from sostenuto.cli._terminal import style

if TYPE_CHECKING:
    from sostenuto.agent import Parked
    from sostenuto.app import Verdict

STATE: Final = "input-required"
_CARRIED: Final = {
    "agent": "--agent",
    "model": "--model",
    "workflow": "--workflow",
    "policy": "--approval-policy",
    "max_iterations": "--max-iterations",
    "max_cost_usd": "--max-cost-usd",
    "max_tokens": "--max-tokens",
    "file": "--config",
}
"""Options that hold for the run that goes on as well."""
_LASTING: Final = ("agent", "model", "file")
"""Those of them that say whose conversation it is and who answers: without them another prompt would begin elsewhere."""


def verdict_of(prompt: str | None, options: Mapping[str, Any]) -> Verdict | None:
    """What was decided with ``--approve`` or ``--deny``; None where neither was given.

    Raises:
        click.UsageError: they do not go with what else was given.
    """
    approved, denied = options["approve"], options["deny"]
    if options["park"] and options["ephemeral"]:
        raise click.UsageError("--park needs a conversation that is kept; --ephemeral keeps none")
    if approved is None and denied is None:
        return None
    if approved is not None and denied is not None:
        raise click.UsageError("--approve and --deny each decide one call; give one of them")
    name = "--approve" if approved is not None else "--deny"
    if not options["conversation"]:
        raise click.UsageError(f"{name} needs --conversation NAME: where the call waits")
    if approved is not None and prompt is not None:
        raise click.UsageError("--approve goes on without PROMPT; to say something else instead, leave it out")
    from sostenuto.app import Verdict

    return Verdict(approved if approved is not None else denied, approved is not None, (prompt or "").strip())


def parked_fields(parked: Parked) -> dict[str, Any]:
    """The fields of the envelope that say what waits: the first call, and how many more there are."""
    from sostenuto.agent import stamp

    first = parked.waiting[0]
    pending = {
        "kind": "approval",
        "toolName": first.ask.call.tool,
        "toolCallId": first.id,
        "arguments": dict(first.ask.call.arguments),
        "risk": first.ask.risk,
        "message": first.ask.question,
    }
    more = len(parked.waiting) - 1
    return {"ok": False, "state": STATE, "runId": parked.run, "expiresAt": stamp(parked.expires), "pending": pending, "morePending": more}


def kept_line(options: Mapping[str, Any], *, conversation: str, agent: str) -> str:
    """What a person is told of a run that did not come to its end: how it is gone on with.

    Args:
        agent: whose run it was, "" for nobody's; a workflow may have named it.
    """
    lasting = {key: options[key] for key in _LASTING}
    return f"sostenuto: kept; go on with: {visible(_command({**lasting, 'agent': agent}, conversation=conversation))} PROMPT"


def _command(options: Mapping[str, Any], *, conversation: str) -> str:
    kept = [word for key, flag in _CARRIED.items() if options.get(key) not in (None, "") for word in (flag, str(options[key]))]
    return shlex.join(["sostenuto", "run", "--conversation", conversation, *kept])


def waiting_lines(parked: Parked, options: Mapping[str, Any], *, conversation: str) -> list[str]:
    """What a person is told: the call, all of it, and the commands that go on."""
    from sostenuto.agent import stamp
    from sostenuto.cli._asking import before
    from sostenuto.cli._question import parts, title, whole

    first, more = parked.waiting[0], len(parked.waiting) - 1
    shown = parts(first.ask, before=before(first.ask, Path.cwd()), width=style(sys.stderr, os.environ).width)
    command = _command(options, conversation=conversation)
    others = f" (and {more} more after it)" if more else ""
    return [
        f"sostenuto: waiting for approval{others}: {title(first.ask)}",
        *whole(shown),
        f"  yes, until {stamp(parked.expires)}: {visible(command)} --approve {first.id}",
        f"  no: {visible(command)} --deny {first.id} REASON",
    ]
