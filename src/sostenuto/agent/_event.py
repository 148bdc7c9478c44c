"""What a run tells whoever watches it: one plain value for everything that happens (origin 11.3, 11.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

EventKind = Literal[
    "start",
    "iteration",
    "request",
    "text",
    "reasoning",
    "usage",
    "tool-start",
    "tool-output",
    "tool-end",
    "approval",
    "rung",
    "notice",
    "limit",
    "stalled",
    "input",
    "subagent",
    "end",
]
EVENT_KINDS: tuple[str, ...] = get_args(EventKind)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a run.

    Attributes:
        kind: what.
        detail: JSON-able facts of it.
        depth: 0 in the run itself, 1 in what it handed on, and so on.
    """

    kind: EventKind
    detail: Mapping[str, Any] = field(default_factory=dict)
    depth: int = 0

    def as_dict(self) -> dict[str, Any]:
        """One flat object, as ``--events`` and the metrics write it."""
        return {"event": self.kind, **({"depth": self.depth} if self.depth else {}), **self.detail}


Listener = Callable[[Event], None]


class Telling:
    """Hands events to a listener. One that fails is told of once, and fails no run (invariant 7)."""

    def __init__(self, listener: Listener | None, *, depth: int = 0) -> None:
        self._listener = listener
        self._depth = depth
        self._deaf = False

    @property
    def depth(self) -> int:
        """Of the run that tells."""
        return self._depth

    def tell(self, kind: EventKind, **detail: Any) -> None:
        """Let the listener know."""
        self.pass_on(Event(kind, detail, self._depth))

    def pass_on(self, event: Event) -> None:
        """An event of a run that this one started, as it is."""
        if self._listener is None or self._deaf:
            return
        try:
            self._listener(event)
        except Exception as error:
            self._deaf = True
            self._last_word(error)

    def _last_word(self, error: Exception) -> None:
        """Half of the listeners that fail can still show a line; the others are left alone."""
        text = f"on_event failed, and nothing more is told to it: {type(error).__name__}: {str(error)[:200]}"
        try:
            assert self._listener is not None
            self._listener(Event("notice", {"text": text}, self._depth))
        except Exception:
            return
