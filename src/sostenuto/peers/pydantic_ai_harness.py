"""pydantic-ai-harness: compaction in tiers, a sliding window, and clearing of old tool results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sostenuto.peers._terms import CLEARS_AT, STARTS_AT, Raw, Send, Terms, answer, assistant, call_of, calls_of, library, say


def tiered(terms: Terms) -> Send:
    """`TieredCompaction` as its documentation shows it: clear first, summarize when that is not enough."""
    compaction = library("pydantic_ai_harness.compaction")
    model = _model(terms)
    tiers = [
        compaction.ClearToolResults(max_tokens=1, tokenizer=terms.text),
        compaction.SummarizingCompaction(model=model, max_messages=1, tokenizer=terms.text),
    ]
    return _sending(compaction.TieredCompaction(tiers=tiers, target_tokens=int(STARTS_AT * terms.budget), tokenizer=terms.text), model)


def sliding(terms: Terms) -> Send:
    """`SlidingWindowCompaction`, begun at four fifths of the budget; what it keeps is its default."""
    compaction = library("pydantic_ai_harness.compaction")
    window = compaction.SlidingWindowCompaction(max_tokens=int(STARTS_AT * terms.budget), tokenizer=terms.text)
    return _sending(window, _model(terms))


def clear(terms: Terms) -> Send:
    """`ClearToolResults`, begun at half of the budget."""
    compaction = library("pydantic_ai_harness.compaction")
    return _sending(compaction.ClearToolResults(max_tokens=int(CLEARS_AT * terms.budget), tokenizer=terms.text), _model(terms))


def round_trip(messages: Sequence[Raw]) -> list[Raw]:
    """The messages through the library's types and back."""
    taken: list[Any] = []
    _extend(taken, messages, names={})
    return list(_given(taken))


def _model(terms: Terms) -> Any:
    """A model that answers a summary's prompt with the scripted summarizer."""
    functions, messages = library("pydantic_ai.models.function"), library("pydantic_ai.messages")

    def reply(prompt: Sequence[Any], info: Any) -> Any:
        words = "\n".join(str(part.content) for message in prompt for part in message.parts if hasattr(part, "content"))
        return messages.ModelResponse(parts=[messages.TextPart(terms.summarize(words))])

    return functions.FunctionModel(reply)


def _sending(capability: Any, model: Any) -> Send:
    """A run of the capability's hook before each model request; the history is what the hook left of it."""
    tools, models = library("pydantic_ai.tools"), library("pydantic_ai.models")
    usage = library("pydantic_ai.usage")
    history: list[Any] = []
    names: dict[str, str] = {}
    loop = library("asyncio").new_event_loop()

    def send(new: Sequence[Raw]) -> list[Raw]:
        _extend(history, new, names=names)
        context = tools.RunContext(deps=None, model=model, usage=usage.RunUsage(), messages=history)
        request = models.ModelRequestContext(
            model=model, messages=list(history), model_settings=None, model_request_parameters=models.ModelRequestParameters()
        )
        made = loop.run_until_complete(capability.before_model_request(context, request))
        return list(_given(made.messages))

    return send


def _extend(history: list[Any], new: Sequence[Raw], *, names: dict[str, str]) -> None:
    """Add plain chat to the library's history: a reply is one response, everything up to the next one is one request."""
    types = library("pydantic_ai.messages")
    asked: list[Any] = []
    for raw in new:
        if raw["role"] == "assistant":
            if asked:
                history.append(types.ModelRequest(parts=asked))
                asked = []
            names.update((number, name) for number, name, _ in calls_of(raw))
            text = [types.TextPart(raw["content"])] if raw["content"] else []
            calls = [types.ToolCallPart(name, arguments, tool_call_id=number) for number, name, arguments in calls_of(raw)]
            history.append(types.ModelResponse(parts=[*text, *calls]))
        elif raw["role"] == "tool":
            name = names.get(raw["tool_call_id"], "tool")
            asked.append(types.ToolReturnPart(tool_name=name, content=raw["content"], tool_call_id=raw["tool_call_id"]))
        else:
            kind = types.SystemPromptPart if raw["role"] == "system" else types.UserPromptPart
            asked.append(kind(raw["content"]))
    if asked:
        history.append(types.ModelRequest(parts=asked))


def _given(history: Sequence[Any]) -> Iterator[Raw]:
    for message in history:
        if message.kind == "response":
            text = "".join(part.content for part in message.parts if part.part_kind == "text")
            calls = [call_of(p.tool_call_id, p.tool_name, _json(p)) for p in message.parts if p.part_kind == "tool-call"]
            yield assistant(text, calls)
        else:
            yield from map(_said, message.parts)


def _said(part: Any) -> Raw:
    if part.part_kind in ("tool-return", "retry-prompt") and part.tool_call_id:
        return answer(part.tool_call_id, part.content if isinstance(part.content, str) else str(part.content))
    if part.part_kind == "system-prompt":
        return say("system", part.content)
    content = part.content if isinstance(part.content, str) else "\n".join(str(piece) for piece in part.content or ())
    return say("user", content)


def _json(part: Any) -> str:
    return part.args if isinstance(part.args, str) else str(part.args_as_json_str())
