"""Patience with an endpoint, and what is said when it ends."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import stamina

from sostenuto.errors import EndpointFailed, ModelFailed, NotAuthorised, RateLimited, RequestRefused, TooLong, UnknownSetting
from sostenuto.protocols import Spoken
from sostenuto.providers._errors import Asked
from sostenuto.providers._http import Endpoint, Patience, object_in, repeated, written
from sostenuto.providers.openai_compatible import OpenAICompatible
from sostenuto.testing import FakeServer, Fault, Reply
from tests.providers.staging import QUICK, made

SOURCE = str(Path(__file__).resolve().parents[2] / "src")
ASKED = Asked("openai:x", "http://there")
ASK: Mapping[str, Any] = {"messages": [{"role": "user", "content": "x"}]}


def _spoken(server: FakeServer, **more: Any) -> Spoken:
    async def asked() -> Spoken:
        model = made(server, patience=QUICK)
        try:
            return await model.speak(ASK, **more)
        finally:
            await model.aclose()

    return asyncio.run(asked())


@pytest.mark.parametrize("kind", ["loading", "server_fault", "disconnect", "malformed", "rate_limited"])
def test_what_may_pass_is_tried_again(kind: Any) -> None:
    """A rate limit and a failing endpoint are asked again, as often as patience says (A.11)."""
    with FakeServer("llamacpp", [Fault(kind), Fault(kind), "At last."]) as server:
        assert _spoken(server).text == "At last."
        assert len(server.asked) == 3
    with FakeServer("llamacpp", [Fault(kind)] * 9) as server:
        with pytest.raises((RateLimited, EndpointFailed)):
            _spoken(server)
        assert len(server.asked) == QUICK.retries + 1


@pytest.mark.parametrize(
    ("kind", "error"), [("overflow", TooLong), ("too_large", TooLong), ("unauthorised", NotAuthorised), ("refused", RequestRefused)]
)
def test_what_does_not_pass_is_asked_once(kind: Any, error: type[ModelFailed]) -> None:
    """A refusal, a wrong key and an overflow are not repeated (A.11)."""
    with FakeServer("llamacpp", [Fault(kind), "Never."]) as server:
        with pytest.raises(error):
            _spoken(server)
        assert len(server.asked) == 1


def test_waits_follow_the_endpoint_and_are_capped() -> None:
    """What an endpoint says of when to come back is heeded up to the cap; a wait longer than all patience is not begun."""
    patience = Patience()
    assert patience.wait(RateLimited("", retry_after_s=7.5)) == 7.5
    assert patience.wait(RateLimited("", retry_after_s=120)) == 30.0
    assert patience.wait(RateLimited("", retry_after_s=3_600)) is False
    assert patience.wait(RateLimited("")) is True
    assert patience.wait(EndpointFailed("")) is True
    assert patience.wait(RequestRefused("")) is False


def test_waits_grow_to_the_cap() -> None:
    """Without a word from the endpoint the waits double, and none is longer than the cap."""
    waits: list[float] = []

    async def fails() -> None:
        raise EndpointFailed("down")

    async def tried() -> None:
        await repeated(fails, asked=ASKED, patience=Patience(timeout_s=0.05, retries=9, first_wait_s=20))

    before = stamina.instrumentation.get_on_retry_hooks()
    stamina.instrumentation.set_on_retry_hooks([lambda details: waits.append(details.wait_for)])
    try:
        with stamina.set_testing(False), pytest.raises(EndpointFailed, match=r"did not answer within 0\.05 s; the last failure was: down"):
            asyncio.run(tried())
    finally:
        stamina.instrumentation.set_on_retry_hooks(before)
    assert len(waits) == 1
    assert 20 <= waits[0] <= 30


def test_a_server_that_says_nothing_is_given_up() -> None:
    """A server that takes a request and never answers is given up when patience ends, and the words say so."""
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        address = f"http://127.0.0.1:{deaf.getsockname()[1]}/v1"

        async def asked() -> None:
            model = OpenAICompatible("x", server="vllm", base_url=address, patience=Patience(timeout_s=0.1))
            try:
                await model.speak(ASK)
            finally:
                await model.aclose()

        with pytest.raises(EndpointFailed, match=r"did not answer within 0\.1 s; is the server busy"):
            asyncio.run(asked())


def test_a_server_that_is_not_there_is_told_with_a_remedy() -> None:
    """Where nobody listens the words name the address and ask whether the server is running, at once; its window is unknown."""
    tries: list[int] = []
    stamina.instrumentation.set_on_retry_hooks([lambda details: tries.append(details.retry_num)])
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

    async def asked() -> None:
        model = OpenAICompatible("x", server="llamacpp", base_url=f"http://127.0.0.1:{port}/v1", patience=QUICK)
        assert await model.window() is None
        await model.speak(ASK)

    with pytest.raises(EndpointFailed, match=rf"nobody answers at http://127.0.0.1:{port}/v1 .*is the server running"):
        asyncio.run(asked())
    stamina.instrumentation.set_on_retry_hooks(None)
    assert tries == []


def test_a_server_that_was_there_is_waited_for() -> None:
    """A server that answered before and has gone is tried again: it may be starting anew."""
    tries: list[int] = []
    stamina.instrumentation.set_on_retry_hooks([lambda details: tries.append(details.retry_num)])

    async def asked() -> None:
        with FakeServer("llamacpp", ["Here."]) as server:
            model = made(server, patience=QUICK)
            await model.speak(ASK)
        with pytest.raises(EndpointFailed, match="nobody answers"):
            await model.speak(ASK)
        await model.aclose()

    asyncio.run(asked())
    stamina.instrumentation.set_on_retry_hooks(None)
    assert tries == [1, 2, 3]


def test_a_model_outlives_its_event_loop() -> None:
    """One model may be asked in one event loop and then in another."""
    with FakeServer("llamacpp", ["One.", "Two."]) as server:
        model = made(server)
        for words in ("One.", "Two."):

            async def asked() -> Spoken:
                spoken = await model.speak(ASK)
                await model.aclose()
                return spoken

            assert asyncio.run(asked()).text == words


def test_a_reply_that_is_asked_for_again_is_told_again() -> None:
    """Who heard the first half of a reply that broke off hears a line break and then the whole of the next one."""
    heard: list[str] = []
    with FakeServer("vllm", [Fault("disconnect", begun="Once upon a time there was"), Reply("A new start.")]) as server:
        spoken = _spoken(server, heard=lambda kind, words: heard.append(words))
    assert spoken.text == "A new start."
    first, _, second = "".join(heard).partition("\n")
    assert first
    assert "Once upon a time there was".startswith(first)
    assert second == "A new start."


def test_a_broken_stream_says_what_had_arrived() -> None:
    """The error for a stream that breaks off counts the words that came."""
    with (
        FakeServer("vllm", [Fault("disconnect")] * 4) as server,
        pytest.raises(EndpointFailed, match=r"broke off .* after \d+ characters of text"),
    ):
        _spoken(server, heard=lambda kind, words: None)


@pytest.mark.parametrize(
    ("found", "error"),
    [
        ({"error": {"code": 400, "type": "exceed_context_size_error", "message": "too long"}}, TooLong),
        ({"object": "error", "message": "The input (5000 tokens) is longer than the model's context length (4096 tokens)."}, TooLong),
        ({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, EndpointFailed),
        ([], EndpointFailed),
        (3, EndpointFailed),
    ],
)  # fmt: skip
def test_an_error_behind_a_200_is_an_error(found: Any, error: type[ModelFailed]) -> None:
    """An error in a stream is one, wrapped or flat, and so is a piece that is no object."""
    with pytest.raises(error):
        object_in(json.dumps(found), asked=ASKED)


def test_a_request_can_be_given_up() -> None:
    """A request that is cancelled ends at once, and the model may be asked again."""
    asked_for = threading.Event()

    def slow(body: Mapping[str, Any]) -> Reply:
        if not asked_for.is_set():
            asked_for.set()
            released.wait(5)
        return Reply("Now.")

    released = threading.Event()
    with FakeServer("llamacpp", slow) as server:

        async def asked() -> str:
            model = made(server)
            waiting = asyncio.create_task(model.speak(ASK))
            await asyncio.to_thread(asked_for.wait, 5)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            released.set()
            said = await model.speak(ASK)
            await model.aclose()
            return said.text

        assert asyncio.run(asked()) == "Now."


def test_half_a_letter_does_not_stop_a_request() -> None:
    """Half a surrogate pair, which servers refuse, leaves as a replacement character; whole pairs leave as letters."""
    assert written({"a": "x\ud83dy", "b": "\ud83d\ude00"}, asked=ASKED).decode() == '{"a":"x\ufffdy","b":"😀"}'


@pytest.mark.parametrize("value", [object(), float("nan"), {1, 2}])
def test_what_is_no_json_is_refused_before_it_is_sent(value: object) -> None:
    """A request with something in it that is no JSON is refused, and named."""
    with pytest.raises(RequestRefused, match="is no JSON"):
        written({"messages": [value]}, asked=ASKED)


@pytest.mark.parametrize("address", ["", "localhost:8080", "ftp://x/v1", "http://", "file:///x", "http://[::1"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    """A base URL must be an http or https address with a host."""
    with pytest.raises(UnknownSetting, match="no http or https address"):
        Endpoint(address, asked=ASKED)


def test_what_is_not_installed_is_told_when_a_model_is_made() -> None:
    """Without the libraries of the extra a model cannot be made, and the words say how to install them."""
    code = (
        "import sys; sys.modules['httpx'] = None\n"
        "from importlib import util; util.find_spec = lambda name: None if name == 'httpx' else name\n"
        "from sostenuto.providers.openai_compatible import OpenAICompatible\n"
        "try: OpenAICompatible('x', server='vllm')\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=dict(os.environ, PYTHONPATH=SOURCE))
    assert said.stdout.startswith('UnknownSetting talking to a model needs httpx; install the extra: pip install "sostenuto[run]"')


@pytest.mark.parametrize("module", ["anthropic", "local", "ollama", "openai_compatible", "pydantic_ai"])
def test_a_provider_loads_no_library_before_it_is_needed(module: str) -> None:
    """Importing a provider loads none of the libraries that requests are made with, and making a model none either."""
    code = (
        f"import sys, sostenuto.providers.{module}\n"
        "from sostenuto.providers.openai_compatible import OpenAICompatible; OpenAICompatible('x', server='vllm')\n"
        "print([name for name in ('httpx', 'stamina', 'asyncio', 'pydantic_ai', 'xllamacpp') if name in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=dict(os.environ, PYTHONPATH=SOURCE))
    assert said.stdout.strip() == "[]"


def test_an_address_that_leads_nowhere_is_told() -> None:
    """A path that the server does not know is refused at once, and the words name the address as what to check."""
    with FakeServer("openai", ["x"]) as server:

        async def asked() -> None:
            model = OpenAICompatible("x", server="other", base_url=f"{server.address}/nowhere", patience=Patience(retries=0))
            try:
                await model.speak(ASK)
            finally:
                await model.aclose()

        with pytest.raises(RequestRefused, match=r"HTTP 404.*check the model's id and the address"):
            asyncio.run(asked())
