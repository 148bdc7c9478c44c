"""What people call providers, and what the catalogue calls them (D7)."""

from __future__ import annotations

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
    "server",
)
"""Providers that serve a window of their own choice, whatever the weights could take; ``server`` is one known by its address alone."""

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

_TAGS: Final = frozenset({"free", "latest", "thinking", "nitro", "floor", "beta", "extended", "online", "exacto"})
"""What stands behind a colon in an id, beside versions and sizes."""


def parted(model: str, /) -> tuple[str, str]:
    """Provider ("" if none is named) and id of ``provider:id``; a colon inside an id (``…-v1:0``, ``qwen3:8b``) parts nothing."""
    provider, colon, name = model.partition(":")
    if not colon or "/" in provider or (is_tag(name) and provider.lower() not in LOCAL_PROVIDERS):
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


def is_tag(text: str, /) -> bool:
    """What stands behind a colon is a tag of the id (``free``), a version (``0``) or a size (``8b``): no id of its own."""
    word = text.partition(":")[0].lower()
    return word in _TAGS or (word[:1].isdecimal() and word.replace(".", "").replace("_", "").isalnum())
