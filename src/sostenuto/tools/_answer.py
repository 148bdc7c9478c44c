"""What a batch gives back: one answer for every call, in the order of the calls."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal

from sostenuto.protocols import KeptResults
from sostenuto.results import Provenance, Sizing
from sostenuto.tools._approval import Ask
from sostenuto.tools._kept import ResultsInMemory
from sostenuto.tools._tool import Compact

Ended = Literal["done", "failed", "refused", "crashed", "timed out", "stopped", "waiting"]
"""How a call ended: it ran, it ran and said no, it was not allowed or not understood, its tool broke, it took too long, the run stopped,
or it has not run yet because it waits for a person."""

AT_ONCE = 10
"""Calls of one batch that run at the same time."""

Asking = Callable[[Ask], bool | str | Awaitable[bool | str]]
"""Asks the person: True lets the call run, False refuses it, a text refuses it with these words. If not async, it runs in a thread."""


@dataclass(frozen=True, slots=True)
class Decided:
    """What became of a call that may not run by itself.

    Attributes:
        tool: its name.
        allowed: whether it runs.
        by_person: somebody was asked; False where nobody could be.
        words: why not, "" where nothing was said.
    """

    tool: str
    allowed: bool
    by_person: bool
    words: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one call.

    Attributes:
        call_id: the id of the call.
        tool: the name it was called by.
        text: what the model is given: shaped, cut if it was too long, framed if it holds foreign words.
        ended: how it ended.
        key: under which the whole is kept where `text` is not the whole; "" where it is.
        provenance: whose words it holds, None where they are ours.
        characters: of the whole result, before anything was left out.
        seconds: how long it ran.
        wish: what the tool asks of the run after the batch.
        ask: the question that a call waits for, None where it does not.
    """

    call_id: str
    tool: str
    text: str
    ended: Ended
    key: str = ""
    provenance: Provenance | None = None
    characters: int = 0
    seconds: float = 0.0
    wish: Compact | None = None
    ask: Ask | None = None

    @property
    def succeeded(self) -> bool:
        """Whether the call did what it was asked."""
        return self.ended == "done"


@dataclass(frozen=True, slots=True)
class Handling:
    """How a batch is carried out; make one for a run.

    Attributes:
        ask: asks the person; None where nobody can be asked.
        parks: where nobody can be asked, a call that has to be is not refused: it waits, and its answer is only the question.
        kept: where whole results are kept; None cuts without a way back but running the tool again.
        retrievable: whether the model has the tool that reads them, so that a cut may name it (D41).
        sizing: how long a result may be.
        at_once: calls that run at the same time.
        depth: of the run whose calls they are, for those who are asked.
        started: told the call id, the tool's name and the arguments' text before a call runs.
        heard: told the call id and each piece of output as it arrives, from any thread.
        finished: told each answer as it is there.
        asked: told the call id and the question before the person is asked.
        decided: told the call id and what was decided of a call that may not run by itself, by the person or because nobody can be asked.
    """

    ask: Asking | None = None
    parks: bool = False
    kept: KeptResults | None = field(default_factory=ResultsInMemory)
    retrievable: bool = True
    sizing: Sizing = field(default_factory=Sizing)
    at_once: int = AT_ONCE
    depth: int = 0
    started: Callable[[str, str, str], None] | None = None
    heard: Callable[[str, str], None] | None = None
    finished: Callable[[Answer], None] | None = None
    asked: Callable[[str, Ask], None] | None = None
    decided: Callable[[str, Decided], None] | None = None
