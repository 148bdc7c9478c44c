"""Counts for Claude's models through ``ctok`` where it is installed (optional, Python 3.12 and newer): a reconstruction, and slow.

Claude's tokenizers are not public. ``ctok`` reconstructs what the vendor's counting returns, at about a quarter of a megabyte a
second: right for counting a file once, too slow for every request.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Final

from sostenuto.tokens import CountingWeigher, family

_VERSIONS: Final[dict[str, str]] = {"claude-3": "3.0", "claude-4.7": "4.8"}
"""Column of weights -> the version asked for; 4.7 and 4.8 differ only in the frame of a message, which is not counted here."""


def ctok_encoder(model: str, /) -> CountingWeigher | None:
    """The weigher of a Claude model, by its name; None for any other one, or where ``ctok`` is not installed."""
    version = _VERSIONS.get(family(model).group)
    if version is None:
        return None
    try:
        count = importlib.import_module("ctok").token_count
    except (ImportError, AttributeError, SyntaxError):
        return None
    return CountingWeigher(f"exact (ctok {version})", lambda: _counter(count, version))


def _counter(count: Any, version: str) -> Callable[[str], int]:
    """Without the frame of a message: what one letter costs beyond its one token."""
    frame = int(count("a", version)) - 1
    return lambda text: int(count(text, version)) - frame
