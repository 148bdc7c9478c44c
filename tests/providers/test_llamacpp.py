"""A real llama.cpp server whose tokens are bytes: windows, counting, overflow and recovery, streams, the cache of prefixes."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sostenuto.errors import NotAuthorised, RequestRefused, TooLong
from sostenuto.manager import ContextManager
from sostenuto.providers.anthropic import Anthropic
from sostenuto.providers.openai_compatible import OpenAICompatible
from sostenuto.tokens import usage_of
from sostenuto.window import refused
from tests.providers.conftest import Serve
from tests.providers.speaking import spoken, window
from tests.providers.staging import ONCE

COLD: dict[str, Any] = {"temperature": 0}


def _model(address: str, **more: Any) -> OpenAICompatible:
    return OpenAICompatible("byte-random", server="llamacpp", base_url=address, options=COLD, patience=ONCE, **more)


def test_the_window_is_that_of_one_slot(serve: Serve) -> None:
    """A server says its window; with four slots that of one of them; more than the file was trained for is not served."""
    assert window(_model(serve(2_048))) == 2_048
    assert window(_model(serve(4_096, n_parallel=4, kv_unified=False))) == 1_024
    assert window(_model(serve(32_768))) == 16_384


def test_an_overflow_says_its_figures(serve: Serve) -> None:
    """A request that is too long is refused with the exact size and the window, streamed or not; a shorter one is then answered."""
    model = _model(serve(1_024))
    for heard in (None, lambda kind, words: None):
        with pytest.raises(TooLong, match=r"request \(2019 tokens\) exceeds the available context size \(1024 tokens\)") as failed:
            spoken(model, "x" * 2_000, heard=heard)
        found = refused(failed.value.body, status=failed.value.status)
        assert found is not None
        assert (found.limit, found.requested) == (1_024, 2_019)
    assert usage_of(spoken(model, "x" * 900, max_output=5).usage) == usage_of({"prompt_tokens": 919, "completion_tokens": 5})


def test_an_answer_that_meets_the_end_of_the_window_says_so(serve: Serve) -> None:
    """An answer that fills the window stops for the window; one that was to be short stops for its length."""
    model = _model(
        serve(1_024),
    )
    assert spoken(model, "x" * 900, max_output=10).finish == "length"
    assert spoken(model, "x" * 900).finish == "window"


def test_a_shifted_window_is_found_out(serve: Serve) -> None:
    """A server that forgets the beginning while it answers is found out: more tokens were used than there is room for."""
    address = serve(1_024, ctx_shift=True)
    model = OpenAICompatible("m", server="llamacpp", base_url=address, options={**COLD, "ignore_eos": True}, patience=ONCE)
    assert spoken(model, "x" * 900, max_output=400).finish == "window"


def test_a_stream_brings_the_same_reply(serve: Serve) -> None:
    """What is heard piece by piece is the reply that comes whole, and its usage comes with it."""
    model, heard = _model(serve(1_024)), list[str]()
    whole = spoken(model, "Say something.", max_output=30)
    streamed = spoken(model, "Say something.", max_output=30, heard=lambda kind, words: heard.append(words))
    assert streamed.text == whole.text == "".join(heard)
    assert streamed.messages == whole.messages
    assert len(heard) > 5
    counts = [usage_of(said.usage) for said in (whole, streamed)]
    assert counts[0] is not None
    assert counts[1] is not None
    assert (counts[0].input, counts[0].output) == (counts[1].input, counts[1].output)


def test_the_prefix_that_stays_is_cached(serve: Serve) -> None:
    """The next turn of a conversation finds nearly all of the one before in the server's cache; a changed beginning finds little."""
    model = _model(serve(4_096))
    history = [{"role": "user", "content": "a" * 500}]
    first = spoken(model, history, max_output=10)
    history += [*first.messages, {"role": "user", "content": "b" * 100}]
    second = usage_of(spoken(model, history, max_output=10).usage)
    changed = usage_of(spoken(model, [{"role": "user", "content": "c" + "a" * 499}, *history[1:]], max_output=10).usage)
    assert second is not None
    assert changed is not None
    assert second.cached >= 500
    assert changed.cached < 100


def test_it_speaks_anthropics_wire_too(serve: Serve) -> None:
    """The provider of Anthropic's messages is answered by the real server, whole and heard, and reads its cache and its overflow."""
    model = Anthropic("byte-random", base_url=serve(1_024), options=COLD, max_output=10, patience=ONCE)
    heard = list[str]()
    whole = spoken(model, "x" * 500)
    streamed = spoken(model, "x" * 500, heard=lambda kind, words: heard.append(words))
    assert whole.text == streamed.text == "".join(heard)
    assert whole.finish == streamed.finish == "length"
    used = usage_of(streamed.usage)
    assert used is not None
    assert (used.input, used.output) == (519, 10)
    assert used.cached >= 500
    with pytest.raises(TooLong, match="exceeds the available context size"):
        spoken(model, "x" * 2_000)


def test_a_key_and_a_malformed_request_are_told(serve: Serve) -> None:
    """A missing key is NotAuthorised, a wrong request is refused and not repeated."""
    address = serve(1_024, api_keys=["secret"])
    with pytest.raises(NotAuthorised, match="Invalid API Key"):
        spoken(_model(address))
    with pytest.raises(RequestRefused, match="HTTP 400"):
        spoken(_model(address, key="secret"), [{"role": "user", "content": 3}])


def test_counting_is_learned_and_an_overflow_recovered_from(serve: Serve) -> None:
    """A context manager that believes in a larger window learns the real one from the refusal, sends less, and is answered.

    One byte is one token here, which no estimate expects: from the reports of the server the manager learns to count it.
    """
    model = _model(serve(4_096))
    context = ContextManager(model.name, window=16_384)
    misses: list[float] = []

    async def talk() -> int:
        history = [{"role": "user", "content": "The task: remember the number 42."}]
        recovered = 0
        for turn in range(14):
            request = await context.prepare(history, max_output=16)
            try:
                said = await model.speak(request.arguments, max_output=16)
            except TooLong as error:
                request = context.recover(error)
                said = await model.speak(request.arguments, max_output=16)
                recovered += 1
            used = usage_of(said.usage)
            assert used is not None
            misses.append(abs(request.tokens - used.input) / used.input)
            context.record(said.usage)
            words = f"Turn {turn}. " + "and so it goes on and on " * 20
            history += [*(said.messages or ({"role": "assistant", "content": "(nothing)"},)), {"role": "user", "content": words}]
        await model.aclose()
        return recovered

    assert asyncio.run(talk()) == 1
    assert context.window.tokens == 4_096
    assert misses[-1] < 0.1
