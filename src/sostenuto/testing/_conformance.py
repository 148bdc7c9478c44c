"""What every `Model` must do, as checks that run on any of them: against a fake server, or on a fake itself."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from sostenuto.errors import EndpointFailed, ModelFailed, NotAuthorised, RateLimited, RequestRefused, TooLong
from sostenuto.messages import Call, Message, Result, Text, Thinking
from sostenuto.protocols import Codec, Model, Raw, Spoken
from sostenuto.testing._script import Fault, FaultKind, Reply, Script
from sostenuto.tokens import usage_of

Staged = Callable[[Script], AbstractContextManager[Model]]
"""Makes a model that is answered by a script and gives up at the first failure; what it stands on is gone at the end of the block."""

_TOOLS: Final = (("read_file", "Reads a file.", {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}),)
_BACK_S: Final = 7.0
_EXPECTED: Final[tuple[tuple[FaultKind, type[ModelFailed]], ...]] = (
    ("disconnect", EndpointFailed),
    ("loading", EndpointFailed),
    ("malformed", EndpointFailed),
    ("overflow", TooLong),
    ("rate_limited", RateLimited),
    ("refused", RequestRefused),
    ("server_fault", EndpointFailed),
    ("too_large", TooLong),
    ("unauthorised", NotAuthorised),
)


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """One thing that every model must do: its name, and a function that asks it of a model and raises AssertionError otherwise."""

    name: str
    ask: Callable[[Staged], Awaitable[None]]

    def run(self, staged: Staged, /) -> None:
        """Ask it. Raises AssertionError naming what the model did."""
        import asyncio

        async def asked() -> None:
            await self.ask(staged)

        asyncio.run(asked())


class _Talk:
    """A conversation with a model, in its wire."""

    def __init__(self, model: Model, *, streamed: bool = False) -> None:
        self.model, self.streamed = model, streamed
        self.codec: Codec = import_module(f"sostenuto.formats.{model.format}").CODEC
        self.heard: list[tuple[str, str]] = []
        self.messages: list[Raw] = [self.codec.encode(Message("user", (Text("Read the file a.txt."),)))]

    async def speak(self, **more: Any) -> Spoken:
        arguments = self.codec.body(self.messages, system=None, tools=None)
        problems = self.codec.problems(arguments)
        assert not problems, f"the history is not valid on the wire {self.codec.name}: {problems}"
        tools = self.codec.tool_definitions(_TOOLS)
        heard = (lambda kind, words: self.heard.append((kind, words))) if self.streamed else None
        spoken = await self.model.speak(arguments, tools=tools, heard=heard, **more)
        self.messages = [*self.messages, *spoken.messages]
        return spoken

    def said(self, kind: str) -> str:
        return "".join(words for heard, words in self.heard if heard == kind)

    def parts(self, spoken: Spoken) -> list[Any]:
        return [part for raw in spoken.messages for part in self.codec.decode(raw).parts]

    def answer(self, calls: Sequence[Call], text: str) -> None:
        answers = [(None, 0, Result(call.id, text, name=call.name)) for call in calls]
        self.messages = [*self.messages, *self.codec.results(answers)]


def _both(name: str, ask: Callable[[Staged, bool], Awaitable[None]]) -> list[ModelCheck]:
    """The check for replies that come whole, and for those that are heard as they come."""
    return [
        ModelCheck(f"{name}, whole", lambda staged: ask(staged, False)),
        ModelCheck(f"{name}, heard as it comes", lambda staged: ask(staged, True)),
    ]


async def _is_named(staged: Staged) -> None:
    with staged([]) as model:
        assert ":" in model.name, f"the name {model.name!r} is not provider:id"
        assert _Talk(model).codec.name == model.format
        window = await model.window()
        assert window is None or window > 0, f"the window is {window!r}"
        await model.aclose()
        await model.aclose()


async def _speaks(staged: Staged, streamed: bool) -> None:
    words = "Grüße aus 北京 🎉, and a longer sentence that comes in many pieces."
    with staged([Reply(words, input=123, output=45)]) as model:
        talk = _Talk(model, streamed=streamed)
        spoken = await talk.speak(max_output=500)
        assert (spoken.text, spoken.calls, spoken.finish) == (words, (), "stop"), spoken
        assert [part.text for part in talk.parts(spoken) if isinstance(part, Text)] == [words], spoken.messages
        used = usage_of(spoken.usage)
        assert used is not None, spoken.usage
        assert (used.input, used.output) == (123, 45), spoken.usage
        assert talk.said("text") == (words if streamed else ""), talk.heard
        await model.aclose()


async def _calls(staged: Staged, streamed: bool) -> None:
    arguments = {"path": 'a "quoted" ü.txt', "depth": 3, "deep": {"list": [1, None, True]}}
    script = [Reply("I look.", calls=[("read_file", arguments), ("read_file", {"path": "b"})]), Reply("Both were read.")]
    with staged(script) as model:
        talk = _Talk(model, streamed=streamed)
        spoken = await talk.speak()
        assert spoken.finish == "calls", spoken
        assert [(call.name, json.loads(call.arguments)) for call in spoken.calls] == [
            ("read_file", arguments),
            ("read_file", {"path": "b"}),
        ]
        assert len({call.id for call in spoken.calls} - {""}) == 2, f"ids are missing or alike: {spoken.calls}"
        held = [part for part in talk.parts(spoken) if isinstance(part, Call)]
        assert [(call.id, call.name) for call in held] == [(call.id, call.name) for call in spoken.calls], spoken.messages
        talk.answer(spoken.calls, "the content")
        assert (await talk.speak()).text == "Both were read."
        await model.aclose()


async def _thinks(staged: Staged, streamed: bool) -> None:
    thought, seal = "First the file,\n\n  then the rest.  ", "c2VhbA=="
    with staged([Reply("Done.", reasoning=thought, signature=seal), Reply("And on.")]) as model:
        talk = _Talk(model, streamed=streamed)
        spoken = await talk.speak()
        kept = [part.text or part.sealed for part in talk.parts(spoken) if isinstance(part, Thinking)]
        assert kept in ([thought], [seal]), f"reasoning is not kept as it came: {spoken.messages}"  # under a seal the words are for people
        assert spoken.text == "Done."
        if streamed:
            assert talk.said("reasoning") == thought, talk.heard
        talk.messages = [*talk.messages, talk.codec.encode(Message("user", (Text("Go on."),)))]
        assert (await talk.speak(thinking=False)).text == "And on."
        await model.aclose()


async def _ends(staged: Staged, streamed: bool) -> None:
    script = [Reply("The answer is cut", finish="length"), Reply("", finish="length", input=100), Reply("Full.", finish="window")]
    with staged(script) as model:
        cut = await _Talk(model, streamed=streamed).speak(max_output=4)
        assert (cut.text, cut.finish) == ("The answer is cut", "length"), cut
        empty = await _Talk(model, streamed=streamed).speak(max_output=4)
        assert (empty.text, empty.messages, empty.calls) == ("", (), ()), f"an empty answer leaves no message: {empty}"
        assert empty.finish in ("length", "window"), empty
        full = await _Talk(model, streamed=streamed).speak()
        assert full.finish == "window" or await model.window() is None, f"an answer that met the window's end says so: {full}"
        await model.aclose()


async def _serves_many(staged: Staged) -> None:
    import asyncio

    with staged(lambda request: Reply("The same.")) as model:
        replies = await asyncio.gather(*(_Talk(model, streamed=number % 2 == 0).speak() for number in range(4)))
        assert [reply.text for reply in replies] == ["The same."] * 4, replies
        await model.aclose()


def _fails(kind: FaultKind, expected: type[ModelFailed]) -> Callable[[Staged, bool], Awaitable[None]]:
    async def ask(staged: Staged, streamed: bool) -> None:
        with staged([Fault(kind, retry_after_s=_BACK_S if kind == "rate_limited" else None), Reply("Later.")]) as model:
            failed = await _failure(_Talk(model, streamed=streamed))
            assert type(failed) is expected, f"{kind} is told as {type(failed).__name__}: {failed}"
            assert len(str(failed).splitlines()) == 1, f"not one line: {failed}"
            if isinstance(failed, RateLimited):
                assert failed.retry_after_s == _BACK_S, f"when to come back is not told: {failed.retry_after_s}"
            assert (await _Talk(model, streamed=streamed).speak()).text == "Later.", "a failure spoils what comes after it"
            await model.aclose()

    return ask


async def _breaks(staged: Staged) -> None:
    with staged([Fault("error_in_stream"), Reply("Later.")]) as model:
        failed = await _failure(_Talk(model, streamed=True))
        assert type(failed) is EndpointFailed, f"an error in a stream is told as {type(failed).__name__}: {failed}"
        await model.aclose()


async def _failure(talk: _Talk) -> ModelFailed:
    try:
        spoken = await talk.speak()
    except ModelFailed as error:
        return error
    raise AssertionError(f"it should have failed, and said {spoken}")


MODEL_CHECKS: Final = (
    ModelCheck("it has a name, a wire and a window", _is_named),
    *_both("it says what it says", _speaks),
    *_both("it calls tools and takes their results", _calls),
    *_both("its reasoning goes back as it came", _thinks),
    *_both("it says why it stopped", _ends),
    ModelCheck("it serves many at once", _serves_many),
    *(check for kind, expected in _EXPECTED for check in _both(f"{kind} is {expected.__name__}", _fails(kind, expected))),
    ModelCheck("an error in a stream is EndpointFailed", _breaks),
)
"""To be run on every implementation of `Model`: ``for check in MODEL_CHECKS: check.run(staged)``."""
