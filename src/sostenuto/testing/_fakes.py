"""Servers that answer as the real ones do, on loopback: for trying a client without a model, a key or a network."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, Final, Protocol

from sostenuto.errors import UnknownSetting
from sostenuto.messages import Call
from sostenuto.testing._answers import Answer, Turn, as_json
from sostenuto.testing._anthropic_dialect import AnthropicDialect
from sostenuto.testing._chat_dialects import ChatDialect
from sostenuto.testing._gemini_dialect import GeminiDialect
from sostenuto.testing._http import Listening, Received
from sostenuto.testing._ollama_dialect import OllamaDialect
from sostenuto.testing._script import Fault, FaultKind, Prompter, Reply, Script, ScriptEnded, tokens


class _Dialect(Protocol):
    @property
    def base(self) -> str: ...
    def is_asked(self, path: str) -> bool: ...
    def is_streamed(self, path: str, body: Mapping[str, Any]) -> bool: ...
    def max_output(self, body: Mapping[str, Any]) -> int | None: ...
    def window(self, body: Mapping[str, Any], served: int) -> int: ...
    def key(self, headers: Mapping[str, str]) -> str: ...
    def looked_at(self, path: str, *, model: str, window: int, asked: int) -> Answer | None: ...
    def answer(self, turn: Turn, *, streamed: bool) -> Answer: ...
    def fault(self, kind: FaultKind, turn: Turn, headers: Mapping[str, str]) -> Answer: ...
    def error_event(self, turn: Turn) -> Answer: ...


_DIALECTS: Final[Mapping[str, _Dialect]] = {
    "anthropic": AnthropicDialect(),
    "gemini": GeminiDialect(),
    "llamacpp": ChatDialect("llamacpp"),
    "lmstudio": ChatDialect("lmstudio"),
    "ollama": OllamaDialect(),
    "openai": ChatDialect("openai"),
    "sglang": ChatDialect("sglang"),
    "vllm": ChatDialect("vllm"),
}
FAKE_SERVERS: Final = tuple(sorted(_DIALECTS))
"""The kinds of servers there are fakes of."""
_NOT_FOUND: Final = {"error": {"code": 404, "message": "File Not Found", "type": "not_found_error"}}
_PROMPT: Final = ("messages", "system", "tools", "contents", "systemInstruction")


class FakeServer:
    """A server that answers by a script, word for word as the real one of its kind. To be used with ``with``.

    It counts a request (`count`), refuses what is longer than its window in its kind's own words, reports what it counted, and says
    which part of the prompt the request before had in common with it.

    Args:
        kind: one of `FAKE_SERVERS`.
        script: replies and failures in turn, or a function from a request's body to one of them.
        model: the id of the model it serves.
        window: tokens it serves.
        key: if given, requests without it are refused.
        count: tokens of a prompt, given its messages, system and tools.
        truncates: it shortens what is too long without a word, as Ollama does where it is allowed to, and reports the shortened count.
        piece: bytes of each piece of a stream; 0: an event in each.
        looks: it says at its usual addresses what it serves.

    Raises:
        UnknownSetting: there is no fake of that kind.
    """

    def __init__(
        self,
        kind: str,
        script: Script = (),
        *,
        model: str = "tiny-random",
        window: int = 8_192,
        key: str | None = None,
        count: Callable[[Any], int] = tokens,
        truncates: bool = False,
        piece: int = 0,
        looks: bool = True,
    ) -> None:
        if kind not in _DIALECTS:
            raise UnknownSetting(f"there is no fake server of kind {kind!r}; there are {', '.join(FAKE_SERVERS)}")
        self.kind, self.model, self.window, self.key = kind, model, window, key
        self.received: list[Received] = []
        self._dialect, self._script = _DIALECTS[kind], Prompter(script)
        self._count, self._truncates, self._piece, self._looks = count, truncates, piece, looks
        self._before: list[str] = []
        self._lock = threading.Lock()
        self._listening: Listening | None = None

    @property
    def asked(self) -> list[dict[str, Any]]:
        """The bodies of the requests for a reply that came, in order."""
        return [request.body for request in self.received if self._dialect.is_asked(_path(request))]

    @property
    def address(self) -> str:
        """Where it listens, without a path. Raises `UnknownSetting` before it was entered."""
        if self._listening is None:
            raise UnknownSetting("the fake server does not listen yet; use it with `with`")
        return self._listening.address

    @property
    def base_url(self) -> str:
        """What a client of its kind is given as its base URL."""
        return f"{self.address}{self._dialect.base}"

    def __enter__(self) -> FakeServer:
        self._listening = Listening(self._answered)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._listening is not None:
            self._listening.close()
            self._listening = None

    def _answered(self, request: Received) -> Answer:
        with self._lock:  # a script is read by one request at a time
            self.received.append(request)
            if self.key is not None and self._dialect.key(request.headers) != self.key:
                return self._dialect.fault("unauthorised", self._turn({}, Reply()), {})
            if not self._dialect.is_asked(_path(request)):
                return self._looked_at(_path(request)) or as_json(_NOT_FOUND, status=404)
            return self._spoken(request)

    def _looked_at(self, path: str) -> Answer | None:
        return self._dialect.looked_at(path, model=self.model, window=self.window, asked=len(self.asked)) if self._looks else None

    def _spoken(self, request: Received) -> Answer:
        body = request.body if isinstance(request.body, dict) else {}
        streamed = self._dialect.is_streamed(request.path, body)
        try:
            step = self._script.next(body)
        except ScriptEnded as error:
            return as_json({"error": {"message": str(error), "type": "invalid_request_error", "code": 400}}, status=400)
        if isinstance(step, Fault):
            return self._failed(step, body, streamed=streamed)
        turn = self._turn(body, step)
        if turn.input > turn.window and not self._truncates:
            return self._dialect.fault("overflow", turn, {})
        return self._dialect.answer(self._shortened(turn), streamed=streamed).cut(self._piece)

    def _failed(self, fault: Fault, body: Mapping[str, Any], *, streamed: bool) -> Answer:
        turn = self._turn(body, Reply(fault.begun))
        if fault.kind == "disconnect":
            return self._dialect.answer(turn, streamed=streamed).broken_off()
        if fault.kind == "malformed":
            return self._dialect.answer(turn, streamed=streamed).damaged()
        if fault.kind == "error_in_stream":
            return self._dialect.error_event(turn) if streamed else self._dialect.fault("server_fault", turn, {})
        if fault.kind == "overflow":
            turn = replace(turn, input=max(turn.input, turn.window + 1))
        after = {"retry-after": f"{fault.retry_after_s:g}"} if fault.retry_after_s is not None else {}
        return self._dialect.fault(fault.kind, turn, after)

    def _turn(self, body: Mapping[str, Any], reply: Reply) -> Turn:
        prompt = {name: body[name] for name in _PROMPT if name in body}
        counted = reply.input if reply.input is not None else self._count(prompt)
        number, window = len(self.asked) - 1, self._dialect.window(body, self.window)
        calls = reply.named(number)
        output = _output(reply, calls, counted, asked=self._dialect.max_output(body), window=window)
        cached = reply.cached if reply.cached is not None else min(self._shared(body), counted - 1)
        return Turn(body, self.model, reply, calls, counted, output, max(0, cached), window, number)

    def _shortened(self, turn: Turn) -> Turn:
        """What is too long loses half of the window from its front, silently."""
        if turn.input <= turn.window:
            return turn
        return replace(turn, input=turn.window // 2 + 2, cached=0)

    def _shared(self, body: Mapping[str, Any]) -> int:
        """Tokens of the messages that this prompt begins with as the one before did."""
        messages = body.get("messages") or body.get("contents") or []
        texts = [repr(message) for message in messages]
        alike = next((at for at, (old, new) in enumerate(zip(self._before, texts, strict=False)) if old != new), None)
        alike = min(len(self._before), len(texts)) if alike is None else alike
        self._before = texts
        return self._count(messages[:alike]) if alike else 0


def _output(reply: Reply, calls: Sequence[Call], counted: int, *, asked: int | None, window: int) -> int:
    """Tokens of a reply: up to the window's end or as many as were asked for where that is what ends it."""
    if reply.output is not None:
        return reply.output
    if reply.ends == "window":
        return max(0, window - counted)
    if reply.ends == "length" and not (reply.text or reply.reasoning or calls):
        return 0
    if reply.ends == "length" and asked is not None:
        return min(asked, max(0, window - counted))
    return tokens([reply.text, reply.reasoning, *(call.arguments for call in calls)])


def _path(request: Received) -> str:
    return request.path.partition("?")[0]
