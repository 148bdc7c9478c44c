"""Doing nothing: the whole history each time."""

from __future__ import annotations

from collections.abc import Sequence

from sostenuto.peers._terms import Raw, Send, Terms


def nothing(terms: Terms) -> Send:
    """Send everything there is."""
    history: list[Raw] = []

    def send(new: Sequence[Raw]) -> list[Raw]:
        history.extend(new)
        return list(history)

    return send


def round_trip(messages: Sequence[Raw]) -> list[Raw]:
    """The messages as they are."""
    return list(messages)
