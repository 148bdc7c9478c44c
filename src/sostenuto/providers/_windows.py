"""How many tokens does a server serve now? One small function per kind of server; None where it does not say, never an exception."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from sostenuto.providers._http import Endpoint

_IN_PARAMETERS: Final = re.compile(r"^num_ctx[ \t]+(\d+)", re.MULTILINE)
_LISTED: Final = ("max_model_len", "context_length", "context_window", "max_context_length", "max_input_tokens")


async def llamacpp_window(endpoint: Endpoint, model: str, /) -> int | None:
    """llama-server: the window of one slot, from ``/props``; where that is closed, from the list of models."""
    props = await endpoint.look(f"{endpoint.root}/props")
    found = _tokens(_within(props, "default_generation_settings", "n_ctx"))
    return found if found is not None else await listed_window(endpoint, model)


async def listed_window(endpoint: Endpoint, model: str, /) -> int | None:
    """vLLM, SGLang and their like: what the model's card in the list of models says; an adapter's card points to its parent's."""
    cards = _cards(await endpoint.look(f"{endpoint.base_url}/models"))
    card = _card(cards, model)
    for _ in range(len(cards)):  # a card may have a parent, and that one another; never in a circle
        if card is None:
            return None
        if (found := _card_window(card)) is not None:
            return found
        parent = card.get("parent")
        card = next((other for other in cards if parent and other.get("id") == parent), None)
    return None


async def lmstudio_window(endpoint: Endpoint, model: str, /) -> int | None:
    """LM Studio: what the model was loaded with; a model that is not loaded serves nothing yet."""
    card = _card(_cards(await endpoint.look(f"{endpoint.root}/api/v0/models")), model)
    return _tokens(card.get("loaded_context_length")) if card is not None else None


async def anthropic_window(endpoint: Endpoint, model: str, /) -> int | None:
    """Anthropic: the input limit in the model's own record."""
    return _tokens(_within(await endpoint.look(f"{endpoint.base_url}/models/{quote(model, safe='')}"), "max_input_tokens"))


async def ollama_running(endpoint: Endpoint, model: str, /) -> int | None:
    """Ollama: the window that was allocated for a loaded model."""
    found = await endpoint.look(f"{endpoint.base_url}/api/ps")
    card = next((card for card in _maps(_within(found, "models")) if _same(model, card.get("name")) or _same(model, card.get("model"))), {})
    return _tokens(card.get("context_length"))


async def ollama_shown(endpoint: Endpoint, model: str, /) -> tuple[int | None, int | None]:
    """Ollama: the window that the model's author set, and the most its weights take; each None where it is not said."""
    found = await endpoint.look(f"{endpoint.base_url}/api/show", body={"model": model})
    if not isinstance(found, Mapping):
        return None, None
    parameters, facts = found.get("parameters"), found.get("model_info")
    told = _IN_PARAMETERS.search(parameters) if isinstance(parameters, str) else None
    names = [name for name in facts if isinstance(name, str) and name.endswith(".context_length")] if isinstance(facts, Mapping) else []
    most = _tokens(facts[names[0]]) if isinstance(facts, Mapping) and names else None
    return (_tokens(int(told.group(1))) if told is not None else None), most


@dataclass(frozen=True, slots=True)
class Card:
    """A model that a server lists.

    Attributes:
        id: what the server calls it.
        names: everything it goes by, its file's name among them.
        kind: who the server says owns it, which for most kinds of servers is the kind; "" where it does not say.
    """

    id: str
    names: frozenset[str]
    kind: str


async def listed_models(endpoint: Endpoint, /) -> tuple[Card, ...]:
    """The models a server lists; none where it lists none or does not answer."""
    return tuple(_named(card) for card in _cards(await endpoint.look(f"{endpoint.base_url}/models")) if isinstance(card.get("id"), str))


def _named(card: Mapping[str, Any]) -> Card:
    own, owner, aliases = str(card["id"]), card.get("owned_by"), card.get("aliases")
    file = own.replace("\\", "/").rpartition("/")[2]
    others = [name for name in aliases if isinstance(name, str)] if isinstance(aliases, list) else []
    return Card(own, frozenset((own, file, file.removesuffix(".gguf"), *others)), owner if isinstance(owner, str) else "")


async def only_model(endpoint: Endpoint, /) -> str:
    """The id of the first model a server lists, for one that serves a single model; "" where it lists none."""
    cards = _cards(await endpoint.look(f"{endpoint.base_url}/models"))
    found = cards[0].get("id") if cards else ""
    return found if isinstance(found, str) else ""


def _cards(found: Any) -> list[Mapping[str, Any]]:
    return _maps(_within(found, "data"))


def _maps(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def _card(cards: list[Mapping[str, Any]], model: str) -> Mapping[str, Any] | None:
    """The card with the model's id, or one that goes by it; the only card where a server has but one."""
    for card in cards:
        aliases = card.get("aliases")
        if card.get("id") == model or (isinstance(aliases, list) and model in aliases):
            return card
    return cards[0] if len(cards) == 1 else None


def _card_window(card: Mapping[str, Any]) -> int | None:
    told = (_tokens(card.get(name)) for name in _LISTED)
    return next((number for number in told if number is not None), None) or _tokens(_within(card, "meta", "n_ctx"))


def _within(value: Any, *names: str) -> Any:
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _same(model: str, other: object) -> bool:
    """Ollama's names without a tag mean ``:latest``."""
    return isinstance(other, str) and other.removesuffix(":latest") == model.removesuffix(":latest")


def _tokens(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
