"""A tool as a value: what the model is told of it, how dangerous a call is, and what runs."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from sostenuto.results import Provenance, Sizing

Risk = Literal["read-only", "low-risk", "high-risk"]
"""How much a call may do: look inside the working directory, change things there or read the web, anything else."""

RISKS: tuple[Risk, ...] = ("read-only", "low-risk", "high-risk")
"""The tiers, the least first."""

TIMEOUT_S = 180.0
"""Seconds one call may take (issue Run: 3 minutes)."""
SHELL_TIMEOUT_S = 900.0
"""Seconds one shell command may take (15 minutes)."""

EVERYTHING = "*"
"""As a touched thing: whatever any other call touches."""


@dataclass(frozen=True, slots=True)
class Assessed:
    """How dangerous one call is, with these arguments, in the world as it is now.

    Attributes:
        risk: its tier.
        why: what lifts it above its tool's own tier, as half a sentence; "" where nothing does.
        grants: what allowing it permits the tool beyond the ordinary (a path outside, a private address); see `Context.granted`.
        words: of a shell command that is one simple command, its words: what the list of allowed commands is held against.
    """

    risk: Risk
    why: str = ""
    grants: frozenset[str] = frozenset()
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Touched:
    """What a call reads and writes, by any names (paths). Calls of one batch that collide run in the order of the batch."""

    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Compact:
    """A wish for the run: compact the context after this batch (D26). `focus` is what to attend to."""

    focus: str = ""


@dataclass(frozen=True, slots=True)
class Output:
    """What a tool returns when a bare value does not say enough.

    Attributes:
        value: a text, or anything JSON can write.
        succeeded: False where the tool ran and the answer is a failure.
        provenance: whose words the value holds, where they are not ours or the person's.
        key: a name of its own under which the whole value is kept, and with which the result ends (sub-agents).
        paged: the value is already cut to a page and is not cut again.
        footer: a line of ours that stands behind the value and outside its frame.
        wish: something for the run to do after the batch.
    """

    value: Any
    succeeded: bool = True
    provenance: Provenance | None = None
    key: str = ""
    paged: bool = False
    footer: str = ""
    wish: Compact | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """What a running call may know.

    Attributes:
        call_id: the id of the call.
        granted: what was allowed for this call beyond the ordinary, in the words of its assessment.
        heard: told pieces of output as they arrive, for a person who watches; may be called from any thread.
        sizing: how long a result may be, for tools that cut better than by characters.
        stopped: set when nobody waits for the answer any more; long work in a thread looks at it.
    """

    call_id: str = ""
    granted: frozenset[str] = frozenset()
    heard: Callable[[str], None] | None = None
    sizing: Sizing = field(default_factory=Sizing, compare=False)
    stopped: threading.Event = field(default_factory=threading.Event, compare=False, repr=False)


class Running(Protocol):
    """The function of a tool: from checked arguments to a value, sync (then it runs in a thread) or async."""

    def __call__(self, arguments: Mapping[str, Any], context: Context, /) -> Any | Awaitable[Any]:
        """An `Output`, or its value. Raises `sostenuto.errors.ToolFailed` with a text for the model; anything else counts as a crash."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool.

    Attributes:
        name: what the model calls it; letters, digits, ``_`` and ``-``, at most 64.
        description: what the model is told.
        parameters: the JSON schema of its arguments, an object.
        run: what happens.
        risk: the tier of its calls, where `assess` says nothing else.
        assess: looks at the arguments, and at the world if need be, and says how dangerous the call is; may be async.
        timeout_s: seconds after which a call is stopped.
        repeatable: it only looks, so that identical calls of one batch run once and all get the answer.
        touched: what a call reads and writes; None for nothing that another call could disturb.
        forget: told the ids of calls whose results left the context, so that whatever it remembered of them goes (D14).
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    run: Running
    risk: Risk = "high-risk"
    assess: Callable[[Mapping[str, Any]], Assessed | Awaitable[Assessed]] | None = None
    timeout_s: float = TIMEOUT_S
    repeatable: bool = False
    touched: Callable[[Mapping[str, Any]], Touched] | None = None
    forget: Callable[[Collection[str]], None] | None = None

    @property
    def definition(self) -> tuple[str, str, dict[str, Any]]:
        """The tool as every wire can write it (`sostenuto.protocols.Tool`)."""
        return self.name, self.description, dict(self.parameters)


def results_cleared(tools: Iterable[Tool], call_ids: Collection[str]) -> None:
    """Tell every tool that the results of these calls are no longer in the context, so that the model can ask again (D14)."""
    for tool in tools:
        if tool.forget is not None:
            tool.forget(call_ids)
