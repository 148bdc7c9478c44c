"""Weighted characters: what each class of character weighs for each group of tokenizers (D1).

A text becomes one byte of flags per character, read as one long number; shifts and masks of that number mark every place where
a class, or one class behind another, occurs, and the marks are counted. There is no loop over characters. Every class weighs
something, nothing is ever subtracted, and whether a character is marked depends on it and those before it alone, so a longer
text never weighs less than its start.
"""

from __future__ import annotations

from operator import mul
from typing import Final

from sostenuto.tokens._families import Group

FEATURES: Final = (
    "letter",  # a Latin letter: exactly one weighted character in every group
    "space",  # the first blank of a run
    "blank",  # the second and the third
    "deep",  # each further blank of a run
    "line",  # a line end, on top of the blank it is
    "indent",  # the first blank behind a line end, on top
    "digit",
    "number",  # a run of digits begins
    "apart",  # a digit behind a blank
    "mark",  # the first ASCII punctuation mark of a run
    "marks",  # each further one
    "quote",  # a quotation mark, on top
    "escape",  # a backslash, on top
    "closing",  # a mark behind a letter
    "opening",  # a letter behind a mark
    "control",  # other control characters
    "turn",  # a capital behind a small letter, or a small letter behind two capitals
    "capitals",  # a capital behind a capital
    "tangle",  # one small letter between capitals: hardly ever in names, all over base64
    "seam",  # a letter meets a digit, either way round
    "cluster",  # the fourth letter of a row without a vowel
    "accented",
    "cyrillic",
    "greek",  # and Armenian
    "semitic",  # Hebrew and Arabic scripts
    "indic",  # and Thai, Lao, Tibetan: three bytes from E0
    "sign",  # typographic marks, arrows, boxes: the first of a run
    "signs",  # each further one
    "stop",  # East Asian punctuation and full width
    "other",  # three bytes from E1: Georgian, Khmer, Vietnamese, Cherokee
    "kana",
    "han",
    "hangul",
    "astral",  # emoji and everything else of four bytes
)

GROUPS: Final[tuple[Group, ...]] = (
    "o200k", "cl100k", "llama", "qwen", "deepseek", "gemma", "mistral", "kimi", "glm", "claude-3", "claude-4.7",
)  # fmt: skip

TABLE: Final[dict[str, tuple[int, ...]]] = {
    "letter": (100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100),
    "space": (100, 100, 20, 20, 20, 100, 100, 20, 20, 21, 137),
    "blank": (159, 145, 142, 139, 136, 143, 167, 161, 138, 176, 187),
    "deep": (16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16),
    "line": (0, 0, 0, 0, 11, 0, 0, 0, 0, 47, 61),
    "indent": (26, 24, 23, 24, 32, 38, 26, 17, 24, 32, 57),
    "digit": (226, 221, 187, 387, 175, 408, 426, 196, 256, 113, 116),
    "number": (246, 262, 267, 215, 282, 227, 243, 223, 219, 396, 304),
    "apart": (70, 74, 103, 85, 61, 51, 46, 101, 80, 189, 156),
    "mark": (62, 59, 67, 57, 135, 202, 35, 56, 57, 142, 222),
    "marks": (20, 20, 20, 20, 29, 20, 20, 20, 20, 20, 37),
    "quote": (62, 77, 83, 74, 54, 54, 31, 62, 72, 6, 4),
    "escape": (96, 91, 78, 84, 87, 76, 109, 81, 85, 72, 72),
    "closing": (6, 7, 13, 0, 33, 43, 0, 0, 0, 86, 127),
    "opening": (99, 97, 73, 59, 83, 118, 107, 62, 63, 157, 173),
    "control": (300, 300, 300, 300, 300, 300, 300, 300, 300, 300, 300),
    "turn": (117, 128, 81, 82, 58, 119, 116, 73, 90, 104, 135),
    "capitals": (3, 1, 3, 0, 39, 9, 26, 4, 2, 28, 195),
    "tangle": (1076, 1213, 1084, 833, 1032, 690, 919, 916, 957, 1200, 972),
    "seam": (14, 11, 1, 0, 39, 41, 1, 0, 0, 24, 93),
    "cluster": (79, 87, 85, 64, 71, 51, 63, 74, 70, 129, 115),
    "accented": (173, 194, 181, 182, 180, 171, 179, 184, 185, 191, 190),
    "cyrillic": (101, 190, 121, 128, 129, 92, 115, 152, 100, 162, 140),
    "greek": (160, 275, 198, 214, 199, 151, 193, 220, 225, 257, 251),
    "semitic": (170, 423, 262, 281, 250, 153, 235, 294, 321, 378, 362),
    "indic": (176, 580, 333, 359, 307, 149, 280, 373, 430, 503, 478),
    "sign": (241, 277, 271, 311, 177, 147, 261, 216, 300, 100, 100),
    "signs": (120, 120, 120, 120, 120, 120, 120, 120, 120, 120, 120),
    "stop": (249, 275, 247, 243, 244, 239, 252, 246, 245, 262, 261),
    "other": (220, 220, 220, 220, 220, 220, 220, 220, 220, 220, 220),
    "kana": (281, 390, 233, 221, 256, 166, 230, 294, 249, 272, 268),
    "han": (295, 453, 280, 204, 204, 259, 362, 172, 195, 395, 393),
    "hangul": (264, 465, 269, 300, 324, 237, 231, 366, 360, 494, 451),
    "astral": (506, 801, 622, 637, 602, 486, 583, 654, 686, 745, 729),
}
"""Hundredths of a weighted character, a column per group in the order of `GROUPS`. How they were found: ``docs/counting.md``."""

_PIECE: Final = 1 << 16
"""Characters looked at together: longer texts are counted piece by piece, so that memory stays small."""
_ONES: Final = int.from_bytes(b"\x01" * _PIECE, "little")
_SMALL, _CAPITAL, _DIGIT, _SPACE, _LINE, _MARK, _VOWEL, _SIGN = range(8)
"""Bits of a character's byte of flags. A quotation mark has the bits of a mark and of a sign."""
_ESCAPE: Final = b"\\"
_FOLLOWING: Final = bytes(range(0x80, 0xC0))
"""Bytes that continue a character: without them there is one byte for each."""


def _flags() -> bytes:
    table = bytearray(256)
    for characters, flags in (
        (b"abcdefghijklmnopqrstuvwxyz", 1 << _SMALL), (b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", 1 << _CAPITAL), (b"0123456789", 1 << _DIGIT),
        (b" \t", 1 << _SPACE), (b"\n\r", 1 << _LINE), (b"aeiouyAEIOUY", 1 << _VOWEL), (b"\xe2\xee", 1 << _SIGN),
        (b"!#$%&()*+,-./:;<=>?@[\\]^_{|}~", 1 << _MARK), (b"\"'`", 1 << _MARK | 1 << _SIGN),
    ):  # fmt: skip
        for character in characters:
            table[character] |= flags
    return bytes(table)


_FLAGS: Final = _flags()


def _scripts() -> bytes:
    table = bytearray(b"." * 256)
    for low, high, script in (
        (0xC0, 0xCB, b"L"), (0xCC, 0xCF, b"G"), (0xD0, 0xD4, b"R"), (0xD5, 0xDF, b"S"), (0xE0, 0xE0, b"I"), (0xE1, 0xE1, b"O"),
        (0xE2, 0xE2, b"P"), (0xE3, 0xE3, b"K"), (0xE4, 0xE9, b"C"), (0xEA, 0xED, b"H"), (0xEE, 0xEE, b"P"), (0xEF, 0xEF, b"W"),
        (0xF0, 0xFF, b"F"),
    ):  # fmt: skip
        table[low : high + 1] = script * (high + 1 - low)
    return bytes(table)


_SCRIPTS: Final = _scripts()


def features(text: str) -> tuple[int, ...]:
    """How often each of `FEATURES` occurs in a text. Lone surrogates count as any other character of three bytes."""
    if len(text) <= _PIECE:
        return _features(text)
    pieces = [_features(text[start : start + _PIECE]) for start in range(0, len(text), _PIECE)]
    return tuple(map(sum, zip(*pieces, strict=True)))


def _features(text: str) -> tuple[int, ...]:
    if text.isascii():
        return _features_of_ascii(text) + _NONE_BEYOND
    data = text.encode("utf-8", "surrogatepass")
    stops = data.count(b"\xe3\x80")
    data = data.translate(None, _FOLLOWING)
    row = int.from_bytes(data.translate(_FLAGS), "little")
    beyond = _beyond(data.translate(_SCRIPTS), row=row, stops=stops)
    return _ascii(row, length=len(text) - sum(beyond), escapes=data.count(_ESCAPE)) + beyond


def _features_of_ascii(text: str) -> tuple[int, ...]:
    data = text.encode()
    return _ascii(int.from_bytes(data.translate(_FLAGS), "little"), length=len(text), escapes=data.count(_ESCAPE))


def _ascii(row: int, *, length: int, escapes: int) -> tuple[int, ...]:
    """Counts of the classes of ASCII in a row of flags; `length` is how many of its characters are ASCII, `escapes` how many backslashes.

    ``x & y << 8`` marks an x directly behind a y.
    """
    ones = _ONES
    small, capital, digit, line, mark = row & ones, row >> _CAPITAL & ones, row >> _DIGIT & ones, row >> _LINE & ones, row >> _MARK & ones
    letter, blank = small | capital, (row >> _SPACE & ones) | line
    after_small, after_capital, after_letter, after_blank = small << 8, capital << 8, letter << 8, blank << 8
    after_mark, after_digit = mark << 8, digit << 8
    pairs, humps = capital & after_capital, capital & after_small
    dull = letter ^ (letter & row >> _VOWEL)
    dull &= dull << 8
    letters, blanks, digits, marks = letter.bit_count(), blank.bit_count(), digit.bit_count(), mark.bit_count()
    after_space = blank & after_blank
    further_blanks, deep = after_space.bit_count(), (after_space & after_space << 16).bit_count()
    further_marks = (mark & after_mark).bit_count()
    return (
        letters,
        blanks - further_blanks,
        further_blanks - deep,
        deep,
        line.bit_count(),
        (blank & line << 8).bit_count(),
        digits,
        digits - (digit & after_digit).bit_count(),
        (digit & after_blank).bit_count(),
        marks - further_marks,
        further_marks,
        (mark & row >> _SIGN).bit_count(),
        escapes,
        (mark & after_letter).bit_count(),
        (letter & after_mark).bit_count(),
        length - letters - blanks - digits - marks,
        (humps | small & pairs << 8).bit_count(),
        pairs.bit_count(),
        (humps & capital << 16).bit_count(),
        (letter & after_digit | digit & after_letter).bit_count(),
        (dull & dull << 16).bit_count(),
    )


def _beyond(data: bytes, *, row: int, stops: int) -> tuple[int, ...]:
    """Counts of everything beyond ASCII; `stops` is how many marks of East Asian punctuation look like kana."""
    count = data.count
    sign = row >> _SIGN & _ONES
    sign ^= sign & row >> _MARK
    further = (sign & sign << 8).bit_count()
    return (
        count(b"L"),
        count(b"R"),
        count(b"G"),
        count(b"S"),
        count(b"I"),
        sign.bit_count() - further,
        further,
        count(b"W") + stops,
        count(b"O"),
        count(b"K") - stops,
        count(b"C"),
        count(b"H"),
        count(b"F"),
    )


_NONE_BEYOND: Final = (0,) * 13
_COLUMNS: Final[dict[str, tuple[int, ...]]] = {group: tuple(TABLE[name][place] for name in FEATURES) for place, group in enumerate(GROUPS)}


def weight(text: str, group: Group) -> int:
    """Units (hundredths of a weighted character) of a text. Linear, never raises on any string."""
    if not text:
        return 0
    # nothing in a piece of ASCII stands in the second part of the column: `map` ends with the shorter one
    found = _features_of_ascii(text) if len(text) <= _PIECE and text.isascii() else features(text)
    return sum(map(mul, found, _COLUMNS[group]))
