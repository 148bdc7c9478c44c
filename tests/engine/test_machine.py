"""The whole life of a conversation against a model that computes everything anew (algorithms 2)."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from sostenuto.engine import State
from sostenuto.engine._emission import Emission, opened
from sostenuto.errors import FixedPartTooLarge
from sostenuto.ladder import History, checkpoint_messages, unanswered, view_of
from sostenuto.manager import ContextManager
from sostenuto.protocols import Codec, Raw
from sostenuto.tokens import Measure
from tests.engine import wires
from tests.engine.conversing import CODECS, Quarters, faults, manager

WORD = "evidence "
Draw = Any


def recomputed(state: State, codec: Codec, raws: list[Raw]) -> tuple[list[Raw], Measure]:
    """The view from scratch: a fresh history of the raw messages, the edits folded over it, and a full recount."""
    old = state.history
    history = History(old.ruler, old.folding.alike())
    for ordinal, raw in enumerate(raws):
        history.add(codec.decode(raw), pinned=ordinal in old.pinned)
    view = view_of(state.edits, history=history)
    emission = Emission(history, view, raws, codec)
    emission.head(())
    emission.body(view.start)
    total = view.head
    for number in range(view.start, len(history.units)):
        total += view.unit(history, number)
    for message in view.inserted.values():
        total += old.ruler.measure(message)
    return opened(emission.out, codec), total


class Conversation(RuleBasedStateMachine):
    """Append, cover, undo, redo, fork, host edits, crashes: the incremental view is the recomputed one after each step."""

    format = "openai_chat"

    @initialize(window=st.sampled_from((400, 1_000, 2_500, 8_000)))
    def begin(self, window: int) -> None:
        """An empty conversation."""
        self.codec = CODECS[self.format]
        self.window = window
        self.context = self.context_of(window)
        self.handed: list[Raw] = [self.said("The task: find the fault.")]
        self.calls = 0
        self.request: Any = None
        self.ask()

    def context_of(self, window: int) -> ContextManager:
        """A manager for a new conversation."""
        return manager(window, format=self.format)

    def said(self, text: str) -> Raw:
        """A native message of the user."""
        return wires.user(text, format=self.format)

    def ask(self) -> None:
        """One request for what the host holds now; a refusal ends the conversation's growth but harms nothing."""
        try:
            self.request = self.context.prepare_sync(list(self.handed))
        except FixedPartTooLarge:
            self.request = None

    @property
    def state(self) -> State:
        """What the engine knows."""
        engine = self.context._driver.engine
        assert engine is not None
        return engine.state

    # ---- growth

    @rule(size=st.integers(1, 60))
    def says(self, size: int) -> None:
        """The user says more."""
        self.handed.append(self.said(f"{len(self.handed)} {WORD * size}"))
        self.ask()

    @rule(size=st.integers(1, 30), thinks=st.booleans())
    def answers(self, size: int, thinks: bool) -> None:
        """The model answers, perhaps after reasoning, and the user goes on."""
        made = wires.reply(WORD * size, format=self.format, thought=f"t{len(self.handed)}" if thinks else "")
        self.handed += [*made, self.said(f"Go on {len(self.handed)}")]
        self.ask()

    @rule(sizes=st.lists(st.integers(0, 500), min_size=1, max_size=3), queued=st.booleans())
    def works(self, sizes: list[int], queued: bool) -> None:
        """The model calls tools; perhaps words are queued behind the results."""
        ids = [f"c{self.calls + number}" for number in range(len(sizes))]
        self.calls += len(sizes)
        texts = [f"{one} {WORD * size}" for one, size in zip(ids, sizes, strict=True)]
        thought, said = (ids[0], "and hurry" if queued else "")
        self.handed += wires.cycle(ids, texts, format=self.format, thought=thought, said=said, nameless=queued)
        self.ask()

    # ---- what the host does to its history

    @precondition(lambda self: len(self.handed) > 3)
    @rule(data=st.data())
    def regenerates(self, data: st.DataObject) -> None:
        """The host cuts its tail off at a turn and goes on otherwise."""
        turns = [n for n, raw in enumerate(self.handed) if raw.get("role") == "user" and n > 0]
        if turns:
            self.handed = [*self.handed[: data.draw(st.sampled_from(turns))], self.said("Another way.")]
            self.ask()

    @precondition(lambda self: len(self.handed) > 4)
    @rule(data=st.data())
    def rewrites(self, data: st.DataObject) -> None:
        """The host puts other words into an old result or message."""
        at = data.draw(st.integers(1, len(self.handed) - 3))
        text = data.draw(st.sampled_from(("[removed]", "x" * 300)))
        new = wires.reworded(self.handed[at], text, format=self.format)
        if new is not None:
            self.handed[at] = new
            self.ask()

    @precondition(lambda self: len(self.handed) > 8)
    @rule(data=st.data())
    def drops(self, data: st.DataObject) -> None:
        """The host leaves out its oldest turns."""
        turns = [n for n, raw in enumerate(self.handed[:-3]) if raw.get("role") == "user" and n > 1]
        if turns:
            self.handed = self.handed[data.draw(st.sampled_from(turns)) :]
            self.ask()

    @precondition(lambda self: len(self.handed) > 2 and self.format in ("anthropic", "openai_chat"))
    @rule(data=st.data())
    def marks(self, data: st.DataObject) -> None:
        """The host moves its cache marker: no message changes its meaning."""
        at = data.draw(st.integers(0, len(self.handed) - 1))
        raw = self.handed[at]
        if isinstance(raw.get("content"), str):
            before = len(self.state.edits)
            block = {"type": "text", "text": raw["content"], "cache_control": {"type": "ephemeral"}}
            if raw["role"] in ("user", "assistant"):
                self.handed[at] = {**raw, "content": [block]}
                active = [edit.active for edit in self.state.edits]
                self.ask()
                assert [edit.active for edit in self.state.edits[:before]] == active

    # ---- what a person does

    @rule()
    def compacts(self) -> None:
        """A person asks to compact."""
        if self.request is not None:
            try:
                self.request = self.context.compact_sync()
            except FixedPartTooLarge:
                self.request = None

    @rule(data=st.data())
    def undoes(self, data: st.DataObject) -> None:
        """A person takes an edit back."""
        numbers = [edit.number for edit in self.state.edits]
        before = self.state
        done = self.context.undo(data.draw(st.sampled_from([None, *numbers])))
        if not done.applied:
            assert self.state is before

    @rule()
    def redoes(self) -> None:
        """A person puts an edit on again."""
        self.context.redo()

    @rule()
    def crashes(self) -> None:
        """The process ends; another one goes on from the snapshot, as JSON."""
        saved = json.loads(json.dumps(self.context.snapshot()))
        before = recomputed(self.state, self.codec, self.state.raws[: self.state.length])
        wishes = {"counter": Quarters(), "window": self.window, "format": self.format}
        self.context = ContextManager.restore(saved, **wishes)
        after = recomputed(self.state, self.codec, self.state.raws[: self.state.length])
        assert after == before
        self.request = None

    # ---- what must hold

    @invariant()
    def is_what_a_recount_says(self) -> None:
        """Messages, tokens and prefix sums equal those computed anew."""
        if not hasattr(self, "context") or self.context._driver.engine is None:
            return
        state = self.state
        assert len(state.history.messages) == state.length == len(state.raws)
        messages, total = recomputed(state, self.codec, state.raws)
        engine = self.context._driver.engine
        sent, _, heads = engine.emitted(state)
        # a caller's marker may have moved to the continuation; it is no part of the words that are counted anew
        cover = state.view.cover
        bare = self.codec.encode(checkpoint_messages(cover)[-1]) if cover is not None else None
        assert [bare if heads and message is heads[-1] else message for message in sent] == messages
        assert state.view.measure(state.history) == total
        running = Measure()
        settled = state.history.folding.settled
        for number in range(settled):
            assert state.history.span(0, number) == running
            for place in state.history.units[number].parts:
                running += state.history.part(place.ordinal, place.index)
            for slot in state.history.units[number].slots:
                if slot.result is None:
                    running += state.history.piece(unanswered(slot))
        assert state.history.span(0, settled) == running
        assert not messages or faults({self.codec.field: messages}, format=self.format, handed=messages) == []

    @invariant()
    def is_the_same_again(self) -> None:
        """Asking again without a change gives the very same request."""
        if getattr(self, "request", None) is not None and self.state.request is self.request:
            assert self.context.prepare_sync(list(self.handed)) is self.request


class AnthropicConversation(Conversation):
    """The same where results and words share messages, and thinking is signed."""

    format = "anthropic"


class GeminiConversation(Conversation):
    """The same where calls may lack an id."""

    format = "gemini"


class ResponsesConversation(Conversation):
    """The same where one turn of the assistant is several items."""

    format = "openai_responses"


TestConversation = Conversation.TestCase
TestConversation.settings = settings(stateful_step_count=25)
TestAnthropicConversation = AnthropicConversation.TestCase
TestAnthropicConversation.settings = settings(stateful_step_count=25)
TestGeminiConversation = GeminiConversation.TestCase
TestGeminiConversation.settings = settings(stateful_step_count=25)
TestResponsesConversation = ResponsesConversation.TestCase
TestResponsesConversation.settings = settings(stateful_step_count=25)
