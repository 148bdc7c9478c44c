"""The scripted model."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sostenuto.errors import RateLimited, RequestRefused, TooLong, UnknownSetting
from sostenuto.manager import ContextManager
from sostenuto.protocols import Spoken
from sostenuto.testing import MODEL_CHECKS, Fault, ModelCheck, Reply, ScriptedModel
from tests.providers.staging import scripted

FORMATS = ("anthropic", "gemini", "openai_chat", "openai_responses")


@pytest.mark.parametrize("check", MODEL_CHECKS, ids=lambda check: check.name)
@pytest.mark.parametrize("format", FORMATS)
def test_it_does_what_a_model_must(format: str, check: ModelCheck) -> None:
    """Each check of the public suite passes on a scripted model of every wire."""
    check.run(scripted(format))


def _asked(model: ScriptedModel, words: str = "Hello.", **more: Any) -> Spoken:
    return asyncio.run(model.speak({"messages": [{"role": "user", "content": words}]}, **more))


def test_it_remembers_what_it_was_asked() -> None:
    """Every request is kept with its tools, its output and whether somebody listened."""
    model = ScriptedModel(["One.", "Two."])
    _asked(model, tools=[{"name": "x"}], max_output=5)
    _asked(model, "Again.", thinking=False, heard=lambda kind, words: None)
    first, second = model.requests
    assert (first.tools, first.max_output, first.thinking, first.streamed) == (({"name": "x"},), 5, True, False)
    assert (second.messages, second.thinking, second.streamed) == ([{"role": "user", "content": "Again."}], False, True)


def test_a_function_may_be_the_script() -> None:
    """A function is given the request and says what is answered."""
    model = ScriptedModel(lambda arguments: Reply(arguments["messages"][-1]["content"].upper()))
    assert _asked(model, "hello").text == "HELLO"


def test_an_invalid_request_is_refused() -> None:
    """What a real endpoint would refuse is refused, with what is wrong: a result without its call is."""
    model = ScriptedModel(["x"])
    with pytest.raises(RequestRefused, match="request 1 is invalid"):
        asyncio.run(model.speak({"messages": [{"role": "tool", "tool_call_id": "a", "content": "x"}]}))


def test_what_is_longer_than_its_window_is_refused_as_a_provider_does() -> None:
    """A request over the window is refused in words from which the context manager recovers."""
    model = ScriptedModel(["x"] * 9, window=400)
    context = ContextManager("openai:gpt-4o", window=100_000)

    async def asked() -> Spoken:
        history = [{"role": "user", "content": "The task."}]
        for turn in range(8):
            history += [{"role": "assistant", "content": f"Answer {turn}. " + "so " * 80}, {"role": "user", "content": f"Go on {turn}."}]
        request = await context.prepare(history)
        with pytest.raises(TooLong) as failed:
            await model.speak(request.arguments)
        return await model.speak(context.recover(failed.value).arguments)

    assert asyncio.run(asked()).text == "x"
    assert context.window.tokens == 400


def test_a_script_ends() -> None:
    """A request for which the script has nothing is refused, and the words count."""
    model = ScriptedModel(["only one"])
    _asked(model)
    with pytest.raises(RequestRefused, match="the script has 1 answers, and request 2 came"):
        _asked(model)


def test_when_to_come_back_may_be_left_open() -> None:
    """A rate limit without a time says to come back later."""
    with pytest.raises(RateLimited, match="come back later") as failed:
        _asked(ScriptedModel([Fault("rate_limited")]))
    assert failed.value.retry_after_s is None


def test_an_unknown_wire_is_refused() -> None:
    """A wire that does not exist is refused, and those that do are named."""
    with pytest.raises(UnknownSetting, match="use one of anthropic, gemini"):
        ScriptedModel(format="morse")


def test_it_says_when_it_was_let_go() -> None:
    """Letting it go is remembered."""
    model = ScriptedModel()
    asyncio.run(model.aclose())
    assert model.is_closed
