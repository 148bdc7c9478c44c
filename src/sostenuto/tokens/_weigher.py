"""What turns a text into weight: weighted characters, or the counting of a tokenizer; with a memory of what was weighed (D4)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Protocol

from sostenuto.tokens._families import Group
from sostenuto.tokens._weights import weight

MOST_CHARACTERS: Final = 4_000_000
"""Text kept by one memory, oldest out first; a longer single text is not kept (origin 1.2)."""


_BYTES_PER_TOKEN: Final = 3.0


class Weigher(Protocol):
    """Weighs texts. Never raises, linear time.

    Attributes:
        name: which weigher this is, for reports and as a key.
        exact: true if the weight is tokens, false if it is hundredths of a weighted character.
    """

    @property
    def name(self) -> str: ...
    @property
    def exact(self) -> bool: ...
    def __call__(self, text: str, /) -> int: ...


class WeightedCharacters:
    """Weighs by classes of characters with one column of the table (D1)."""

    __slots__ = ("group", "name")
    exact: Final = False

    def __init__(self, group: Group) -> None:
        self.group: Group = group
        self.name = f"weighted characters ({group})"

    def __call__(self, text: str, /) -> int:
        return weight(text, self.group)


class CountingWeigher:
    """Weighs in tokens, as a tokenizer's library counts them. Never raises; lone surrogates are replaced before the library sees them.

    The vocabulary is loaded with the first count, by `make`: a conversation with another model never pays for it.
    """

    __slots__ = ("_count", "_make", "name")
    exact: Final = True

    def __init__(self, name: str, make: Callable[[], Callable[[str], int]]) -> None:
        self.name = name
        self._make = make
        self._count: Callable[[str], int] | None = None

    def __call__(self, text: str, /) -> int:
        if not text:
            return 0
        cleaned = text if text.isascii() else _whole(text)
        try:
            if self._count is None:
                self._count = self._make()
            return int(self._count(cleaned))
        except Exception:  # a fault in the library must not fail a run; three bytes a token is on the cautious side
            return int(len(cleaned.encode()) / _BYTES_PER_TOKEN) + 1


def _whole(text: str) -> str:
    """The text itself, copied only where half a surrogate pair is in it: a replacement stands for that."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


class RememberingWeigher:
    """Another weigher with a bounded memory by content. Same answers; it may be shared between threads."""

    __slots__ = ("_characters", "_kept", "_most", "exact", "inner", "name")

    def __init__(self, weigher: Weigher, *, most_characters: int = MOST_CHARACTERS) -> None:
        self.inner = weigher
        self._most = most_characters
        self._kept: OrderedDict[str, int] = OrderedDict()  # in a plain one, finding the oldest takes a search past all that went
        self._characters = 0
        self.name = weigher.name
        self.exact = weigher.exact

    def __call__(self, text: str, /) -> int:
        known = self._kept.get(text)
        if known is not None:
            return known
        found = self.inner(text)
        if len(text) <= self._most:
            self._keep(text, found)
        return found

    @property
    def characters(self) -> int:
        """Characters of text kept now."""
        return self._characters

    def _keep(self, text: str, found: int) -> None:
        if text in self._kept:
            return
        self._kept[text] = found
        self._characters += len(text)
        while self._characters > self._most:
            try:
                oldest, _ = self._kept.popitem(last=False)
            except KeyError:  # another thread took it
                break
            self._characters -= len(oldest)


def forgetful(weigher: Weigher, /) -> Weigher:
    """The weigher without its memory, for texts nobody will ask about again."""
    return weigher.inner if isinstance(weigher, RememberingWeigher) else weigher


def remembering(weigher: Weigher, /) -> Weigher:
    """The weigher with a memory; one that has a memory already comes back as it is."""
    return weigher if isinstance(weigher, RememberingWeigher) else RememberingWeigher(weigher)
