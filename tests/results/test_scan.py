"""Finding words by reading everything."""

from __future__ import annotations

import time

from sostenuto.results import Provenance, framed, inherited, scanned, wanted


def found(texts: list[str], words: str) -> list[tuple[int, int]]:
    """Which of the texts, and in which class."""
    return scanned(enumerate(texts), wanted(words))


def test_classes() -> None:
    """Side by side, apart, inside other words; and only where nothing has all of them, most of them."""
    texts = ["xretry-xlimit", "limit. retry", "the retry limit", "retry", "retry limits"]
    assert found(texts, "retry limit") == [(2, 0), (1, 1), (4, 2), (0, 2)]
    assert found(texts, "retry limit zebra") == [(2, 3), (1, 3)]
    assert found(texts, "zebra unicorn retry") == []
    assert found(texts, " ") == []


def test_of_equals_the_newest_is_first() -> None:
    """The same text said several times is found newest first."""
    assert [number for number, _ in found(["same words here"] * 4, "same words")] == [3, 2, 1, 0]


def test_rarer_words_decide_among_those_with_most() -> None:
    """Of two texts with one word of two, the one with the rarer word comes first."""
    assert next(number for number, _ in found(["rare", "usual", "usual", "usual"], "rare usual")) == 0


def test_reading_is_linear() -> None:
    """A text ten times as long, of what makes patterns slow, takes at most about ten times as long."""
    took = []
    for size in (20_000, 200_000):
        texts = ["a_" * size, "a" * size, "a" + "_" * size, "a b " * (size // 2)]
        start = time.process_time()
        for words in ("a_a b", "a a a c", "aa" * 1_000):
            found(texts, words)
        took.append(time.process_time() - start)
    assert took[1] < 40 * took[0] + 0.5


def test_a_kept_text_says_whose_words_it_holds() -> None:
    """The frame of a kept text names its source; of several, one that taints; a text without one is nobody's."""
    local, page = Provenance("local-file", "/etc/hosts"), Provenance("external", "https://example.com")
    assert inherited(framed("x", page)) == page
    assert inherited(f"{framed('x', local)}\n\n{framed('y', page)}") == page
    assert inherited(framed("x", local)) == local
    assert inherited('<untrusted source="a" kind="unknown">\nx') is None
    assert inherited("plain") is None
