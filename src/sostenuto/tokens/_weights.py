"""Weighted characters: what each class of character weighs for each group of tokenizers (D1).

A text is mapped to one class per byte and the classes are counted; there is no loop over characters. Every class weighs
something and nothing is ever subtracted, so a longer text never weighs less than its start.
"""

from __future__ import annotations

from typing import Final

from sostenuto.tokens._families import Group

FEATURES: Final = (
    "letter",  # a Latin letter: exactly one weighted character in every group, so plain English is its length
    "space",  # the first blank of a run
    "blank",  # each further blank of a run
    "line",  # a line end, on top of the blank it is
    "digit",
    "number",  # a run of digits begins
    "mark",  # the first ASCII punctuation mark of a run
    "marks",  # each further one
    "control",  # other control characters
    "hump",  # a capital behind a small letter
    "capitals",  # a capital behind a capital
    "seam",  # a letter meets a digit, either way round
    "tangle",  # one small letter between capitals: hardly ever in names, all over base64
    "caught",  # one digit between letters: in ids, hex and base64
    "accented",
    "cyrillic",
    "greek",  # and Armenian
    "semitic",  # Hebrew and Arabic scripts
    "indic",  # and Thai, Lao, Tibetan: three bytes from E0
    "sign",  # typographic marks, arrows, boxes, full width: the first of a run
    "signs",  # each further one
    "other",  # three bytes from E1: Georgian, Khmer, Vietnamese, Cherokee
    "kana",
    "han",
    "hangul",
    "astral",  # emoji and everything else of four bytes
)

GROUPS: Final[tuple[Group, ...]] = ("o200k", "cl100k", "digits", "claude-3", "claude-4.7")

TABLE: Final[dict[str, tuple[int, int, int, int, int]]] = {
    "letter": (100, 100, 100, 100, 100),
    "space": (100, 100, 100, 100, 299),
    "blank": (14, 14, 16, 17, 16),
    "line": (11, 23, 10, 30, 35),
    "digit": (192, 198, 381, 117, 102),
    "number": (237, 257, 261, 291, 253),
    "mark": (108, 162, 143, 260, 368),
    "marks": (50, 50, 50, 50, 50),
    "control": (300, 300, 300, 300, 300),
    "hump": (110, 122, 97, 142, 152),
    "capitals": (112, 121, 99, 133, 137),
    "seam": (20, 37, 25, 57, 139),
    "tangle": (898, 1005, 723, 1148, 1172),
    "caught": (129, 160, 130, 181, 197),
    "accented": (177, 205, 174, 187, 181),
    "cyrillic": (101, 166, 93, 180, 162),
    "greek": (176, 289, 179, 215, 186),
    "semitic": (190, 378, 164, 263, 211),
    "indic": (233, 542, 204, 347, 265),
    "sign": (264, 330, 257, 268, 295),
    "signs": (150, 153, 150, 151, 150),
    "other": (220, 220, 220, 220, 220),
    "kana": (249, 370, 189, 259, 295),
    "han": (209, 408, 252, 361, 357),
    "hangul": (243, 398, 220, 316, 289),
    "astral": (581, 883, 514, 704, 619),
}
"""Hundredths of a weighted character, a column per group.

Fitted once by ``benchmarks/fit_weights.py``: sixteen kinds of text, three seeds each, the ratio held at each family's seed and
letters at one, least squares of the relative error with large errors weighing more. The columns o200k (with Llama 3,
DeepSeek, Kimi), cl100k and digits (Qwen, Gemma, Mistral) against real tokenizers; the two Claude columns against published
characters per token. For Claude 4.7 the first blank weighs more than one: with letters at one and the origin's seed only the
gaps between words can carry its denser English. On other seeds the median error before any calibration is 7 %, the worst kind
under the worst tokenizer 25 %.
"""


def _classes() -> bytes:
    table = bytearray(b"," * 256)
    table[0:32] = b"!" * 32
    table[127] = ord("!")
    for low, high, mark in (
        (0x80, 0xBF, "c"), (0xC0, 0xCB, "L"), (0xCC, 0xCF, "G"), (0xD0, 0xD4, "R"), (0xD5, 0xDF, "S"), (0xE0, 0xE0, "I"), (0xE1, 0xE1, "O"),
        (0xE2, 0xE2, "P"), (0xE3, 0xE3, "K"), (0xE4, 0xE9, "C"), (0xEA, 0xED, "H"), (0xEE, 0xEF, "P"), (0xF0, 0xFF, "F"),
        (0x61, 0x7A, "a"), (0x41, 0x5A, "A"), (0x30, 0x39, "0"),
    ):  # fmt: skip
        table[low : high + 1] = mark.encode() * (high + 1 - low)
    table[0x20] = table[0x09] = ord(" ")
    table[0x0A] = table[0x0D] = ord("n")
    return bytes(table)


def _folded(pairs: dict[bytes, bytes]) -> bytes:
    table = bytearray(range(256))
    for olds, new in pairs.items():
        for old in olds:
            table[old] = new[0]
    return bytes(table)


def _flags(classes: bytes) -> bytes:
    table = bytearray(256)
    for one in classes:
        table[one] = 1
    return bytes(table)


_CLASSES: Final = _classes()
_BLANKS: Final = _flags(b"n ")
_MARKS: Final = _flags(b",")
_WORDS: Final = _folded({b"A": b"a", b"n ,!LGRSIOPKCHF": b"."})
_SIGNS: Final = _flags(b"P")


def features(text: str) -> tuple[int, ...]:
    """How often each of `FEATURES` occurs in a text. Lone surrogates count as any other character of three bytes."""
    if text.isascii():
        return _ascii(text.encode().translate(_CLASSES), others=0) + _NONE_BEYOND
    data = text.encode("utf-8", "surrogatepass").translate(_CLASSES)
    data = data.translate(None, b"c")
    beyond = _beyond(data)
    return _ascii(data, others=sum(beyond)) + beyond


def _ascii(data: bytes, *, others: int) -> tuple[int, ...]:
    """Counts of the classes of ASCII; `others` is how many characters belong to none of them."""
    count = data.count
    lines = count(b"n")
    blanks = lines + count(b" ")
    spaces = _runs(data, _BLANKS) if blanks else 0
    marks = count(b",")
    first_marks = _runs(data, _MARKS) if marks else 0
    capitals = count(b"A")
    humps, pairs, tangles = (count(b"aA"), count(b"AA"), count(b"AaA")) if capitals else (0, 0, 0)
    digits = count(b"0")
    numbers = seams = caught = 0
    if digits:
        words = data.translate(_WORDS)
        into = words.count(b"a0")
        numbers = into + words.count(b".0") + (words[:1] == b"0")
        seams = into + words.count(b"0a")
        caught = words.count(b"a0a") if seams > into else 0
    controls = count(b"!")
    # what is left: counting one by one what nearly everything is would take longer than all the rest
    letters = len(data) - others - blanks - digits - marks - controls
    return (
        letters, spaces, blanks - spaces, lines, digits, numbers, first_marks, marks - first_marks, controls,
        humps, pairs, seams, tangles, caught,
    )  # fmt: skip


def _runs(data: bytes, flags: bytes) -> int:
    """How many runs of flagged characters a text has: those whose neighbour before them is not flagged."""
    row = int.from_bytes(data.translate(flags), "little")  # one number for the whole text: a few operations on it count every run
    return (row & ~(row << 8)).bit_count()


def _beyond(data: bytes) -> tuple[int, ...]:
    count = data.count
    signs = count(b"P")
    first_signs = _runs(data, _SIGNS) if signs else 0
    return (
        count(b"L"), count(b"R"), count(b"G"), count(b"S"), count(b"I"), first_signs, signs - first_signs, count(b"O"), count(b"K"),
        count(b"C"), count(b"H"), count(b"F"),
    )  # fmt: skip


_NONE_BEYOND: Final = (0,) * 12
_COLUMNS: Final[dict[str, tuple[int, ...]]] = {group: tuple(TABLE[name][place] for name in FEATURES) for place, group in enumerate(GROUPS)}


def weight(text: str, group: Group) -> int:
    """Units (hundredths of a weighted character) of a text. Linear, never raises on any string."""
    return sum(map(int.__mul__, features(text), _COLUMNS[group])) if text else 0
