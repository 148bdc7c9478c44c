"""What is asked of a search in words, how texts are folded before they are compared, and the excerpt around a find (D39)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

MOST_CHARACTERS = 4_000
"""Of a query; what somebody pastes beyond that is not needed to find it."""
MOST_WORDS = 32
SHORTEST_PART = 3
"""Characters from which on a word is also looked for inside other words; shorter ones would be found in nearly every text."""
EXCERPT_CHARACTERS = 400
_BLOCK = 4_096
_MARKS = range(0x300, 0x370)
_JAMO = range(0x1100, 0x1200)
_SURROGATES = range(0xD800, 0xE000)
_SPACELESS = (
    range(0x0E00, 0x0F00),  # Thai, Lao
    range(0x1000, 0x10A0),  # Burmese
    range(0x1780, 0x1800),  # Khmer
    range(0x3040, 0x3100),  # Japanese syllables
    range(0x3400, 0xA000),  # Han
    range(0xAC00, 0xD7B0),  # Korean, whose particles hang on the words
    range(0xF900, 0xFB00),
    range(0x20000, 0x30000),
)
"""Scripts that write words without spaces between them: each of their characters is a word of its own."""


class _Folds(dict[int, str]):
    """Character by character: without case, without Latin accents, wide and narrow forms alike."""

    def __missing__(self, code: int) -> str:
        self[code] = made = _fold(code)
        return made


def _fold(code: int) -> str:
    if code == 0:  # an end of text to those who read on in C
        return " "
    if code in _SURROGATES:
        return "\ufffd"
    plain = unicodedata.normalize("NFKD", chr(code))
    if plain and ord(plain[0]) in _JAMO:
        return chr(code)
    return "".join(each for each in plain.casefold() if ord(each) not in _MARKS)


class _Spaces(dict[int, str]):
    """Character by character: letters and digits, those of scripts without spaces apart from each other; all else is a space."""

    def __missing__(self, code: int) -> str:
        self[code] = made = _space(code)
        return made


def _space(code: int) -> str:
    # of the newest Unicode an old index reads only a part as letters: those of version 3.2 are read as such by all
    is_letter = unicodedata.ucd_3_2_0.category(chr(code))[0] in "LN"
    if _is_spaceless(chr(code)):
        return f" {chr(code)} " if is_letter else ""
    return chr(code) if is_letter else " "


def _is_spaceless(character: str) -> bool:
    return any(ord(character) in script for script in _SPACELESS)


_FOLDS, _SPACES = _Folds(), _Spaces()


def folded(text: str) -> str:
    """`text` as it is compared: "Ｅrreur É1" is "erreur e1"."""
    if text.isascii():
        return text.lower().replace("\0", " ")
    return text.translate(_FOLDS)


def spaced(folded_text: str) -> str:
    """A folded text in which words stand apart, in every script."""
    return folded_text if folded_text.isascii() else folded_text.translate(_SPACES)


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a query, folded, and the tokens in it: those of ``src/foo.py`` are three."""

    text: str
    tokens: tuple[str, ...]

    @property
    def may_be_part(self) -> bool:
        """Whether it is also looked for inside other words. In scripts without spaces nothing is inside: each character is a word."""
        if not self.tokens:
            return True
        return len(self.text) >= SHORTEST_PART and not (_is_spaceless(self.text[0]) and _is_spaceless(self.text[-1]))


@dataclass(frozen=True, slots=True)
class Wanted:
    """A query, folded: the whole of it with single spaces, its different words, and the tokens of the whole."""

    literal: str
    words: tuple[Word, ...]
    tokens: tuple[str, ...]


def wanted(asked: str) -> Wanted:
    """What a query asks for. Nothing in it is an operator; of a long one, the beginning counts."""
    shown = asked.strip()
    if len(shown) > MOST_CHARACTERS:
        shown = shown[:MOST_CHARACTERS].rsplit(None, 1)[0]
    words = tuple(dict.fromkeys(folded(shown).split()))[:MOST_WORDS]
    literal = " ".join(folded(shown).split())
    return Wanted(literal, tuple(Word(word, _tokens(word)) for word in words), _tokens(literal))


def _tokens(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\W_]+", spaced(text)))


def holds(low: str, literal: str) -> bool:
    """Whether a folded text holds a literal, whatever white space stands between its words."""
    return literal in low or (" " in literal and literal in " ".join(low.split()))


def excerpt(text: str, query: Wanted) -> str:
    """The piece of `text` around what was asked for: where the whole of it stands, else where most of the words are near each other."""
    if len(text) <= EXCERPT_CHARACTERS:
        return text
    low = folded(text)
    at = low.find(query.literal) if query.literal else 0
    if at < 0:
        at = _best(low, query)
    start = max(0, _place(text, at) - EXCERPT_CHARACTERS // 3)
    start = min(start, len(text) - EXCERPT_CHARACTERS)
    return text[start : start + EXCERPT_CHARACTERS]


def _best(low: str, query: Wanted) -> int:
    """The first place of the word that has most of the others behind it within an excerpt; of equals, of the longest word."""
    firsts: Mapping[str, int] = {word.text: _first(low, word) for word in query.words}
    places = {word: at for word, at in firsts.items() if at >= 0}
    near = {word: sum(0 <= other - at < EXCERPT_CHARACTERS // 2 for other in places.values()) for word, at in places.items()}
    return places[max(places, key=lambda word: (near[word], len(word)))] if places else 0


def _first(low: str, word: Word) -> int:
    """Where a word stands: as a word of its own, else inside another, else where its first token does."""
    own = re.search(rf"{re.escape(word.text)}(?![^\W_])", low)
    while own is not None and own.start() and low[own.start() - 1].isalnum():
        own = re.compile(rf"{re.escape(word.text)}(?![^\W_])").search(low, own.start() + 1)
    if own is not None:
        return own.start()
    at = low.find(word.text)
    return at if at >= 0 or not word.tokens else low.find(word.tokens[0])


def _place(text: str, at: int) -> int:
    """The place in a text of a place in its folded form."""
    if text.isascii():
        return at
    start = 0
    while start < len(text):
        size = len(folded(text[start : start + _BLOCK]))
        if at < size:
            break
        start, at = start + _BLOCK, at - size
    for number, each in enumerate(text[start : start + _BLOCK]):
        at -= len(folded(each))
        if at < 0:
            return start + number
    return min(start, len(text))
