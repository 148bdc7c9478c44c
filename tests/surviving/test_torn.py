"""A conversation in files whose writer dies, or whose disk is full, at any moment of any step (D32, D34, invariant 8)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from sostenuto.manager import ContextManager
from sostenuto.messages import Result
from sostenuto.stores.files import Files
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
from tests.manager.test_outliving import as_figures
from tests.stores.lines import place
from tests.surviving.tearing import Death, dying, failing, forgotten

MOMENTS = st.integers(0, 11)
WAYS = st.sampled_from(["works", "regenerates", "drops", "rewrites", "compacts", "undoes"])


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
        self.interrupted(dying(at), way, number)
        self.goes_on()
        self.catches_up()

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

    def catches_up(self) -> None:
        """What is opened is whole, and holds what its host hands over once and no more."""
        history = self.context.history
        engine = self.context._driver.started()
        sent = engine.emitted(engine.state)[0]
        assert sent == recomputed(engine.state, self.codec, engine.state.raws[: engine.state.length])[0]
        assert not sent or CODECS[self.format].problems({self.codec.field: sent}) == []
        assert [raw for raw in self.handed if raw in history] != [] or not history
        self.ask()
        if self.request is not None:
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
    _case.settings = settings(stateful_step_count=20, max_examples=max(1, settings.default.max_examples // 4))
