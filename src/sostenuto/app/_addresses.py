"""A model that is named by the address of its server alone: the server is asked which one it serves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from sostenuto.app._providers import ADDRESS_VARIABLES
from sostenuto.errors import EndpointFailed, UnknownSetting
from sostenuto.protocols import Model
from sostenuto.providers.openai_compatible import SERVERS, OpenAICompatible

BY_ADDRESS: Final = "server"
"""Provider of a model whose server says of no kind of ours that it is one."""
_ENDINGS: Final = ("/chat/completions", "/models")
_SHOWN: Final = 8
"""Models of one server that are named."""


@dataclass(frozen=True, slots=True)
class Addressed:
    """The model that an address leads to: `model` as ``provider:id``, and where its server's paths begin."""

    model: str
    base_url: str


async def at_address(address: str, /) -> Addressed:
    """The one model that is served at an address. No key is sent there, whatever the environment holds.

    Raises:
        EndpointFailed: nothing there lists models. UnknownSetting: it is no address, or several models are there; they are named.
    """
    base = _base(address.strip())
    asked = OpenAICompatible("", server=BY_ADDRESS, base_url=base)
    try:
        served = await asked.served()
    finally:
        await asked.aclose()
    if not served:
        raise EndpointFailed(
            f"{base}/models lists no model; is the server running, and does it take requests without a key? Else name both: "
            f"OPENAI_API_KEY=KEY OPENAI_BASE_URL={base} sostenuto run --model openai:NAME"
        )
    kind = served[0].kind if served[0].kind in SERVERS and served[0].kind != "openai" else BY_ADDRESS
    if len(served) > 1:
        provider = kind if kind != BY_ADDRESS else "openai"
        names = ", ".join(one.id for one in served[:_SHOWN]) + (f" and {len(served) - _SHOWN} more" if len(served) > _SHOWN else "")
        raise UnknownSetting(
            f"{base} serves several models: {names}; name one: "
            f"{ADDRESS_VARIABLES[provider]}={base} sostenuto run --model {provider}:{served[0].id}"
        )
    return Addressed(f"{kind}:{served[0].id}", base)


async def served_instead(model: Model, /) -> str:
    """The model that llama.cpp's server answers with whatever it is asked for, where that is not the one that was named; else ""."""
    provider, _, name = model.name.partition(":")
    if provider != "llamacpp" or not name or not isinstance(model, OpenAICompatible):
        return ""
    served = await model.served()
    if len(served) != 1 or name in served[0].names:
        return ""
    return served[0].id


def _base(address: str) -> str:
    """Where the paths of a server begin: a bare machine keeps them at ``/v1``, and the end of a copied path is left out."""
    text = address.rstrip("/")
    for ending in _ENDINGS:
        text = text.removesuffix(ending)
    try:
        has_path = bool(urlsplit(text).path)
    except ValueError:
        has_path = True
    return text if has_path else f"{text}/v1"
