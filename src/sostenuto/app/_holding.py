"""Notices that wait until the model's server answered: of one that is not there, advice about its window is noise before the error."""

from __future__ import annotations

from typing import Final

from sostenuto.agent import Event, Listener, Outcome
from sostenuto.errors import EndpointFailed

_ANSWERED: Final = frozenset(("text", "reasoning", "usage", "tool-start", "rung"))
"""What is told only after the server said something."""


class HeldBack:
    """A listener that keeps notices back until the first sign of an answer, and passes everything else on at once."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._held: list[Event] = []
        self._is_answered = False

    def take(self, event: Event) -> None:
        """Pass an event on, or keep it."""
        if event.kind == "notice" and not self._is_answered:
            self._held.append(event)
            return
        if event.kind in _ANSWERED:
            self.release()
        self._listener(event)

    def release(self) -> None:
        """Tell what was held, and hold nothing from now on."""
        self._is_answered = True
        held, self._held = self._held, []
        for event in held:
            self._listener(event)

    def end(self, outcome: Outcome) -> None:
        """Tell what is still held, unless the run failed because nobody answered."""
        if not isinstance(outcome.error, EndpointFailed):
            self.release()
