"""A conversation that goes from wire to wire and model to model at any moment (D20, D29, D46)."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from sostenuto.engine import Request, State
from sostenuto.engine._emission import Emission, opened
from sostenuto.errors import FixedPartTooLarge
from sostenuto.ladder import History, checkpoint_messages, view_of
from sostenuto.manager import ContextManager
from sostenuto.messages import Text
from sostenuto.protocols import Codec, Raw
from sostenuto.tokens import Measure
from tests.engine import wires
from tests.engine.conversing import CODECS, FORMATS, Quarters, faults, manager
from tests.engine.witness import RULER, SHORTER, said

WORD = "evidence "
MODELS = ("", "openai:gpt-5", "anthropic:claude-sonnet-4", "google:gemini-2.5-pro")
WINDOWS = (700, 1_500, 4_000, 20_000)


def recomputed(state: State, codec: Codec) -> tuple[list[Raw], Measure]:
    """The view from scratch: a fresh history, the edits folded over it, and a full recount."""
    old = state.history
    history = History(old.ruler, old.folding.alike())
    for ordinal, raw in enumerate(state.raws[: state.length]):
        message = old.messages[ordinal] if ordinal < state.crossed else codec.decode(raw)
        history.add(message, pinned=ordinal in old.pinned)
    view = view_of(state.edits, history=history)
    emission = Emission(history, view, state.raws, codec, crossed=state.crossed)
    emission.head(())
    emission.body(view.start)
    total = view.head
    for number in range(view.start, len(history.units)):
        total += view.unit(history, number)
    for message in view.inserted.values():
        total += old.ruler.measure(message)
    return opened(emission.out, codec), total


def user_texts(raw: Raw, codec: Codec) -> list[str]:
    """What the user says in a message, but for the lines that are ours."""
    message = codec.decode(raw)
    texts = [part.text for part in message.parts if isinstance(part, Text)]
    return [text for text in texts if message.role == "user" and text[:1].isdigit()]


class Travels(RuleBasedStateMachine):
    """Grow, switch, compact, undo, crash, regenerate: every request is legal in the wire in force and no key is ever lost."""

    @initialize(format=st.sampled_from(FORMATS), window=st.sampled_from(WINDOWS))
    def begin(self, format: str, window: int) -> None:
        """An empty conversation in some wire."""
        self.format, self.window, self.model = format, window, ""
        self.context: ContextManager = manager(window, format=format)
        self.handed: list[Raw] = []
        self.kept: list[Raw] | None = None
        self.calls = 0
        self.originals: dict[int, list[str]] = {}
        self.left: dict[tuple[str, str], list[str]] = {}
        self.before: list[Raw] | None = None
        self.request: Request | None = None
        self.start = 0

    @property
    def codec(self) -> Codec:
        """The codec of the wire in force."""
        return CODECS[self.format]

    @property
    def state(self) -> State:
        """What the engine knows."""
        engine = self.context._driver.engine
        assert engine is not None
        return engine.state

    def ask(self, new: list[Raw]) -> list[Raw]:
        """One request for the host's own list with something new behind it; what was sent, without nudges."""
        before, known = self.handed, self.state if self.context._driver.engine is not None else None
        self.handed = [*self.handed, *new]
        try:
            request = self.context.prepare_sync(list(self.handed))
        except FixedPartTooLarge:
            self.handed = before
            return []
        self.learn(known)
        self.see(request)
        return self.before or []

    def learn(self, known: State | None) -> None:
        """Remember what the newest messages said, and which are on a branch now."""
        first, state = known.length if known is not None else 0, self.state
        if known is not None and len(state.branches) > len(known.branches):
            first, where = state.branches[-1].at, f"~{len(state.branches) - 1}"
            self.left.update({(f"m{ordinal}.", where): texts for ordinal, texts in self.originals.items() if ordinal >= first})
            self.originals = {ordinal: texts for ordinal, texts in self.originals.items() if ordinal < first}
        for ordinal in range(first, state.length):
            raw = self.handed[len(self.handed) - state.length + ordinal]
            self.originals[ordinal] = [said(part) for part in self.codec.decode(raw).parts]

    def see(self, request: Request) -> None:
        """What every request must be."""
        out: list[Raw] = request.arguments[self.codec.field]
        assert request.format == self.format
        assert faults(request.arguments, format=self.format, handed=self.handed) == []
        counted = RULER.tokens(sum((RULER.measure(self.codec.decode(raw)) for raw in out), start=Measure()))
        assert counted <= request.tokens <= request.window
        if self.before is not None and not SHORTER & {event.rung for event in request.events}:
            assert out[: len(self.before)] == self.before
        self.before = out[: len(out) - self.state.sent.nudges]
        assert self.state.view.start >= self.start
        self.start, self.request = self.state.view.start, request

    # ---- growth

    @rule(size=st.integers(1, 60))
    def says(self, size: int) -> None:
        """The user says more."""
        self.calls += 1
        self.ask([wires.user(f"{self.calls} {WORD * size}", format=self.format)])

    @rule(size=st.integers(1, 30), thinks=st.booleans(), goes_on=st.booleans())
    def answers(self, size: int, thinks: bool, goes_on: bool) -> None:
        """The model answers; perhaps the user goes on."""
        self.calls += 1
        made = wires.reply(f"{self.calls} {WORD * size}", format=self.format, thought=f"t{self.calls}" if thinks else "")
        self.ask([*made, *([wires.user(f"Go on, {self.calls}.", format=self.format)] if goes_on else [])])

    @rule(sizes=st.lists(st.integers(0, 300), min_size=1, max_size=3), thinks=st.booleans(), queued=st.booleans())
    def works(self, sizes: list[int], thinks: bool, queued: bool) -> None:
        """The model calls tools; perhaps words are queued behind the results."""
        ids = [f"c{self.calls + number}" for number in range(len(sizes))]
        self.calls += len(sizes)
        texts = [f"{one} {WORD * size}" for one, size in zip(ids, sizes, strict=True)]
        thought, words = (ids[0] if thinks else ""), ("and hurry" if queued else "")
        self.ask(wires.cycle(ids, texts, format=self.format, thought=thought, said=words, nameless=queued))

    # ---- going elsewhere

    @rule(to=st.sampled_from(FORMATS), model=st.sampled_from(MODELS), window=st.sampled_from(WINDOWS))
    def switches(self, to: str, model: str, window: int) -> None:
        """Another model, perhaps in another wire; a plan made just before changes nothing and says the same."""
        before = self.context.snapshot()
        wishes: dict[str, Any] = {"window": window, "counter": Quarters(), "format": to}
        plan = self.context.switch(model or "some:model", **wishes, dry_run=True)
        assert self.context.snapshot() == before
        done = self.context.switch(model or "some:model", **wishes)
        assert (plan.plan, plan.rungs, plan.tokens, plan.tokens_after) == (done.plan, done.rungs, done.tokens, done.tokens_after)
        assert (plan.messages, plan.losses, plan.system) == (done.messages, done.losses, done.system)
        assert done.applied
        assert not plan.applied
        assert (done.messages is not None) == (to != self.format)
        self.format, self.window, self.before = to, window, None
        if done.messages is not None:
            self.handed = self.before = done.messages
            self.start = self.state.view.start

    @precondition(lambda self: self.request is not None)
    @rule()
    def keeps(self) -> None:
        """The host takes over what the request held."""
        assert self.request is not None
        if self.request.format == self.format and self.state.request is self.request:
            out = self.request.arguments[self.codec.field]
            self.kept = self.handed = out[: len(out) - self.request.nudges]

    @precondition(lambda self: len(self.handed) > 2)
    @rule(data=st.data())
    def regenerates(self, data: st.DataObject) -> None:
        """The host cuts its tail off, in whatever wire that was said, and goes on otherwise: nothing of the tail is sent."""
        turns = [n for n, raw in enumerate(self.handed) if n and raw.get("role") == "user"]
        if turns:
            at = data.draw(st.sampled_from(turns))
            gone = {text for raw in self.handed[at:] for text in user_texts(raw, self.codec)}
            self.calls += 1
            self.handed, self.before, self.start, self.request = self.handed[:at], None, 0, None
            sent = self.ask([wires.user(f"Another way, number {self.calls}.", format=self.format)])
            assert gone.isdisjoint(text for raw in sent for text in user_texts(raw, self.codec))

    @precondition(lambda self: len(self.handed) > 1 and self.format in ("anthropic", "openai_chat"))
    @rule(data=st.data())
    def marks(self, data: st.DataObject) -> None:
        """The host puts a cache marker on a message, whatever wire it was said in: no edit ends, nothing forks."""
        at = data.draw(st.integers(0, len(self.handed) - 1))
        if self.handed[at].get("role") in ("user", "assistant") and isinstance(self.handed[at].get("content"), str):
            block = {"type": "text", "text": self.handed[at]["content"], "cache_control": {"type": "ephemeral"}}
            forks, self.before = len(self.state.branches) if self.context._driver.engine else 0, None
            self.handed = [*self.handed[:at], {**self.handed[at], "content": [block]}, *self.handed[at + 1 :]]
            self.ask([])
            assert len(self.state.branches) == forks

    # ---- what a person does

    @precondition(lambda self: self.context._driver.last is not None)
    @rule()
    def compacts(self) -> None:
        """A person asks to compact."""
        try:
            request = self.context.compact_sync()
        except FixedPartTooLarge:
            return
        self.see(request)
        if self.handed is self.kept:
            self.keeps()

    @rule()
    def undoes(self) -> None:
        """A person takes the newest edit back; what cannot be done is said and changes nothing."""
        before = self.context.snapshot()
        done = self.context.undo()
        assert done.text
        if done.applied:
            self.before, self.start = None, 0
        else:
            assert self.context.snapshot() == before

    @rule()
    def crashes(self) -> None:
        """The process ends; another one goes on from the snapshot, as JSON."""
        saved = json.loads(json.dumps(self.context.snapshot()))
        was = recomputed(self.state, self.codec)
        self.context = ContextManager.restore(saved, counter=Quarters(), window=self.window)
        self.request = None
        assert recomputed(self.state, self.codec) == was
        again = json.loads(json.dumps(self.context.snapshot()))
        for one in (saved, again):
            one["meta"]["memory"].update(ripe_to=0, ripe_gain=0)  # only a memo of what was looked at
        assert again == saved

    # ---- what must hold

    @invariant()
    def is_what_a_recount_says(self) -> None:
        """Messages and tokens equal those computed anew."""
        if hasattr(self, "context") and self.context._driver.engine is not None:
            state = self.state
            messages, total = recomputed(state, self.codec)
            sent, _, heads = self.context._driver.engine.emitted(state)
            # a caller's marker may have moved to the continuation; it is no part of the words that are counted anew
            cover = state.view.cover
            bare = self.codec.encode(checkpoint_messages(cover)[-1]) if cover is not None else None
            assert [bare if heads and message is heads[-1] else message for message in sent] == messages
            assert state.view.measure(state.history) == total

    @invariant()
    def nothing_is_lost(self) -> None:
        """Every key returns what was said there in whatever wire it was said."""
        if hasattr(self, "context"):
            known = {(f"m{ordinal}.", ""): texts for ordinal, texts in self.originals.items()}
            for (message, where), texts in {**known, **self.left}.items():
                for index, text in enumerate(texts):
                    assert self.context.recall(f"{message}{index}{where}")[0].text == text


TestTravels = Travels.TestCase
TestTravels.settings = settings(stateful_step_count=20)
