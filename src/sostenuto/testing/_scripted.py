"""A model that says what it was told to say, in any wire, and remembers what it was asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from sostenuto.errors import EndpointFailed, ModelFailed, NotAuthorised, RateLimited, RequestRefused, TooLong, UnknownSetting
from sostenuto.messages import Message, Part, Text, Thinking
from sostenuto.protocols import Codec, Heard, Raw, Spoken
from sostenuto.testing._script import Fault, FaultKind, Prompter, Reply, Script, ScriptEnded, tokens

FORMATS: Final = ("anthropic", "gemini", "openai_chat", "openai_responses")
_KINDS: Final[Mapping[FaultKind, tuple[type[ModelFailed], int | None]]] = {
    "disconnect": (EndpointFailed, None),
    "error_in_stream": (EndpointFailed, None),
    "loading": (EndpointFailed, 503),
    "malformed": (EndpointFailed, None),
    "refused": (RequestRefused, 400),
    "server_fault": (EndpointFailed, 500),
    "too_large": (TooLong, 413),
    "unauthorised": (NotAuthorised, 401),
}


@dataclass(frozen=True, slots=True)
class Request:
    """What a scripted model was asked.

    Attributes:
        arguments, tools, max_output, thinking: as `Model.speak` had them.
        input: tokens of it, as the model counts.
        streamed: somebody heard the reply as it came.
    """

    arguments: Mapping[str, Any]
    tools: tuple[Any, ...]
    max_output: int | None
    thinking: bool
    input: int
    streamed: bool

    @property
    def messages(self) -> list[Raw]:
        """The messages in it, whatever the wire calls them."""
        return [raw for name in ("messages", "input", "contents") for raw in self.arguments.get(name, ())]


class ScriptedModel:
    """A `Model` without a model.

    It refuses what a real endpoint of its wire would refuse (D57), and what is longer than its window.

    Args:
        script: replies and failures in turn, or a function from the arguments of a request to one of them.
        format: the wire: ``openai_chat``, ``openai_responses``, ``anthropic`` or ``gemini``.
        name: ``provider:id``.
        window: tokens it serves; None: it does not say, and takes anything.
        count: tokens of a request, given its arguments and tools.

    Raises:
        UnknownSetting: there is no such wire.
    """

    def __init__(
        self,
        script: Script = (),
        *,
        format: str = "openai_chat",
        name: str = "scripted:model",
        window: int | None = None,
        count: Callable[[Any], int] = tokens,
    ) -> None:
        if format not in FORMATS:
            raise UnknownSetting(f"format {format!r} is not known; use one of {', '.join(FORMATS)}")
        self.name, self.format = name, format
        self.requests: list[Request] = []
        self.is_closed = False
        self._script, self._window, self._count = Prompter(script), window, count
        self._codec: Codec = import_module(f"sostenuto.formats.{format}").CODEC

    async def window(self) -> int | None:
        """Tokens it serves; None if it was given none."""
        return self._window

    async def speak(
        self, arguments: Mapping[str, Any], /, *, tools: Sequence[Any] = (), max_output: int | None = None, thinking: bool = True,
        heard: Heard | None = None,
    ) -> Spoken:  # fmt: skip
        """The next reply of the script.

        Raises:
            ModelFailed: the script says so, the request is invalid or too long, or the script has come to its end.
        """
        counted = self._count([*arguments.values(), list(tools)])
        number = len(self.requests)
        self.requests.append(Request(arguments, tuple(tools), max_output, thinking, counted, heard is not None))
        problems = self._codec.problems(arguments)
        if problems:
            raise RequestRefused(f"{self.name}: request {number + 1} is invalid: {'; '.join(problems[:3])}", status=400)
        try:
            step = self._script.next(arguments)
        except ScriptEnded as error:
            raise RequestRefused(f"{self.name}: {error}") from None
        if isinstance(step, Fault):
            if heard is not None and step.kind in ("disconnect", "malformed"):
                heard("text", step.begun[: len(step.begun) // 2])
            raise self._failure(step, counted)
        if self._window is not None and counted > self._window:
            raise self._too_long(counted, self._window)
        if heard is not None:
            _tell(step, heard)
        return self._spoken(step, number, counted)

    async def aclose(self) -> None:
        """Remember that it was let go."""
        self.is_closed = True

    def _spoken(self, reply: Reply, number: int, counted: int) -> Spoken:
        calls = reply.named(number)
        parts: list[Part] = [Thinking(reply.reasoning, reply.signature)] if reply.reasoning or reply.signature else []
        parts += [Text(reply.text)] if reply.text else []
        output = reply.output if reply.output is not None else tokens([reply.text, reply.reasoning, *(call.arguments for call in calls)])
        used = reply.input if reply.input is not None else counted
        usage = {"prompt_tokens": used, "completion_tokens": output, "total_tokens": used + output}
        if reply.cached is not None:
            usage["cached_tokens"] = reply.cached
        messages = self._codec.items(Message("assistant", (*parts, *calls))) if reply.text or calls else []
        return Spoken(
            tuple(_with_thought(messages, reply, format=self.format, number=number)),
            reply.text,
            calls,
            reply.ends,
            usage,
            self.name.partition(":")[2],
        )

    def _failure(self, fault: Fault, counted: int) -> ModelFailed:
        if fault.kind == "overflow":
            return self._too_long(counted, self._window or counted - 1)
        if fault.kind == "rate_limited":
            after = fault.retry_after_s
            when = "come back later" if after is None else f"come back in {after:g} s"
            return RateLimited(f"{self.name} was asked too much (HTTP 429); {when}", status=429, retry_after_s=after)
        kind, status = _KINDS[fault.kind]
        return kind(f"{self.name} fails as its script says: {fault.kind}", status=status)

    def _too_long(self, counted: int, window: int) -> TooLong:
        words = f"This model's maximum context length is {window} tokens. However, your messages resulted in {counted} tokens."
        body = {"error": {"message": words, "type": "invalid_request_error", "param": "messages", "code": "context_length_exceeded"}}
        return TooLong(f"{self.name} says the request is too long (HTTP 400): {words}", status=400, body=body)


def _with_thought(messages: list[Raw], reply: Reply, *, format: str, number: int) -> list[Raw]:
    """The messages with the reasoning on wires where only a provider's own items hold it."""
    if not messages or not (reply.reasoning or reply.signature):
        return messages
    if format == "openai_responses":
        summary = [{"type": "summary_text", "text": reply.reasoning}]
        sealed = {"encrypted_content": reply.signature} if reply.signature else {}
        return [{"type": "reasoning", "id": f"rs_{number}", "summary": summary, **sealed}, *messages]
    if format == "gemini":
        first, *rest = messages
        seal = {"thoughtSignature": reply.signature} if reply.signature else {}
        calls = [place for place, part in enumerate(first["parts"]) if "functionCall" in part]
        parts = [{**part, **(seal if place in calls[:1] else {})} for place, part in enumerate(first["parts"])]
        return [{**first, "parts": [{"text": reply.reasoning, "thought": True}, *parts]}, *rest]
    return messages


def _tell(reply: Reply, heard: Heard) -> None:
    for kind, words in (("reasoning", reply.reasoning), ("text", reply.text)):
        for at in range(0, len(words), 16):
            heard("reasoning" if kind == "reasoning" else "text", words[at : at + 16])
