"""Strands: its sliding window, and its summarizing manager; both are told of an overflow as its agent loop tells them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any, Final

from sostenuto.peers._terms import Raw, Send, Terms, answer, assistant, call_of, calls_of, library, say

REDUCTIONS: Final = 200
"""How often in one request the manager is told that it is still too long."""


def sliding(terms: Terms) -> Send:
    """`SlidingWindowConversationManager` with its defaults, before every call."""
    managers = library("strands.agent.conversation_manager")
    return _sending(terms, managers.SlidingWindowConversationManager(per_turn=True), model=None)


def summarizing(terms: Terms) -> Send:
    """`SummarizingConversationManager` with its defaults: it acts when a request was refused as too long."""
    managers = library("strands.agent.conversation_manager")
    return _sending(terms, managers.SummarizingConversationManager(), model=_model(terms.summarize))


def round_trip(messages: Sequence[Raw]) -> list[Raw]:
    """The messages through the library's types and back; a system's message stays beside them."""
    taken: list[Any] = []
    lead = _extend(taken, messages)
    return [*lead, *_given(taken)]


def _sending(terms: Terms, manager: Any, *, model: Any) -> Send:
    overflow = library("strands.types.exceptions").ContextWindowOverflowException
    agent = SimpleNamespace(messages=[], model=model, aux_model=model)
    lead: list[Raw] = []

    def send(new: Sequence[Raw]) -> list[Raw]:
        lead.extend(_extend(agent.messages, new))
        manager.apply_management(agent)
        sent = [*lead, *_given(agent.messages)]
        for _ in range(REDUCTIONS):
            if terms.count(sent) <= terms.budget:
                break
            manager.reduce_context(agent, e=overflow("the input is too long"))
            sent = [*lead, *_given(agent.messages)]
        return sent

    return send


def _model(summarize: Callable[[str], str]) -> Any:
    """A model of the library that streams what the scripted summarizer says."""
    base = library("strands.models.model").Model

    class Scripted(base):  # type: ignore[misc, valid-type]
        def update_config(self, **settings: Any) -> None:
            return None

        def get_config(self) -> dict[str, Any]:
            return {}

        def structured_output(self, *arguments: Any, **settings: Any) -> Any:
            raise NotImplementedError("a summary is plain text")

        async def stream(self, messages: Sequence[Any], *arguments: Any, **settings: Any) -> AsyncIterator[Any]:
            prompt = "\n".join(str(raw["content"]) for raw in _given(messages))
            yield {"messageStart": {"role": "assistant"}}
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": summarize(prompt)}}}
            yield {"contentBlockStop": {}}
            yield {"messageStop": {"stopReason": "end_turn"}}

    return Scripted()


def _extend(history: list[Any], new: Sequence[Raw]) -> list[Raw]:
    """Add plain chat to the library's history, results of one reply in one message; what the system says comes back."""
    lead: list[Raw] = []
    gathering = False
    for raw in new:
        if raw["role"] == "system":
            lead.append(raw)
        elif raw["role"] == "assistant":
            text = [{"text": raw["content"]}] if raw["content"] else []
            uses = [{"toolUse": {"toolUseId": number, "name": name, "input": _Kept.of(args)}} for number, name, args in calls_of(raw)]
            history.append({"role": "assistant", "content": [*text, *uses]})
        elif raw["role"] == "tool":
            result = {"toolResult": {"toolUseId": raw["tool_call_id"], "status": "success", "content": [{"text": raw["content"]}]}}
            if gathering:
                history[-1]["content"].append(result)
            else:
                history.append({"role": "user", "content": [result]})
        else:
            history.append({"role": "user", "content": [{"text": raw["content"]}]})
        gathering = raw["role"] == "tool"
    return lead


def _given(history: Sequence[Any]) -> Iterator[Raw]:
    for message in history:
        texts = "\n".join(block["text"] for block in message["content"] if "text" in block)
        if message["role"] == "assistant":
            uses = [block["toolUse"] for block in message["content"] if "toolUse" in block]
            yield assistant(texts, [call_of(use["toolUseId"], use["name"], _Kept.text(use["input"])) for use in uses])
            continue
        for block in message["content"]:
            if "toolResult" in block:
                result = block["toolResult"]
                yield answer(result["toolUseId"], "\n".join(piece.get("text", "") for piece in result["content"]))
        if texts or not any("toolResult" in block for block in message["content"]):
            yield say("user", texts)


class _Kept(dict[str, Any]):
    """A call's input that remembers the text it was parsed from."""

    source: str = ""

    @classmethod
    def of(cls, arguments: str) -> _Kept:
        try:
            found = json.loads(arguments)
        except ValueError:
            found = None
        kept = cls(found if isinstance(found, dict) else {})
        kept.source = arguments
        return kept

    @staticmethod
    def text(value: Any) -> str:
        return value.source if isinstance(value, _Kept) else json.dumps(value, ensure_ascii=False)
