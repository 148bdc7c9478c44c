"""Which parts does a library user get? `ContextManager`: one object beside any model client."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from sostenuto.engine import (
    Asked,
    Draft,
    Engine,
    Hit,
    Overflow,
    Plan,
    Preview,
    Profile,
    Request,
    Switched,
    Undone,
    Usage,
    answered,
    drive,
    drive_async,
    dumped,
    loaded,
    overflow,
    profile_of,
    read,
    redone,
    search,
    stored,
    summarized,
    summarized_async,
    taken,
    tools,
    undone,
    usage,
)
from sostenuto.errors import ConcurrentPrepare, UnknownFormat, UnknownSetting, UnusableInput
from sostenuto.formats.detect import detect
from sostenuto.ladder import Event, Need, Outcome, Run, Settings, Summarize
from sostenuto.manager._wiring import CODECS, Counter, Pin, pinning, ruler_of, window_of
from sostenuto.messages import Message, Pinned, Result, fingerprint, parse_key
from sostenuto.protocols import Codec, Raw, Store, Summarizer
from sostenuto.stores.in_memory import InMemory

_LISTINGS = frozenset({"files:read", "files:modified", "files:failed", "requests", "commands", "values", "running"})


class ContextManager:
    """Keeps one conversation inside its model's window: `prepare` before a call, `record` after it.

    Args:
        model: ``provider:id``; says the window, the way of counting and the profile unless they are given.
        summarizer: ``"mechanical"``, or a callable from prompt to text, sync or async. Its failure never fails a request.
        instructions: what the summarizer is asked beside the schema.
        window: tokens the model takes, where its caller knows better than the catalogue.
        counter: ``"o200k"`` or ``"cl100k"`` (exact), ``"family"`` (estimate), or a weigher of your own; default: exact where possible.
        profile: traits of the model (`Profile`).
        pin: which messages no rung may touch: a predicate over native messages, or texts that a message must equal.
        rules: standing rules, repeated verbatim in every checkpoint; a message that holds one is pinned.
        tool_policy: per tool ``"never"``, ``"first"``, ``"rederivable"``, ``"last"`` or a mapping (see `sostenuto.calls.Trait`).
        cache: ``"keep"`` leaves the caller's cache markers, ``"auto"`` places the provider's.
        store: where texts and the journal are kept; default: this process.
        conversation: a name for it, carried in snapshots.
        on_event: called with every `Event`.
        clock: seconds since any moment; with it, an idle time beyond the cache's lifetime is noticed without being told.
        format: ``"openai_chat"`` or ``"anthropic"``; default: seen from the messages.
        settings: every number of the ladder (`Settings`).
        summarizer_window: tokens the summarizer takes; default: this model's.
        deadline_s: seconds a summary may take; default: grows with its input.

    Raises:
        UnknownSetting: for a value that cannot be used, naming it and the remedy.
    """

    def __init__(
        self,
        model: str = "",
        *,
        summarizer: Literal["mechanical"] | Summarizer = "mechanical",
        instructions: str | None = None,
        window: int | None = None,
        counter: Counter = None,
        profile: Profile | None = None,
        pin: Pin = None,
        rules: Sequence[str] = (),
        tool_policy: Mapping[str, Any] | None = None,
        cache: Literal["keep", "auto"] = "keep",
        store: Store | None = None,
        conversation: str | None = None,
        on_event: Callable[[Event], None] | None = None,
        clock: Callable[[], float] | None = None,
        format: str | None = None,
        settings: Settings | None = None,
        summarizer_window: int | None = None,
        deadline_s: float | None = None,
    ) -> None:
        if format is not None and format not in CODECS:
            raise UnknownFormat(f"format {format!r} is not known; use one of {', '.join(sorted(CODECS))}")
        if summarizer != "mechanical" and not callable(summarizer):
            raise UnknownSetting(f'summarizer {summarizer!r} is neither "mechanical" nor a function from text to text')
        if cache not in ("keep", "auto"):
            raise UnknownSetting(f'cache {cache!r} is not known; use "keep" or "auto"')
        self.model = model
        self.conversation = conversation
        self._window = window_of(model, stated=window)
        self._summarizer: Summarizer | None = None if summarizer == "mechanical" else summarizer
        self._instructions = instructions or ""
        self._counter = counter
        self._profile = profile or profile_of(model)
        self._pin = pinning(pin, rules)
        self._pinned: set[bytes] = set()
        self._rules = tuple(rules)
        chosen = settings or Settings()
        self._settings = replace(chosen, policy=chosen.policy.configured(tool_policy)) if tool_policy else chosen
        self._cache = cache
        self._store: Store = store or InMemory()
        self._on_event = on_event
        self._clock = clock
        self._last_call: float | None = None
        self._format = format
        self._summarizer_window = summarizer_window
        self._deadline_s = deadline_s
        self._engine: Engine | None = None
        self._last: Asked | None = None
        self._busy = False
        self._first_notices: tuple[str, ...] = self._window.notes

    # ------------------------------------------------------------------ before and after a call

    async def prepare(
        self,
        messages: Sequence[Raw],
        *,
        system: Any = None,
        tools: Any = None,
        max_output: int | None = None,
        idle_s: float | None = None,
    ) -> Request:
        """The request to send for this history.

        Args:
            messages: the whole history in your wire format, or what the last request held with what came since.
            system: the system prompt where the wire has it apart.
            tools: the tool definitions you will send; with `tools` of ours among them, placeholders name them.
            max_output: tokens you will ask for as output.
            idle_s: seconds since the last call, if known: a cold cache makes rewriting free.

        Raises:
            FixedPartTooLarge: what may not be left out is larger than the window.
            ConcurrentPrepare: another `prepare` of this manager is still running.
        """
        return await self._asked_async(self._question(messages, system, tools, max_output, idle_s))

    def prepare_sync(
        self,
        messages: Sequence[Raw],
        *,
        system: Any = None,
        tools: Any = None,
        max_output: int | None = None,
        idle_s: float | None = None,
    ) -> Request:
        """`prepare` without an event loop; an asynchronous summarizer is refused.

        Raises:
            UnknownSetting: the summarizer is asynchronous.
            FixedPartTooLarge, ConcurrentPrepare: as `prepare`.
        """
        return self._asked_sync(self._question(messages, system, tools, max_output, idle_s))

    def record(self, reply_or_usage: object) -> None:
        """Learn from what the provider reported: any provider's usage, or a whole reply that holds one."""
        if self._engine is not None:
            self._engine.record(reply_or_usage)
        if self._clock is not None:
            self._last_call = self._clock()

    def recover(self, error: object = None, *, maximum: int | None = None) -> Request:
        """A smaller request after the provider said the last one was too long; one retry.

        Args:
            error: the provider's error; a maximum stated in it is learned.
            maximum: the maximum, where you know it.

        Raises:
            ContextOverflow: the request before was refused too, or nothing smaller can be made.
        """
        return self._asked_sync(self._recovery(error, maximum))

    async def recover_async(self, error: object = None, *, maximum: int | None = None) -> Request:
        """`recover` for an asynchronous summarizer."""
        return await self._asked_async(self._recovery(error, maximum))

    # ------------------------------------------------------------------ asked by a person

    async def compact(self, *, focus: str = "", before: str | None = None) -> Request:
        """Compact now, whatever the fill. `focus` is what to attend to; `before` a key: only what lies before it.

        Raises:
            UnusableInput: nothing was prepared yet, or `before` is not a key.
        """
        return await self._asked_async(self._manual(focus, before))

    def compact_sync(self, *, focus: str = "", before: str | None = None) -> Request:
        """`compact` without an event loop."""
        return self._asked_sync(self._manual(focus, before))

    def preview(self, *, before: str | None = None) -> Preview:
        """What `compact` would do, by the mechanical checkpoint; nothing changes.

        Raises:
            UnusableInput: as `compact`.
        """
        engine, asked = self._started(), self._manual("", before)
        draft = engine.begin(asked)
        assert isinstance(draft, Draft)
        run = drive(replace(draft.run, facts=replace(draft.run.facts, summarizer_window=None)), self._pretend)
        keys = tuple(key for event in run.events for key in event.keys)
        total = draft.run.total
        return Preview(total, run.total, keys, f"Compacting now takes the context from {total:,} to {run.total:,} tokens.")

    def undo(self, edit: int | None = None) -> Undone:
        """Take back the newest edit, or the one with that number; the originals return to the view (D62)."""
        engine = self._started()
        if engine.state.facts is None:
            return Undone(False, None, 0, "There is nothing to undo.")
        engine.state, done = undone(engine.state, engine.state.facts, self._settings, edit)
        return done

    def redo(self, edit: int | None = None) -> Undone:
        """Put the newest undone edit on again, or the one with that number."""
        engine = self._started()
        if engine.state.facts is None:
            return Undone(False, None, 0, "There is nothing to redo.")
        engine.state, done = redone(engine.state, engine.state.facts, edit)
        return done

    def usage(self) -> Usage:
        """How full the context is, by component, and the ten largest pieces with their keys. Before the first request: empty."""
        if self._engine is None or self._engine.state.facts is None:
            return Usage(0, self._window.tokens, self._window.source, {}, ())
        return usage(self._engine.state, self._engine.state.facts, self._window.source)

    def recall(self, query_or_key: str) -> tuple[Hit, ...]:
        """The original under a key (one hit, whole), or everything that holds the words (excerpts with keys).

        Raises:
            UnknownKey: it looks like a key but names nothing here.
        """
        engine = self._started()
        key = query_or_key.strip()
        if parse_key(key) is not None or key in _LISTINGS:
            return (read(engine.state, key, settings=self._settings),)
        found = search(engine.state, key)
        if found or " " in key:
            return found
        return (read(engine.state, key, settings=self._settings),)

    def tools(self) -> list[dict[str, Any]]:
        """The definitions of `recall` and `retrieve_tool_result` in your format, to send beside your own tools."""
        return tools(self._engine.plan.codec if self._engine else self._codec([], None))

    def answer(self, call: Any) -> Raw | None:
        """The message that answers a call of one of our tools, in your format; None if the call is not ours."""
        asked = taken(call)
        if asked is None:
            return None
        engine = self._started()
        text, succeeded = answered(asked, engine.state, settings=self._settings, window=self._window.tokens)
        made = engine.plan.codec.results([(None, 0, Result(asked.id, text, succeeded=succeeded))])
        return made[0]

    def pin(self, message: Raw) -> None:
        """Keep this message byte-equal through every rewrite, from the next request on."""
        codec = self._engine.plan.codec if self._engine else self._codec([message], None)
        self._pinned.add(fingerprint(codec.decode(message)))
        if self._engine is not None:
            self._engine.pin(fingerprint(codec.decode(message)))

    def switch(self, model: str, *, window: int | None = None, counter: Counter = None) -> Switched:
        """Go on with another model: its window and its way of counting hold from the next request on."""
        self.model = model
        self._window = window_of(model, stated=window)
        self._profile = profile_of(model)
        self._counter = counter
        if self._engine is None:
            return Switched(self._window.tokens, 0, f"{model}: window {self._window.tokens:,} tokens ({self._window.source}).")
        plan = replace(self._engine.plan, window=self._window, bound=self._profile.prefix_bound_thinking)
        tokens = self._engine.switch(plan, ruler_of(model, counter))
        lines = self._settings.thresholds
        if tokens <= lines.compact * self._window.tokens:
            verdict = "it fits as it is"
        else:
            verdict = "older messages will be cleared or summarised with the next request"
        text = f"{model}: window {self._window.tokens:,} tokens ({self._window.source}); the history takes about {tokens:,}: {verdict}."
        return Switched(self._window.tokens, tokens, text)

    # ------------------------------------------------------------------ keeping

    def snapshot(self) -> dict[str, Any]:
        """The conversation as JSON-able values: transcript, edits, and what else is needed to go on elsewhere."""
        engine = self._started()
        saved = dumped(engine.state, engine.plan.codec)
        saved["meta"].update(model=self.model, conversation=self.conversation, window=self._window.tokens)
        return saved

    @classmethod
    def restore(cls, snapshot: Mapping[str, Any], **arguments: Any) -> ContextManager:
        """A manager that goes on from a snapshot. `arguments` are those of the constructor; the model and format are in the snapshot.

        Raises:
            UnusableInput: it is not a snapshot, or of a newer schema.
        """
        meta = snapshot.get("meta") if isinstance(snapshot, Mapping) else None
        if not isinstance(meta, Mapping) or snapshot.get("format") not in CODECS:
            raise UnusableInput("this is not a snapshot of a conversation; take it from snapshot()")
        arguments.setdefault("model", meta.get("model") or "")
        arguments.setdefault("conversation", meta.get("conversation"))
        arguments.setdefault("window", meta.get("window"))
        manager = cls(**{**arguments, "format": snapshot["format"]})
        engine = manager._engine_for([], None)
        engine.state = loaded(snapshot, engine.state.history, engine.plan.codec, manager._settings)
        return manager

    def close(self) -> None:
        """Let go of the conversation. The manager can be used again for a new one."""
        self._engine, self._last = None, None

    # ------------------------------------------------------------------ how it is done

    def _question(self, messages: Sequence[Raw], system: Any, tools: Any, max_output: int | None, idle_s: float | None) -> Asked:
        if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Sequence):
            raise UnusableInput(f"messages must be a list of messages, not {type(messages).__name__}")
        if idle_s is None and self._clock is not None and self._last_call is not None:
            idle_s = max(0.0, self._clock() - self._last_call)
        asked = Asked(list(messages), system, tools, max_output, idle_s)
        return asked

    def _manual(self, focus: str, before: str | None) -> Asked:
        if self._last is None:
            raise UnusableInput("nothing was prepared yet: call prepare first")
        found = parse_key(before) if before is not None else None
        if before is not None and found is None:
            raise UnusableInput(f"before={before!r} is not a key such as m40")
        return replace(self._last, manual=True, focus=focus, before=found[0] if found else None)

    def _recovery(self, error: object, maximum: int | None) -> Asked:
        engine = self._started()
        if self._last is None:
            raise UnusableInput("nothing was prepared yet: call prepare first")
        evidence = overflow(error) if error is not None else Overflow(maximum=maximum)
        if evidence is None:
            raise UnusableInput(f"this error does not say that the request was too long: {str(error)[:300]}")
        if evidence.too_many_bytes:
            return replace(self._last, strip_media=True, forced=engine.overflowed(stated=None))
        return replace(self._last, forced=engine.overflowed(stated=maximum or evidence.maximum))

    def _started(self) -> Engine:
        return self._engine if self._engine is not None else self._engine_for([], None)

    def _engine_for(self, messages: Sequence[Raw], system: Any) -> Engine:
        if self._engine is None:
            plan = Plan(
                codec=self._codec(messages, system),
                window=self._window,
                settings=self._settings,
                is_pinned=self._is_pinned,
                rules=self._rules,
                instructions=self._instructions,
                summarizer_window=(self._summarizer_window or self._window.tokens) if self._summarizer else None,
                deadline_s=self._deadline_s,
                cache=self._cache,
                bound=self._profile.prefix_bound_thinking,
                may_flatten=self._profile.may_flatten,
                alternating=self._profile.alternating_roles,
                cache_lifetime_s=self._profile.cache_lifetime_s,
            )
            self._engine = Engine(plan, ruler=ruler_of(self.model, self._counter))
        return self._engine

    def _codec(self, messages: Sequence[Raw], system: Any) -> Codec:
        """Explicit, then by structure, then by the provider of the model (D58)."""
        name = self._format or detect(messages, system)
        if name is None:
            name = "anthropic" if self.model.startswith("anthropic:") or system is not None else "openai_chat"
        return CODECS[name]

    def _is_pinned(self, raw: Raw, message: Message) -> bool:
        if isinstance(raw, Pinned) or self._pin(raw, message):
            return True
        return bool(self._pinned) and fingerprint(message) in self._pinned

    def _asked_sync(self, asked: Asked) -> Request:
        import inspect

        if self._summarizer is not None and inspect.iscoroutinefunction(self._summarizer):
            raise UnknownSetting("this summarizer is asynchronous: use await prepare(...), or give a synchronous one")
        engine, draft = self._entered(asked)
        try:
            if isinstance(draft, Request):
                return draft
            return self._left(engine, draft, drive(draft.run, self._perform), asked)
        except BaseException:
            engine.abandon()
            raise
        finally:
            self._busy = False

    async def _asked_async(self, asked: Asked) -> Request:
        engine, draft = self._entered(asked)
        try:
            if isinstance(draft, Request):
                return draft
            return self._left(engine, draft, await drive_async(draft.run, self._perform_async), asked)
        except BaseException:
            engine.abandon()
            raise
        finally:
            self._busy = False

    def _entered(self, asked: Asked) -> tuple[Engine, Request | Draft]:
        if self._busy:
            raise ConcurrentPrepare("another prepare of this conversation is still running; wait for it, or use one manager each")
        engine = self._engine_for(asked.messages, asked.system)
        self._busy = True
        try:
            return engine, engine.begin(asked)
        except BaseException:
            self._busy = False
            engine.abandon()
            raise

    def _left(self, engine: Engine, draft: Draft, run: Run, asked: Asked) -> Request:
        if self._first_notices:
            run = replace(run, notices=(*self._first_notices, *run.notices))
        request = engine.finish(draft, run)
        self._first_notices = ()
        self._last = replace(asked, manual=False, forced=None, before=None, focus="", strip_media=False)
        for event in request.events if self._on_event else ():
            assert self._on_event is not None
            self._on_event(event)
        return request

    def _perform(self, need: Need) -> Outcome:
        engine = self._started()
        if isinstance(need, Summarize):
            assert self._summarizer is not None
            return summarized(need, self._summarizer)
        return stored(need, self._store, engine.state.history)

    async def _perform_async(self, need: Need) -> Outcome:
        if isinstance(need, Summarize):
            assert self._summarizer is not None
            return await summarized_async(need, self._summarizer)
        return stored(need, self._store, self._started().state.history)

    def _pretend(self, need: Need) -> Outcome:
        keys = getattr(need, "keys", ())
        return Outcome(value=frozenset(keys))
