"""Exact counts for open models, through ``splintr`` where it is installed (optional): Llama, Qwen, DeepSeek, Gemma, Mistral, Kimi, GLM."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Final

_VOCABULARIES: Final[tuple[tuple[str, str], ...]] = (  # a part of the model's name -> the vocabulary; first match wins
    ("llama-3", "llama3"), ("llama3", "llama3"), ("qwen3", "qwen3"), ("qwen-3", "qwen3"), ("deepseek", "deepseek_v3"),
    ("gemma-3", "gemma3"), ("gemma3", "gemma3"), ("mistral", "mistral_v3"), ("ministral", "mistral_v3"), ("kimi-k2", "kimi_k2"),
    ("glm-4", "glm4"), ("glm4", "glm4"),
)  # fmt: skip
_BYTES_PER_TOKEN: Final = 3.0


class SplintrEncoder:
    """Counts tokens with one vocabulary; special-token text is ordinary text. Never raises."""

    __slots__ = ("_encode", "name")
    exact: Final = True

    def __init__(self, vocabulary: str, encode: Callable[[str], Sequence[int]]) -> None:
        self.name = f"exact ({vocabulary})"
        self._encode = encode

    def __call__(self, text: str, /) -> int:
        if not text:
            return 0
        cleaned = text if text.isascii() else text.encode("utf-8", "replace").decode()
        try:
            return len(self._encode(cleaned))
        except Exception:  # a fault in the extension must not fail a run; three bytes a token is on the cautious side
            return int(len(cleaned.encode()) / _BYTES_PER_TOKEN) + 1


def splintr_encoder(model: str, /) -> SplintrEncoder | None:
    """The exact weigher of a model's vocabulary, by its name; None for an unknown one, or where ``splintr`` is not installed."""
    wanted = model.lower()
    vocabulary = next((found for part, found in _VOCABULARIES if part in wanted), None)
    if vocabulary is None:
        return None
    try:
        tokenizer = importlib.import_module("splintr").Tokenizer.from_pretrained(vocabulary)
    except (ImportError, AttributeError, ValueError, KeyError):
        return None
    return SplintrEncoder(vocabulary, tokenizer.encode_ordinary)
