"""Weighted characters: what each class of character weighs for each group of tokenizers (D1).

A text becomes one byte of flags per character, read as one long number; shifts and masks of that number mark every place where
a class, or one class behind another, occurs, and the marks are counted. There is no loop over characters. Every class weighs
something, nothing is ever subtracted, and whether a character is marked depends on it and those before it alone, so a longer
text never weighs less than its start.
"""

from __future__ import annotations

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
    "space": (100, 100, 30, 20, 52, 100, 100, 20, 20, 70, 183),
    "blank": (78, 74, 72, 73, 64, 74, 77, 80, 73, 89, 95),
    "deep": (16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16),
    "line": (25, 25, 24, 25, 27, 33, 21, 21, 25, 29, 44),
    "indent": (33, 31, 28, 30, 29, 34, 32, 31, 30, 28, 36),
    "digit": (234, 229, 208, 386, 211, 413, 415, 208, 262, 171, 144),
    "number": (187, 198, 183, 180, 181, 187, 195, 166, 174, 230, 219),
    "apart": (32, 33, 38, 33, 26, 26, 28, 39, 33, 65, 53),
    "mark": (120, 119, 108, 102, 152, 255, 99, 98, 101, 181, 275),
    "marks": (20, 20, 20, 20, 21, 20, 20, 20, 20, 20, 35),
    "quote": (34, 37, 35, 37, 31, 42, 29, 29, 36, 19, 29),
    "closing": (22, 21, 21, 13, 30, 42, 15, 17, 14, 61, 83),
    "opening": (34, 34, 34, 24, 36, 46, 27, 30, 26, 77, 81),
    "control": (300, 300, 300, 300, 300, 300, 300, 300, 300, 300, 300),
    "turn": (85, 93, 77, 59, 72, 65, 71, 68, 70, 98, 99),
    "capitals": (8, 6, 5, 3, 38, 17, 28, 6, 5, 31, 151),
    "tangle": (855, 953, 837, 631, 789, 610, 712, 714, 739, 1016, 963),
    "seam": (48, 50, 34, 33, 56, 53, 50, 24, 31, 54, 92),
    "cluster": (58, 64, 58, 43, 52, 41, 47, 50, 50, 78, 73),
    "accented": (174, 192, 181, 182, 179, 172, 179, 183, 185, 187, 186),
    "cyrillic": (100, 187, 119, 127, 124, 92, 114, 151, 100, 154, 133),
    "greek": (167, 262, 203, 211, 197, 158, 194, 214, 225, 239, 232),
    "semitic": (177, 393, 258, 275, 242, 157, 238, 282, 309, 338, 324),
    "indic": (184, 530, 314, 340, 288, 153, 280, 351, 397, 440, 417),
    "sign": (279, 301, 293, 307, 254, 246, 301, 286, 308, 234, 245),
    "signs": (120, 120, 120, 120, 120, 120, 120, 120, 120, 120, 120),
    "stop": (249, 272, 248, 243, 244, 239, 253, 245, 245, 260, 260),
    "other": (220, 220, 220, 220, 220, 220, 220, 220, 220, 220, 220),
    "kana": (274, 373, 235, 223, 254, 172, 235, 288, 249, 272, 268),
    "han": (295, 447, 280, 206, 206, 257, 356, 175, 198, 388, 386),
    "hangul": (263, 449, 266, 297, 312, 237, 231, 359, 354, 462, 421),
    "astral": (516, 764, 610, 628, 591, 494, 586, 637, 668, 700, 683),
}
"""Hundredths of a weighted character, a column per group in the order of `GROUPS`. How they were found: ``docs/counting.md``."""

_PIECE: Final = 1 << 16
"""Characters looked at together: longer texts are counted piece by piece, so that memory stays small."""
_ONES: Final = int.from_bytes(b"\x01" * _PIECE, "little")
_SMALL, _CAPITAL, _DIGIT, _SPACE, _LINE, _MARK, _VOWEL, _SIGN = range(8)
"""Bits of a character's byte of flags. A quotation mark has the bits of a mark and of a sign."""
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
        return _ascii(int.from_bytes(text.encode().translate(_FLAGS), "little"), length=len(text)) + _NONE_BEYOND
    data = text.encode("utf-8", "surrogatepass")
    stops = data.count(b"\xe3\x80")
    data = data.translate(None, _FOLLOWING)
    row = int.from_bytes(data.translate(_FLAGS), "little")
    beyond = _beyond(data.translate(_SCRIPTS), row=row, stops=stops)
    return _ascii(row, length=len(text) - sum(beyond)) + beyond


def _ascii(row: int, *, length: int) -> tuple[int, ...]:
    """Counts of the classes of ASCII in a row of flags; `length` is how many of its characters are ASCII.

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
    return sum(map(int.__mul__, features(text), _COLUMNS[group])) if text else 0
