"""A conversation in files whose writer dies, or whose disk is full, at any moment of any step (D32, D34, invariant 8)."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from sostenuto.manager import ContextManager
from sostenuto.protocols import Raw
from sostenuto.stores.files import Files
from tests.conftest import PROFILE
from tests.engine import wires
from tests.engine.conversing import CODECS, manager
from tests.engine.test_machine import (
    WORD,
    AnthropicConversation,
    Conversation,
    GeminiConversation,
    ResponsesConversation,
    recomputed,
)
from tests.manager.outliving import as_figures
from tests.stores.lines import place
from tests.surviving.tearing import Death, dying, failing, forgotten

MOMENTS = st.integers(0, 11)
WAYS = st.sampled_from(["works", "regenerates", "drops", "rewrites", "compacts", "undoes"])
GROWING = ("works", "compacts", "undoes")
"""Ways in which nothing is taken back."""


class _Torn(Conversation):
    """The whole life of a conversation on disk. A step that was not acknowledged may be there, in part or not at all; all others are."""

    def __init__(self) -> None:
        super().__init__()
        self.room = place()
        self.store = Files(Path(self.room.name) / "home")
        self.is_behind = False  # the last step could not be written

    def teardown(self) -> None:
        """Leave nothing behind."""
        forgotten(self.context)
        self.room.cleanup()

    def context_of(self, window: int) -> ContextManager:
        """A manager on the files."""
        return manager(window, format=self.format, store=self.store, conversation="life")

    def marks(self, data: object) -> None:
        """Left out: a marker of the host's changes no message, so it is not written down; the host hands it over again."""

    @precondition(lambda self: not self.is_behind)
    @rule(data=st.data())
    def undoes(self, data: st.DataObject) -> None:
        """A person takes an edit back; what could not be written before is told then, so the state is another one anyway."""
        super().undoes(data)

    @precondition(lambda self: not self.is_behind)
    @rule()
    def crashes(self) -> None:
        """The process ends between two steps: another one goes on exactly there."""
        before, figures = recomputed(self.state, self.codec, self.state.raws[: self.state.length]), as_figures(self.context)
        self.goes_on()
        assert recomputed(self.state, self.codec, self.state.raws[: self.state.length]) == before
        assert as_figures(self.context) == figures

    @precondition(lambda self: not self.is_behind)
    @rule(at=MOMENTS, way=WAYS, number=st.integers(0, 40))
    def dies(self, at: int, way: str, number: int) -> None:
        """The process ends in the middle of a step; the next one has everything that was acknowledged, and goes on with its host's list."""
        acknowledged = self.context.history if way in GROWING and not self.state.kept_mode else []
        self.interrupted(dying(at), way, number)
        self.goes_on()
        self.catches_up(acknowledged)

    @precondition(lambda self: not self.is_behind)
    @rule(at=st.integers(0, 3), way=WAYS, number=st.integers(0, 40))
    def runs_out_of_room(self, at: int, way: str, number: int) -> None:
        """A write fails in its middle, or the one after it; the step itself goes on."""
        self.interrupted(failing(at), way, number)
        self.is_behind = True

    @precondition(lambda self: self.is_behind)
    @rule(dies=st.booleans())
    def has_room_again(self, dies: bool) -> None:
        """Either the next step writes what is missing, or the process ends first."""
        self.is_behind = False
        if dies:
            self.goes_on()
            self.catches_up()
        assert self.context._driver.keep()
        self.crashes()

    def interrupted(self, interruption: AbstractContextManager[Any], way: str, number: int) -> None:
        """Take a step that may be broken off."""
        step: Callable[[], object] = self.asks
        if way == "works":
            self.calls += 1
            self.handed += wires.cycle([f"c{self.calls}x"], [f"{number} {WORD * number * 8}"], format=self.format, thought="", said="")
        elif way == "regenerates" and len(self.handed) > 5:
            turns = [n for n, raw in enumerate(self.handed) if raw.get("role") == "user" and n > 0]
            self.handed = [*self.handed[: turns[number % len(turns)]], self.said(f"Another way {number}.")] if turns else self.handed
        elif way == "drops" and len(self.handed) > 8:
            turns = [n for n, raw in enumerate(self.handed[:-3]) if raw.get("role") == "user" and n > 1]
            self.handed = self.handed[turns[number % len(turns)] :] if turns else self.handed
        elif way == "rewrites" and len(self.handed) > 4:
            at = 1 + number % (len(self.handed) - 3)
            new = wires.reworded(self.handed[at], f"[removed {number}]", format=self.format)
            self.handed[at] = self.handed[at] if new is None else new
        elif way == "compacts" and self.request is not None:
            step = self.compacts
        elif way == "undoes":
            step = self.context.undo
        try:
            with interruption:
                step()
        except Death:
            pass

    def asks(self) -> None:
        """One request for what the host holds now."""
        self.ask()

    def goes_on(self) -> None:
        """Another process opens the conversation."""
        forgotten(self.context)
        self.context = self.context_of(self.window)
        self.request = None

    def catches_up(self, acknowledged: Sequence[Raw] = ()) -> None:
        """What is opened is whole, has what was acknowledged, and holds what its host hands over once and no more."""
        history = self.context.history
        engine = self.context._driver.started()
        sent = engine.emitted(engine.state)[0]
        assert sent == recomputed(engine.state, self.codec, engine.state.raws[: engine.state.length])[0]
        assert not sent or CODECS[self.format].problems({self.codec.field: sent}) == []
        assert history[: len(acknowledged)] == list(acknowledged)
        self.ask()
        if self.request is not None and not self.state.kept_mode:  # a list that begins as a request did may be taken for one
            assert self.context.history == self.handed


class TornChat(_Torn):
    """On OpenAI's chat wire."""


class TornAnthropic(_Torn, AnthropicConversation):
    """Where results and words share messages."""


class TornGemini(_Torn, GeminiConversation):
    """Where calls may lack an id."""


class TornResponses(_Torn, ResponsesConversation):
    """Where one turn of the assistant is several items."""


TestTornChat = TornChat.TestCase
TestTornAnthropic = TornAnthropic.TestCase
TestTornGemini = TornGemini.TestCase
TestTornResponses = TornResponses.TestCase
for _case in (TestTornChat, TestTornAnthropic, TestTornGemini, TestTornResponses):
    _case.settings = settings(stateful_step_count=20, max_examples=2_500 if PROFILE == "long" else 12)
del _case


def grown(handed: list[Raw], turns: range, *, format: str) -> list[Raw]:
    """The list with some tool calls more."""
    made = (wires.cycle([f"c{n}"], [f"{n} {WORD * 40}"], format=format, thought="", said="", nameless=False) for n in turns)
    return [*handed, *(raw for messages in made for raw in messages)]


def talked(store: Files, *, format: str, model: str = "") -> tuple[ContextManager, list[Raw]]:
    """A conversation that was rewritten, and what its host holds."""
    context = manager(2_000, format=format, store=store, conversation="life", model=model)
    handed = [wires.user("The task: find the fault.", format=format)]
    for turn in range(12):
        handed = grown(handed, range(turn, turn + 1), format=format)
        context.prepare_sync(list(handed))
    return context, handed


@pytest.mark.parametrize("format", ["anthropic", "openai_chat"])
def test_a_step_of_a_host_that_had_dropped_messages_may_be_torn_anywhere(format: str, tmp_path: Path) -> None:
    """A host that left out old messages and then another ending dies at each change of the disk; what it held is taken up, once."""
    for moment in range(100):
        store = Files(tmp_path / str(moment))
        context, handed = talked(store, format=format)
        handed = handed[-13:]
        died = False
        with dying(moment):
            try:
                context.prepare_sync(list(handed))
                for ending in ("One way.", "Another way."):
                    handed = [*handed[:-3], wires.user(ending, format=format)]
                    context.prepare_sync(list(handed))
                    handed = grown(handed, range(60, 63), format=format)
                    context.prepare_sync(list(handed))
            except Death:
                died = True
        forgotten(context)
        again = manager(2_000, format=format, store=store, conversation="life")
        handed.append(wires.user("Go on.", format=format))
        request = again.prepare_sync(list(handed))
        assert CODECS[format].problems(request.arguments) == []
        assert again.history == handed
        forgotten(again)
        if not died:
            assert moment > 15
            return
    raise AssertionError("it never ended")


@pytest.mark.parametrize("there", sorted(CODECS))
@pytest.mark.parametrize("here", ["anthropic", "openai_chat"])
def test_a_conversation_that_changed_its_wire_is_written_anew_whole(here: str, there: str, tmp_path: Path) -> None:
    """When the folder of a conversation of two wires is removed under it, the next step writes it with every key and level it had."""
    if here == there:
        return
    home = tmp_path / "home"
    context, _ = talked(Files(home), format=here, model="openai:gpt-5")
    texts = [context.recall(f"m{number}")[0].text for number in range(20)]
    forgotten(context)
    wishes: dict[str, Any] = {"model": "anthropic:claude-sonnet-5", "format": there, "store": Files(home), "conversation": "life"}
    context = manager(2_000, **wishes)
    handed = grown([*context.history, wires.user("Go on.", format=there)], range(50, 52), format=there)
    context.prepare_sync(list(handed))
    shutil.rmtree(home)
    handed.append(wires.user("And on.", format=there))
    context.prepare_sync(list(handed))
    levels = dict(context.levels)
    forgotten(context)
    again = manager(2_000, **wishes)
    assert [again.recall(f"m{number}")[0].text for number in range(20)] == texts
    assert dict(again.levels) == levels
    request = again.prepare_sync([*again.history, wires.user("Well?", format=there)])
    assert CODECS[there].problems(request.arguments) == []
    forgotten(again)
