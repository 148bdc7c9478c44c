"""A conversation that a store keeps: whatever happened, another process goes on exactly where this one was (D32, invariant 8)."""

from __future__ import annotations

from hypothesis import settings
from hypothesis.stateful import precondition, rule

from sostenuto.manager import ContextManager
from tests.engine.conversing import manager
from tests.engine.test_machine import (
    AnthropicConversation,
    Conversation,
    GeminiConversation,
    ResponsesConversation,
    recomputed,
)
from tests.manager.outliving import Written, as_figures


class _Outliving(Conversation):
    """The whole life of a conversation, each step written to a store; a crash leaves nothing but that."""

    def context_of(self, window: int) -> ContextManager:
        """A manager on the store."""
        return manager(window, format=self.format, store=self.store, conversation="life")

    def __init__(self) -> None:
        super().__init__()
        self.store = Written()

    def marks(self, data: object) -> None:
        """Left out: a marker of the host's changes no message, so it is not written down; the host hands it over again."""

    @precondition(lambda self: not self.store.refuses)
    @rule()
    def crashes(self) -> None:
        """The process ends without a word; another one goes on from the log."""
        before, figures = recomputed(self.state, self.codec, self.state.raws[: self.state.length]), as_figures(self.context)
        self.store.dies()
        self.context = self.context_of(self.window)
        assert recomputed(self.state, self.codec, self.state.raws[: self.state.length]) == before
        assert as_figures(self.context) == figures
        self.request = None

    @precondition(lambda self: not self.store.refuses)
    @rule()
    def fills_up(self) -> None:
        """From now on nothing can be written."""
        self.store.refuses = True

    @precondition(lambda self: self.store.refuses)
    @rule()
    def has_room_again(self) -> None:
        """Writing works again, and the next step writes what is missing."""
        self.store.refuses = False
        self.ask()
        self.context._driver.keep()


class OutlivingChat(_Outliving):
    """On OpenAI's chat wire."""


class OutlivingAnthropic(_Outliving, AnthropicConversation):
    """Where results and words share messages."""


class OutlivingGemini(_Outliving, GeminiConversation):
    """Where calls may lack an id."""


class OutlivingResponses(_Outliving, ResponsesConversation):
    """Where one turn of the assistant is several items."""


TestOutlivingChat = OutlivingChat.TestCase
TestOutlivingAnthropic = OutlivingAnthropic.TestCase
TestOutlivingGemini = OutlivingGemini.TestCase
TestOutlivingResponses = OutlivingResponses.TestCase
for _case in (TestOutlivingChat, TestOutlivingAnthropic, TestOutlivingGemini, TestOutlivingResponses):
    _case.settings = settings(stateful_step_count=25)
