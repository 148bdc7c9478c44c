"""Names that are safe as the name of a file or folder on every system."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.errors import UnknownSetting
from sostenuto.stores._names import checked_name


@pytest.mark.parametrize("name", ["a", "A1", "0", "a.b", "a..b", "a-b_c", "x" * 200, "console", "nul1", "com10", "a.con"])
def test_a_plain_name_is_taken_as_it_is(name: str) -> None:
    """Letters, digits, dots, hyphens and underscores behind a letter or digit make a name."""
    assert checked_name(name, what="agent") == name


@pytest.mark.parametrize(
    "name",
    [
        *("", ".", "..", ".a", "-a", "_a", "a.", "a..", "a/b", "a\\b", "/", "~", "a b", "a\n", "a\0", "a:b", "x" * 201, "x" * 10_000),
        *("con", "CON", "con.txt", "nul", "Nul.tar.gz", "prn", "aux", "com0", "com1", "COM9.x", "lpt1", "lpt9.log"),
        *("ａ", "а", "é", "a\u0301", "a\u200b", "\u202ea", "ı", "\ud800", "１", "a\u2024b"),
    ],
)
def test_any_other_is_refused_in_one_short_line(name: str) -> None:
    """Anything else is refused, naming what it is for, the value (cut and in ASCII) and what would be a name."""
    with pytest.raises(UnknownSetting, match=r"^--conversation '.*has at most 200 of them$") as raised:
        checked_name(name, what="--conversation")
    assert str(raised.value).isascii()
    assert str(raised.value).isprintable()
    assert len(str(raised.value)) < 700


@given(st.text(max_size=210))
def test_what_is_taken_is_one_step_of_a_path(name: str) -> None:
    """No text that is taken can leave its folder, hide, or mean something else elsewhere."""
    try:
        taken = checked_name(name, what="agent")
    except UnknownSetting:
        return
    assert re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,198}[A-Za-z0-9_-])?", taken)
