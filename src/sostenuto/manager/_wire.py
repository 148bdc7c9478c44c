"""The wire a conversation is spoken in, where nobody said: by the structure of its messages, else by the model's provider (D58)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sostenuto.protocols import Raw

NEWEST = 16
"""Messages at the end that are looked at again, as they may have been changed in place (D46)."""


class Structure:
    """What was seen of the structure of a list that grows: each message is looked at once, however long the list gets."""

    def __init__(self) -> None:
        self._seen: list[Raw] = []
        self._scores: dict[str, int] = {}

    def wire(self, messages: Sequence[Raw], system: Any) -> str | None:
        """The wire that the structure shows; None where it leaves that open, as plain words do."""
        from sostenuto.formats.detect import likeliest, scores  # knows every wire: loaded when the first messages are seen

        handed, count = list(messages), len(self._seen)
        is_longer = handed[:count] == self._seen
        new = scores(handed[max(0, count - NEWEST) :] if is_longer else handed)
        self._scores = {name: max(score, self._scores.get(name, 0) if is_longer else 0) for name, score in new.items()}
        of_system = scores((), system)
        found = likeliest({name: max(score, of_system[name]) for name, score in self._scores.items()})
        self._seen = handed if found is None else []  # once it is known, nobody asks again
        return found


def guessed(model: str, *, is_empty: bool, has_system: bool) -> str:
    """The wire that the provider of a model speaks. Plain messages with a role and content are never Gemini's, whatever the model."""
    provider = model.partition(":")[0].lower()
    if is_empty and provider.startswith(("google", "gemini", "vertex")) and "anthropic" not in provider:
        return "gemini"
    return "anthropic" if provider == "anthropic" or has_system else "openai_chat"
