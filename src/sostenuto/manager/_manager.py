"""Which parts does a library user get? `ContextManager`: one object beside any model client."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from sostenuto import engine as machinery
from sostenuto.errors import UnknownKey, UnusableInput
from sostenuto.ladder import Settings
from sostenuto.manager._calibrations import Calibrations
from sostenuto.manager._checking import asked as check_asked
from sostenuto.manager._checking import checked, named
from sostenuto.manager._driving import Driver, Wishes
from sostenuto.manager._outliving import Outliving
from sostenuto.manager._recovering import recovery
from sostenuto.manager._taking_up import arguments_for, restored, taken_up
from sostenuto.manager._wiring import Counter, Pin, check_counter, configured, pinning, window_of
from sostenuto.messages import Result, fingerprint, parse_key
from sostenuto.protocols import Finder, Raw, Store, Summarizer
from sostenuto.window import Window

if TYPE_CHECKING:
    from sostenuto.engine import Asked, Hit, Preview, Profile, Request, Switched, Undone, Usage
    from sostenuto.ladder import Event


class ContextManager(Outliving):
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
        store: where conversations are kept that outlive this process; without one, this process alone has it.
        conversation: a name for it, carried in snapshots; with a store what it holds under this name is gone on with.
        on_event: called with every `Event`.
        clock: seconds since any moment; with it, an idle time beyond the cache's lifetime is noticed without being told.
        format: ``"openai_chat"``, ``"openai_responses"``, ``"anthropic"`` or ``"gemini"``; default: seen from the messages.
        settings: every number of the ladder (`Settings`).
        summarizer_window: tokens the summarizer takes; default: this model's.
        deadline_s: seconds a summary may take; default: grows with its input.
        work: says what is known of the work outside the conversation; asked before a compaction, and written into its checkpoint (D43).
        calibrations: what was learned about models; hand the same object to several managers, or keep it in a file.
        catalogue: a models.dev ``api.json`` of your own (see ``sostenuto models --refresh``); it comes before the bundled one.

    Raises:
        UnknownSetting: for a value that cannot be used, naming it and the remedy.
        UnusableInput: for a catalogue, or a kept conversation, that cannot be read.
        ConversationInUse: somebody else is writing the conversation.
    """

    _last_call: float | None = None

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
        work: Callable[[], str] | None = None,
        calibrations: Calibrations | None = None,
        catalogue: str | PathLike[str] | None = None,
    ) -> None:
        checked(
            model=model, summarizer=summarizer, instructions=instructions, profile=profile, rules=rules, cache=cache,
            settings=settings, format=format, on_event=on_event, work=work,
        )  # fmt: skip
        check_counter(counter)
        self.conversation = conversation
        self._clock = clock
        self._driver = Driver(
            Wishes(
                model=model,
                window=window_of(model, stated=window, calibrations=calibrations, catalogue=catalogue),
                stated=window,
                profile=profile or machinery.profile_of(model),
                settings=configured(settings or Settings(), tool_policy),
                pinning=pinning(pin, rules),
                store=store,
                summarizer=None if summarizer == "mechanical" else summarizer,
                instructions=instructions or "",
                counter=counter,
                rules=tuple(rules),
                cache=cache,
                on_event=on_event,
                format=format,
                summarizer_window=summarizer_window,
                deadline_s=deadline_s,
                work=work,
                calibrations=calibrations or Calibrations(),
                catalogue=catalogue,
            ),
            conversation=conversation,
        )
        self._driver.first_notices += taken_up(self._driver)

    @property
    def model(self) -> str:
        """The ``provider:id`` in force."""
        return self._driver.wishes.model

    @property
    def window(self) -> Window:
        """The window in force, with its source; a maximum that an error stated, or a silent cut showed, lowers it."""
        return self._driver.engine.window if self._driver.engine is not None else self._driver.wishes.window

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
        return await self._driver.ask(self._question(messages, system, tools, max_output, idle_s))

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
        return self._driver.ask_sync(self._question(messages, system, tools, max_output, idle_s))

    def record(self, reply_or_usage: object) -> None:
        """Learn from what the provider reported: any provider's usage, or a whole reply that holds one."""
        self._driver.record(reply_or_usage)
        if self._clock is not None:
            self._last_call = self._clock()

    def recover(self, error: object = None, *, maximum: int | None = None) -> Request:
        """A smaller request after the provider said the last one was too long; one retry.

        Args:
            error: the provider's error, a maximum stated in it is learned; or a reply that stopped for length at the window's end.
            maximum: the maximum, where you know it.

        Raises:
            UnusableInput: the error says something else than that the request was too long, or nothing was prepared yet.
            ContextOverflow: the request before was refused too, or nothing smaller can be made.
        """
        return self._driver.ask_sync(recovery(self._driver, error, maximum=maximum))

    async def recover_async(self, error: object = None, *, maximum: int | None = None) -> Request:
        """`recover` for an asynchronous summarizer."""
        return await self._driver.ask(recovery(self._driver, error, maximum=maximum))

    # ------------------------------------------------------------------ asked by a person

    async def compact(self, *, focus: str = "", before: str | None = None) -> Request:
        """Compact now, whatever the fill. `focus` is what to attend to; `before` a key: only what lies before it.

        Raises:
            UnusableInput: nothing was prepared yet, or `before` is not the key of one of its messages.
        """
        return await self._driver.ask(self._manual(focus, before))

    def compact_sync(self, *, focus: str = "", before: str | None = None) -> Request:
        """`compact` without an event loop."""
        return self._driver.ask_sync(self._manual(focus, before))

    def preview(self, *, before: str | None = None) -> Preview:
        """What `compact` would do, by the mechanical checkpoint; nothing changes.

        Raises:
            UnusableInput: as `compact`.
        """
        return self._driver.previewed(self._manual("", before))

    def preview_next(self, messages: Sequence[Raw], *, system: Any = None, tools: Any = None, max_output: int | None = None) -> Preview:
        """What `prepare` would do with these messages, by the mechanical checkpoint; nothing changes.

        For a conversation that goes on with a smaller window or another model: what will be cleared or summarised, and for how much.
        """
        return self._driver.previewed(self._question(messages, system, tools, max_output, None))

    def undo(self, edit: int | None = None) -> Undone:
        """Take back the newest edit, or the one with that number; the originals return to the view (D62)."""
        engine = self._driver.started()
        engine.state, done = machinery.undone(engine.state, engine.facts(), self._driver.wishes.settings, edit)
        self._driver.keep()
        return done

    def redo(self, edit: int | None = None) -> Undone:
        """Put the newest undone edit on again, or the one with that number."""
        engine = self._driver.started()
        engine.state, done = machinery.redone(engine.state, engine.facts(), edit)
        self._driver.keep()
        return done

    def usage(self) -> Usage:
        """How full the context is, by component, and the ten largest pieces with their keys. Before the first request: empty."""
        engine = self._driver.engine
        if engine is None or not engine.state.length:
            return machinery.Usage(0, self.window.tokens, self.window.source, {}, (), self.window.tokens)
        return machinery.usage(engine.state, engine.facts(), self.window.source)

    def recall(self, query_or_key: str) -> tuple[Hit, ...]:
        """The original under a key (one hit, whole), or everything that holds the words (excerpts with keys).

        Raises:
            UnknownKey: it looks like a key but names nothing here.
        """
        engine = self._driver.started()
        key = query_or_key.strip()
        if machinery.names_key(engine.state, key):
            return (machinery.read(engine.state, key, settings=self._driver.wishes.settings),)
        if not key:
            raise UnknownKey("an empty text names nothing; give a key such as m12.0, or words to search for")
        return machinery.search(engine.state, key, finder=self._driver.finder)

    def search_with(self, finder: Finder, *, now: bool = False) -> None:
        """Search with this index from now on. It is brought up to date before every search, and with `now` at once."""
        self._driver.finder = finder
        if now:
            machinery.synchronize(self._driver.started().state, finder)

    def tools(self) -> list[dict[str, Any]]:
        """The definitions of `recall` and `retrieve_tool_result` in your format, to send beside your own tools."""
        return machinery.tools(self._driver.engine.plan.codec if self._driver.engine else self._driver.codec([], None))

    def answer(self, call: Any) -> Raw | None:
        """The message that answers a call of one of our tools, in your format; None if the call is not ours."""
        engine = self._driver.started()
        asked = machinery.taken(call, engine.plan.codec)
        if asked is None:
            return None
        text, succeeded = machinery.answered(
            asked, engine.state, settings=self._driver.wishes.settings, window=self.window.tokens, finder=self._driver.finder
        )
        named = asked.name if engine.plan.codec.by_name else ""
        made = engine.plan.codec.results([(None, 0, Result(asked.id, text, succeeded=succeeded, name=named))])
        return made[0]

    def pin(self, message: Raw) -> None:
        """Keep this message byte-equal through every rewrite, from the next request on."""
        codec = self._driver.engine.plan.codec if self._driver.engine else self._driver.codec([message], None)
        self._driver.pinned.add(fingerprint(codec.decode(message)))
        if self._driver.engine is not None:
            self._driver.engine.pin(fingerprint(codec.decode(message)))
            self._driver.keep()

    def switch(
        self, model: str, *, window: int | None = None, counter: Counter = None, format: str | None = None, dry_run: bool = False
    ) -> Switched:
        """Go on with another model: its window, its way of counting and its demands hold from the next request on.

        Args:
            model, window, counter: as for the constructor.
            format: the wire the new model is spoken to in, if it is another one: then go on with the `messages` of the answer. Ids
                are made legal there, reasoning sealed for the old model is left out, and every key stays what it was.
            dry_run: only say what it would mean; nothing changes.

        Raises:
            UnknownFormat, UnknownSetting: for a format or a value that cannot be used.
        """
        from sostenuto.manager._switching import switched

        named(model, format)
        check_counter(counter)
        wishes = replace(
            self._driver.wishes,
            model=model,
            window=window_of(model, stated=window, calibrations=self._driver.wishes.calibrations, catalogue=self._driver.wishes.catalogue),
            stated=window,
            profile=machinery.profile_of(model),
            counter=counter,
            format=format or self._driver.wishes.format,
        )
        told = switched(self._driver, wishes, dry_run=dry_run)
        self._driver.keep()
        return told

    # ------------------------------------------------------------------ keeping

    def snapshot(self) -> dict[str, Any]:
        """The conversation as JSON-able values: transcript, edits, and what else is needed to go on elsewhere."""
        engine = self._driver.started()
        saved = machinery.dumped(engine.state, engine.plan.codec)
        saved["meta"].update(self._driver.figures())
        return saved

    @classmethod
    def restore(cls, snapshot: Mapping[str, Any], **arguments: Any) -> ContextManager:
        """A manager that goes on from a snapshot. `arguments` are those of the constructor; the model and format are in the snapshot.

        What `calibrations` know of the model comes before what the conversation itself had learned of it.

        Raises:
            UnusableInput: it is not a snapshot, or of a newer schema.
        """
        wanted, looked_up = arguments_for(snapshot, arguments)
        manager = cls(**wanted)
        restored(manager._driver.wishes, manager._driver, snapshot, looked_up=looked_up)
        return manager

    def close(self) -> None:
        """Let go of the conversation, and let another writer in. The manager can be used again for a new one, which no store keeps."""
        self._driver.close()
        self._driver = Driver(replace(self._driver.wishes, store=None))

    # ------------------------------------------------------------------ how it is done

    def _question(self, messages: Sequence[Raw], system: Any, tools: Any, max_output: int | None, idle_s: float | None) -> Asked:
        check_asked(messages, max_output, idle_s)
        if idle_s is None and self._clock is not None and self._last_call is not None:
            idle_s = max(0.0, self._clock() - self._last_call)
        return machinery.Asked(list(messages), system, tools, max_output, idle_s)

    def _manual(self, focus: str, before: str | None) -> Asked:
        last = self._driver.prepared()
        found = parse_key(before) if before is not None else None
        if before is not None and found is None:
            raise UnusableInput(f"before={before!r} is not a key such as m40")
        length = self._driver.started().state.length
        if found is not None and found[0] >= length:
            raise UnusableInput(f"before={before!r} names no message of this conversation: the last one is m{length - 1}")
        return replace(last, manual=True, focus=focus, before=found[0] if found else None)
