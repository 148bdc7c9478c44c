"""Which tokenizer family a model belongs to, told by its name (origin 1.1), and which column of weights that means (D1)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Group = Literal["o200k", "cl100k", "llama", "qwen", "deepseek", "gemma", "mistral", "kimi", "glm", "claude-3", "claude-4.7"]
"""A column of the table of weights, called after a tokenizer: ``gemma`` stands for Gemini too, ``o200k`` for every unknown one."""

FamilyName = Literal["o200k", "cl100k", "anthropic", "gemini", "mistral", "llama", "qwen", "deepseek", "unknown"]

SEEDS: dict[FamilyName, float] = {
    "o200k": 4.0,
    "cl100k": 4.0,
    "anthropic": 3.5,
    "gemini": 4.0,
    "mistral": 3.8,
    "llama": 3.6,
    "qwen": 3.5,
    "deepseek": 3.8,
    "unknown": 4.0,
}
"""Weighted characters per token before anything is learned (origin 1.1)."""

_CL100K = ("gpt-4", "gpt-3", "text-embedding", "text-davinci", "davinci", "babbage")
_O200K_WITHIN_GPT_4 = ("gpt-4o", "gpt-4.1", "gpt-4.5")
_OPENAI_STARTS = ("gpt-", "o1", "o3", "o4-", "chatgpt-")
_SERVERS = ("ollama", "llamacpp", "llama.cpp", "llama-cpp")
"""Programs whose own name contains a family's; only the model's id counts for them."""
_CLAUDE_VERSION = re.compile(r"claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)")
_NEW_CLAUDE = (4, 7)
"""Opus 4.7 and everything after it counts about 30 % more tokens than Claude 3 to 4.6 (the vendor's own words)."""


@dataclass(frozen=True, slots=True)
class Family:
    """A tokenizer family: its name, its column of weights, and its first ratio in weighted characters per token."""

    name: FamilyName
    group: Group
    seed: float


def family(hint: object, /) -> Family:
    """The family of a ``provider:model`` hint; either half may be missing. First match wins (origin 1.1). Never raises.

    Two steps beyond the origin: a vendor path is looked through (``openrouter:openai/gpt-5``), and an OpenAI model
    that is not one of the known old ones counts as o200k, because every newer one does.
    """
    whole = hint.strip().lower() if isinstance(hint, str) else ""
    provider, _, rest = whole.partition(":")
    if provider in _SERVERS:
        whole = rest
    bare = (rest or provider).rsplit("/", 1)[-1]
    name = _name(whole, provider=provider, bare=bare)
    return Family(name=name, group=_group(name, whole=whole, bare=bare), seed=SEEDS[name])


def _name(whole: str, *, provider: str, bare: str) -> FamilyName:
    if provider == "openai" or bare.startswith(_OPENAI_STARTS):
        old = bare.startswith(_CL100K) and not bare.startswith(_O200K_WITHIN_GPT_4)
        return "cl100k" if old else "o200k"
    for words, name in _NAMED:
        if any(word in whole for word in words):
            return name
    return "unknown"


_NAMED: tuple[tuple[tuple[str, ...], FamilyName], ...] = (
    (("anthropic", "claude"), "anthropic"),
    (("gemini", "gemma"), "gemini"),
    (("mistral", "ministral", "magistral", "devstral", "codestral"), "mistral"),
    (("llama",), "llama"),
    (("alibaba", "qwen", "qwq"), "qwen"),
    (("moonshot", "minimax", "zhipuai", "kimi", "glm"), "qwen"),
    (("deepseek",), "deepseek"),
)


def _group(name: FamilyName, *, whole: str, bare: str) -> Group:
    if name == "anthropic":
        return _claude_group(bare)
    for words, group in _GROUPED.get(name, ()):
        if any(word in whole for word in words):
            return group
    return _GROUPS.get(name, "o200k")


_GROUPS: dict[FamilyName, Group] = {
    "cl100k": "cl100k",
    "gemini": "gemma",
    "mistral": "mistral",
    "llama": "llama",
    "deepseek": "deepseek",
}
_GROUPED: dict[FamilyName, tuple[tuple[tuple[str, ...], Group], ...]] = {
    "llama": ((("llama-2", "llama2", "codellama"), "mistral"),),  # of the older kind that writes numbers digit by digit
    "qwen": ((("alibaba", "qwen", "qwq"), "qwen"), (("moonshot", "kimi"), "kimi"), (("zhipuai", "glm"), "glm")),
}
"""Where the models of one family of the origin count differently: a part of the name -> the column; first match wins."""


def _claude_group(bare: str) -> Group:
    """The denser column unless the name says an older version: for an unnamed version the safe side is more tokens."""
    found = _CLAUDE_VERSION.search(bare)
    if found is None:
        return "claude-4.7"
    version = (int(found[1]), int(found[2] or 0))
    return "claude-4.7" if version >= _NEW_CLAUDE else "claude-3"
