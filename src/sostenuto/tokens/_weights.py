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
    "space": (100, 100, 30, 20, 50, 100, 100, 20, 20, 69, 182),
    "blank": (77, 73, 71, 72, 63, 73, 76, 79, 72, 87, 93),
    "deep": (16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16),
    "line": (22, 22, 23, 24, 24, 31, 17, 20, 23, 27, 42),
    "indent": (31, 29, 27, 29, 26, 33, 30, 30, 29, 27, 35),
    "digit": (233, 229, 208, 385, 210, 411, 413, 208, 261, 171, 143),
    "number": (186, 197, 182, 179, 180, 187, 194, 165, 173, 228, 217),
    "apart": (31, 32, 37, 32, 26, 26, 27, 38, 32, 63, 52),
    "mark": (123, 122, 109, 104, 156, 258, 102, 99, 102, 184, 280),
    "marks": (20, 20, 20, 20, 23, 20, 20, 20, 20, 20, 37),
    "quote": (33, 36, 35, 37, 30, 42, 28, 28, 35, 19, 28),
    "escape": (56, 55, 53, 53, 57, 54, 59, 53, 53, 54, 55),
    "closing": (23, 22, 22, 14, 33, 43, 18, 18, 15, 62, 84),
    "opening": (36, 36, 35, 25, 40, 48, 31, 31, 27, 78, 82),
    "control": (300, 300, 300, 300, 300, 300, 300, 300, 300, 300, 300),
    "turn": (83, 92, 76, 58, 71, 63, 69, 67, 68, 97, 97),
    "capitals": (7, 5, 5, 2, 38, 17, 28, 6, 5, 30, 150),
    "tangle": (852, 948, 833, 627, 785, 610, 710, 710, 736, 1011, 962),
    "seam": (50, 51, 35, 34, 57, 53, 51, 25, 32, 55, 92),
    "cluster": (57, 63, 57, 42, 52, 41, 47, 50, 49, 77, 72),
    "accented": (174, 192, 181, 182, 179, 172, 179, 183, 185, 187, 186),
    "cyrillic": (100, 187, 119, 127, 125, 91, 114, 151, 100, 154, 133),
    "greek": (167, 262, 203, 211, 197, 158, 195, 214, 224, 238, 232),
    "semitic": (177, 393, 258, 274, 243, 157, 238, 282, 309, 338, 323),
    "indic": (184, 529, 314, 340, 289, 153, 281, 351, 396, 440, 416),
    "sign": (277, 299, 292, 305, 253, 246, 298, 285, 306, 236, 245),
    "signs": (120, 120, 120, 120, 120, 120, 120, 120, 120, 120, 120),
    "stop": (249, 272, 248, 243, 244, 239, 253, 245, 245, 260, 259),
    "other": (220, 220, 220, 220, 220, 220, 220, 220, 220, 220, 220),
    "kana": (274, 372, 235, 223, 254, 172, 235, 287, 249, 272, 268),
    "han": (295, 447, 280, 206, 206, 257, 356, 175, 198, 388, 386),
    "hangul": (263, 448, 266, 297, 313, 237, 231, 359, 353, 462, 421),
    "astral": (516, 763, 610, 628, 592, 494, 586, 636, 667, 699, 683),
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
        data = text.encode()
        return _ascii(int.from_bytes(data.translate(_FLAGS), "little"), length=len(text), escapes=data.count(_ESCAPE)) + _NONE_BEYOND
    data = text.encode("utf-8", "surrogatepass")
    stops = data.count(b"\xe3\x80")
    data = data.translate(None, _FOLLOWING)
    row = int.from_bytes(data.translate(_FLAGS), "little")
    beyond = _beyond(data.translate(_SCRIPTS), row=row, stops=stops)
    return _ascii(row, length=len(text) - sum(beyond), escapes=data.count(_ESCAPE)) + beyond


def _ascii(row: int, *, length: int, escapes: int) -> tuple[int, ...]:
    """Counts of the classes of ASCII in a row of flags; `length` is how many of its characters are ASCII, `escapes` how many are backslashes.

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
    return sum(map(int.__mul__, features(text), _COLUMNS[group])) if text else 0
