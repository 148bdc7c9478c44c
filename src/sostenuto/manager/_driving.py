"""Driving one conversation: the engine is built when the first messages are seen, asked, and its needs performed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from os import PathLike
from time import perf_counter
from typing import TYPE_CHECKING, Any

from sostenuto import engine as machinery
from sostenuto import ladder
from sostenuto.errors import ConcurrentPrepare, FixedPartTooLarge, UnknownSetting, UnusableInput
from sostenuto.manager._bulk import bulk
from sostenuto.manager._calibrations import Calibrations
from sostenuto.manager._keeping import opened
from sostenuto.manager._wire import Structure, guessed
from sostenuto.manager._wiring import Counter, codec_named, ruler_of
from sostenuto.messages import Message, Pinned, Text, fingerprint
from sostenuto.protocols import Codec, Finder, Raw, Store, Summarizer
from sostenuto.tokens import Ruler
from sostenuto.window import Window

if TYPE_CHECKING:
    from sostenuto.engine import Asked, Draft, Engine, Preview, Profile, Request
    from sostenuto.ladder import Event, Journal, Keep, Need, Outcome, Run, Settings


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the caller of `ContextManager` asked for, checked and resolved."""

    model: str
    window: Window
    stated: int | None
    profile: Profile
    settings: Settings
    pinning: Callable[[Raw, Message], bool]
    store: Store | None = None
    summarizer: Summarizer | None = None
    instructions: str = ""
    counter: Counter = None
    rules: tuple[str, ...] = ()
    cache: str = "keep"
    on_event: Callable[[Event], None] | None = None
    format: str | None = None
    summarizer_window: int | None = None
    deadline_s: float | None = None
    work: Callable[[], str] | None = None
    calibrations: Calibrations = field(default_factory=Calibrations)
    catalogue: str | PathLike[str] | None = None


class Driver:
    """The one mutable object behind a manager: its engine, and whether a request is under way."""

    def __init__(self, wishes: Wishes, *, conversation: str | None = None) -> None:
        self.wishes = wishes
        self.conversation = conversation
        self.keeper = opened(wishes.store, conversation)
        self.engine: Engine | None = None
        self.last: Asked | None = None
        self.pinned: set[bytes] = set()
        self.finder: Finder | None = None
        self._busy = False
        self._deaf = False
        self._undecided = False
        self._structure = Structure()
        self._waited_s = 0.0
        self.first_notices: tuple[str, ...] = wishes.window.notes

    def started(self) -> Engine:
        """The engine; one for an empty conversation if nothing was prepared yet."""
        return self.engine if self.engine is not None else self.engine_for([], None)

    def prepared(self) -> Asked:
        """What was asked last.

        Raises:
            UnusableInput: nothing was prepared yet.
        """
        if self.last is None:
            raise UnusableInput("nothing was prepared yet: call prepare first")
        return self.last

    def engine_for(self, messages: Sequence[Raw], system: Any) -> Engine:
        """The engine, built for the format of these messages if there is none yet."""
        if self.engine is None:
            plan = machinery.Plan(
                codec=self.codec(messages, system),
                window=self.wishes.window,
                settings=self.wishes.settings,
                is_pinned=self._is_pinned,
                rules=self.wishes.rules,
                instructions=self.wishes.instructions,
                summarizer_window=(self.wishes.summarizer_window or self.wishes.window.tokens) if self.wishes.summarizer else None,
                deadline_s=self.wishes.deadline_s,
                work=self.wishes.work,
                cache=self.wishes.cache,
                bound=self.wishes.profile.prefix_bound_thinking,
                may_flatten=self.wishes.profile.may_flatten,
                alternating=self.wishes.profile.alternating_roles,
                cache_lifetime_s=self.wishes.profile.cache_lifetime_s,
            )
            self.engine = machinery.Engine(plan, ruler=self.ruler())
        return self.engine

    def ruler(self) -> Ruler:
        """The way of counting, with what was learned about the model before."""
        return self.ruler_for(self.wishes)

    def ruler_for(self, wishes: Wishes) -> Ruler:
        """The same for the model of these wishes."""
        return ruler_of(wishes.model, wishes.counter, calibration=wishes.calibrations.get(wishes.model))

    def record(self, reply_or_usage: object) -> None:
        """Hand a report to the engine, and what it taught to the other conversations with this model."""
        if self.engine is not None:
            self.engine.record(reply_or_usage)
            self.wishes.calibrations.put(self.wishes.model, self.engine.state.history.ruler.calibration)

    def codec(self, messages: Sequence[Raw], system: Any) -> Codec:
        """Explicit, then by structure, then by the provider of the model (D58). The last is a guess that structure may overrule later."""
        name = self.wishes.format or self._structure.wire(messages, system)
        self._undecided = name is None
        if name is None:
            name = guessed(self.wishes.model, is_empty=not messages, has_system=system is not None)
        return codec_named(name)

    def _look_again(self, engine: Engine, asked: Asked) -> None:
        """Plain words are the same on every wire: the first message with structure shows which one it is."""
        codec = self.codec(asked.messages, asked.system)
        if codec.name != engine.plan.codec.name:
            engine.recode(codec)

    def _is_pinned(self, raw: Raw, message: Message) -> bool:
        if isinstance(raw, Pinned) or self.wishes.pinning(raw, message):
            return True
        return bool(self.pinned) and fingerprint(message) in self.pinned

    def ask_sync(self, asked: Asked) -> Request:
        """One request; needs are performed in this thread, the summarizer in one of its own.

        Raises:
            UnknownSetting: the summarizer is asynchronous.
            FixedPartTooLarge, ConcurrentPrepare: as `ContextManager.prepare`.
        """
        if self.wishes.summarizer is not None and _is_asynchronous(self.wishes.summarizer):
            raise UnknownSetting("this summarizer is asynchronous: use await prepare(...), or give a synchronous one")
        engine, draft = self._entered(asked)
        try:
            if isinstance(draft, machinery.Request):
                return draft
            return self._left(engine, draft, machinery.drive(draft.run, self._perform), asked)
        except BaseException:
            engine.abandon()
            raise
        finally:
            self._busy = False

    async def ask(self, asked: Asked) -> Request:
        """One request; needs are awaited."""
        engine, draft = self._entered(asked)
        try:
            if isinstance(draft, machinery.Request):
                return draft
            return self._left(engine, draft, await machinery.drive_async(draft.run, self._perform_async), asked)
        except BaseException:
            engine.abandon()
            raise
        finally:
            self._busy = False

    def _entered(self, asked: Asked) -> tuple[Engine, Request | Draft]:
        self._refuse_another()
        engine = self.engine_for(asked.messages, asked.system)
        if self._undecided:
            self._look_again(engine, asked)
        self._busy, self._waited_s = True, 0.0
        try:
            with bulk(len(asked.messages) - engine.state.length):
                return engine, engine.begin(asked)
        except BaseException:
            self._busy = False
            engine.abandon()
            raise

    def _refuse_another(self) -> None:
        if self._busy:
            raise ConcurrentPrepare("another prepare of this conversation is still running; wait for it, or use one manager each")

    def _left(self, engine: Engine, draft: Draft, run: Run, asked: Asked) -> Request:
        if self.first_notices:
            run = replace(run, notices=(*self.first_notices, *run.notices))
        if self._waited_s:
            run = replace(run, events=tuple(timed(event, seconds=self._waited_s) for event in run.events))
        request = engine.finish(draft, run)
        self.first_notices = ()
        plain = replace(asked, manual=False, forced=None, before=None, focus="", strip_media=False, repair=False)
        self.last = asked if asked.is_plain else plain
        self.keep()
        self._announce(engine, request)
        return request

    def _announce(self, engine: Engine, request: Request) -> None:
        """Tell the listener; one that fails is told of once, and fails no request (invariant 7)."""
        if self.wishes.on_event is None:
            return
        for event in request.events:
            try:
                self.wishes.on_event(event)
            except Exception as error:
                if not self._deaf:
                    engine.told_next(f"on_event failed and its failures are not told again: {type(error).__name__}: {str(error)[:200]}")
                self._deaf = True

    def _perform(self, need: Need) -> Outcome:
        if isinstance(need, ladder.Summarize):
            assert self.wishes.summarizer is not None
            with self._waiting():
                return machinery.summarized(need, self.wishes.summarizer)
        return self._stored(need)

    async def _perform_async(self, need: Need) -> Outcome:
        if isinstance(need, ladder.Summarize):
            assert self.wishes.summarizer is not None
            with self._waiting():
                return await machinery.summarized_async(need, self.wishes.summarizer)
        return self._stored(need)

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        """The time a summary takes is told with its compaction (B189)."""
        begun = perf_counter()
        yield
        self._waited_s += perf_counter() - begun

    def _stored(self, need: Keep | Journal) -> Outcome:
        """What is in this process can be had again; a log makes it outlive the process."""
        return machinery.stored(need, self.keeper.log, self.started().state.history) if self.keeper is not None else pretended(need)

    # ------------------------------------------------------------------ keeping

    def keep(self) -> bool:
        """Write down what the last step changed; True once it would survive the end of this process."""
        if self.keeper is None or self.engine is None:
            return False
        return self.keeper.keep(self.engine, also=self.figures())

    def figures(self) -> dict[str, Any]:
        """What is kept beside the engine's state."""
        wishes = self.wishes
        known = {"model": wishes.model, "conversation": self.conversation}
        return {**known, "window": wishes.window.tokens, "stated_window": wishes.stated}

    def note(self, asked: Asked) -> bool:
        """Take in and write down what plainly goes on from what is known, without a request."""
        if self.keeper is None:
            return False
        self._refuse_another()
        engine = self.engine_for(asked.messages, asked.system)
        if self._undecided:
            self._look_again(engine, asked)
        return engine.note(asked) and self.keep()

    def previewed(self, asked: Asked) -> Preview:
        """What a request would go through; nothing is changed by looking."""
        self._refuse_another()
        engine = self.engine_for(asked.messages, asked.system)
        try:
            draft = engine.begin(asked)
            if isinstance(draft, machinery.Request):
                return machinery.Preview(draft.tokens, draft.tokens, (), f"It fits as it is: {draft.tokens:,} tokens.")
            return preview_of(draft, rehearsed(draft))
        finally:
            engine.abandon()

    def preface(self, text: str) -> None:
        """Put words of the assistant in front of everything until the next compaction."""
        engine = self.started()
        engine.preface = Message("assistant", (Text(text),)) if text else None
        engine.state = replace(engine.state, request=None)

    def history(self) -> list[Raw]:
        """The messages that a caller goes on with."""
        engine = self.started()
        state = engine.state
        if state.crossed or state.kept_mode:
            return engine.emitted(state, prefaced=False)[0]  # what stands in front is no part of the conversation
        return [state.raws[ordinal] for ordinal in state.order] if state.order is not None else list(state.raws[: state.length])

    def close(self) -> None:
        """Let another writer in."""
        if self.keeper is not None:
            self.keeper.log.close()


def timed(event: Event, *, seconds: float) -> Event:
    """The event of a compaction with the seconds its summary took; any other one as it is."""
    return replace(event, seconds=seconds) if event.rung == "compact" else event


def rehearsed(draft: Draft) -> Run:
    """The run of a request that is only looked at: with the mechanical checkpoint, and nothing is kept."""
    return machinery.drive(replace(draft.run, facts=replace(draft.run.facts, summarizer_window=None)), pretended)


def preview_of(draft: Draft, run: Run) -> Preview:
    """A rehearsed run in figures and words."""
    before, after = draft.run.total, run.total
    if not draft.asked.manual:  # a nudge lives in one request, and is no part of what a person compacts
        after += ladder.nudge_tokens(run, run.nudges)
    read = sum(max(0, edit.tokens_before - edit.tokens_after) for edit in run.edits if edit.cover is not None)
    rungs = tuple(event.rung for event in run.events)
    text = f"Compacting now takes the context from {before:,} to {after:,} tokens."
    if not draft.asked.manual:
        text = (
            f"The next request takes the context from {before:,} to {after:,} tokens."
            if run.edits
            else f"It fits as it is: {after:,} tokens."
        )
    if run.refused is not None:
        text = f"It cannot be made to fit: {str(FixedPartTooLarge(run.refused, window=run.facts.window)).partition(': ')[2]}"
    keys = tuple(key for event in run.events for key in event.keys)
    return machinery.Preview(before, after, keys, text, rungs, read if draft.run.facts.summarizer_window is not None else 0)


def pretended(need: Need) -> Outcome:
    """Every need met without doing anything."""
    return ladder.Outcome(value=frozenset(getattr(need, "keys", ())))


def _is_asynchronous(summarizer: Summarizer) -> bool:
    import inspect

    return inspect.iscoroutinefunction(summarizer)
