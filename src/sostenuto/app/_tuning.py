"""What settings ask of a provider, in its own words: how long the model thinks, where Ollama listens and keeps a model loaded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from sostenuto.app._providers import CHAT, THROUGH_PYDANTIC_AI, model_named, spoken_by
from sostenuto.config import Configured
from sostenuto.protocols import Model

Reasoning = Literal["off", "low", "medium", "high"]

THINKING_BUDGETS: Final[Mapping[Reasoning, int]] = {"low": 2_048, "medium": 8_192, "high": 24_576}
"""Tokens that Anthropic's models may think: twice the least they take, and four and twelve times as many."""
_TEMPLATED: Final = frozenset(("llamacpp", "local", "sglang", "vllm"))
"""Servers that render a chat template, which can be told whether to let the model think."""
_NAMED: Final = frozenset(("openai", CHAT))


class Tuned:
    """Makes the models of a run as its settings ask for.

    Args:
        settings: of the run.
        working: the model that works; only it is told how long to think, summaries are written without.
        base_url: where it is served, if that was all that was known of it; then no key is sent to it.
    """

    def __init__(self, settings: Configured, *, working: str, base_url: str | None = None) -> None:
        self._settings, self._working, self._base_url = settings, working, base_url

    def __call__(self, model: str, /, *, window: int | None = None, retries: int = 0) -> Model:
        """The model called ``provider:id``."""
        layer = spoken_by(model)
        options: dict[str, Any] = {}
        if model == self._working and self._settings["reasoning"] is not None:
            options |= reasoning_options(layer, self._settings["reasoning"])
        if layer == "ollama" and (kept := self._settings["llm.ollama.keep_alive"]) is not None:
            options["keep_alive"] = kept
        if model == self._working and self._base_url is not None:
            return model_named(model, base_url=self._base_url, window=window, retries=retries, options=options or None, environment={})
        address = self._settings["llm.ollama.base_url"] if layer == "ollama" else None
        return model_named(model, base_url=address, window=window, retries=retries, options=options or None)


def reasoning_options(layer: str, level: Reasoning, /) -> dict[str, Any]:
    """Fields of a request that say how long to think, for one of the layers of `spoken_by`; nothing where there is no way to say it.

    ``off`` is the absence of a wish for OpenAI and for Anthropic, whose models think as they do when nobody asks.
    """
    is_on = level != "off"
    if layer == THROUGH_PYDANTIC_AI:
        return {"thinking": level if is_on else False}
    if layer == "anthropic":
        return {"thinking": {"type": "enabled", "budget_tokens": THINKING_BUDGETS[level]}} if is_on else {}
    if layer == "ollama":
        return {"think": level if is_on else False}
    named = {"reasoning_effort": level} if is_on and layer in _NAMED | _TEMPLATED else {}
    templated = {"chat_template_kwargs": {"enable_thinking": is_on}} if layer in _TEMPLATED else {}
    return {**named, **templated}
