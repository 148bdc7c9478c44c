"""What a provider says a request cost, whatever shape it says it in (B023, B071)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_LEVELS = 3
_HOLDERS = ("usage", "usage_metadata", "usageMetadata", "response", "message")
_PROMPT_WITH_CACHE = ("prompt_tokens", "promptTokenCount", "prompt_token_count", "promptTokens", "inputTokenCount")
_OUTPUT = (
    "output_tokens", "completion_tokens", "candidatesTokenCount", "candidates_token_count", "outputTokens", "completionTokens",
    "eval_count",
)  # fmt: skip
_CACHE_READ = ("cache_read_input_tokens", "cacheReadInputTokens")  # beside the input they are reported with
_CACHE_WRITE = ("cache_creation_input_tokens", "cacheWriteInputTokens")
_CACHED_WITHIN = (  # a part of the input they are reported with
    "cachedContentTokenCount", "cached_content_token_count", "prompt_cache_hit_tokens", "cached_tokens", "cache_read_tokens",
    "cachedInputTokens",
)  # fmt: skip
_INPUT = ("input_tokens", "inputTokens", "prompt_eval_count")
_IN_DETAILS = ("prompt_tokens_details", "input_tokens_details", "input_token_details")
_OUT_DETAILS = ("completion_tokens_details", "output_tokens_details", "output_token_details")


@dataclass(frozen=True, slots=True)
class Reported:
    """Tokens a provider counted.

    Attributes:
        input: everything that took room in the window: uncached, read from and written to the cache (B071).
        output: tokens of the answer, reasoning included.
        cached: the part of `input` read from the provider's cache.
        cache_write: the part of `input` written to it.
        reasoning: the part of `output` that was reasoning.
    """

    input: int
    output: int = 0
    cached: int = 0
    cache_write: int = 0
    reasoning: int = 0


def usage_of(reply_or_usage: object, /) -> Reported | None:
    """The usage in a reply, or a usage itself: mappings or objects, of OpenAI (both APIs), Anthropic, Gemini and their like.

    None if nothing usable is there: missing, zero or odd numbers are never taken for a truth (B023). Never raises.
    Where one answer sums several passes the last pass counts (D2).
    """
    try:
        return _found(reply_or_usage, levels=_LEVELS)
    except Exception:  # an object may raise on any attribute; a report is never worth a failed run
        return None


def _found(value: object, *, levels: int) -> Reported | None:
    if value is None or isinstance(value, str | bytes | int | float):
        return None
    passes = _field(value, "iterations")
    if isinstance(passes, list | tuple):
        for step in reversed(passes):
            if (last := _counted(step)) is not None:
                return last
    counted = _counted(value)
    if counted is not None or levels == 0:
        return counted
    for holder in _HOLDERS:
        inner = _found(_field(value, holder), levels=levels - 1)
        if inner is not None:
            return inner
    return None


def _counted(usage: object) -> Reported | None:
    within = _first(usage, _CACHED_WITHIN) or _first(_any(usage, _IN_DETAILS), ("cached_tokens", "cache_read"))
    read, write = _first(usage, _CACHE_READ), _first(usage, _CACHE_WRITE)
    prompt = _first(usage, _PROMPT_WITH_CACHE)
    if prompt:
        total, read = max(prompt, read + write), read or within
    else:
        total = _first(usage, _INPUT) + read + write
        read = read or within
    if total <= 0:
        return None
    details = _any(usage, _OUT_DETAILS)
    reasoning = _first(details, ("reasoning_tokens", "reasoning")) or _first(usage, ("thoughtsTokenCount", "thoughts_token_count"))
    output = _first(usage, _OUTPUT)
    if _field(usage, "thoughtsTokenCount") is not None or _field(usage, "thoughts_token_count") is not None:
        output += reasoning  # this provider counts thoughts beside the answer, the others inside it
    return Reported(input=total, output=output, cached=min(read, total), cache_write=min(write, total), reasoning=reasoning)


def _any(value: object, names: tuple[str, ...]) -> object:
    return next((inner for name in names if (inner := _field(value, name)) is not None), None)


def _first(value: object, names: tuple[str, ...]) -> int:
    for name in names:
        number = _field(value, name)
        if isinstance(number, int) and not isinstance(number, bool) and number > 0:
            return number
        if isinstance(number, float) and number.is_integer() and number > 0:
            return int(number)
    return 0


def _field(value: object, name: str) -> object:
    if isinstance(value, Mapping):
        return value.get(name)
    return getattr(value, name, None)
