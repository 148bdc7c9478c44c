"""What people call providers and models, and what the catalogue calls them (D7)."""

from __future__ import annotations

import re
from typing import Final

LOCAL_PROVIDERS: Final = (
    "ollama",
    "ollama_chat",
    "llamacpp",
    "llama.cpp",
    "llama-cpp",
    "llama_cpp",
    "lmstudio",
    "lm_studio",
    "lm-studio",
    "vllm",
    "hosted_vllm",
    "sglang",
    "tgi",
)
"""Providers that serve a window of their own choice, whatever the weights could take."""

_ALIASES: Final[dict[str, tuple[str, ...]]] = {
    "alibaba": ("alibaba", "alibaba-cn"),
    "alibaba-cloud": ("alibaba", "alibaba-cn"),
    "aws": ("amazon-bedrock",),
    "aws-bedrock": ("amazon-bedrock",),
    "azure": ("azure", "azure-cognitive-services"),
    "azure-ai": ("azure", "azure-cognitive-services"),
    "azure-openai": ("azure",),
    "bedrock": ("amazon-bedrock",),
    "bedrock-converse": ("amazon-bedrock",),
    "bigmodel": ("zhipuai", "zai"),
    "claude": ("anthropic",),
    "cloudflare": ("cloudflare-workers-ai", "cloudflare-ai-gateway"),
    "copilot": ("github-copilot",),
    "dashscope": ("alibaba", "alibaba-cn"),
    "deep-infra": ("deepinfra",),
    "deep-seek": ("deepseek",),
    "fireworks": ("fireworks-ai",),
    "friendliai": ("friendli",),
    "gemini": ("google",),
    "github": ("github-copilot",),
    "google": ("google", "google-vertex"),
    "google-ai": ("google",),
    "google-genai": ("google",),
    "google-gla": ("google",),
    "google-vertex": ("google-vertex", "google-vertex-anthropic"),
    "google-vertexai": ("google-vertex", "google-vertex-anthropic"),
    "grok": ("xai",),
    "hf": ("huggingface",),
    "hugging-face": ("huggingface",),
    "kimi": ("moonshotai", "moonshotai-cn"),
    "lm-studio": ("lmstudio",),
    "meta-llama": ("llama", "meta"),
    "minimaxi": ("minimax", "minimax-cn"),
    "mistralai": ("mistral",),
    "moonshot": ("moonshotai", "moonshotai-cn"),
    "moonshotai": ("moonshotai", "moonshotai-cn"),
    "novita": ("novita-ai",),
    "nvidia-nim": ("nvidia",),
    "open-router": ("openrouter",),
    "openai-chat": ("openai",),
    "openai-responses": ("openai",),
    "qwen": ("alibaba", "alibaba-cn"),
    "snowflake": ("snowflake-cortex",),
    "together": ("togetherai",),
    "together-ai": ("togetherai",),
    "vercel-ai-gateway": ("vercel",),
    "vertex": ("google-vertex", "google-vertex-anthropic"),
    "vertexai": ("google-vertex", "google-vertex-anthropic"),
    "vertex-ai": ("google-vertex", "google-vertex-anthropic"),
    "vertex-ai-beta": ("google-vertex", "google-vertex-anthropic"),
    "vertex-anthropic": ("google-vertex-anthropic", "google-vertex"),
    "x-ai": ("xai",),
    "z-ai": ("zai", "zhipuai"),
    "z.ai": ("zai", "zhipuai"),
    "zai": ("zai", "zhipuai"),
    "zhipu": ("zhipuai", "zai"),
    "zhipuai": ("zhipuai", "zai"),
}
"""What people type, and the ids of models.dev it means, the likeliest first."""

_MAKERS: Final[tuple[tuple[str, str], ...]] = (
    ("claude", "anthropic"),
    ("chatgpt", "openai"),
    ("codex", "openai"),
    ("gpt", "openai"),
    ("o1", "openai"),
    ("o3", "openai"),
    ("o4", "openai"),
    ("gemini", "google"),
    ("gemma", "google"),
    ("grok", "xai"),
    ("deepseek", "deepseek"),
    ("kimi", "moonshotai"),
    ("moonshot", "moonshotai"),
    ("glm", "zai"),
    ("qwen", "alibaba"),
    ("qwq", "alibaba"),
    ("mistral", "mistral"),
    ("ministral", "mistral"),
    ("magistral", "mistral"),
    ("codestral", "mistral"),
    ("devstral", "mistral"),
    ("pixtral", "mistral"),
    ("minimax", "minimax"),
    ("command", "cohere"),
    ("nova", "amazon-bedrock"),
    ("sonar", "perplexity"),
)
"""How a model's name begins, and who makes it."""

_DATED = re.compile(r"(?:[-@:](?:latest|preview|default|\d{8}|\d{4}-\d{2}-\d{2}|\d{4})|\[1m\])$")
_POINT = re.compile(r"(?<=\d)p(?=\d)")  # how one host writes 2.5
_BREAKS = re.compile(r"[-_./:@ ]+")
_REGION = re.compile(r"^(?:us-gov|us|eu|apac|jp|au|ca|sa|me|af|in|global)\.(?=[a-z0-9-]+\.)")
_BEDROCK = re.compile(
    r"(?:ai21|amazon|anthropic|cohere|deepseek|google|meta|minimax|mistral|moonshot|moonshotai|nvidia|openai|qwen|writer|zai)"
    r"\.(?=[a-z])"
)
_BEDROCK_VERSION = re.compile(r"(?:-v?\d+)?:\d+(?::\d+k)?$|-v\d+$")
_TAG = re.compile(r"(?:\d[\w.]*|free|latest|thinking|nitro|floor|beta|extended|online|exacto)(?::.*)?")
_LONGEST = 400


def parted(model: str, /) -> tuple[str, str]:
    """Provider ("" if none is named) and id of ``provider:id``; a colon inside an id (``…-v1:0``, ``qwen3:8b``) parts nothing."""
    provider, colon, name = model.partition(":")
    if not colon or "/" in provider or (_TAG.fullmatch(name) and provider.lower() not in LOCAL_PROVIDERS):
        return "", model
    return provider, name


def nicknames() -> tuple[str, ...]:
    """What people call providers that the catalogue calls otherwise."""
    return tuple(sorted(_ALIASES))


def is_local(provider: str, /) -> bool:
    """The provider serves a window of its own choice."""
    return provider.strip().lower() in LOCAL_PROVIDERS


def known_as(provider: str, /) -> tuple[str, ...]:
    """The ids under which a provider's models may be listed, the likeliest first; none for no name."""
    name = provider.strip().lower().replace("_", "-").replace(" ", "-")
    return _ALIASES.get(name, (name,)) if name else ()


def maker(model: str, /) -> str:
    """Who makes a model of this name ("" if that cannot be told)."""
    name = " ".join(words(model))
    return next((who for beginning, who in _MAKERS if name.startswith(beginning)), "")


def meant(model: str, /) -> str:
    """Whose listing a name without a provider means: its maker's, and for the ids of Bedrock that one's ("" if it cannot be told)."""
    in_bedrock = _BEDROCK.match(_REGION.sub("", model.strip().lower()[:_LONGEST], count=1))
    return "amazon-bedrock" if in_bedrock else maker(model)


def spellings(model: str, /) -> tuple[str, ...]:
    """The ids a name may be listed under exactly: as typed, behind its last slash, without the region of a Bedrock profile."""
    name = model.strip().lower()[:_LONGEST]
    short = name.rsplit("/", 1)[-1]
    found = [name, short, _REGION.sub("", short, count=1)]
    found += [_BEDROCK_VERSION.sub("", found[2])] if _BEDROCK.match(found[2]) else []
    return tuple(dict.fromkeys(spelling for spelling in found if spelling))


def words(model: str, /, *, tagged: bool = True) -> list[str]:
    """The parts of a name that tell models apart: no vendor, region, date or ``latest``, and ``4.5`` is ``4-5``.

    `tagged`: with the words of a tag behind a colon (``:free``, ``:8b``).
    """
    name = model.strip().lower()[:_LONGEST].rsplit("/", 1)[-1].lstrip("~")
    name = _REGION.sub("", name, count=1)
    if _BEDROCK.match(name):
        name = _BEDROCK_VERSION.sub("", _BEDROCK.sub("", name, count=1))
    bare, _, tag = name.partition(":")
    if not tagged and _TAG.fullmatch(tag):
        name = bare
    # a date may stand before a "latest" or a mark of the window
    name = _POINT.sub("-", _DATED.sub("", _DATED.sub("", name)))
    return [word for word in _BREAKS.split(name) if word]
