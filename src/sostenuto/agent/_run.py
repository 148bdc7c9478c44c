"""`run`: one bounded run of a model with tools."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sostenuto.agent._closing import codec_of
from sostenuto.agent._delegating import delegating
from sostenuto.agent._loop import Loop
from sostenuto.agent._outcome import Outcome
from sostenuto.agent._setup import Setup
from sostenuto.messages import pinned
from sostenuto.protocols import Raw
from sostenuto.tools import ResultsInMemory, Tool, recall_tools

if TYPE_CHECKING:
    from sostenuto.agent._purse import Purse
    from sostenuto.budget import Spent


async def run(
    task: str | None,
    *,
    history: list[Raw] | None = None,
    queue: deque[str] | None = None,
    pin: bool = False,
    **setup: Any,
) -> Outcome:
    """Work on a task until it is done, or a limit, a person or an error ends it.

    Each iteration prepares the request (the ladder clears, warns, compacts and trims), asks the model, recovers once where the
    request was too long, and carries out the calls of the reply. Whatever ends the run, every call is answered and the history can
    be sent again. Errors of this package do not leave it: they are in the outcome.

    Args:
        task: what is to be done; None goes on with the history as it is.
        history: the conversation so far in the model's wire format; grown in place.
        queue: what a person types meanwhile; taken at the start of the next iteration.
        pin: keep the task byte-equal through every rewrite, as a workflow's text is.
        setup: the fields of `Setup`: at least ``model`` and ``context``.

    Raises:
        TypeError: a field that `Setup` does not have.
    """
    return await _started(task, Setup(**setup), history=history, queue=queue, pin=pin)


async def _started(task: str | None, setup: Setup, *, history: list[Raw] | None = None, queue: deque[str] | None = None, pin: bool = False) -> Outcome:
    said = history if history is not None else []
    if task is not None:
        from sostenuto.messages import Message, Text

        native = codec_of(setup.model.format).encode(Message("user", (Text(task),)))
        said.append(pinned(native) if pin else native)
    loop: Loop | None = None

    def spent() -> Spent:
        assert loop is not None
        return loop.spent

    loop = Loop(setup, history=said, queue=deque() if queue is None else queue, tools=_tools(task or "", setup, spent))
    return await loop.go()
