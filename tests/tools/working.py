"""What the tests of this room share: calls written briefly, and batches carried out to their end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sostenuto.messages import Call
from sostenuto.tools import Answer, Context, Handling, Policy, Tool, run_batch, standard_tools

ANYTHING = Policy("high-risk")
NOWHERE = "203.0.113.9"
"""An address kept for examples: nobody has it, and it is not of the open internet either."""


def call(name: str, arguments: Mapping[str, Any] | str = "", *, id: str = "c1") -> Call:
    """A call with its arguments as a mapping, or as the text a model wrote."""
    return Call(id, name, arguments if isinstance(arguments, str) else json.dumps(arguments))


def numbered(*wanted: tuple[str, Mapping[str, Any] | str]) -> list[Call]:
    """Calls with the ids c0, c1, …"""
    return [call(name, arguments, id=f"c{number}") for number, (name, arguments) in enumerate(wanted)]


def carried(
    calls: Iterable[Call], tools: Iterable[Tool], *, policy: Policy = ANYTHING, handling: Handling | None = None
) -> tuple[Answer, ...]:
    """The answers of a batch."""
    return asyncio.run(run_batch(list(calls), tools, policy=policy, handling=handling))


def one(name: str, arguments: Mapping[str, Any] | str, *, root: Path, policy: Policy = ANYTHING) -> Answer:
    """The answer to one call of a standard tool."""
    return carried([call(name, arguments)], standard_tools(root), policy=policy)[0]


def named(tools: Iterable[Tool], name: str) -> Tool:
    """The tool of that name."""
    return next(tool for tool in tools if tool.name == name)


def doing(name: str, run: Any, **more: Any) -> Tool:
    """A tool without arguments that runs a function of the arguments and the context."""
    return Tool(name, name, {"type": "object"}, run, **{"risk": "read-only", **more})


def answered(tool: Tool, arguments: Mapping[str, Any], context: Context | None = None) -> Any:
    """What the function of an async tool returns."""

    async def go() -> Any:
        return await tool.run(arguments, context or Context())

    return asyncio.run(go())
