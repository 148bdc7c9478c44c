"""inspect-ai: its compaction handler with trimming and with editing, on a mock model whose counting is the ruler's."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from sostenuto.peers._terms import Raw, Send, Terms, answer, assistant, call_of, calls_of, library, say

THRESHOLD: Final = 0.9
"""Share of the window at which its strategies begin by default."""


def trim(terms: Terms) -> Send:
    """`CompactionTrim` with its defaults."""
    strategies = library("inspect_ai.model")
    return _sending(strategies.CompactionTrim(threshold=int(THRESHOLD * terms.budget)), terms)


def edit(terms: Terms) -> Send:
    """`CompactionEdit` with its defaults."""
    strategies = library("inspect_ai.model")
    return _sending(strategies.CompactionEdit(threshold=int(THRESHOLD * terms.budget)), terms)


def round_trip(messages: Sequence[Raw]) -> list[Raw]:
    """The messages through the library's types and back."""
    chat = _Chat()
    return list(chat.given(chat.taken(messages)))


def _sending(strategy: Any, terms: Terms) -> Send:
    models, chat = library("inspect_ai.model"), _Chat()
    history: list[Any] = []
    handler: list[Any] = []
    loop = library("asyncio").new_event_loop()
    model = models.get_model("mockllm/model")

    async def count(messages: Any, *arguments: Any, **settings: Any) -> int:
        return terms.text(messages) if isinstance(messages, str) else terms.count(list(chat.given(messages)))

    async def no_tools(*arguments: Any) -> int:
        return 0

    model.count_tokens, model.count_tool_tokens = count, no_tools  # its own way would fetch a vocabulary

    async def request() -> Any:
        if not handler:
            prefix = [message for message in history if message.role in ("system", "user")]
            handler.append(models.compaction(strategy, prefix=prefix, tools=[], model=model))
        return await handler[0].compact_input(history)

    def send(new: Sequence[Raw]) -> list[Raw]:
        history.extend(chat.taken(new))
        made, extra = loop.run_until_complete(request())
        if extra is not None:
            history.append(extra)
        return list(chat.given(made))

    return send


class _Chat:
    """One history in both forms; arguments of calls come back as the text they were."""

    def __init__(self) -> None:
        self._types = library("inspect_ai.model")
        self._call = library("inspect_ai.tool").ToolCall
        self._arguments: dict[tuple[str, str], str] = {}
        self._named: dict[str, str] = {}
        self._first = True

    def taken(self, new: Sequence[Raw]) -> list[Any]:
        """The library's form of new messages; the first words of a person are the sample's input."""
        return [self._take(raw) for raw in new]

    def _take(self, raw: Raw) -> Any:
        text = raw["content"]
        if raw["role"] == "system":
            return self._types.ChatMessageSystem(content=text)
        if raw["role"] == "tool":
            return self._types.ChatMessageTool(
                content=text, tool_call_id=raw["tool_call_id"], function=self._named.get(raw["tool_call_id"])
            )
        if raw["role"] == "user":
            first, self._first = self._first, False
            return self._types.ChatMessageUser(content=text, source="input" if first else None)
        self._first = False
        calls = []
        for number, name, arguments in calls_of(raw):
            found = _mapping(arguments)
            self._named[number] = name
            self._arguments[(number, json.dumps(found, sort_keys=True))] = arguments
            calls.append(self._call(id=number, function=name, arguments=found, type="function"))
        return self._types.ChatMessageAssistant(content=text, tool_calls=calls or None)

    def given(self, messages: Sequence[Any]) -> Iterator[Raw]:
        """Plain chat of whatever a strategy made."""
        for message in messages:
            if message.role == "tool":
                yield answer(message.tool_call_id or "", message.text)
            elif message.role == "assistant":
                yield assistant(message.text, [self._given(call) for call in message.tool_calls or ()])
            else:
                yield say(message.role, message.text)

    def _given(self, call: Any) -> dict[str, Any]:
        known = self._arguments.get((call.id, json.dumps(call.arguments, sort_keys=True)))
        return call_of(call.id, call.function, known if known is not None else json.dumps(call.arguments, ensure_ascii=False))


def _mapping(arguments: str) -> dict[str, Any]:
    try:
        found = json.loads(arguments)
    except ValueError:
        return {"input": arguments}
    return found if isinstance(found, dict) else {"input": found}
