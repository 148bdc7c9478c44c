"""Exact counts for OpenAI's encodings, through ``toktok`` where it is installed (optional; D4)."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Final, Literal

from sostenuto.tokens import CountingWeigher

Encoding = Literal["o200k", "cl100k"]

_NAMES: Final[dict[str, str]] = {"o200k": "o200k_base", "cl100k": "cl100k_base"}
_PROBE: Final = "A <|endoftext|> in 12345 words, naïve 中文 🙂"
"""Special-token text, digits and scripts: what two ways of counting would first disagree on."""


Count = Callable[[str], int]


class OpenAIEncoder(CountingWeigher):
    """Counts tokens as the encoding does; special-token text is ordinary text (B055). Never raises."""

    __slots__ = ("encoding",)

    def __init__(self, encoding: Encoding, make: Callable[[], Count]) -> None:
        super().__init__(f"exact ({encoding})", make)
        self.encoding = encoding


def openai_encoder(encoding: str, /) -> OpenAIEncoder | None:
    """The exact weigher of ``o200k`` or ``cl100k``; None for any other name, or where ``toktok`` is not installed."""
    if encoding not in _NAMES:
        return None
    toktok = _library()
    if toktok is None:
        return None
    return OpenAIEncoder("o200k" if encoding == "o200k" else "cl100k", lambda: _counter(toktok, _NAMES[encoding]))


def _counter(toktok: Any, name: str) -> Count:
    """How the library counts one text: directly where that gives its own public answer, which costs 25 µs a call more."""

    def public(text: str) -> int:
        return int(toktok.batch_count([text], name, threads=1)[0])

    try:
        direct: Count = toktok._encoding(name).count
        same = direct(_PROBE) == public(_PROBE)
    except (AttributeError, TypeError):
        return public
    return direct if same else public


def _library() -> Any:
    try:
        return importlib.import_module("toktok")
    except ImportError:
        return None
