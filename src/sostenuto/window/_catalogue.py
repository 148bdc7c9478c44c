"""Windows of known models: a short built-in table of facts, and how a name finds its entry (D6, D7)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

LOCAL_PROVIDERS: Final = ("ollama", "llamacpp", "llama.cpp", "lmstudio", "vllm", "sglang", "tgi")
"""Providers that serve a window of their own choice, whatever the weights could take."""

_SMALLEST_PLAUSIBLE: Final = 4_096
_WORDS_IN_COMMON: Final = 2


class Entry(NamedTuple):
    """What is published about a model, in tokens; `input` and `output` are 0 where no separate limit is published."""

    provider: str
    model: str
    context: int
    input: int
    output: int
    date: str

    @property
    def takes(self) -> int:
        """The input limit: the separate one if there is one, else the whole context (D6)."""
        return self.input or self.context


class Match(NamedTuple):
    """A found entry; `is_exact` is false where only the name was alike, and the smallest plausible number was taken."""

    entry: Entry
    is_exact: bool


BUILT_IN: Final[tuple[Entry, ...]] = (
    Entry("anthropic", "claude-opus-4-7", 1_000_000, 0, 128_000, "2026-04-16"),
    Entry("anthropic", "claude-opus-4-6", 1_000_000, 0, 128_000, "2026-03-13"),
    Entry("anthropic", "claude-opus-4-5", 200_000, 0, 64_000, "2025-11-24"),
    Entry("anthropic", "claude-opus-4-1", 200_000, 0, 32_000, "2025-08-05"),
    Entry("anthropic", "claude-sonnet-4-6", 1_000_000, 0, 64_000, "2026-03-13"),
    Entry("anthropic", "claude-sonnet-4-5", 200_000, 0, 64_000, "2025-09-29"),
    Entry("anthropic", "claude-sonnet-4-0", 200_000, 0, 64_000, "2025-05-22"),
    Entry("anthropic", "claude-haiku-4-5", 200_000, 0, 64_000, "2025-10-15"),
    Entry("anthropic", "claude-3-7-sonnet", 200_000, 0, 64_000, "2025-02-19"),
    Entry("anthropic", "claude-3-5-sonnet", 200_000, 0, 8_192, "2024-10-22"),
    Entry("anthropic", "claude-3-5-haiku", 200_000, 0, 8_192, "2024-10-22"),
    Entry("openai", "gpt-5.5", 1_050_000, 922_000, 128_000, "2026-04-23"),
    Entry("openai", "gpt-5.4", 1_050_000, 922_000, 128_000, "2026-03-05"),
    Entry("openai", "gpt-5.4-mini", 400_000, 272_000, 128_000, "2026-03-17"),
    Entry("openai", "gpt-5.3-codex", 400_000, 272_000, 128_000, "2026-02-05"),
    Entry("openai", "gpt-5.2", 400_000, 272_000, 128_000, "2025-12-11"),
    Entry("openai", "gpt-5.1", 400_000, 272_000, 128_000, "2025-11-13"),
    Entry("openai", "gpt-5", 400_000, 272_000, 128_000, "2025-08-07"),
    Entry("openai", "gpt-5-mini", 400_000, 272_000, 128_000, "2025-08-07"),
    Entry("openai", "gpt-4.1", 1_047_576, 0, 32_768, "2025-04-14"),
    Entry("openai", "gpt-4.1-mini", 1_047_576, 0, 32_768, "2025-04-14"),
    Entry("openai", "gpt-4o", 128_000, 0, 16_384, "2024-08-06"),
    Entry("openai", "gpt-4o-mini", 128_000, 0, 16_384, "2024-07-18"),
    Entry("openai", "gpt-4-turbo", 128_000, 0, 4_096, "2024-04-09"),
    Entry("openai", "gpt-4", 8_192, 0, 8_192, "2023-06-13"),
    Entry("openai", "gpt-3.5-turbo", 16_385, 0, 4_096, "2024-01-25"),
    Entry("openai", "o3", 200_000, 0, 100_000, "2025-04-16"),
    Entry("openai", "o4-mini", 200_000, 0, 100_000, "2025-04-16"),
    Entry("google", "gemini-3.5-flash", 1_048_576, 0, 65_536, "2026-05-19"),
    Entry("google", "gemini-3.1-pro-preview", 1_048_576, 0, 65_536, "2026-02-19"),
    Entry("google", "gemini-2.5-pro", 1_048_576, 0, 65_536, "2025-06-05"),
    Entry("google", "gemini-2.5-flash", 1_048_576, 0, 65_536, "2025-06-05"),
    Entry("deepseek", "deepseek-chat", 1_000_000, 0, 384_000, "2026-02-28"),
    Entry("deepseek", "deepseek-reasoner", 1_000_000, 0, 384_000, "2026-02-28"),
    Entry("mistral", "mistral-large-latest", 262_144, 0, 262_144, "2025-12-02"),
    Entry("mistral", "mistral-medium-latest", 262_144, 0, 262_144, "2026-04-29"),
    Entry("mistral", "devstral-2512", 262_144, 0, 262_144, "2025-12-09"),
    Entry("xai", "grok-4.3", 1_000_000, 0, 30_000, "2026-04-17"),
    Entry("alibaba", "qwen3.6-plus", 1_000_000, 0, 65_536, "2026-04-02"),
    Entry("alibaba", "qwen3-max", 262_144, 0, 65_536, "2025-09-23"),
    Entry("alibaba", "qwen3-coder-plus", 1_048_576, 0, 65_536, "2025-07-23"),
    Entry("moonshotai", "kimi-k2.6", 262_144, 0, 262_144, "2026-04-21"),
    Entry("moonshotai", "kimi-k2.5", 262_144, 0, 262_144, "2026-01-01"),
    Entry("zhipuai", "glm-5.1", 200_000, 0, 131_072, "2026-03-27"),
    Entry("zhipuai", "glm-4.6", 204_800, 0, 131_072, "2025-09-30"),
    Entry("minimax", "MiniMax-M2.7", 204_800, 0, 131_072, "2026-03-18"),
    Entry("groq", "llama-3.3-70b-versatile", 131_072, 0, 32_768, "2024-12-06"),
    Entry("groq", "openai/gpt-oss-120b", 131_072, 0, 65_536, "2025-08-05"),
)
"""Facts only, as published by the vendors; the date is that of the fact. A caller's own catalogue comes before it."""

_DATED = re.compile(r"[-@](?:latest|preview|\d{8}|\d{4}-\d{2}-\d{2})$")
_BREAKS = re.compile(r"[-_./:@ ]+")


def entries(catalogue: object, /) -> tuple[Entry, ...]:
    """Reads a catalogue in the models.dev shape (provider -> models -> id -> limit); what does not fit is skipped. Never raises."""
    found: list[Entry] = []
    for provider, value in catalogue.items() if isinstance(catalogue, Mapping) else ():
        models = value.get("models") if isinstance(value, Mapping) else None
        for model, facts in models.items() if isinstance(models, Mapping) else ():
            entry = _entry(str(provider), str(model), facts)
            if entry is not None:
                found.append(entry)
    return tuple(found)


def lookup(provider: str, model: str, /, *, catalogue: Iterable[Entry] = BUILT_IN) -> Match | None:
    """The entry of a model: exactly (provider, model), else the smallest plausible of those with the same or the most alike name.

    A model served locally is never matched by likeness: a hosted listing of the same weights says nothing about the server.
    """
    provider, wanted = provider.strip().lower(), _bare(model)
    if not wanted:
        return None
    known = [entry for entry in catalogue if entry.takes >= _SMALLEST_PLAUSIBLE]
    exact = [e for e in known if e.provider.lower() == provider and e.model.lower() in (model.strip().lower(), wanted)]
    if exact:
        return Match(exact[0], is_exact=True)
    same = [entry for entry in known if _undated(_bare(entry.model)) == _undated(wanted)]
    own = [entry for entry in same if entry.provider.lower() == provider]
    if own or same:
        return Match(min(own or same, key=_limit), is_exact=False)
    if provider in LOCAL_PROVIDERS:
        return None
    alike = _alike(wanted, known)
    return Match(min(alike, key=_limit), is_exact=False) if alike else None


def _entry(provider: str, model: str, facts: object) -> Entry | None:
    limit = facts.get("limit") if isinstance(facts, Mapping) else None
    if not isinstance(facts, Mapping) or not isinstance(limit, Mapping):
        return None
    context, most_in, most_out = (_number(limit.get(name)) for name in ("context", "input", "output"))
    date = facts.get("last_updated") or facts.get("release_date") or ""
    return Entry(provider, model, context or most_in, most_in, most_out, str(date)) if context or most_in else None


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _limit(entry: Entry) -> int:
    return entry.takes


def _bare(model: str) -> str:
    return model.strip().lower().rsplit("/", 1)[-1]


def _undated(model: str) -> str:
    return _DATED.sub("", _DATED.sub("", model.split(":", 1)[0]))


def _alike(wanted: str, known: list[Entry]) -> list[Entry]:
    """Entries that share the most leading words of the name, at least two, and no other version: gpt-4 is not gpt-4.1."""
    words = _BREAKS.split(_undated(wanted))
    shared = [(_leading(words, other), entry) for entry in known if not _other_version(words, other := _BREAKS.split(_bare(entry.model)))]
    most = max((count for count, _ in shared), default=0)
    return [entry for count, entry in shared if count == most] if most >= _WORDS_IN_COMMON else []


def _other_version(one: list[str], other: list[str]) -> bool:
    """Both share a version's first number, and the second differs or is missing."""
    at = _leading(one, other)
    mine, theirs = one[at : at + 1], other[at : at + 1]
    return at > 0 and one[at - 1].isdigit() and mine != theirs and any(word and word[0].isdigit() for word in (mine, theirs))


def _leading(one: list[str], other: list[str]) -> int:
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count
