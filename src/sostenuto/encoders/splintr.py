"""Exact counts for open models, through ``splintr`` where it is installed (optional): Llama, Qwen, DeepSeek, Gemma, Mistral, Kimi, GLM.

Its vocabularies equal the vendors' own on plain text. Special-token text is ordinary text (B055). Two vocabularies hold ordinary
words that look special, HTML tags in Gemma's and ``<think>`` in Qwen's: those are one token in any text, so there only the texts
that steer a conversation are taken apart.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from typing import Any, Final

from sostenuto.tokens import CountingWeigher

_VOCABULARIES: Final[tuple[tuple[str, str | None], ...]] = (  # a part of the model's name -> the vocabulary; first match wins
    ("distill-llama", "llama3"), ("distill-qwen", "qwen3"), ("llama-3", "llama3"), ("llama3", "llama3"),
    ("qwen3.5", None), ("qwen-3.5", None), ("qwen3.6", None), ("qwen-3.6", None), ("qwen3", "qwen3"), ("qwen-3", "qwen3"),
    ("qwen2", "qwen3"), ("qwen-2", "qwen3"), ("qwq", "qwen3"),
    ("deepseek-v2", None), ("deepseek-v4", None), ("deepseek-coder", None), ("deepseek-llm", None), ("deepseek", "deepseek_v3"),
    ("gemma-3", "gemma3"), ("gemma3", "gemma3"),
    ("mistral-large-24", None), ("mistral-medium-23", None), ("mistral-small-24", None),
    ("mistral-large", "mistral_v3"), ("mistral-medium", "mistral_v3"), ("mistral-small", "mistral_v3"), ("mistral-nemo", "mistral_v3"),
    ("ministral", "mistral_v3"), ("magistral", "mistral_v3"), ("devstral", "mistral_v3"), ("pixtral", "mistral_v3"),
    ("kimi-k2", "kimi_k2"), ("glm-4", "glm4"), ("glm4", "glm4"),
)  # fmt: skip
"""None: a model of that name has a vocabulary of its own that is not here."""
_STEERING: Final[dict[str, re.Pattern[str]]] = {
    "qwen3": re.compile(r"(<\|\w{1,40}\|>)"),
    "gemma3": re.compile(r"(<\|\w{1,40}\|>|</?s>|<(?:bos|eos|pad|unk|mask|unused\d{1,5}|(?:start|end)_of_(?:turn|image))>)"),
}
"""Vocabularies whose other added words count as one token wherever they stand -> what is taken apart all the same."""


def splintr_encoder(model: str, /) -> CountingWeigher | None:
    """The exact weigher of a model's vocabulary, by its name; None for an unknown one, or where ``splintr`` is not installed."""
    wanted = model.lower()
    vocabulary = next((found for part, found in _VOCABULARIES if part in wanted), None)
    if vocabulary is None:
        return None
    try:
        tokenizer = importlib.import_module("splintr").Tokenizer.from_pretrained(vocabulary)
    except (ImportError, AttributeError, ValueError, KeyError):
        return None
    return CountingWeigher(f"exact ({vocabulary})", lambda: _counter(tokenizer, _STEERING.get(vocabulary)))


def _counter(tokenizer: Any, steering: re.Pattern[str] | None) -> Callable[[str], int]:
    if steering is None:
        return lambda text: len(tokenizer.encode_ordinary(text))

    def count(text: str) -> int:
        first, *rest = steering.split(text)
        taken_apart, plain = rest[::2], [first, *rest[1::2]]
        return sum(len(tokenizer.encode_ordinary(piece)) for piece in taken_apart) + sum(
            len(tokenizer.encode(piece)) for piece in plain if piece
        )

    return count
