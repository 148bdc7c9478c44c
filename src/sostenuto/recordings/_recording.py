"""The value types every reader of recorded sessions fills in, and the two histories that can be taken from them (decision D56)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

Raw = dict[str, Any]

Line = tuple[int, Any]
"""A record with where it stood: the line of a JSONL file, or the position (from 1) in a JSON array."""

TextLine = tuple[int, str]
"""A line of text with its number (from 1), its line end included."""

FORMATS = ("anthropic", "gemini", "openai_chat", "openai_responses")

# Items of the Responses wire that a program sends, beside messages and outputs; all others came from a model.
_SENT_ITEMS = frozenset({"additional_tools", "item_reference", "mcp_approval_response"})

# A bare model id names its provider by how it starts; anything else stays bare rather than guessed.
_PROVIDERS = (
    (("claude",), "anthropic"),
    (("gpt-", "o1", "o3", "o4", "chatgpt"), "openai"),
    (("gemini",), "google"),
    (("kimi", "moonshot"), "moonshot"),
    (("deepseek",), "deepseek"),
    (("glm",), "zai"),
    (("grok",), "xai"),
    (("mistral", "devstral", "codestral", "magistral"), "mistral"),
    (("qwen", "qwq"), "alibaba"),
)


@dataclass(frozen=True, slots=True)
class Skipped:
    """One record that is not in the history, by name.

    Attributes:
        line: line of the file, or position (from 1) in a JSON array.
        kind: what sort of record it is (``sidechain``, ``synthetic``, ``rewound``, ``torn``, or its own type).
        reason: why it was left out, as one sentence without a full stop.
    """

    line: int
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """One recorded request and where its reply stands.

    Attributes:
        upto: the history handed over is ``messages[:upto]``; the recorded reply is ``messages[upto]``, or begins there where a
            reply is several items (``openai_responses``).
        boundary: the history as it was sent is ``preface + messages[boundary:upto]``.
        preface: the recording's own summary as it was sent, in the wire format; empty before its first compaction.
        reported: prompt tokens the provider reported, cache reads and writes included; ``None`` if not recorded.
        output: output tokens the provider reported; ``None`` if not recorded.
        model: ``provider:id``, or a bare id whose provider is not known; ``None`` if not recorded.
    """

    upto: int
    boundary: int
    preface: tuple[Raw, ...]
    reported: int | None
    output: int | None
    model: str | None


@dataclass(frozen=True, slots=True)
class Recording:
    """A recorded session in one wire format.

    ``used + meta + len(skipped)`` is the number of records of the source: every one is accounted for (invariant 9).

    Attributes:
        reader: which reader understood it, one of `opening.FORMATS`.
        format: wire format of ``messages``, one of `FORMATS`.
        messages: the full history with the recorded replies, without the recording's own summaries, meta records, side chains, progress.
        exchanges: one for each recorded assistant reply, in order.
        system: the system prompt when it is recorded outside the messages, else ``None``.
        tools: the tool definitions when recorded, else ``None``.
        model: model of the first reply that names one, as in `Exchange`.
        used: records that are in ``messages``.
        meta: known records that never were model-visible messages of their own.
        skipped: everything else, by name.
        source: the path as it was given.
    """

    reader: str
    format: str
    messages: tuple[Raw, ...]
    exchanges: tuple[Exchange, ...]
    system: Any
    tools: Any
    model: str | None
    used: int
    meta: int
    skipped: tuple[Skipped, ...]
    source: str


def history(recording: Recording, exchange: Exchange) -> list[Raw]:
    """The full history before the recorded reply (``--history full``)."""
    return list(recording.messages[: exchange.upto])


def as_sent(recording: Recording, exchange: Exchange) -> list[Raw]:
    """The history as the recorded program sent it: its own last summary, then what followed it (``--history as-sent``)."""
    return [*exchange.preface, *recording.messages[exchange.boundary : exchange.upto]]


def model_name(model: object, provider: object = None) -> str | None:
    """``provider:id`` for a recorded model id and provider, either of which may be missing or no string.

    A path such as ``litellm_proxy/anthropic/claude-x`` is reduced to its last component.
    """
    if not isinstance(model, str) or not model:
        return None
    name = model.rsplit("/", 1)[-1] or model
    if isinstance(provider, str) and provider:
        return f"{provider}:{name}"
    for starts, known in _PROVIDERS:
        if name.startswith(starts):
            return f"{known}:{name}"
    return name


def token_sum(usage: object, fields: Iterable[str]) -> int | None:
    """Sum of the named counts; ``None`` where none of them is recorded or all are zero, which is how aborted replies are written."""
    if not isinstance(usage, dict):
        return None
    counts = [usage[name] for name in fields if type(usage.get(name)) is int and usage[name] > 0]
    return sum(counts) or None


def is_reply(message: object, form: str) -> bool:
    """Whether a model wrote this message of the wire ``form``; on ``openai_responses`` a message is an item, on ``gemini`` a content."""
    if not isinstance(message, dict):
        return False
    if form == "openai_responses":
        return _is_reply_item(message)
    return message.get("role") == ("model" if form == "gemini" else "assistant")


def _is_reply_item(item: Raw) -> bool:
    kind = item.get("type", "message")
    if not isinstance(kind, str) or kind in _SENT_ITEMS:
        return False
    if kind == "message":
        return item.get("role") == "assistant"
    # What a tool of the provider's own returned stands in the reply that called it; other outputs answer a reply.
    return not kind.endswith("_output") or item.get("execution") == "server"


def plain_exchanges(messages: Sequence[Raw], *, form: str = "openai_chat") -> tuple[Exchange, ...]:
    """An exchange for each reply of a history that records no usage and no compaction.

    On OpenAI chat each assistant message is a reply; on the other wires neighbours that the model wrote are one reply (D57).
    """
    return tuple(
        Exchange(upto=index, boundary=0, preface=(), reported=None, output=None, model=None)
        for index, message in enumerate(messages)
        if is_reply(message, form) and (form == "openai_chat" or not index or not is_reply(messages[index - 1], form))
    )


def first_model(exchanges: Iterable[Exchange]) -> str | None:
    """Model of the first reply that names one."""
    return next((exchange.model for exchange in exchanges if exchange.model), None)
