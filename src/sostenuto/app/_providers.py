"""Which provider serves which name: ``provider:id`` to a `Model`, with everything that can be missing told before the first request."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Final

from sostenuto.catalogues.bundled import bundled
from sostenuto.errors import UnknownSetting
from sostenuto.protocols import Model
from sostenuto.providers import anthropic, local, ollama, openai_compatible
from sostenuto.providers.openai_compatible import SERVERS, Patience
from sostenuto.window import lookup, parted

_OWN: Final[Mapping[str, str]] = {
    "anthropic": "anthropic",
    "claude": "anthropic",
    "hosted_vllm": "vllm",
    "llama-cpp": "llamacpp",
    "llama.cpp": "llamacpp",
    "llama_cpp": "llamacpp",
    "llamacpp": "llamacpp",
    "lm-studio": "lmstudio",
    "lm_studio": "lmstudio",
    "lmstudio": "lmstudio",
    "local": "local",
    "ollama": "ollama",
    "ollama_chat": "ollama",
    "openai": "openai",
    "openai-chat": "openai",
    "sglang": "sglang",
    "vllm": "vllm",
}
"""What people call the providers we speak to ourselves."""

_THEIRS: Final[Mapping[str, str]] = {
    **{
        name: name
        for name in (
            "alibaba", "azure", "bedrock", "cerebras", "cohere", "deepseek", "fireworks", "github", "github-copilot", "google",
            "google-cloud", "groq", "heroku", "huggingface", "litellm", "meta", "mistral", "moonshotai", "nebius", "openai-responses",
            "openrouter", "ovhcloud", "sambanova", "snowflake", "together", "vercel", "xai", "zai",
        )
    },
    "amazon-bedrock": "bedrock",
    "gemini": "google",
    "google-gla": "google",
    "google-vertex": "google-cloud",
    "grok": "xai",
    "kimi": "moonshotai",
    "mistralai": "mistral",
    "together-ai": "together",
    "togetherai": "together",
    "vertex": "google-cloud",
    "zhipu": "zai",
}  # fmt: skip
"""What people call the providers that ``pydantic-ai`` speaks to, and what it calls them."""

_KEYS: Final[Mapping[str, str]] = {
    "anthropic": anthropic.KEY_VARIABLE,
    "llamacpp": "LLAMA_API_KEY",
    "lmstudio": "LM_API_TOKEN",
    "ollama": "OLLAMA_API_KEY",
    "openai": SERVERS["openai"].key_variable,
    "sglang": "SGLANG_API_KEY",
    "vllm": "VLLM_API_KEY",
}
ADDRESS_VARIABLES: Final[Mapping[str, str]] = {
    "anthropic": "ANTHROPIC_BASE_URL",
    "llamacpp": "LLAMACPP_BASE_URL",
    "lmstudio": "LMSTUDIO_BASE_URL",
    "ollama": "OLLAMA_HOST",
    "openai": "OPENAI_BASE_URL",
    "sglang": "SGLANG_BASE_URL",
    "vllm": "VLLM_BASE_URL",
}
"""The environment variables that hold the key and the address of a provider."""
CHAT: Final = "chat completions"
THROUGH_PYDANTIC_AI: Final = "pydantic-ai"


@dataclass(frozen=True, slots=True)
class _Named:
    """What is known of a model before it is made."""

    provider: str
    id: str
    base_url: str | None
    key: str | None
    window: int | None
    options: Mapping[str, Any] | None
    patience: Patience


def model_named(
    model: str,
    /,
    *,
    base_url: str | None = None,
    key: str | None = None,
    window: int | None = None,
    options: Mapping[str, Any] | None = None,
    retries: int = Patience().retries,
    environment: Mapping[str, str] | None = None,
) -> Model:
    """The model that is called ``provider:id``. Nothing is sent to it yet.

    OpenAI, Anthropic, Ollama, llama.cpp, vLLM, SGLang, LM Studio and a file in this process (``local:PATH.gguf``, or ``local`` alone for
    the small model) are spoken to directly, every other provider through the extra ``pydantic-ai``; an unknown one with a `base_url` is
    taken for a server of OpenAI's chat completions.

    Args:
        base_url, key: default: what the environment holds for that provider.
        window: the pinned window in tokens; Ollama and a local file are told to serve it.
        options: further fields of every request (model settings, for a provider of ``pydantic-ai``).
        retries: times that a request is sent again after a failure that may pass.
        environment: the variables to look into; default: the process's.

    Raises:
        UnknownSetting: no provider is named, or it is not known (the nearest one is), or what it needs is not installed.
        NotAuthorised: there is no key; the variable that should hold it is named.
    """
    held = os.environ if environment is None else environment
    if is_address(model):
        raise UnknownSetting(f"model {model!r} is an address and names no model; {_by_address(model.strip(), 'NAME')}")
    provider, name = _parts(model)
    kind = _OWN.get(provider, _THEIRS.get(provider, provider))
    address = base_url or address_in(held.get(ADDRESS_VARIABLES.get(kind, ""), ""))
    variable = _KEYS.get(kind) or f"{kind.upper().replace('-', '_')}_API_KEY"
    found_key = key or (held.get(variable, "").strip() or None)
    named = _Named(kind, name, address, found_key, window, options, Patience(retries=retries))
    if provider in _OWN:
        return _MAKERS.get(kind, _chat)(named)
    if provider in _THEIRS:  # which looks into the environment itself, and for some providers finds more there than one key
        return _through_pydantic_ai(replace(named, key=key))
    if address is not None:
        return _chat(named)
    raise UnknownSetting(_unknown(provider, model))


def spoken_by(model: str, /) -> str:
    """Which layer speaks to a model: one of our own by its name (``ollama``, ``anthropic``, ``openai``, ...), `THROUGH_PYDANTIC_AI`, or
    `CHAT` for a server that is known by its address alone.

    Raises:
        UnknownSetting: no provider is named.
    """
    if is_address(model):
        return CHAT
    provider, _ = _parts(model)
    return _OWN.get(provider) or (THROUGH_PYDANTIC_AI if provider in _THEIRS else CHAT)


def is_address(model: str, /) -> bool:
    """Whether a model is named by the address of its server alone."""
    return model.strip().lower().startswith(("http://", "https://"))


def doubt_about(model: str, /) -> str:
    """What is to be said of a model whose provider is not known, with the nearest one; "" for nothing, also where none is named."""
    if not model.strip() or is_address(model):
        return ""
    try:
        provider, _ = _parts(model)
    except UnknownSetting:
        return ""
    return "" if provider in _OWN or provider in _THEIRS else _unknown(provider, model)


def _parts(model: str) -> tuple[str, str]:
    """Provider, in small letters, and id. ``local`` and servers of a single model may stand alone."""
    text = model.strip()
    if text.lower() in _OWN:
        return text.lower(), ""
    head, colon, rest = text.partition(":")
    if colon and head.lower() in _OWN:  # an id may hold anything: a path, a tag
        return head.lower(), rest.strip()
    provider, name = parted(text)
    if provider and name.strip():
        return provider.strip().lower(), name.strip()
    raise UnknownSetting(_unnamed(text))


def _unnamed(model: str) -> str:
    if model.endswith(":") and model[:-1].lower() in _THEIRS:
        return f"model {model!r} names a provider and no model; write {model}ID"
    match = lookup("", model, catalogue=bundled()) if model else None
    near = f"; did you mean '{match.entry.provider}:{match.entry.model}'?" if match is not None else ", for example openai:gpt-5"
    return f"model {model!r} names no provider; write provider:id{near}"


def _unknown(provider: str, model: str) -> str:
    near = get_close_matches(provider[:100], sorted({*_OWN, *_THEIRS}), n=1)
    meant = f"did you mean {near[0]!r}? If it is" if near else "if it is"
    how = _by_address("http://HOST:PORT/v1", model.partition(":")[2] or "NAME")
    return f"model {model!r}: the provider {provider!r} is not known; {meant} a server of chat completions, name its base URL: {how}"


def _by_address(address: str, name: str) -> str:
    """What is typed for a server of chat completions that is known by its address alone."""
    return f"OPENAI_BASE_URL={address} sostenuto run --model openai:{name}"


def address_in(given: str) -> str | None:
    """An address from the environment; Ollama's may lack the scheme, and may say where it listens to everybody."""
    text = given.strip()
    if not text:
        return None
    text = text if "://" in text else f"http://{text if ':' in text else f'{text}:11434'}"
    return text.replace("://0.0.0.0", "://127.0.0.1")


def _chat(named: _Named) -> Model:
    return openai_compatible.OpenAICompatible(
        named.id, server=named.provider, base_url=named.base_url, key=named.key, options=named.options, window=named.window,
        patience=named.patience,
    )  # fmt: skip


def _anthropic(named: _Named) -> Model:
    return anthropic.Anthropic(named.id, base_url=named.base_url, key=named.key, options=named.options, patience=named.patience)


def _ollama(named: _Named) -> Model:
    if not named.id:
        raise UnknownSetting("model 'ollama' names no model; write ollama:NAME (ollama list shows those that are there)")
    return ollama.Ollama(
        named.id, base_url=named.base_url, key=named.key, options=named.options, window=named.window, patience=named.patience
    )


def _local(named: _Named) -> Model:
    return local.Local(named.id or None, window=named.window or local.WINDOW, options=named.options, patience=named.patience)


def _through_pydantic_ai(named: _Named) -> Model:
    from sostenuto.providers import pydantic_ai

    return pydantic_ai.PydanticAI(
        f"{named.provider}:{named.id}", base_url=named.base_url, key=named.key, settings=named.options, patience=named.patience
    )


_MAKERS: Final[Mapping[str, Callable[[_Named], Model]]] = {"anthropic": _anthropic, "local": _local, "ollama": _ollama}
"""Those that are not chat completions."""
