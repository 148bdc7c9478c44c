"""The words of a page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.tools._html import page_text

BASE = "https://example.com/a/"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>one</p><p>two</p>", "one\n\ntwo"),
        ("a<br>b", "a\nb"),
        ("<b>bold</b> and <i>not</i>", "bold and not"),
        ("<ul><li>x</li><li>y</li></ul>", "- x\n\n- y"),
        ("<h2>Title</h2>text", "## Title\ntext"),
        ("<table><tr><td>1</td><td>2</td></tr></table>", "1 2"),
        ("<a href='../b?x=1&amp;y=2'>go</a>", "[go](https://example.com/b?x=1&y=2)"),
        ("<a href='#part'>here</a> <a href=\"javascript:x()\">no</a>", "here no"),
        ("<a title='1 > 0' href=c>gt</a>", "[gt](https://example.com/a/c)"),
        ("<script>if (a < b) '</p>'</script>after", "after"),
        ("<STYLE>p{}</STYLE >x<!-- y -->z", "xz"),
        ("1 < 2 & 3 &gt; 2 &eacute;", "1 < 2 & 3 > 2 é"),
        ("<pre>a\n    b\n</pre>", "a\n    b"),
        ("<!doctype html><?xml x?><p>x", "x"),
        ("never <!-- closed", "never"),
        ("cut <a href", "cut"),
        ("<svg/>kept", "kept"),
        ("", ""),
    ],
)
def test_a_page_becomes_its_words(page: str, text: str) -> None:
    """Blocks become lines, links stay, what nobody reads goes."""
    assert page_text(page, base=BASE) == text


@given(
    st.lists(
        st.sampled_from(["<", ">", "</", "<!--", "-->", "<a href='", "<p", "<script>", "</script>", '"', "'", "&", "x", " ", "\n", "<pre>"])
    )
)
def test_any_page_has_an_answer(pieces: list[str]) -> None:
    """However broken a page is, its words come back and no error."""
    page_text("".join(pieces), base=BASE)


@pytest.mark.parametrize(
    "piece", ["<", "<a", "<!--", "<p", "<a href='x", "<script>", "<script", "</", '<a "', "&", "<a>", "<pre>", "<!", "<p title='>' "]
)
def test_a_hostile_page_takes_linear_time(piece: str) -> None:
    """Half a megabyte of the same broken piece is done within seconds that a quadratic reader would not keep."""
    page_text(piece * (500_000 // len(piece)), base=BASE)
