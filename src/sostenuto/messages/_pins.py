"""Pins: messages that every rewrite keeps byte-equal (DESIGN 2)."""

from __future__ import annotations

from typing import Any


class Pinned(dict[str, Any]):
    """A native message its caller marks as a task or a standing rule.

    It is an ordinary dict for every client and serialiser; only its type says that it is pinned.
    """


def pinned(message: dict[str, Any]) -> Pinned:
    """The same native message, marked so that no rung ever rewrites or drops it."""
    return Pinned(message)
