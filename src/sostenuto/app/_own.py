"""Our engine as one contender among others: fed increments, judged by its requests, asked afterwards for what left."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sostenuto.app._naming import DEFAULT_MODEL
from sostenuto.errors import UnknownKey
from sostenuto.formats import openai_chat
from sostenuto.messages import key_of
from sostenuto.tokens import Weigher

if TYPE_CHECKING:
    from sostenuto.manager import ContextManager

Raw = Mapping[str, Any]


class Own:
    """A context manager with everything at its default; planted prohibitions are handed over as pins."""

    def __init__(self, *, budget: int, weigher: Weigher, summarize: Callable[[str], str] | None, pins: Sequence[str] = ()) -> None:
        from sostenuto.manager import ContextManager

        self.manager: ContextManager = ContextManager(
            model=DEFAULT_MODEL,
            window=budget,
            counter=weigher,
            summarizer=summarize or "mechanical",
            format=openai_chat.CODEC.name,
            pin=list(pins) or None,
        )
        self.nudges = 0
        self._tools = self.manager.tools()
        self._history: list[Any] = []

    def send(self, new: Sequence[Raw]) -> list[Raw]:
        """The messages of the next request. Raises what the engine raises."""
        self._history.extend(new)
        request = self.manager.prepare_sync(list(self._history), tools=self._tools)
        self.nudges = request.nudges
        return list(request.arguments["messages"])


def asking(snapshot: Mapping[str, Any], *, lead: int) -> tuple[Callable[[int], str | None], Callable[[str], list[str]]]:
    """Two ways of asking a finished conversation: for the message at an index of the history, and for words.

    `lead` is how many leading messages are the system's, which have no key.
    """
    from sostenuto.manager import ContextManager

    manager = ContextManager.restore(snapshot)

    def original(at: int) -> str | None:
        try:
            return manager.recall(key_of(at - lead, 0))[0].text
        except UnknownKey:
            return None

    def search(words: str) -> list[str]:
        try:
            return [manager.recall(hit.key)[0].text for hit in manager.recall(words)]
        except UnknownKey:
            return []

    return original, search
