"""spawn_subagent: part of the work handed to another agent with a context of its own. Who runs it is handed in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from sostenuto.errors import ToolFailed
from sostenuto.results import Provenance
from sostenuto.tools._tool import Context, Output, Tool

ITERATIONS = 30
"""Steps of a sub-agent (issue Run; origin 7.3)."""
MOST_DEEP = 3
"""Levels of sub-agents below the run that a person started."""
PATIENCE_S = 86_400.0
"""Seconds a sub-agent may take by this tool; what the run has left of its own time is what really bounds it."""


@dataclass(frozen=True, slots=True)
class Errand:
    """What a sub-agent is sent for: an id of its own, the task, the agent by name ("" for one like the sender), its most steps."""

    id: str
    task: str
    agent: str = ""
    iterations: int = ITERATIONS


@dataclass(frozen=True, slots=True)
class Report:
    """What it comes back with: its answer, whether it did what it was sent for, and when it had started."""

    text: str
    succeeded: bool = True
    started: datetime | None = None


Sending = Callable[[Errand, Context], Awaitable[Report]]
"""Runs a sub-agent. Cancelled, it may return what there is so far."""


def subagent_tool(
    run: Sending, *, agents: Mapping[str, str] | None = None, depth: int = 0, most_deep: int = MOST_DEEP, iterations: int = ITERATIONS
) -> Tool:
    """The tool.

    Args:
        run: runs the sub-agent.
        agents: names that may be asked for, each with what it is good at; none offers no choice.
        depth: how many levels of sub-agents stand above whoever uses the tool.
        most_deep: levels there may be; at the last one the tool refuses.
        iterations: the most steps a sub-agent is given.
    """

    async def send(arguments: Mapping[str, Any], context: Context, /) -> Output:
        if depth >= most_deep:
            raise ToolFailed(f"there are already {depth} levels of sub-agents and {most_deep} is the most; do this part yourself")
        errand = Errand(uuid4().hex[:8], arguments["task"], arguments.get("agent", ""), arguments.get("iterations", iterations))
        report = await run(errand, context)
        started = f"-{report.started:%Y%m%dT%H%M%S}" if report.started is not None else ""
        key = f"subagent-{errand.id}{started}" if report.text.strip() else ""
        return Output(report.text, succeeded=report.succeeded, provenance=Provenance("sub-agent", f"subagent-{errand.id}"), key=key)

    properties: dict[str, Any] = {
        "task": {"type": "string", "minLength": 1, "description": "everything it needs to know: it does not see this conversation"},
        "iterations": {"type": "integer", "minimum": 1, "maximum": iterations, "description": "its most steps", "default": iterations},
    }
    listed = "".join(f" {name}: {told}." for name, told in (agents or {}).items())
    if agents:
        properties["agent"] = {"enum": list(agents), "description": f"who is sent.{listed}"}
    return Tool(
        "spawn_subagent",
        "Hand a part of the work to a sub-agent with a context of its own and wait for its answer. Good for a search or a question whose "
        "answer is short although the way to it is long. Its whole answer is kept under the id at the end of the result.",
        {"type": "object", "properties": properties, "required": ["task"], "additionalProperties": False},
        send,
        risk="read-only",
        timeout_s=PATIENCE_S,
    )
