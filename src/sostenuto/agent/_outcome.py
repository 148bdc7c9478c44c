"""How a run ended, and what it leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sostenuto.agent._parked import Parked
from sostenuto.budget import Spent
from sostenuto.errors import SostenutoError
from sostenuto.messages import Call
from sostenuto.protocols import Raw

Ending = Literal["done", "interrupted", "iterations", "cost", "tokens", "duration", "stalled", "empty", "cut off", "failed", "parked"]
"""The model was done; the person stopped it; a limit did; it went in circles; it said nothing; its answer ended early; an error; a call
waits for the person."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run.

    Attributes:
        text: the answer; where the run was ended early, the newest words of the model in it, "" if there were none.
        ended: why it ended.
        history: the conversation, every call answered, except with ``parked``: go on with it, or keep it. The very list that was handed in.
        spent: iterations, tokens, dollars, seconds.
        calls: every tool call of the run itself, in order.
        error: with ``failed``, what went wrong.
        parked: with ``parked``, the batch that waits for the person.
    """

    text: str
    ended: Ending
    history: list[Raw]
    spent: Spent
    calls: tuple[Call, ...] = ()
    error: SostenutoError | None = None
    parked: Parked | None = None

    @property
    def succeeded(self) -> bool:
        """Nothing went wrong; a limit or an interrupt is not something that went wrong."""
        return self.error is None
