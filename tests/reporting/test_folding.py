"""Bodies are cut alike, without their secrets, and nothing is counted wrongly."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from sostenuto.reporting._embedding import embedded, escaped
from sostenuto.reporting._folding import CAPS, MOST, folded


def test_short_bodies_stay_whole() -> None:
    """A body below the largest size is there in full."""
    assert folded([[("text", "", "hello")]]) == [[["text", "", "hello"]]]


def test_a_secret_across_a_cut_is_not_half_printed() -> None:
    """Secrets are taken out before a text is cut."""
    cut = CAPS[0] - CAPS[0] // 3
    key = "ghp_" + "a" * 36
    text = "x " * (cut // 2 - 5) + key + " y" * CAPS[0]
    [[piece]] = folded([[("result", "", text)]])
    assert len(piece) == 5
    assert "ghp_" not in json.dumps(piece)


def test_many_bodies_share_the_room() -> None:
    """The more there is, the less of each is shown, down to the smallest size."""
    for count, size in ((10, 15_000), (1_000, 15_000), (60_000, 400)):
        bodies = folded([[("text", "", "z" * size)]] * count)
        shown = sum(len(str(piece[2])) for pieces in bodies for piece in pieces)
        assert shown <= max(MOST, count * CAPS[-1])
        assert {len(pieces) for pieces in bodies} == {1}


@given(st.text(st.characters(codec=None), max_size=200))
def test_any_text_is_embedded_and_comes_back(text: str) -> None:
    """What is embedded holds nothing that HTML acts on, can be encoded, and reads back as it was."""
    shown = embedded({"text": text})
    assert not set("<>&\u2028\u2029") & set(shown)
    shown.encode()
    assert json.loads(shown) == {"text": text}
    assert not set("<>\"'") & set(escaped(text))
    escaped(text).encode()
