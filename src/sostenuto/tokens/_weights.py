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
    "space": (100, 100, 20, 20, 31, 100, 100, 20, 20, 42, 167),
    "blank": (119, 109, 105, 105, 93, 101, 121, 121, 104, 139, 149),
    "deep": (16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16),
    "line": (1, 4, 17, 13, 20, 19, 0, 0, 12, 29, 47),
    "indent": (36, 33, 29, 33, 30, 38, 35, 34, 32, 30, 46),
    "digit": (229, 225, 200, 390, 195, 409, 417, 204, 261, 149, 130),
    "number": (212, 226, 218, 200, 216, 204, 214, 195, 197, 295, 257),
    "apart": (50, 52, 68, 51, 41, 35, 37, 64, 51, 122, 98),
    "mark": (96, 93, 89, 80, 151, 240, 73, 75, 78, 157, 250),
    "marks": (20, 20, 20, 20, 24, 20, 20, 20, 20, 20, 32),
    "quote": (45, 54, 56, 54, 39, 52, 30, 42, 53, 9, 12),
    "escape": (71, 68, 62, 65, 69, 62, 80, 62, 66, 58, 61),
    "closing": (20, 18, 22, 7, 38, 44, 12, 12, 9, 88, 109),
    "opening": (59, 59, 53, 39, 61, 72, 58, 48, 43, 127, 123),
    "control": (300, 300, 300, 300, 300, 300, 300, 300, 300, 300, 300),
    "turn": (105, 115, 86, 76, 76, 87, 94, 79, 85, 111, 116),
    "capitals": (4, 2, 4, 0, 38, 11, 26, 4, 3, 27, 175),
    "tangle": (992, 1113, 979, 756, 915, 681, 836, 825, 872, 1148, 1019),
    "seam": (33, 31, 16, 9, 51, 53, 33, 7, 10, 38, 96),
    "cluster": (70, 78, 73, 54, 63, 48, 57, 63, 61, 102, 91),
    "accented": (173, 193, 181, 182, 180, 172, 179, 183, 185, 189, 188),
    "cyrillic": (100, 189, 120, 127, 127, 91, 114, 151, 100, 159, 135),
    "greek": (164, 270, 203, 213, 198, 155, 193, 217, 228, 249, 242),
    "semitic": (171, 411, 262, 280, 246, 152, 234, 290, 319, 362, 344),
    "indic": (175, 559, 323, 351, 295, 145, 276, 364, 415, 478, 450),
    "sign": (280, 309, 307, 325, 250, 225, 309, 278, 321, 127, 129),
    "signs": (120, 120, 120, 120, 120, 120, 120, 120, 120, 120, 120),
    "stop": (249, 274, 248, 243, 244, 239, 252, 245, 245, 262, 261),
    "other": (220, 220, 220, 220, 220, 220, 220, 220, 220, 220, 220),
    "kana": (279, 384, 234, 221, 256, 167, 231, 293, 249, 272, 268),
    "han": (295, 452, 279, 204, 204, 258, 361, 172, 195, 393, 392),
    "hangul": (263, 460, 268, 298, 320, 235, 230, 364, 358, 482, 436),
    "astral": (509, 785, 616, 635, 596, 487, 582, 646, 680, 727, 707),
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
    return sum(map(int.__mul__, features(text), _COLUMNS[group])) if text else 0
