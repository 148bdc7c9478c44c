"""One run of the program: settings, model, window, tools and conversation put together, and what is left afterwards."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from sostenuto.agent import Delegation, Event, Listener, Outcome, Purse, Setup, Stop, run, summarizing
from sostenuto.app._conversations import Saved, conversation_file, read_conversation, write_conversation
from sostenuto.app._metrics import Metrics
from sostenuto.app._persona import instructions
from sostenuto.app._pricing import price
from sostenuto.app._terms import Terms, chosen_tools, terms_of
from sostenuto.app._tuning import Tuned
from sostenuto.app._windows import Managed, Served, managed
from sostenuto.errors import SostenutoError
from sostenuto.manager import Calibrations, ContextManager
from sostenuto.messages import Message, Text, pinned
from sostenuto.protocols import Drafts, Model, Papers, Raw
from sostenuto.tools import Asking, DraftsInMemory, Handling, PapersInMemory, Policy, ResultsInMemory, Tool, standard_tools
from sostenuto.work import STATE, TODOS, known, state_in, todos_in


class Models(Protocol):
    """Makes models by their names."""

    def __call__(self, model: str, /, *, window: int | None = None, retries: int = 0) -> Model:
        """The model called ``provider:id``, with a pinned window in tokens, and so many retries."""


CALIBRATION = "calibration.json"


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person asks of one run.

    Attributes:
        prompt: the task; None where a workflow is the task.
        home, project: the data home, and the working directory.
        agent, model, workflow: what was named with flags, "" for nothing.
        flags: settings given as flags, by their dotted keys.
        conversation: its name; "" for one that is not kept.
        timeout_s: seconds after which the run is given up as failed.
        streaming: the words are heard as they come.
        config: a file of settings instead of the person's own; it has to be there.
    """

    prompt: str | None
    home: Path
    project: Path
    agent: str = ""
    model: str = ""
    workflow: str = ""
    flags: Mapping[str, Any] = field(default_factory=dict)
    conversation: str = ""
    timeout_s: float | None = None
    streaming: bool = False
    config: Path | None = None


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of it. `unsaved` says why the conversation could not be kept, "" where it was or was not asked for."""

    outcome: Outcome
    model: str
    agent: str
    unsaved: str = ""


async def perform(wish: Wish, *, listener: Listener, stop: Stop, models: Models | None = None, ask: Asking | None = None) -> Ran:
    """Run once. The conversation is kept however the run ends, and what was learned about the model too.

    Args:
        listener: told every event.
        stop: ends the run in good order.
        models: makes models; default: the providers of the program.
        ask: asks the person before a call above the approval policy; without, such a call is refused in words.

    Raises:
        UnknownSetting, UnusableInput: something that was named cannot be used; nothing has run.
    """
    terms = terms_of(wish)
    path = conversation_file(wish.home, agent=terms.agent, conversation=wish.conversation) if wish.conversation else None
    saved = read_conversation(path) if path is not None else None
    models = models or Tuned(terms.settings, working=terms.model)
    model = models(terms.model, window=terms.pinned, retries=terms.retries)
    writer = models(terms.summarizer, retries=terms.retries) if terms.summarizer else model
    try:
        return await _performed(wish, terms, listener=listener, stop=stop, model=model, writer=writer, path=path, saved=saved, ask=ask)
    finally:
        await model.aclose()
        if writer is not model:
            await writer.aclose()


async def _performed(
    wish: Wish, terms: Terms, *, listener: Listener, stop: Stop, model: Model, writer: Model, path: Path | None, saved: Saved | None,
    ask: Asking | None,
) -> Ran:  # fmt: skip
    calibrations = Calibrations.open(wish.home / CALIBRATION)
    purse = Purse(price)
    window = managed(Served(model, await model.window()), terms, calibrations)
    papers, drafts = PapersInMemory(), DraftsInMemory()
    wiring = _Wiring(model, writer, window, calibrations, papers)
    told = _watched(wish, terms, listener)
    for line in (*terms.warnings, *window.notes):
        told(Event("notice", {"text": line}))
    context, history = await wiring.resumed(saved, purse, wish.conversation)
    tools = chosen_tools(standard_tools(wish.project, papers=papers, drafts=drafts), terms.settings["tools"])
    setup = Setup(
        model=model,
        context=context,
        tools=tools,
        system=instructions(terms, wish.project, tools=[tool.name for tool in tools]),
        limits=terms.limits,
        policy=Policy(terms.policy, tuple(terms.settings["allowedCommands"]), attended=ask is not None),
        handling=Handling(ask=ask, kept=ResultsInMemory()),
        delegation=_delegation(wish, terms, wiring, tools, drafts=drafts) if terms.most_deep else None,
        purse=purse,
        streaming=wish.streaming,
        max_output=window.max_output,
        on_event=told,
        stop=stop,
    )
    unsaved = ""
    try:
        outcome = await _within(wish, terms, setup, history)
    finally:  # a run that is torn down leaves what it did as well
        calibrations.save(wish.home / CALIBRATION)
        if path is not None:
            unsaved = _save(path, Saved(model.name, model.format, history, context.snapshot()))
    return Ran(outcome, model.name, terms.agent, unsaved)


async def _within(wish: Wish, terms: Terms, setup: Setup, history: list[Raw]) -> Outcome:
    """The run itself, given up after ``--timeout``: what was done until then is in the history all the same."""
    import asyncio

    task, pin = wish.prompt, False
    if terms.workflow is not None and task is None:
        task, pin = terms.workflow.task, True
    elif terms.workflow is not None:
        from sostenuto.agent import codec_of

        history.append(pinned(codec_of(setup.model.format).encode(Message("user", (Text(terms.workflow.task),)))))
    try:
        return await asyncio.wait_for(run(task, setup, history=history, pin=pin), wish.timeout_s)
    except TimeoutError:
        error = SostenutoError(f"the run was given up after {wish.timeout_s:g} seconds (--timeout); what was done until then is kept")
        return Outcome("", "failed", history, setup.purse.spent, (), error)


@dataclass(frozen=True, slots=True)
class _Wiring:
    """Makes the context managers of a run and of its sub-agents. `papers` hold what is known of the work (D43)."""

    model: Model
    writer: Model
    window: Managed
    calibrations: Calibrations
    papers: Papers

    def context(self, purse: Purse, *, name: str = "") -> ContextManager:
        """A manager for a new conversation."""
        return ContextManager(**self._arguments(purse), format=self.model.format, conversation=name or None)

    async def resumed(self, saved: Saved | None, purse: Purse, name: str) -> tuple[ContextManager, list[Raw]]:
        """A manager that goes on with what was kept, and its history in the wire of the model of this run."""
        if saved is None:
            return self.context(purse, name=name), []
        model, arguments = self.model, self._arguments(purse)
        if saved.format == model.format:
            return ContextManager.restore(saved.snapshot, **arguments), saved.history
        window = arguments.pop("window")
        manager = ContextManager.restore(saved.snapshot, **{**arguments, "model": saved.model})
        await manager.prepare(saved.history)
        switched = manager.switch(model.name, window=window, format=model.format)
        return manager, list(switched.messages or ())

    def _arguments(self, purse: Purse) -> dict[str, Any]:
        return {
            "model": self.model.name,
            "window": self.window.stated,
            "settings": self.window.settings,
            "summarizer": summarizing(self.writer, purse=purse),
            "calibrations": self.calibrations,
            "work": lambda: known(state_in(self.papers.read(STATE)), todos_in(self.papers.read(TODOS))),
        }


def _delegation(wish: Wish, terms: Terms, wiring: _Wiring, tools: Sequence[Tool], *, drafts: Drafts) -> Delegation:
    names = [tool.name for tool in tools]

    def made(purse: Purse) -> tuple[ContextManager, Sequence[Tool]]:
        """The same tools, with work state, todos and caches of its own, and the same scratchpad."""
        papers = PapersInMemory()
        own = chosen_tools(standard_tools(wish.project, papers=papers, drafts=drafts), names)
        return replace(wiring, papers=papers).context(purse), own

    return Delegation(
        made,
        system=instructions(terms, wish.project, tools=names, is_subagent=True),
        most_deep=terms.most_deep,
        iterations=terms.subagent_iterations,
    )


def _watched(wish: Wish, terms: Terms, listener: Listener) -> Listener:
    """The listener, with the figures written down beside it."""
    if not terms.settings["telemetry.enabled"]:
        return listener
    facts = {"agent": terms.agent, "conversation": wish.conversation, "model": terms.model}
    metrics = Metrics(
        wish.home,
        run=uuid.uuid4().hex[:16],
        facts=facts,
        keep_days=terms.settings["telemetry.retentionDays"],
        told=lambda text: listener(Event("notice", {"text": text})),
    )

    def both(event: Event) -> None:
        metrics.take(event)
        listener(event)

    return both


def _save(path: Path, saved: Saved) -> str:
    try:
        write_conversation(path, saved)
    except SostenutoError as error:
        return str(error)
    return ""
