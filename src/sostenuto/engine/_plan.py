"""What an engine is asked: the plan of a conversation, one call of `prepare`, and the request that is being made of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sostenuto.engine._emission import Emission
from sostenuto.engine._growing import IsPinned
from sostenuto.engine._knowing import Work
from sostenuto.engine._state import State
from sostenuto.ladder import Facts, Run, Settings
from sostenuto.protocols import Codec, Raw
from sostenuto.window import Window


@dataclass(frozen=True, slots=True)
class Plan:
    """What stays the same for a conversation until its caller changes it."""

    codec: Codec
    window: Window
    settings: Settings = field(default_factory=Settings)
    is_pinned: IsPinned = lambda raw, message: False
    rules: tuple[str, ...] = ()
    instructions: str = ""
    summarizer_window: int | None = None
    deadline_s: float | None = None
    work: Work | None = None
    cache: str = "keep"
    bound: bool = False
    may_flatten: bool = True
    alternating: bool = False
    cache_lifetime_s: float = 300.0


@dataclass(frozen=True, slots=True)
class Asked:
    """One call of `prepare`, as it was made. `as_last`: with instructions, tools and output as the last request of another process."""

    messages: list[Raw]
    system: Any = None
    tools: Any = None
    max_output: int | None = None
    idle_s: float | None = None
    manual: bool = False
    before: int | None = None
    focus: str = ""
    forced: int | None = None
    strip_media: bool = False
    repair: bool = False
    as_last: bool = False

    @property
    def is_plain(self) -> bool:
        """Nothing is asked for beyond a request for these messages."""
        return not (self.manual or self.strip_media or self.repair) and self.forced is None


@dataclass(frozen=True, slots=True)
class Draft:
    """A request on its way: the state with the messages taken in, and what was asked."""

    state: State
    asked: Asked
    lead: int
    facts: Facts
    run: Run


@dataclass(frozen=True, slots=True)
class Written:
    """A request as it leaves: its arguments, the messages of the view in it, how many of them are nudges."""

    arguments: dict[str, Any]
    left: list[Raw]
    nudges: int
    emission: Emission
    heads: tuple[Raw, ...]
