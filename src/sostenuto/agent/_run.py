"""`run`: one bounded run of a model with tools."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace

from sostenuto.agent._closing import codec_of
from sostenuto.agent._delegating import delegating
from sostenuto.agent._loop import Loop
from sostenuto.agent._outcome import Outcome
from sostenuto.agent._setup import Setup
from sostenuto.budget import Spent
from sostenuto.messages import Message, Text, pinned
from sostenuto.protocols import Raw
from sostenuto.tools import Handling, Policy, ResultsInMemory, Tool, recall_tools


async def run(
    task: str | None, setup: Setup, *, history: list[Raw] | None = None, queue: deque[str] | None = None, pin: bool = False
) -> Outcome:
    """Work on a task until it is done, or a limit, a person or an error ends it.

    Each iteration prepares the request (the ladder clears, warns, compacts and trims), asks the model, recovers once where the
    request was too long, and carries out the calls of the reply. Whatever ends the run, every call is answered and the history can
    be sent again. Errors of this package do not leave it: they are in the outcome.

    Args:
        task: what is to be done; None goes on with the history as it is, or with what a person decided (see `Parking`).
        setup: the model, the context manager and everything else the run is made of.
        history: the conversation so far in the model's wire format; grown in place.
        queue: what a person types meanwhile; taken at the start of the next iteration.
        pin: keep the task byte-equal through every rewrite, as a workflow's text is.
    """
    said: list[Raw] = history if history is not None else []
    if task is not None:
        native = codec_of(setup.model.format).encode(Message("user", (Text(task),)))
        said.append(pinned(native) if pin else native)
    running: list[Loop] = []
    setup = replace(setup, handling=_handling(setup), policy=_policy(setup))
    tools = _tools(setup, task=task or "", spent=lambda: running[0].spent)
    running.append(Loop(setup, history=said, queue=deque() if queue is None else queue, tools=tools))
    return await running[0].go()


def _handling(setup: Setup) -> Handling:
    """How results are kept and sized, where its caller said nothing: in this process, by the window of this conversation (D41)."""
    handling = setup.handling
    sizing = handling.sizing if handling.sizing.window else replace(handling.sizing, window=setup.context.window.tokens)
    parks = setup.parking is not None and setup.parking.parks
    return replace(handling, kept=ResultsInMemory() if handling.kept is None else handling.kept, sizing=sizing, parks=parks)


def _policy(setup: Setup) -> Policy:
    """The same policy; where calls can wait, the person is somebody who can be asked, if later."""
    parks = setup.parking is not None and setup.parking.parks
    return replace(setup.policy, attended=setup.policy.attended or parks)


def _tools(setup: Setup, *, task: str, spent: Callable[[], Spent]) -> tuple[Tool, ...]:
    """The tools of its caller, those that read back what left the context, and the one that hands work on."""
    kept = setup.handling.kept
    assert kept is not None
    own = recall_tools(setup.context, codec=codec_of(setup.model.format), kept=kept)
    handing = (delegating(setup, setup.delegation, task=task, spent=spent, running=run),) if setup.delegation is not None else ()
    taken = {tool.name for tool in setup.tools}
    return (*setup.tools, *(tool for tool in (*own, *handing) if tool.name not in taken))
