"""The stateless form: one call for a history that nobody remembers (algorithms 1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sostenuto.engine import Request
from sostenuto.formats.detect import detect
from sostenuto.manager._manager import ContextManager
from sostenuto.manager._wiring import codec_named
from sostenuto.protocols import Raw


def fit(
    messages: Sequence[Raw], *, model: str = "", system: Any = None, tools: Any = None, max_output: int | None = None, **arguments: Any
) -> Request:
    """The request for a history, without any state of its own.

    The ladder is replayed over the history's own request boundaries, one before each recorded reply, so that the same history
    with more behind it extends the same edits: the prompt's prefix stays what it was.

    Args:
        messages: the whole history in a known wire format.
        model, system, tools, max_output: as for `ContextManager` and `ContextManager.prepare`.
        **arguments: anything else `ContextManager` takes.

    Raises:
        FixedPartTooLarge: what may not be left out is larger than the window.
    """
    manager = ContextManager(model, **arguments)
    codec = codec_named(arguments.get("format") or detect(messages, system) or "openai_chat")
    before = "assistant"
    for number, message in enumerate(messages):
        role = codec.decode(message).role
        if role == "assistant" and number and not (codec.itemised and before == "assistant"):
            manager.prepare_sync(messages[:number], system=system, tools=tools, max_output=max_output)
        before = role
    return manager.prepare_sync(messages, system=system, tools=tools, max_output=max_output)
