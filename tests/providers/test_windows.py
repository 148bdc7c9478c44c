"""Windows of servers."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sostenuto.providers._errors import Asked
from sostenuto.providers._http import Endpoint, Patience
from sostenuto.providers._windows import listed_window, llamacpp_window, lmstudio_window, ollama_running, ollama_shown
from sostenuto.testing import FakeServer
from tests.providers.speaking import window
from tests.providers.staging import KEY, made


class Canned(Endpoint):
    """An endpoint that has only what it was given."""

    def __init__(self, pages: dict[str, Any]) -> None:
        super().__init__("http://127.0.0.1:1/v1", asked=Asked("a:b", "there"), patience=Patience(look_s=0.1))
        self.pages = pages

    async def look(self, address: str, *, body: Any = None) -> Any:
        return self.pages.get(address.removeprefix("http://127.0.0.1:1"))


@pytest.mark.parametrize(
    ("kind", "expected"), [("llamacpp", 2_048), ("vllm", 2_048), ("sglang", 2_048), ("lmstudio", 2_048), ("openai", None)]
)
def test_a_server_says_what_it_serves(kind: str, expected: int | None) -> None:
    """Each kind of server is asked at the address where it says it; OpenAI says it nowhere."""
    with FakeServer(kind, window=2_048, key=KEY) as server:
        assert window(made(server)) == expected
    with FakeServer(kind, looks=False, key=KEY) as server:
        assert window(made(server)) is None


def test_a_closed_props_page_leaves_the_list_of_models() -> None:
    """A llama-server whose ``/props`` is closed says its window in the list of models; the trained length is none."""
    card = {"id": "m", "meta": {"n_ctx": 1_024, "n_ctx_train": 8_192}}
    assert asyncio.run(llamacpp_window(Canned({"/v1/models": {"data": [card]}}), "m")) == 1_024


@pytest.mark.parametrize(
    ("cards", "model", "expected"),
    [
        ([{"id": "a", "max_model_len": 100}, {"id": "b", "max_model_len": 200}], "b", 200),
        ([{"id": "a", "max_model_len": 100}, {"id": "b", "max_model_len": 200}], "c", None),
        ([{"id": "a", "max_model_len": 100}], "old-name", 100),
        ([{"id": "base", "max_model_len": 100}, {"id": "lora", "max_model_len": None, "parent": "base"}], "lora", 100),
        ([{"id": "a", "parent": "b"}, {"id": "b", "parent": "a"}], "a", None),
        ([{"id": "a", "aliases": ["z"], "context_length": 300}, {"id": "b"}], "z", 300),
        ([{"id": "a", "max_model_len": True}], "a", None),
        ([{"id": "a", "max_model_len": -1}], "a", None),
        ([None, 3], "a", None),
        ("nonsense", "a", None),
    ],
)  # fmt: skip
def test_a_card_is_found_by_its_id(cards: Any, model: str, expected: int | None) -> None:
    """The card with the model's id counts, the only one whatever its id, an adapter's parent's for the adapter; nonsense is nothing."""
    assert asyncio.run(listed_window(Canned({"/v1/models": {"data": cards}}), model)) == expected


def test_a_model_that_is_not_loaded_serves_nothing() -> None:
    """LM Studio's largest possible window is not what it serves."""
    card = {"id": "m", "state": "not-loaded", "max_context_length": 131_072}
    assert asyncio.run(lmstudio_window(Canned({"/api/v0/models": {"data": [card]}}), "m")) is None


def test_ollama_tags_are_understood() -> None:
    """A name without a tag means the latest; a card of an old server has no window."""
    base = "/v1/api/ps"
    running = {"models": [{"name": "q:latest", "context_length": 4_096}, {"model": "other:7b"}]}
    assert asyncio.run(ollama_running(Canned({base: running}), "q")) == 4_096
    assert asyncio.run(ollama_running(Canned({base: running}), "other:7b")) is None
    assert asyncio.run(ollama_running(Canned({base: ["odd"]}), "q")) is None


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ({"parameters": "stop \"x\"\nnum_ctx     4096", "model_info": {"gemma3.context_length": 131_072}}, (4_096, 131_072)),
        ({"parameters": "num_ctx_other 3", "model_info": {}}, (None, None)),
        ({"parameters": None, "model_info": None}, (None, None)),
        (None, (None, None)),
    ],
)  # fmt: skip
def test_what_ollama_shows_of_a_model(shown: Any, expected: tuple[int | None, int | None]) -> None:
    """The author's setting and the ceiling of the weights are told apart; either may be missing."""
    assert asyncio.run(ollama_shown(Canned({"/v1/api/show": shown}), "m")) == expected
