"""A unit: an assistant message with all its calls and all their results, or one run of words. Never split (DESIGN 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from sostenuto.messages._parts import Call, Placed, Result

UnitKind = Literal["cycle", "text", "user", "system"]
"""``cycle``: assistant with calls; ``text``: assistant without; ``user``: words of the user's role; ``system``: a later system message."""


class Slot(NamedTuple):
    """A call of a cycle and where its answer stands; `result` is None while, or because, nothing answered it."""

    call: Placed
    result: Placed | None = None

    @property
    def call_part(self) -> Call:
        """The call itself."""
        part = self.call.part
        assert isinstance(part, Call)
        return part

    @property
    def result_part(self) -> Result | None:
        """The answer itself, if there is one."""
        part = self.result.part if self.result else None
        assert part is None or isinstance(part, Result)
        return part


@dataclass(frozen=True, slots=True)
class Unit:
    """Parts that live and die together, in logical order: the assistant's own, then the results in the order of the calls.

    `first` and `last` are the smallest and largest ordinals it owns parts of.
    """

    kind: UnitKind
    first: int
    last: int
    parts: tuple[Placed, ...]
    slots: tuple[Slot, ...] = ()
