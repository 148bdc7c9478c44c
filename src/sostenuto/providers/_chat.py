"""Chat completions, the wire of most servers: one request, its reply whole or as it arrives."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from sostenuto.errors import EndpointFailed
from sostenuto.messages import Call
from sostenuto.protocols import Finish, Heard, Raw, Spoken
from sostenuto.providers._errors import Asked
from sostenuto.providers._heard import Arrived, Telling
from sostenuto.providers._http import Endpoint, arriving, json_body, object_in
from sostenuto.providers._sse import Event, Events
from sostenuto.tokens import Reported, usage_of

if TYPE_CHECKING:
    import httpx

_FINISHES: Final[Mapping[str, Finish]] = {
    "stop": "stop",
    "eos": "stop",
    "tool_calls": "calls",
    "function_call": "calls",
    "length": "length",
    "content_filter": "filtered",
    "model_context_window_exceeded": "window",
}
_REASONING: Final = ("reasoning_content", "reasoning")
_LEFT_OUT: Final = frozenset(("annotations", "audio"))
"""Fields of a reply that no endpoint takes back."""


@dataclass(frozen=True, slots=True)
class Question:
    """One request for a reply.

    Attributes:
        body: the request, without what says how it is to be answered.
        max_output: the output asked for, in tokens; with it, an answer as long as that is no sign of a full window.
        window: tokens of the window, asked only where an answer stopped for length; None where nobody knows.
    """

    body: Mapping[str, Any]
    max_output: int | None
    window: Callable[[], Awaitable[int | None]]


async def reply(endpoint: Endpoint, question: Question, *, heard: Heard | None) -> Spoken:
    """The reply to a chat completion; streamed where somebody hears it.

    Raises:
        ModelFailed: one of its kinds.
    """
    telling = Telling(heard)

    async def whole(answer: httpx.Response) -> Spoken:
        return _spoken(await json_body(answer, asked=endpoint.asked), asked=endpoint.asked)

    async def streamed(answer: httpx.Response) -> Spoken:
        telling.begin()
        return await _streamed(answer, asked=endpoint.asked, telling=telling)

    if heard is None:
        found = await endpoint.ask("/chat/completions", {**question.body, "stream": False}, read=whole)
    else:
        streaming = {"stream": True, "stream_options": {"include_usage": True}}
        found = await endpoint.ask("/chat/completions", {**question.body, **streaming}, read=streamed)
    return await at_the_end(found, question)


async def at_the_end(spoken: Spoken, question: Question) -> Spoken:
    """The reply with the reason for its end: one that stopped for length did so at the window's end if prompt and answer fill it."""
    if spoken.finish != "length":
        return spoken
    used, window = usage_of(spoken.usage), await question.window()
    if used is None or not window:
        return spoken
    is_spilled = used.input + used.output > window
    is_as_asked = question.max_output is not None and used.output >= question.max_output
    is_full = is_spilled or (not is_as_asked and _is_cut_off(used, window))
    return ended(spoken, "window") if is_full else spoken


def _is_cut_off(used: Reported, window: int) -> bool:
    from sostenuto.window import cut_off  # as in `failure`: loading it costs more than most requests

    return cut_off("length", input=used.input, output=used.output, window=window) is not None


def ended(spoken: Spoken, finish: Finish) -> Spoken:
    """The reply with another reason for its end."""
    return Spoken(spoken.messages, spoken.text, spoken.calls, finish, spoken.usage, spoken.model)


def _spoken(body: Mapping[str, Any], *, asked: Asked) -> Spoken:
    """The reply in a whole answer."""
    choice = next(iter(_listed(body.get("choices"))), None)
    message = choice.get("message") if choice is not None else None
    if choice is None or not isinstance(message, Mapping):
        raise EndpointFailed(f"{asked.model} at {asked.address} answered without a message; try again later", body=body)
    return assembled(message, finish=choice.get("finish_reason"), usage=body.get("usage"), model=body.get("model"))


async def _streamed(answer: httpx.Response, *, asked: Asked, telling: Telling) -> Spoken:
    """The reply in a stream of deltas."""
    events, gathered = Events(), _Gathered(asked, telling)
    async with aclosing(arriving(answer, broken=lambda: gathered.arrived.broken(asked))) as pieces:
        async for piece in pieces:
            gathered.take_all(events.feed(piece))
            if gathered.is_done:
                break
    gathered.take_all(events.rest())
    if not gathered.is_done and gathered.finish is None:
        raise gathered.arrived.broken(asked)
    return gathered.spoken()


@dataclass(slots=True)
class _Gathered:
    """A reply that arrives as deltas."""

    asked: Asked
    telling: Telling
    arrived: Arrived = field(default_factory=Arrived)
    finish: Any = None
    usage: Any = None
    model: Any = None
    is_done: bool = False
    _fields: dict[str, list[Any]] = field(default_factory=dict)
    _calls: dict[Any, dict[str, Any]] = field(default_factory=dict)

    def take_all(self, events: Sequence[Event]) -> None:
        """Take events in their order; nothing counts after the mark of the end."""
        for event in events:
            if self.is_done:
                return
            if event.data.strip() == "[DONE]":
                self.is_done = True
            else:
                self._take(object_in(event.data, asked=self.asked))

    def _take(self, chunk: dict[str, Any]) -> None:
        self.usage = chunk.get("usage") or self.usage
        self.model = chunk.get("model") or self.model
        for choice in _listed(chunk.get("choices")):
            if choice.get("index"):
                continue  # only one reply was asked for
            self.finish = choice.get("finish_reason") or self.finish
            delta = choice.get("delta")
            for name, value in delta.items() if isinstance(delta, Mapping) else ():
                self._add(name, value)

    def _add(self, name: str, value: Any) -> None:
        if value is None or name == "role":
            return
        if name == "tool_calls":
            for piece in _listed(value):
                self._add_call(piece)
            return
        self._fields.setdefault(name, []).append(value)
        if name == "content" and isinstance(value, str):
            self.arrived.text.append(value)
            self.telling.tell("text", value)
        elif isinstance(value, str) and name == next((field for field in _REASONING if field in self._fields), ""):
            self.arrived.reasoning.append(value)  # of two fields that say the same, the first
            self.telling.tell("reasoning", value)

    def _add_call(self, piece: Mapping[str, Any]) -> None:
        """A piece of a call: of the one with its index; without an index, of a new one if it bears an id, else of the newest."""
        at = piece.get("index")
        if at is None:
            at = len(self._calls) if piece.get("id") or not self._calls else next(reversed(self._calls))
        call = self._calls.setdefault(at, {"id": "", "type": "function", "name": [], "arguments": []})
        call["id"] = piece.get("id") or call["id"]
        call["type"] = piece.get("type") or call["type"]
        function = piece.get("function")
        for name in ("name", "arguments"):
            words = function.get(name) if isinstance(function, Mapping) else None
            if isinstance(words, str):
                call[name].append(words)
        self.arrived.calls = len(self._calls)

    def spoken(self) -> Spoken:
        """The whole reply."""
        message: Raw = {"role": "assistant", "content": None, **{name: _joined(values) for name, values in self._fields.items()}}
        if self._calls:
            message["tool_calls"] = [
                {"id": call["id"], "type": call["type"], "function": {name: "".join(call[name]) for name in ("name", "arguments")}}
                for call in self._calls.values()
            ]
        return assembled(message, finish=self.finish, usage=self.usage, model=self.model)


def assembled(message: Mapping[str, Any], *, finish: Any, usage: Any, model: Any) -> Spoken:
    """A reply of its message: every field that says something stays as it came, so that reasoning goes back byte-equal."""
    kept = {name: value for name, value in message.items() if value not in (None, [], "") and name not in _LEFT_OUT}
    calls, raw_calls = _calls(message)
    if raw_calls:
        kept["tool_calls"] = raw_calls
    content = message.get("content")
    text = content if isinstance(content, str) else "".join(str(block.get("text", "")) for block in _listed(content))
    is_empty = not (text or calls or kept.get("refusal"))
    whole: Raw = {"role": "assistant", "content": content if text else None if calls else "", **kept}
    reason = _FINISHES.get(str(finish), "other")
    if calls and reason in ("stop", "other"):
        reason = "calls"  # some servers say "stop" beside calls
    return Spoken(
        messages=() if is_empty else (whole,),
        text=text or str(kept.get("refusal", "")),
        calls=calls,
        finish=reason,
        usage=usage,
        model=model if isinstance(model, str) else "",
    )


def _calls(message: Mapping[str, Any]) -> tuple[tuple[Call, ...], list[Raw]]:
    """The calls of a message, and as the wire holds them; one without an id gets the id that its place gives it."""
    found: list[Call] = []
    raws: list[Raw] = []
    for place, raw in enumerate(_listed(message.get("tool_calls"))):
        function = raw.get("function")
        if not isinstance(function, Mapping):
            continue
        arguments = function.get("arguments")
        text = arguments if isinstance(arguments, str) else _written(arguments)
        call_id = raw.get("id") or _made_id(place)
        found.append(Call(call_id, str(function.get("name") or ""), text))
        said = {name: value for name, value in function.items() if name != "index"}
        whole = {"id": call_id, "type": raw.get("type") or "function", "function": {**said, "arguments": text}}
        raws.append({**{name: value for name, value in raw.items() if name != "index"}, **whole})
    return tuple(found), raws


def _made_id(place: int) -> str:
    return f"call_{uuid4().hex[:12]}_{place}"


def _written(arguments: object) -> str:
    return "" if arguments is None else json.dumps(arguments, ensure_ascii=False)


def _joined(values: list[Any]) -> Any:
    """The pieces of one field: words and lists are joined, of anything else the last one counts."""
    if all(isinstance(value, str) for value in values):
        return "".join(values)
    if all(isinstance(value, list) for value in values):
        return [item for value in values for item in value]
    return values[-1]


def _listed(value: Any) -> list[Mapping[str, Any]]:
    """The mappings in a list; none in anything else."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []
