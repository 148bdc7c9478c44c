"""Anthropic's messages over HTTP, raw: blocks go back exactly as they came, signed thinking included."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from sostenuto.errors import EndpointFailed, NotAuthorised
from sostenuto.messages import Call
from sostenuto.protocols import Finish, Heard, Raw, Spoken
from sostenuto.providers._errors import Asked
from sostenuto.providers._heard import Arrived, Telling
from sostenuto.providers._http import Endpoint, Patience, arriving, json_body, object_in
from sostenuto.providers._sse import Event, Events
from sostenuto.providers._windows import anthropic_window

if TYPE_CHECKING:
    import httpx

__all__ = ["BASE_URL", "KEY_VARIABLE", "Anthropic", "Patience"]

BASE_URL: Final = "https://api.anthropic.com/v1"
KEY_VARIABLE: Final = "ANTHROPIC_API_KEY"
VERSION: Final = "2023-06-01"
MAX_OUTPUT: Final = 8_192
"""Tokens of output where nobody says; this wire demands a number, and every model since Claude 3.5 gives as many."""
LEAST_THINKING: Final = 1_024
"""Tokens of the smallest budget for thinking that this wire takes."""

_FINISHES: Final[Mapping[str, Finish]] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "window",
    "refusal": "filtered",
}
_UNREAD: Final = "INVALID_JSON"
"""Under this name stands the input of a call that was cut off: the wire takes objects only."""


class Anthropic:
    """A model behind the messages API.

    Args:
        model: its id.
        base_url: default: Anthropic's own.
        key: sent as ``x-api-key``.
        options: further fields of every request (``thinking``, ``temperature``, ...).
        max_output: tokens of output where a request names none.
        patience: how long it is waited for.

    Raises:
        UnknownSetting: the address is none.
        NotAuthorised: there is no key, and the address is Anthropic's own.
    """

    format = "anthropic"

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        key: str | None = None,
        options: Mapping[str, Any] | None = None,
        max_output: int = MAX_OUTPUT,
        patience: Patience | None = None,
    ) -> None:
        self.name = f"anthropic:{model}"
        if not key and base_url is None:
            raise NotAuthorised(f"{self.name} needs a key; set {KEY_VARIABLE}")
        address = base_url or BASE_URL
        self._endpoint = Endpoint(
            address if address.rstrip("/").endswith("/v1") else f"{address.rstrip('/')}/v1",
            asked=Asked(self.name, address, KEY_VARIABLE),
            headers={"anthropic-version": VERSION, **({"x-api-key": key} if key else {})},
            patience=patience,
        )
        self._model, self._options, self._max_output = model, dict(options or {}), max_output

    async def window(self) -> int | None:
        """The input limit in the model's record; None where it is not said. Never raises."""
        return await anthropic_window(self._endpoint, self._model)

    async def speak(
        self, arguments: Mapping[str, Any], /, *, tools: Sequence[Any] = (), max_output: int | None = None, thinking: bool = True,
        heard: Heard | None = None,
    ) -> Spoken:  # fmt: skip
        """One reply (see `sostenuto.protocols.Model`).

        A reply that breaks off is asked for again; who hears it is then told a line break and the whole reply anew.
        """
        body: dict[str, Any] = {"model": self._model, "max_tokens": max_output or self._max_output, **self._options, **arguments}
        if tools:
            body["tools"] = list(tools)
        if not thinking:
            body.pop("thinking", None)
        _make_room_to_think(body, is_bound=max_output is not None or "max_tokens" in self._options)
        telling = Telling(heard)

        async def whole(answer: httpx.Response) -> Spoken:
            return _spoken(await json_body(answer, asked=self._endpoint.asked), asked=self._endpoint.asked)

        async def streamed(answer: httpx.Response) -> Spoken:
            telling.begin()
            return await _streamed(answer, asked=self._endpoint.asked, telling=telling)

        return await self._endpoint.ask("/messages", {**body, "stream": heard is not None}, read=streamed if heard is not None else whole)

    async def aclose(self) -> None:
        """Let go of connections."""
        await self._endpoint.aclose()


def _make_room_to_think(body: dict[str, Any], *, is_bound: bool) -> None:
    """Thinking counts as output on this wire. A budget that the output has no room for is added to it where nobody bound the output, and
    halved into it where somebody did; where not even the least of it fits, there is no thinking."""
    wish, output = body.get("thinking"), body["max_tokens"]
    budget = wish.get("budget_tokens") if isinstance(wish, dict) else None
    if not isinstance(wish, dict) or not isinstance(budget, int) or budget < output:
        return
    if not is_bound:
        body["max_tokens"] = output + budget
    elif output // 2 >= LEAST_THINKING:
        body["thinking"] = {**wish, "budget_tokens": output // 2}
    else:
        del body["thinking"]


def _spoken(body: Mapping[str, Any], *, asked: Asked) -> Spoken:
    """The reply in a whole message."""
    blocks = body.get("content")
    if not isinstance(blocks, list):
        raise EndpointFailed(f"{asked.model} at {asked.address} answered without content; try again later", body=body)
    said = [block for block in blocks if isinstance(block, dict) and not _is_blank(block)]
    calls = tuple(_call(block) for block in said if block.get("type") == "tool_use")
    text = "".join(str(block.get("text", "")) for block in said if block.get("type") == "text")
    model = body.get("model")
    return Spoken(
        messages=({"role": "assistant", "content": said},) if said else (),
        text=text,
        calls=calls,
        finish=_FINISHES.get(str(body.get("stop_reason")), "other"),
        usage=body.get("usage"),
        model=model if isinstance(model, str) else "",
    )


def _is_blank(block: Mapping[str, Any]) -> bool:
    """A text without a letter: the wire gives it, and does not take it back (D57)."""
    return block.get("type") == "text" and not str(block.get("text", "")).strip()


def _call(block: Mapping[str, Any]) -> Call:
    given = block.get("input")
    if isinstance(given, Mapping) and given.keys() == {_UNREAD}:
        return Call(str(block.get("id", "")), str(block.get("name", "")), str(given[_UNREAD]))
    return Call(str(block.get("id", "")), str(block.get("name", "")), json.dumps(given if given is not None else {}, ensure_ascii=False))


async def _streamed(answer: httpx.Response, *, asked: Asked, telling: Telling) -> Spoken:
    """The reply in a stream of block deltas."""
    events, gathered = Events(), _Gathered(asked, telling)
    async with aclosing(arriving(answer, broken=lambda: gathered.arrived.broken(asked))) as pieces:
        async for piece in pieces:
            gathered.take_all(events.feed(piece))
    gathered.take_all(events.rest())
    if not gathered.is_done and gathered.message.get("stop_reason") is None:
        raise gathered.arrived.broken(asked)
    return _spoken({**gathered.message, "content": gathered.content()}, asked=asked)


@dataclass(slots=True)
class _Gathered:
    """A message that arrives as deltas of its blocks."""

    asked: Asked
    telling: Telling
    arrived: Arrived = field(default_factory=Arrived)
    message: dict[str, Any] = field(default_factory=dict)
    is_done: bool = False
    _blocks: dict[Any, Raw] = field(default_factory=dict)
    _words: dict[tuple[Any, str], list[str]] = field(default_factory=dict)

    def take_all(self, events: Sequence[Event]) -> None:
        for event in events:
            self._take(object_in(event.data, asked=self.asked))

    def _take(self, piece: Mapping[str, Any]) -> None:
        kind, at = piece.get("type"), piece.get("index")
        if kind == "message_start" and isinstance(message := piece.get("message"), dict):
            self.message = dict(message)
        elif kind == "content_block_start" and isinstance(block := piece.get("content_block"), dict):
            self._start(at, dict(block))
        elif kind == "content_block_delta" and isinstance(delta := piece.get("delta"), dict) and at in self._blocks:
            self._add(at, delta)
        elif kind == "message_delta":
            self._finish(piece)
        elif kind == "message_stop":
            self.is_done = True

    def _start(self, at: Any, block: Raw) -> None:
        self._blocks[at] = block
        for name in ("text", "thinking"):
            self._tell(name, block.get(name))
        self.arrived.calls += block.get("type") == "tool_use"

    def _add(self, at: Any, delta: Mapping[str, Any]) -> None:
        """Words grow the block's field of the same name; a citation joins the block's list of them."""
        for name, value in delta.items():
            if name == "citation":
                if not isinstance(self._blocks[at].get("citations"), list):
                    self._blocks[at]["citations"] = []
                self._blocks[at]["citations"].append(value)
            elif name != "type" and isinstance(value, str):
                self._words.setdefault((at, name), []).append(value)
                self._tell(name, value)

    def _tell(self, name: str, value: Any) -> None:
        if not isinstance(value, str) or not value:
            return
        if name == "text":
            self.arrived.text.append(value)
            self.telling.tell("text", value)
        elif name == "thinking":
            self.arrived.reasoning.append(value)
            self.telling.tell("reasoning", value)

    def _finish(self, piece: Mapping[str, Any]) -> None:
        """The end of the message; its usage counts everything, and adds to what the start said of the input."""
        delta, usage = piece.get("delta"), piece.get("usage")
        if isinstance(delta, Mapping):
            self.message.update(delta)
        if isinstance(usage, Mapping):
            said = {name: value for name, value in usage.items() if value is not None}
            self.message["usage"] = {**(self.message.get("usage") or {}), **said}

    def content(self) -> list[Raw]:
        """The blocks, in order."""
        for (at, name), words in self._words.items():
            block, joined = self._blocks[at], "".join(words)
            if name == "partial_json":
                block["input"] = _input(joined)
            else:
                block[name] = f"{block.get(name) or ''}{joined}"
        self._words.clear()
        return [self._blocks[at] for at in sorted(self._blocks, key=lambda at: at if isinstance(at, int) else 0)]


def _input(text: str) -> Any:
    """The input of a call; one that was cut off is kept as its words."""
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {_UNREAD: text}
    return found if isinstance(found, dict) else {_UNREAD: text}
