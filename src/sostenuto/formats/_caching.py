"""Wires whose endpoints cache prompt prefixes by themselves: there are no markers to read, carry or place."""

from __future__ import annotations

from typing import Any

Raw = dict[str, Any]


class CachesByItself:
    """The marker part of a codec, for a wire without markers."""

    __slots__ = ()

    def has_marker(self, raw: Raw, /) -> bool:
        """False: this wire caches by itself."""
        del raw
        return False

    def with_marker(self, raw: Raw, /) -> Raw:
        """The message itself: this wire caches by itself."""
        return raw

    def mark_cache(self, arguments: dict[str, Any], /, *, stable: int) -> dict[str, Any]:
        """`arguments` unchanged: the endpoint caches prefixes by itself."""
        del stable
        return arguments
