"""One reply of a model, without an event loop of one's own."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from sostenuto.protocols import Model, Raw, Spoken

TOOLS: list[Raw] = [
    {
        "type": "function",
        "function": {"name": "read", "description": "Reads.", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}},
    }
]


def spoken(model: Model, messages: Sequence[Raw] | str = "Hello.", **more: Any) -> Spoken:
    """The reply to messages, or to the words of a user; the model is let go afterwards."""
    history = [{"role": "user", "content": messages}] if isinstance(messages, str) else list(messages)

    async def asked() -> Spoken:
        try:
            return await model.speak({"messages": history}, **more)
        finally:
            await model.aclose()

    return asyncio.run(asked())


def window(model: Model) -> int | None:
    """What the model says of its window; it is let go afterwards."""

    async def asked() -> int | None:
        try:
            return await model.window()
        finally:
            await model.aclose()

    return asyncio.run(asked())
