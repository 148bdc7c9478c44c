"""One run of the program: settings, model, window, tools and conversation put together, and what is left afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from sostenuto.agent import Delegation, Event, Listener, Outcome, Purse, Setup, Stop, codec_of, reopened, run, summarizing
from sostenuto.app._addresses import at_address, served_instead
from sostenuto.app._desk import Desk, bare_desk, desk_of
from sostenuto.app._holding import HeldBack
from sostenuto.app._home import CALIBRATION
from sostenuto.app._kept import begun_elsewhere
from sostenuto.app._metrics import Metrics
from sostenuto.app._parking import NOT_KEPT, Verdict, new_run, parking, refuse_nowhere
from sostenuto.app._persona import instructions
from sostenuto.app._pricing import price
from sostenuto.app._providers import is_address
from sostenuto.app._resuming import known_work, plan, preface
from sostenuto.app._terms import Terms, chosen_tools, fitting_tools, terms_of
from sostenuto.app._tuning import Tuned
from sostenuto.app._windows import Managed, Served, managed
from sostenuto.errors import SostenutoError, UnusableInput
from sostenuto.manager import Calibrations, ContextManager
from sostenuto.messages import Message, Text, pinned
from sostenuto.protocols import Model, Raw
from sostenuto.stores.index import Index
from sostenuto.stores.shelf import Shelf
from sostenuto.tools import Asking, Handling, PapersInMemory, Policy, Tool, standard_tools
from sostenuto.window import is_local, parted


class Models(Protocol):
    """Makes models by their names."""

    def __call__(self, model: str, /, *, window: int | None = None, retries: int = 0) -> Model:
        """The model called ``provider:id``, with a pinned window in tokens, and so many retries."""


UNSAVED = "it could not be written down (is the disk full, or the data home read-only?)"


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
        parks: calls that need approval wait for it where nobody can be asked, and the run ends with them (a kept conversation only).
        verdict: what the person says of a call that waits; the run goes on with it, without a task, and parks what needs approval next.
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
    parks: bool = False
    verdict: Verdict | None = None


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
    refuse_nowhere(wish.verdict, home=wish.home, agent=terms.agent, conversation=wish.conversation)
    anew = begun_elsewhere(wish.home, agent=terms.agent, conversation=wish.conversation)
    terms = replace(terms, warnings=(*terms.warnings, *filter(None, (anew,))))
    if models is None:
        terms, models = await _reached(terms)
    model = models(terms.model, window=terms.pinned, retries=terms.retries)
    writer = models(terms.summarizer, retries=terms.retries) if terms.summarizer else model
    try:
        return await _performed(wish, terms, listener=listener, stop=stop, model=model, writer=writer, ask=ask)
    finally:
        await model.aclose()
        if writer is not model:
            await writer.aclose()


async def _reached(terms: Terms) -> tuple[Terms, Models]:
    """The terms with a model that has a name, also where only its address was given, and what makes models."""
    if not is_address(terms.model):
        return terms, Tuned(terms.settings, working=terms.model)
    found = await at_address(terms.model)
    told = f"{found.base_url} serves {found.model}, which is asked; no key is sent to it"
    terms = replace(terms, model=found.model, warnings=(*terms.warnings, told))
    return terms, Tuned(terms.settings, working=found.model, base_url=found.base_url)


async def _performed(wish: Wish, terms: Terms, *, listener: Listener, stop: Stop, model: Model, writer: Model, ask: Asking | None) -> Ran:
    calibrations = Calibrations.open(wish.home / CALIBRATION)
    purse = Purse(price)
    window = managed(Served(model, await model.window()), terms, calibrations)
    if window.window.source == "server" and (other := await served_instead(model)):
        answers = f"{terms.model}: this server serves one model, whatever it is asked for: {other} answers"
        terms = replace(terms, warnings=(*terms.warnings, answers))
    wiring = _Wiring(model, writer, window, calibrations, _desk(wish, terms))
    context = wiring.context(purse, name=wish.conversation)
    index = Index(wiring.desk.index)
    context.search_with(index)
    try:
        return await _run_in(context, wish, terms, wiring, listener=listener, stop=stop, purse=purse, ask=ask)
    finally:  # a run that is torn down leaves what it did as well
        context.close()
        index.close()
        calibrations.save(wish.home / CALIBRATION)


async def _run_in(
    context: ContextManager, wish: Wish, terms: Terms, wiring: _Wiring, *, listener: Listener, stop: Stop, purse: Purse, ask: Asking | None
) -> Ran:
    window, desk, model = wiring.window, wiring.desk, wiring.model
    codec = codec_of(model.format)
    history = reopened(desk.papers, _gone_on_with(context, desk), codec=codec)
    place = {"agent": terms.agent, "conversation": wish.conversation}
    parked = parking(wish.verdict, desk, history, codec=codec, parks=wish.parks, folder=wish.project, **place)
    told = _watched(wish, terms, listener, run=parked.run if parked is not None else new_run())
    for line in (*terms.warnings, *filter(None, (desk.trouble,)), *((NOT_KEPT,) if parked is None and wish.parks else ())):
        told(Event("notice", {"text": line}))
    every = standard_tools(wish.project, papers=desk.papers, drafts=desk.drafts)
    tools, few = fitting_tools(every, terms, window=window.window.tokens)
    held = HeldBack(told)
    told = held.take
    for line in (*window.notes, *filter(None, (few,))):
        told(Event("notice", {"text": line}))
    if window.window.source == "server" or not is_local(parted(model.name)[0]):
        held.release()  # it answered already, or there is no question whether it runs
    setup = Setup(
        model=model,
        context=context,
        tools=tools,
        system=instructions(terms, wish.project, tools=[tool.name for tool in tools]),
        limits=terms.limits,
        parking=parked,
        policy=Policy(terms.policy, tuple(terms.settings["allowedCommands"]), attended=ask is not None),
        handling=Handling(ask=ask, kept=desk.results),
        delegation=_delegation(wish, terms, wiring, tools) if terms.most_deep and not few else None,
        purse=purse,
        streaming=wish.streaming,
        max_output=window.max_output,
        on_event=told,
        stop=stop,
    )
    asked = {"system": setup.system or None, "tools": codec.tool_definitions([tool.definition for tool in tools])}
    for line in plan(context, history, priced=lambda read: price(wiring.writer.name, read), max_output=setup.max_output, **asked):
        told(Event("notice", {"text": line}))
    outcome = await _within(wish, terms, setup, history)
    held.end(outcome)
    is_kept = desk.store is None or context.note(history)
    for line in desk.notes:
        told(Event("notice", {"text": line}))
    return Ran(outcome, model.name, terms.agent, desk.trouble or ("" if is_kept else UNSAVED))


def _desk(wish: Wish, terms: Terms) -> Desk:
    """Where the run keeps things. Older conversations of the agent are put away first, so that this one stays at hand."""
    if not wish.conversation:
        return bare_desk()
    found = desk_of(wish.home, agent=terms.agent, conversation=wish.conversation, settings=terms.settings)
    with suppress(UnusableInput):  # what could not be put away stays where it is
        Shelf(wish.home).archive(terms.agent, keep=max(1, terms.settings["history.maxConversationsPerAgent"]))
    return found


def _gone_on_with(context: ContextManager, desk: Desk) -> list[Raw]:
    """The history a run begins with; what is known of the work stands in front of it."""
    if desk.store is not None:
        context.preface(preface(context, desk))
    return context.history


async def _within(wish: Wish, terms: Terms, setup: Setup, history: list[Raw]) -> Outcome:
    """The run itself, given up after ``--timeout``: what was done until then is in the history all the same."""
    import asyncio

    task, pin = wish.prompt, False
    if wish.verdict is not None:
        task = None
    elif terms.workflow is not None and task is None:
        task, pin = terms.workflow.task, True
    elif terms.workflow is not None:
        history.append(pinned(codec_of(setup.model.format).encode(Message("user", (Text(terms.workflow.task),)))))
    try:
        return await asyncio.wait_for(run(task, setup, history=history, pin=pin), wish.timeout_s)
    except TimeoutError:
        error = SostenutoError(f"the run was given up after {wish.timeout_s:g} seconds (--timeout); what was done until then is kept")
        return Outcome("", "failed", history, setup.purse.spent, (), error)


@dataclass(frozen=True, slots=True)
class _Wiring:
    """Makes the context managers of a run and of its sub-agents; the work state on the desk stands in their checkpoints (D43)."""

    model: Model
    writer: Model
    window: Managed
    calibrations: Calibrations
    desk: Desk

    def context(self, purse: Purse, *, name: str = "") -> ContextManager:
        """A manager for a conversation: a kept one is gone on with, in the wire of the model of this run."""
        papers = self.desk.papers
        return ContextManager(
            model=self.model.name,
            window=self.window.stated,
            settings=self.window.settings,
            summarizer=summarizing(self.writer, purse=purse),
            calibrations=self.calibrations,
            format=self.model.format,
            store=self.desk.store,
            conversation=name or None,
            work=lambda: known_work(papers),
        )


def _delegation(wish: Wish, terms: Terms, wiring: _Wiring, tools: Sequence[Tool]) -> Delegation:
    names = [tool.name for tool in tools]

    def made(purse: Purse) -> tuple[ContextManager, Sequence[Tool]]:
        """The same tools, with work state, todos and caches of its own, and the same scratchpad."""
        desk = replace(wiring.desk, papers=PapersInMemory(), store=None, index=None)
        own = chosen_tools(standard_tools(wish.project, papers=desk.papers, drafts=desk.drafts), names)
        return replace(wiring, desk=desk).context(purse), own

    return Delegation(
        made,
        system=instructions(terms, wish.project, tools=names, is_subagent=True),
        most_deep=terms.most_deep,
        iterations=terms.subagent_iterations,
    )


def _watched(wish: Wish, terms: Terms, listener: Listener, *, run: str) -> Listener:
    """The listener, with the figures written down beside it."""
    if not terms.settings["telemetry.enabled"]:
        return listener
    facts = {"agent": terms.agent, "conversation": wish.conversation, "model": terms.model}
    metrics = Metrics(
        wish.home,
        run=run,
        facts=facts,
        keep_days=terms.settings["telemetry.retentionDays"],
        told=lambda text: listener(Event("notice", {"text": text})),
    )

    def both(event: Event) -> None:
        metrics.take(event)
        listener(event)

    return both
