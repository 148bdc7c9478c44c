"""Folding, queries and excerpts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.results import excerpt, folded, spaced, wanted


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ÉTÉ", "ete"),
        ("E\u0301te\u0301", "ete"),
        ("Straße", "strasse"),
        ("ＡＢＣ１", "abc1"),
        ("Ünïted\0x", "united x"),
        ("İstanbul", "istanbul"),
        ("서버", "서버"),
        ("ｻｰﾊﾞｰ", folded("サーバー")),
        ("\ud800", "\ufffd"),
    ],
)
def test_texts_are_folded(text: str, expected: str) -> None:
    """Case, Latin accents and widths make no difference; other letters stay what they are."""
    assert folded(text) == expected


@given(st.text())
def test_folding_is_character_by_character(text: str) -> None:
    """The folded form of a text is that of its characters, whatever stands beside them."""
    assert folded(text) == "".join(map(folded, text))


def test_characters_without_spaces_stand_apart() -> None:
    """Han, kana, Korean and Thai are taken character by character; ASCII texts are the same object."""
    assert spaced("数据库ok").split() == ["数", "据", "库", "ok"]
    assert spaced("서버가").split() == ["서", "버", "가"]
    assert spaced("เชื่อ").split() == ["เ", "ช", "อ"]
    plain = "foo_bar.py"
    assert spaced(plain) is plain


def test_a_query_has_its_words_once() -> None:
    """Words are folded and counted once; those of a path have several tokens."""
    query = wanted("  Foo src/a_b.py FOO\n=> ")
    assert query.literal == "foo src/a_b.py foo =>"
    assert [(word.text, word.tokens, word.may_be_part) for word in query.words] == [
        ("foo", ("foo",), True),
        ("src/a_b.py", ("src", "a", "b", "py"), True),
        ("=>", (), True),
    ]
    assert not wanted("ab").words[0].may_be_part
    assert not wanted("数据库").words[0].may_be_part


@pytest.mark.parametrize("asked", ["x" * 100_000, "word " * 30_000, " " * 100_000, "\n".join(map(str, range(50_000)))])
def test_a_long_query_is_its_beginning(asked: str) -> None:
    """Of 100 kB a bounded part is taken, and no word of it is cut where there are spaces."""
    query = wanted(asked)
    assert len(query.literal) <= 4_000
    assert len(query.words) <= 32
    assert all(word.text in asked.split() or len(word.text) == 4_000 for word in query.words)


@given(st.text(max_size=900), st.sampled_from(["needle", "né", "数据", "ß", "=>"]), st.text(max_size=900))
def test_an_excerpt_is_a_piece_that_holds_the_word(before: str, word: str, after: str) -> None:
    """The excerpt is a piece of the text of bounded length, and has the word in it."""
    text = f"{before} {word} {after}"
    shown = excerpt(text, wanted(word))
    assert shown in text
    assert len(shown) <= 400
    assert folded(word) in folded(shown)


def test_an_excerpt_takes_in_most_words() -> None:
    """Where the words are apart, the place with most of them near each other is shown."""
    text = "alpha " + "x " * 600 + "beta gamma delta" + " y" * 600
    assert "beta gamma delta" in excerpt(text, wanted("alpha delta gamma beta"))
