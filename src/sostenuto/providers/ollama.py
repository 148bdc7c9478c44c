"""Ollama by its native wire: the only one on which it takes the window that was pinned (``options.num_ctx``)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from sostenuto.protocols import Finish, Heard, Raw, Spoken
from sostenuto.providers._chat import Question, assembled, at_the_end, ended
from sostenuto.providers._errors import Asked
from sostenuto.providers._heard import Arrived, Telling
from sostenuto.providers._http import Endpoint, Patience, arriving, json_body, object_in
from sostenuto.providers._sse import Lines
from sostenuto.providers._windows import ollama_running, ollama_shown

if TYPE_CHECKING:
    import httpx

__all__ = ["BASE_URL", "Ollama", "Patience"]

BASE_URL: Final = "http://127.0.0.1:11434"
_FINISHES: Final[Mapping[str, Finish]] = {"stop": "stop", "length": "length"}
_COUNTED: Final = ("_count", "_duration")


class Ollama:
    """A model behind Ollama's ``/api/chat``. Its history is held as OpenAI chat messages, and written natively when it is sent.

    Ollama shortens what is too long without a word; it is told not to (``truncate``, ``shift``). A server that does it all the same
    is found out by what it reports (D3).

    Args:
        model: its name, with or without a tag.
        base_url: default: where Ollama listens by itself.
        key: sent as a bearer token; a local server wants none.
        options: further fields of every request (``keep_alive``, ``think``, ``options``, ...).
        window: the pinned window in tokens: sent as ``num_ctx``. Without it the server chooses.
        patience: how long it is waited for.

    Raises:
        UnknownSetting: the address is none.
    """

    format = "openai_chat"

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        key: str | None = None,
        options: Mapping[str, Any] | None = None,
        window: int | None = None,
        patience: Patience | None = None,
    ) -> None:
        self.name = f"ollama:{model}"
        address = (base_url or BASE_URL).rstrip("/").removesuffix("/v1").removesuffix("/api")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._endpoint = Endpoint(address, asked=Asked(self.name, address), headers=headers, patience=patience)
        self._model, self._options, self._pinned = model, dict(options or {}), window
        self._is_loaded = False

    async def window(self) -> int | None:
        """Tokens the server serves now; None where it does not say. Never raises.

        A loaded model's is what was allocated. With a pin, what another program had it loaded with before our first request says
        nothing: that request loads it anew. Then, and where it is not loaded, it is the pin or what its author set, never more than
        the weights take; without either the server's default is not known.
        """
        running = await ollama_running(self._endpoint, self._model)
        if running is not None and (self._is_loaded or self._pinned is None):
            return running
        told, most = await ollama_shown(self._endpoint, self._model)
        wanted = (self._pinned if most is not None else None) if self._pinned is not None else told
        return min(wanted, most) if wanted is not None and most is not None else wanted

    async def speak(
        self, arguments: Mapping[str, Any], /, *, tools: Sequence[Any] = (), max_output: int | None = None, thinking: bool = True,
        heard: Heard | None = None,
    ) -> Spoken:  # fmt: skip
        """One reply (see `sostenuto.protocols.Model`).

        A reply that breaks off is asked for again; who hears it is then told a line break and the whole reply anew.
        """
        body = self._body(arguments, tools=tools, max_output=max_output, thinking=thinking)
        telling = Telling(heard)

        async def whole(answer: httpx.Response) -> Spoken:
            return _spoken(await json_body(answer, asked=self._endpoint.asked))

        async def streamed(answer: httpx.Response) -> Spoken:
            telling.begin()
            return await _streamed(answer, asked=self._endpoint.asked, telling=telling)

        found = await self._endpoint.ask("/api/chat", {**body, "stream": heard is not None}, read=streamed if heard is not None else whole)
        self._is_loaded = True
        return await at_the_end(found, Question(body, max_output, self.window))

    async def aclose(self) -> None:
        """Let go of connections."""
        await self._endpoint.aclose()

    def _body(self, arguments: Mapping[str, Any], *, tools: Sequence[Any], max_output: int | None, thinking: bool) -> dict[str, Any]:
        given = {**self._options, **arguments}
        numbers = dict(given.pop("options", {}))
        if self._pinned is not None:
            numbers["num_ctx"] = self._pinned
        if max_output is not None:
            numbers["num_predict"] = max_output
        body: dict[str, Any] = {"model": self._model, "truncate": False, "shift": False, **given}
        body["messages"] = native(arguments.get("messages", ()))
        if tools:
            body["tools"] = list(tools)
        if numbers:
            body["options"] = numbers
        if not thinking:
            body["think"] = False
        return body


def native(messages: Sequence[Raw]) -> list[Raw]:
    """OpenAI chat messages as Ollama takes them: arguments as objects, results with their tool's name, images beside the words."""
    names: dict[Any, str] = {}
    found = []
    for raw in messages:
        for call in raw.get("tool_calls") or ():
            names[call.get("id")] = (call.get("function") or {}).get("name", "")
        found.append(_native(raw, names))
    return found


def _native(raw: Raw, names: Mapping[Any, str]) -> Raw:
    words, images = _content(raw.get("content"))
    role = "system" if raw.get("role") == "developer" else raw.get("role", "user")
    made: Raw = {"role": role, "content": words}
    if images:
        made["images"] = images
    if thought := raw.get("reasoning_content"):
        made["thinking"] = thought
    if calls := raw.get("tool_calls"):
        made["tool_calls"] = [_native_call(call) for call in calls]
    if role == "tool":
        made["tool_call_id"] = raw.get("tool_call_id", "")
        made["tool_name"] = raw.get("name") or names.get(raw.get("tool_call_id"), "")
    return made


def _native_call(call: Mapping[str, Any]) -> Raw:
    function = call.get("function") or {}
    try:
        arguments = json.loads(function.get("arguments") or "{}")
    except (ValueError, RecursionError, TypeError):
        arguments = None
    # arguments that are no object cannot be said on this wire; the result beside them tells the model what was wrong
    return {
        "id": call.get("id", ""),
        "function": {"name": function.get("name", ""), "arguments": arguments if isinstance(arguments, dict) else {}},
    }


def _content(content: Any) -> tuple[str, list[str]]:
    """The words of a content, and its images as base64; an image that is only an address is named in the words."""
    if not isinstance(content, list):
        return content if isinstance(content, str) else "", []
    words: list[str] = []
    images: list[str] = []
    for block in content:
        held = block.get("image_url") if isinstance(block, Mapping) else None
        address = held.get("url") if isinstance(held, Mapping) else held
        if isinstance(address, str) and address.startswith("data:") and ";base64," in address[:200]:
            images.append(address.partition(";base64,")[2])
        elif isinstance(address, str):
            words.append(f"[image at {address}]")
        elif isinstance(block, Mapping):
            words.append(str(block.get("text", f"[{block.get('type', 'attachment')}]")))
        else:
            words.append(str(block))
    return "\n".join(words), images


def _spoken(body: Mapping[str, Any]) -> Spoken:
    """The reply in a whole answer, or in the last object of a stream that holds the joined message."""
    message = body.get("message")
    held = message if isinstance(message, Mapping) else {}
    chat = {"content": held.get("content") or "", "reasoning_content": held.get("thinking"), "tool_calls": held.get("tool_calls")}
    usage = {name: value for name, value in body.items() if name.endswith(_COUNTED)}
    found = assembled(chat, finish=body.get("done_reason"), usage=usage or None, model=body.get("model"))
    if found.calls and found.finish != "length":
        return found
    return ended(found, _FINISHES.get(str(body.get("done_reason")), "other"))


async def _streamed(answer: httpx.Response, *, asked: Asked, telling: Telling) -> Spoken:
    """The reply in lines of JSON."""
    lines, gathered = Lines(), _Gathered(asked, telling)
    async with aclosing(arriving(answer, broken=lambda: gathered.arrived.broken(asked))) as pieces:
        async for piece in pieces:
            gathered.take_all(lines.feed(piece))
    gathered.take_all(lines.rest())
    if gathered.last is None:
        raise gathered.arrived.broken(asked)
    return gathered.spoken(gathered.last)


@dataclass(slots=True)
class _Gathered:
    asked: Asked
    telling: Telling
    arrived: Arrived = field(default_factory=Arrived)
    calls: list[Any] = field(default_factory=list)
    last: dict[str, Any] | None = None

    def take_all(self, lines: Sequence[str]) -> None:
        for line in filter(str.strip, lines):
            piece = object_in(line, asked=self.asked)
            message = piece.get("message")
            if isinstance(message, Mapping):
                self._take(message)
            if piece.get("done"):
                self.last = piece

    def _take(self, message: Mapping[str, Any]) -> None:
        words, thought, calls = (message.get(name) for name in ("content", "thinking", "tool_calls"))
        if isinstance(thought, str) and thought:
            self.arrived.reasoning.append(thought)
            self.telling.tell("reasoning", thought)
        if isinstance(words, str) and words:
            self.arrived.text.append(words)
            self.telling.tell("text", words)
        if isinstance(calls, list):
            self.calls.extend(calls)
            self.arrived.calls = len(self.calls)

    def spoken(self, last: Mapping[str, Any]) -> Spoken:
        message = {"content": "".join(self.arrived.text), "thinking": "".join(self.arrived.reasoning), "tool_calls": self.calls}
        return _spoken({**last, "message": message})
