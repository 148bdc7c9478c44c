"""Any model as a summarizer, its cost booked to the run (origin 6.4)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from sostenuto.agent._closing import codec_of
from sostenuto.agent._purse import Purse
from sostenuto.errors import EndpointFailed
from sostenuto.messages import Message, Text
from sostenuto.protocols import Model


def summarizing(model: Model, *, purse: Purse | None = None) -> Callable[[str], Awaitable[str]]:
    """A summarizer for `ContextManager` that asks `model`, without tools and without thinking.

    An answer that was cut off is an error: half a summary must not replace anything (origin 6.6). The manager takes every error for
    a summary that could not be used, and the run goes on.
    """

    async def summarize(prompt: str) -> str:
        codec = codec_of(model.format)
        arguments = codec.body([codec.encode(Message("user", (Text(prompt),)))], system=None, tools=None)
        spoken = await model.speak(arguments, thinking=False)
        if purse is not None:
            purse.pay(model.name, spoken.usage, internal=True)
        if spoken.finish in ("length", "window"):
            raise EndpointFailed(f"{model.name} stopped in the middle of the summary ({spoken.finish}); a larger output limit would help")
        return spoken.text

    return summarize
