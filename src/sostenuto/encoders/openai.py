"""Exact counts for OpenAI's encodings, through ``toktok`` where it is installed (optional; D4)."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Final, Literal

Encoding = Literal["o200k", "cl100k"]

_NAMES: Final[dict[str, str]] = {"o200k": "o200k_base", "cl100k": "cl100k_base"}
_BYTES_PER_TOKEN: Final = 3.0


class OpenAIEncoder:
    """Counts tokens as the encoding does; special-token text is ordinary text (B055). Never raises."""

    __slots__ = ("_count", "encoding", "name")
    exact: Final = True

    def __init__(self, encoding: Encoding, count: Callable[..., list[int]]) -> None:
        self.encoding = encoding
        self.name = f"exact ({encoding})"
        self._count = count

    def __call__(self, text: str, /) -> int:
        if not text:
            return 0
        cleaned = text if text.isascii() else text.encode("utf-8", "replace").decode()
        try:
            return int(self._count([cleaned], _NAMES[self.encoding], threads=1)[0])
        except Exception:  # a fault in the extension must not fail a run; three bytes a token is on the cautious side
            return int(len(cleaned.encode()) / _BYTES_PER_TOKEN) + 1


def openai_encoder(encoding: str, /) -> OpenAIEncoder | None:
    """The exact weigher of ``o200k`` or ``cl100k``; None for any other name, or where ``toktok`` is not installed."""
    if encoding not in _NAMES:
        return None
    toktok = _library()
    return None if toktok is None else OpenAIEncoder("o200k" if encoding == "o200k" else "cl100k", toktok.batch_count)


def _library() -> Any:
    try:
        return importlib.import_module("toktok")
    except ImportError:
        return None
