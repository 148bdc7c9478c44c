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
from sostenuto.messages import Folding
from sostenuto.protocols import Codec, Raw
from sostenuto.tokens import Measure
from tests.engine.conversing import CODECS, Quarters, faults, manager

WORD = "evidence "
Draw = Any


def recomputed(state: State, codec: Codec, raws: list[Raw]) -> tuple[list[Raw], Measure]:
    """The view from scratch: a fresh history of the raw messages, the edits folded over it, and a full recount."""
    old = state.history
    folding = Folding(unique_ids=old.folding.unique_ids, legal_id=old.folding.legal_id, strict=old.folding.strict)
    history = History(old.ruler, folding)
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
        self.context: ContextManager = manager(window, format=self.format)
        self.handed: list[Raw] = [{"role": "user", "content": "The task: find the fault."}]
        self.calls = 0
        self.request: Any = None
        self.ask()

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
        self.handed.append({"role": "user", "content": f"{len(self.handed)} {WORD * size}"})
        self.ask()

    @rule(size=st.integers(1, 30))
    def answers(self, size: int) -> None:
        """The model answers and the user goes on."""
        self.handed += [{"role": "assistant", "content": WORD * size}, {"role": "user", "content": f"Go on {len(self.handed)}"}]
        self.ask()

    @rule(sizes=st.lists(st.integers(0, 500), min_size=1, max_size=3), queued=st.booleans())
    def works(self, sizes: list[int], queued: bool) -> None:
        """The model calls tools; perhaps words are queued behind the results."""
        ids = [f"c{self.calls + number}" for number in range(len(sizes))]
        self.calls += len(sizes)
        self.handed += self.cycle(ids, [f"{one} {WORD * size}" for one, size in zip(ids, sizes, strict=True)], queued)
        self.ask()

    def cycle(self, ids: list[str], texts: list[str], queued: bool) -> list[Raw]:
        """Native messages of one cycle."""
        names = ("read_file", "bash", "write_file")
        calls: list[Raw] = [
            {"id": one, "type": "function", "function": {"name": names[n], "arguments": json.dumps({"path": f"src/{one}.py"})}}
            for n, one in enumerate(ids)
        ]
        out: list[Raw] = [{"role": "assistant", "content": None, "tool_calls": calls}]
        out += [{"role": "tool", "tool_call_id": one, "content": text} for one, text in zip(ids, texts, strict=True)]
        return [*out, {"role": "user", "content": "and hurry"}] if queued else out

    # ---- what the host does to its history

    @precondition(lambda self: len(self.handed) > 3)
    @rule(data=st.data())
    def regenerates(self, data: st.DataObject) -> None:
        """The host cuts its tail off at a turn and goes on otherwise."""
        turns = [n for n, raw in enumerate(self.handed) if raw["role"] == "user" and n > 0]
        if turns:
            self.handed = [*self.handed[: data.draw(st.sampled_from(turns))], {"role": "user", "content": "Another way."}]
            self.ask()

    @precondition(lambda self: len(self.handed) > 4)
    @rule(data=st.data())
    def rewrites(self, data: st.DataObject) -> None:
        """The host puts other words into an old result or message."""
        at = data.draw(st.integers(1, len(self.handed) - 3))
        raw = self.handed[at]
        if isinstance(raw.get("content"), str):
            self.handed[at] = {**raw, "content": data.draw(st.sampled_from(("[removed]", "x" * 300)))}
            self.ask()

    @precondition(lambda self: len(self.handed) > 8)
    @rule(data=st.data())
    def drops(self, data: st.DataObject) -> None:
        """The host leaves out its oldest turns."""
        turns = [n for n, raw in enumerate(self.handed[:-3]) if raw["role"] == "user" and n > 1]
        if turns:
            self.handed = self.handed[data.draw(st.sampled_from(turns)) :]
            self.ask()

    @precondition(lambda self: len(self.handed) > 2)
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
        assert not messages or faults({"messages": messages}, format=self.format, handed=messages) == []

    @invariant()
    def is_the_same_again(self) -> None:
        """Asking again without a change gives the very same request."""
        if getattr(self, "request", None) is not None and self.state.request is self.request:
            assert self.context.prepare_sync(list(self.handed)) is self.request


class AnthropicConversation(Conversation):
    """The same in the other wire format."""

    format = "anthropic"

    def cycle(self, ids: list[str], texts: list[str], queued: bool) -> list[Raw]:
        """Native messages of one cycle, queued words in the message of the results."""
        names = ("read_file", "bash", "write_file")
        calls = [{"type": "tool_use", "id": one, "name": names[n], "input": {"path": f"src/{one}.py"}} for n, one in enumerate(ids)]
        results: list[Raw] = [{"type": "tool_result", "tool_use_id": one, "content": text} for one, text in zip(ids, texts, strict=True)]
        said: list[Raw] = [{"type": "text", "text": "and hurry"}] if queued else []
        thought = {"type": "thinking", "thinking": "Look first.", "signature": "c2ln"}
        return [{"role": "assistant", "content": [thought, *calls]}, {"role": "user", "content": [*results, *said]}]


TestConversation = Conversation.TestCase
TestConversation.settings = settings(stateful_step_count=25)
TestAnthropicConversation = AnthropicConversation.TestCase
TestAnthropicConversation.settings = settings(stateful_step_count=25)
