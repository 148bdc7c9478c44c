"""LiteLLM request logs (one request with its response) as an OpenAI chat history that ends with the recorded reply."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from sostenuto.recordings._recording import Exchange, Line, Raw, Recording, Skipped, model_name, plain_exchanges, token_sum

READER = "litellm_log"

_ROLES = ("system", "developer", "user", "assistant", "tool")
# A response carries fields of the library beside the message; these are the ones a next request repeats.
_REPLY_FIELDS = ("role", "content", "refusal", "reasoning_content", "thinking_blocks", "tool_calls", "audio")


def recognises(record: object) -> bool:
    """Whether this value is one logged request."""
    return isinstance(record, dict) and isinstance(record.get("messages"), list) and isinstance(record.get("response"), dict)


def read(records: Iterable[Line], *, source: str) -> Recording:
    """The recording behind a log; of several requests the one with the longest history is taken, the newest among equals.

    Its records are the messages of that request, its reply, and the other requests.
    """
    lines = list(records)
    requests: list[tuple[int, Raw]] = [(line, value) for line, value in lines if recognises(value)]
    nothing: tuple[int, Raw] = (0, {})
    line, request = max(requests, key=lambda one: (len(one[1]["messages"]), one[0]), default=nothing)
    skipped = [Skipped(line=at, kind="request", reason="another request; its history is shorter") for at, _ in lines if at != line]
    messages: list[Raw] = []
    for at, value in enumerate(request.get("messages", ()), start=1):
        if isinstance(value, dict) and value.get("role") in _ROLES:
            messages.append(value)
        else:
            skipped.append(Skipped(line=at, kind="message", reason="not a message with a known role"))
    response = request.get("response", {})
    reply = _reply(response)
    exchanges = plain_exchanges(messages)
    model = model_name(response.get("model"))
    if reply is None:
        skipped.append(Skipped(line=len(messages) + 1, kind="response", reason="a response without a message"))
    else:
        exchanges += (_exchange(response, upto=len(messages), model=model),)
        messages.append(reply)
    return Recording(
        reader=READER,
        format="openai_chat",
        messages=tuple(messages),
        exchanges=tuple(replace(one, model=one.model or model) for one in exchanges),
        system=None,
        tools=_tools(request),
        model=model,
        used=len(messages),
        meta=0,
        skipped=tuple(skipped),
        source=source,
    )


def _exchange(response: Raw, *, upto: int, model: str | None) -> Exchange:
    usage = response.get("usage")
    return Exchange(
        upto=upto,
        boundary=0,
        preface=(),
        # LiteLLM counts cached tokens into ``prompt_tokens``.
        reported=token_sum(usage, ("prompt_tokens",)),
        output=token_sum(usage, ("completion_tokens",)),
        model=model,
    )


def _reply(response: Raw) -> Raw | None:
    choices = response.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(message, dict):
        return None
    kept = {name: message[name] for name in _REPLY_FIELDS if message.get(name) is not None}
    if not any(kept.get(name) for name in _REPLY_FIELDS if name != "role"):
        return None
    return {"role": "assistant", "content": None} | kept


def _tools(request: Raw) -> Any:
    for holder in (request, request.get("kwargs"), request.get("optional_params")):
        if isinstance(holder, dict) and holder.get("tools"):
            return holder["tools"]
    return None
