"""Conversations of the program that no file holds: the demo's, and one kept by a replay."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from sostenuto.app._naming import DEFAULT_MODEL
from sostenuto.app._rulers import plain_ruler
from sostenuto.formats import openai_chat

if TYPE_CHECKING:
    from sostenuto.engine import Hit
    from sostenuto.manager import ContextManager


def recalled(snapshot: Mapping[str, Any], wanted: str) -> tuple[Hit, ...]:
    """What a kept replay has for a key or a query, the best first; nothing found is an empty tuple.

    Raises UnusableInput where the snapshot cannot be restored.
    """
    from sostenuto.manager import ContextManager

    return tuple(ContextManager.restore(snapshot).recall(wanted))


def conversation(*, window: int, summarizer: Callable[[str], str]) -> ContextManager:
    """A context manager for the demo: OpenAI chat messages, a window of `window` tokens, a summarizer of its own."""
    from sostenuto.manager import ContextManager

    return ContextManager(model=DEFAULT_MODEL, window=window, summarizer=summarizer, format=openai_chat.CODEC.name)


def weighing() -> Callable[[Any], int]:
    """The tokens of one OpenAI chat message, as `conversation` counts them."""
    by = plain_ruler(DEFAULT_MODEL)
    return lambda message: by.tokens(by.measure(openai_chat.CODEC.decode(message)))
