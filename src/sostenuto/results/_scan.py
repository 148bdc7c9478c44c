"""Finding words in many texts by reading them all: no index, linear in what is read (D39)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from sostenuto.results._words import Wanted, Word, folded, holds, spaced

Key = TypeVar("Key")

K1, B = 1.2, 0.75
"""Of the ranking BM25: how soon more of a word adds nothing, and how much a long text counts less. The usual values."""
MOST_RANKED = 10_000
"""Finds of one class that are ranked, the newest; where there are more, they say little, and the rest follow as they came."""
LITERALS = 100
"""Of the best finds with the words side by side, those with exactly what was asked come first among so many."""


@dataclass(frozen=True, slots=True)
class _Seen(Generic[Key]):
    """A text that holds some of the words: how often each as a word of its own, and which at all; whether all stand side by side."""

    key: Key
    number: int
    size: int
    counts: tuple[int, ...]
    present: tuple[bool, ...]
    sides: int
    is_literal: bool

    @property
    def rank(self) -> int:
        """0 side by side, 1 all as words of their own, 2 all of them, 3 not all."""
        if all(self.counts):
            return 0 if self.sides else 1
        return 2 if all(self.present) else 3


def scanned(pieces: Iterable[tuple[Key, str]], query: Wanted) -> list[tuple[Key, int]]:
    """The keys of texts with the words of a query, the best first, each with its class.

    Class 0 has the words side by side, 1 all as words of their own, 2 all of them, also inside other words. Only if there is none
    of these, class 3: those with most of the words, at least half of them. Within the classes 0 and 1 the order is by BM25, with
    sizes in characters; then the last in `pieces` come first.
    """
    if not query.words:
        return []
    patterns = [_pattern(word.tokens) for word in query.words]
    side_by_side = _pattern(query.tokens) if query.tokens != query.words[0].tokens else None
    seen, total, number = [], 0, -1
    for number, (key, text) in enumerate(pieces):
        low = folded(text)
        total += len(low)
        one = _seen(low, query, (patterns, side_by_side), place=(key, number))
        if one is not None:
            seen.append(one)
    return _ranked(seen, query.words, average=total / max(1, number + 1), pieces=number + 1)


_Patterns = tuple[list[re.Pattern[str] | None], re.Pattern[str] | None]


def _pattern(tokens: tuple[str, ...]) -> re.Pattern[str] | None:
    """Tokens in a row in a spaced text. What stands before them is looked at apart, so that the search for the first is quick."""
    return re.compile(r"[\W_]+".join(map(re.escape, tokens)) + r"(?![^\W_])") if tokens else None


def _seen(low: str, query: Wanted, patterns: _Patterns, *, place: tuple[Key, int]) -> _Seen[Key] | None:
    """What a folded text holds of a query; None if nothing."""
    apart = spaced(low)
    own, side_by_side = patterns
    pairs = zip(query.words, own, strict=True)
    counts = tuple(_count(apart, pattern) if all(token in apart for token in word.tokens) else 0 for word, pattern in pairs)
    present = tuple(count > 0 or (word.may_be_part and word.text in low) for count, word in zip(counts, query.words, strict=True))
    if not any(present):
        return None
    sides = 0
    if all(counts):
        sides = _count(apart, side_by_side) if side_by_side is not None else counts[0]
    return _Seen(*place, len(low), counts, present, sides, is_literal=sides > 0 and holds(low, query.literal))


def _count(apart: str, pattern: re.Pattern[str] | None) -> int:
    if pattern is None:
        return 0
    return sum(not match.start() or not _is_of_word(apart[match.start() - 1]) for match in pattern.finditer(apart))


def _is_of_word(character: str) -> bool:
    return character.isalnum()


def _ranked(seen: list[_Seen[Key]], words: tuple[Word, ...], *, average: float, pieces: int) -> list[tuple[Key, int]]:
    classes: list[list[_Seen[Key]]] = [[one for one in seen if one.rank == rank] for rank in range(4)]
    if not any(classes[:3]):
        return [(one.key, 3) for one in _most(classes[3], words, pieces=pieces)]
    common = [sum(one.counts[place] > 0 for one in seen) for place in range(len(words))]
    sides = len(classes[0])
    near = _sorted(classes[0], lambda one: _score((one.sides,), (sides,), size=one.size / average, pieces=pieces))
    apart = _sorted(classes[1], lambda one: _score(one.counts, common, size=one.size / average, pieces=pieces))
    best, rest = near[:LITERALS], near[LITERALS:]
    first = [*(one for one in best if one.is_literal), *(one for one in best if not one.is_literal), *rest]
    return [(one.key, one.rank) for one in (*first, *apart, *reversed(classes[2]))]


def _sorted(seen: list[_Seen[Key]], score: Callable[[_Seen[Key]], float]) -> list[_Seen[Key]]:
    """The newest by their score, the others behind them."""
    newest_first = seen[::-1]
    return [*sorted(newest_first[:MOST_RANKED], key=lambda one: (-score(one), -one.number)), *newest_first[MOST_RANKED:]]


def _score(counts: Iterable[int], common: Iterable[int], *, size: float, pieces: int) -> float:
    """BM25: `counts` of each word in a text, in how many texts each is, and the size of the text in those of an average one."""
    return sum(
        max(1e-6, math.log((pieces - having + 0.5) / (having + 0.5))) * count * (K1 + 1) / (count + K1 * (1 - B + B * size))
        for count, having in zip(counts, common, strict=True)
    )


def _most(seen: list[_Seen[Key]], words: tuple[Word, ...], *, pieces: int) -> list[_Seen[Key]]:
    """Those with most of the words; a word that stands anywhere as one of its own counts only as such. Rarer words come first."""
    is_own = [any(one.counts[place] for one in seen) for place in range(len(words))]
    held = [(one, [one.counts[at] > 0 if own else one.present[at] for at, own in enumerate(is_own)]) for one in seen]
    most = max((sum(has) for _, has in held), default=0)
    if 2 * most < len(words):
        return []
    weights = [rarity(sum(has[at] for _, has in held), pieces) for at in range(len(words))]
    best = [
        (-sum(weight for weight, is_held in zip(weights, has, strict=True) if is_held), -one.number, one)
        for one, has in held
        if sum(has) == most
    ]
    return [one for _, _, one in sorted(best, key=lambda item: item[:2])]


def rarity(having: int, pieces: int) -> float:
    """What a word is worth that is in so many of the pieces: the rarer, the more."""
    return math.log(1 + pieces / max(1, having))
