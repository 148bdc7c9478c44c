"""openai-agents: the filter that trims tool outputs of older turns; it knows characters and turns, no budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sostenuto.peers._terms import Raw, Send, Terms, answer, assistant, call_of, calls_of, library, say


def trim_outputs(terms: Terms) -> Send:
    """`ToolOutputTrimmer` with its defaults, as an input filter before each call."""
    trimmer = library("agents.extensions").ToolOutputTrimmer()
    config = library("agents.run_config")
    history: list[Any] = []

    def send(new: Sequence[Raw]) -> list[Raw]:
        history.extend(_taken(new))
        data = config.CallModelData(model_data=config.ModelInputData(input=list(history), instructions=None), agent=None, context=None)
        return list(_given(trimmer(data).input))

    return send


def round_trip(messages: Sequence[Raw]) -> list[Raw]:
    """The messages as items of the Responses wire and back."""
    return list(_given(list(_taken(messages))))


def _taken(new: Sequence[Raw]) -> Iterator[dict[str, Any]]:
    for raw in new:
        if raw["role"] == "tool":
            yield {"type": "function_call_output", "call_id": raw["tool_call_id"], "output": raw["content"]}
            continue
        calls = calls_of(raw)
        if raw["content"] or not calls:
            yield {"role": raw["role"], "content": raw["content"]}
        for number, name, arguments in calls:
            yield {"type": "function_call", "call_id": number, "name": name, "arguments": arguments}


def _given(items: Sequence[Any]) -> Iterator[Raw]:
    """Plain chat; the calls behind an assistant's words, or without any, are one message."""
    text, calls, open_reply = "", list[dict[str, Any]](), False
    for item in items:
        if item.get("type") == "function_call":
            calls.append(call_of(item["call_id"], item["name"], item["arguments"]))
            open_reply = True
            continue
        if open_reply:
            yield assistant(text, calls)
            text, calls, open_reply = "", [], False
        if item.get("type") == "function_call_output":
            yield answer(item["call_id"], item["output"])
        elif item["role"] == "assistant":
            text, open_reply = item["content"], True
        else:
            yield say(item["role"], item["content"])
    if open_reply:
        yield assistant(text, calls)
