"""Inspect evaluation logs (one JSON document, single samples, or a zip archive of them) as an OpenAI chat history.

A log holds many samples and a recording is one conversation: the sample with the most messages is taken, the first among equals, and the
others are named. Its ``messages`` are the history; its model events give the usage of each reply and, where the program compacted, the
history as it was sent. Long texts are kept once as attachments, and requests once in a pool of messages; both are put back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sostenuto.recordings._chat import Numbering, says_nothing, sent_from, text
from sostenuto.recordings._inspect_message import message_of, resolved
from sostenuto.recordings._recording import Exchange, Line, Raw, Recording, Skipped, first_model, model_name, token_sum

READER = "inspect"

# What happens around a conversation; none of these is a message of its own.
_AROUND = ("anchor", "approval", "branch", "checkpoint", "compaction", "error", "info", "input", "interrupt", "logger", "model", "score")
_WITHIN = ("sample_init", "sample_limit", "sandbox", "score_edit", "span_begin", "span_end", "state", "step", "store", "subtask", "tool")
_EVENTS = frozenset((*_AROUND, *_WITHIN))
# The number of what is no message.
_NO_MESSAGE = -1
_TOOL_FIELDS = ("name", "description", "parameters")


def recognises(record: object) -> bool:
    """Whether this value is an evaluation log, or one sample of it."""
    if not isinstance(record, dict):
        return False
    if isinstance(record.get("eval"), dict):
        return isinstance(record.get("samples"), list) or isinstance(record.get("plan"), dict)
    return _is_sample(record) and "epoch" in record and "input" in record


def read(records: Iterable[Line], *, source: str) -> Recording:
    """The recording behind a log; its records are the messages and events of the sample taken, and the other samples."""
    choice = _Choice()
    for line, value in records:
        choice.look_at(line, value)
    reading = _Reading(choice.sample, model=choice.model)
    reading.take_messages()
    reading.count_events()
    skipped = [*reading.skipped, *choice.skipped()]
    return Recording(
        reader=READER,
        format="openai_chat",
        messages=tuple(reading.messages),
        exchanges=tuple(reading.exchanges),
        system=None,
        tools=reading.tools(),
        model=first_model(reading.exchanges),
        used=reading.used,
        meta=reading.meta,
        skipped=tuple(skipped),
        source=source,
    )


@dataclass(slots=True)
class _Choice:
    """The longest sample so far, and the names of the others; an archive of many samples is looked at one by one."""

    sample: Raw = field(default_factory=dict)
    model: object = None
    _length: int = -1
    _at: int = -1
    _seen: list[Skipped] = field(default_factory=list)

    def look_at(self, line: int, value: object) -> None:
        samples = value.get("samples") if isinstance(value, dict) and not _is_sample(value) else None
        if isinstance(value, dict) and isinstance(value.get("eval"), dict) and self.model is None:
            self.model = value["eval"].get("model")
        if isinstance(samples, list):
            for position, sample in enumerate(samples, start=1):
                self._weigh(position, sample)
        elif not (isinstance(value, dict) and isinstance(value.get("eval"), dict)):
            self._weigh(line, value)

    def _weigh(self, line: int, sample: object) -> None:
        if not isinstance(sample, dict) or not _is_sample(sample):
            self._seen.append(Skipped(line=line, kind="sample", reason="not a sample with messages"))
            return
        name = f"sample {json.dumps(sample.get('id'))[:60]}, epoch {json.dumps(sample.get('epoch'))[:20]}"
        self._seen.append(Skipped(line=line, kind="sample", reason=f"{name}: another one is longer; a recording is one conversation"))
        length = len(sample["messages"])
        if length > self._length:
            self.sample, self._length, self._at = sample, length, len(self._seen) - 1

    def skipped(self) -> list[Skipped]:
        return [one for at, one in enumerate(self._seen) if at != self._at]


@dataclass(slots=True)
class _Reading:
    sample: Raw
    model: object
    messages: list[Raw] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)
    used: int = 0
    meta: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    _number: Numbering = field(default_factory=Numbering)
    _converted: dict[str, tuple[int, Raw]] = field(default_factory=dict)
    _messages: dict[int, Raw] = field(default_factory=dict)
    _pooled: list[int] | None = None

    def take_messages(self) -> None:
        entries = self.sample.get("messages", [])
        events = self._events_of([one for one in entries if isinstance(one, dict) and one.get("role") == "assistant"])
        held: list[int] = []
        for line, entry in enumerate(entries, start=1):
            number, message = self._message(entry)
            if not message or (says_nothing(message) and message["role"] != "tool"):
                kind = text(entry.get("role")) if isinstance(entry, dict) else type(entry).__name__
                reason = "a message without content" if message else "not a message with a known role"
                self.skipped.append(Skipped(line=line, kind=kind or "untyped", reason=reason))
                continue
            if message["role"] == "assistant":
                self.exchanges.append(self._exchange(entry, events.get(id(entry), {}), held=held))
            self.used += 1
            self.messages.append(message)
            held.append(number)

    def _message(self, entry: object) -> tuple[int, Raw]:
        """The message of an entry and its number, worked out once however often the log repeats the entry."""
        key = json.dumps(entry, sort_keys=True)
        if key not in self._converted:
            message = message_of(entry, attachments=self.sample.get("attachments"))
            number = self._number(message) if message else _NO_MESSAGE
            self._messages[number] = message
            self._converted[key] = (number, message)
        return self._converted[key]

    def _exchange(self, entry: Raw, event: Raw, *, held: list[int]) -> Exchange:
        output = event["output"] if isinstance(event.get("output"), dict) else {}
        requested = self._request(event)
        boundary, preface = sent_from(held, requested) if requested else (0, 0)
        return Exchange(
            upto=len(held),
            boundary=boundary,
            preface=tuple(self._messages[number] for number in requested[:preface]),
            reported=_prompt_tokens(output.get("usage")),
            output=token_sum(output.get("usage"), ("output_tokens",)),
            model=model_name(entry.get("model")) or model_name(output.get("model")) or model_name(self.model),
        )

    def _request(self, event: Raw) -> list[int]:
        """The numbers of the messages a model event sent: its own, or ranges of the pool."""
        given, ranges = event.get("input"), event.get("input_refs")
        if isinstance(given, list) and given:
            return [number for number in (self._message(entry)[0] for entry in given) if number != _NO_MESSAGE]
        found: list[int] = []
        for one in ranges if isinstance(ranges, list) else []:
            if isinstance(one, list) and len(one) == 2 and all(type(end) is int and end >= 0 for end in one):
                found += self._pool()[one[0] : one[1]]
            if len(found) > len(self._pool()):  # a pool holds a message once, and no request has one twice
                return []
        return found if _NO_MESSAGE not in found else [number for number in found if number != _NO_MESSAGE]

    def _pool(self) -> list[int]:
        if self._pooled is None:
            data = self.sample.get("events_data")
            pools = (self.sample.get("message_pool"), data.get("messages") if isinstance(data, dict) else None)
            pool = next((one for one in pools if isinstance(one, list) and one), [])
            self._pooled = [self._message(entry)[0] for entry in pool]
        return self._pooled

    def _events_of(self, replies: Sequence[Raw]) -> dict[int, Raw]:
        """The model event of each reply, by the identity of its entry: by the id of the message, else by order where there are as many."""
        events = [event for event in _events(self.sample) if event.get("event") == "model"]
        named = {name: event for event in events for name in _output_ids(event)}
        if not named:
            asked = [event for event in events if isinstance(event.get("output"), dict)]
            return dict(zip(map(id, replies), asked, strict=True)) if len(asked) == len(replies) else {}
        return {id(reply): named[reply["id"]] for reply in replies if isinstance(reply.get("id"), str) and reply["id"] in named}

    def count_events(self) -> None:
        events = self.sample.get("events")
        for line, event in enumerate(events if isinstance(events, list) else [], start=1):
            kind = event.get("event") if isinstance(event, dict) else type(event).__name__
            if isinstance(event, dict) and isinstance(kind, str) and kind in _EVENTS:
                self.meta += 1
            else:
                name = kind if isinstance(kind, str) else "untyped"
                self.skipped.append(Skipped(line=line, kind=name[:60], reason="a type of event this reader does not know"))

    def tools(self) -> list[Raw] | None:
        """The tools of the last request that had any."""
        for event in reversed(list(_events(self.sample))):
            tools = event.get("tools") if event.get("event") == "model" else None
            if isinstance(tools, list) and tools:
                return [self._tool(tool) for tool in tools if isinstance(tool, dict)] or None
        return None

    def _tool(self, tool: Raw) -> Raw:
        given = {name: tool[name] for name in _TOOL_FIELDS if name in tool}
        return {"type": "function", "function": resolved(given, self.sample.get("attachments"))}


def _is_sample(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("messages"), list)


def _events(sample: Raw) -> Iterator[Raw]:
    events = sample.get("events")
    return (event for event in (events if isinstance(events, list) else []) if isinstance(event, dict))


def _output_ids(event: Raw) -> Iterator[str]:
    output = event.get("output")
    choices = output.get("choices") if isinstance(output, dict) else None
    for choice in choices if isinstance(choices, list) else []:
        message = choice.get("message") if isinstance(choice, dict) else None
        if isinstance(message, dict) and isinstance(message.get("id"), str):
            yield message["id"]


def _prompt_tokens(usage: object) -> int | None:
    """The prompt with cache reads and writes; some versions count those into ``input_tokens``, which the total gives away."""
    plain = token_sum(usage, ("input_tokens",))
    if isinstance(usage, dict) and plain is not None and usage.get("total_tokens") == plain + (token_sum(usage, ("output_tokens",)) or 0):
        return plain
    return token_sum(usage, ("input_tokens", "input_tokens_cache_read", "input_tokens_cache_write"))
