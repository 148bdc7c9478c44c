"""The one published ruler: exact o200k tokens of the texts where a tokenizer is at hand, else characters divided by three; 4 a message."""

from __future__ import annotations

from typing import Any, Final

from sostenuto.judging._session import Weigh
from sostenuto.replaying import pieces
from sostenuto.tokens import Weigher, remembering

MESSAGE: Final = 4
"""Tokens of every message beside its texts."""
CHARACTERS: Final = 3
"""Characters to a token where no tokenizer is at hand, rounded up for each text."""


class Thirds:
    """Characters divided by three: the ruler anybody can rebuild in one line."""

    name: Final = "characters / 3"
    exact: Final = True

    def __call__(self, text: str, /) -> int:
        return -(-len(text) // CHARACTERS)


def tokens_of(message: Any, *, by: Weigher) -> int:
    """The tokens of a native message: those of its texts, of the names and arguments of its calls, and 4. Pictures weigh nothing."""
    return MESSAGE + sum(by(piece.text) + by(piece.name) for piece in pieces(message))


def weighing(weigher: Weigher | None = None) -> Weigh:
    """`tokens_of` with a memory, for the one who judges; `weigher` is the exact one, None for `Thirds`."""
    by = remembering(weigher or Thirds())
    known: dict[int, tuple[Any, int]] = {}

    def weigh(message: Any) -> int:
        found = known.get(id(message))
        if found is None:
            found = known[id(message)] = (message, tokens_of(message, by=by))  # holding the message keeps its id from being used again
        return found[1]

    return weigh
