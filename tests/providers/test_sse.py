"""Lines and events out of bytes."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sostenuto.providers._sse import Event, Events, Lines

STREAM = '\ufeffdata: {"a": "ü"}\r\n\r\n: a comment\nevent: x\ndata: one\ndata:two\n\nid: 3\rdata: 北京 🎉\r\rdata: last'.encode()
EXPECTED = [Event("", '{"a": "ü"}'), Event("x", "one\ntwo"), Event("", "北京 🎉"), Event("", "last")]


@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_events_do_not_depend_on_where_the_bytes_are_cut(cuts: list[int]) -> None:
    """However the bytes are cut, also inside a letter and inside CR LF, the same events come out."""
    at = [0, *sorted(cuts), len(STREAM)]
    events = Events()
    found = [event for start, end in pairwise(at) for event in events.feed(STREAM[start:end])]
    assert [*found, *events.rest()] == EXPECTED


def test_single_bytes_are_enough() -> None:
    """Byte by byte, the same events come out."""
    events = Events()
    found = [event for byte in STREAM for event in events.feed(bytes([byte]))]
    assert [*found, *events.rest()] == EXPECTED


def test_bytes_that_are_no_text_are_replaced() -> None:
    """Bytes that are no UTF-8 become replacement characters, and the lines around them stay."""
    lines = Lines()
    assert lines.feed(b"a\n\xff\xfe b\n") == ["a", "\ufffd\ufffd b"]
    assert lines.rest() == []


def test_a_long_line_in_small_pieces_is_whole() -> None:
    """A line of a million bytes that comes in small pieces is one line."""
    lines = Lines()
    for _ in range(10_000):
        assert lines.feed(b"x" * 100) == []
    assert lines.feed(b"\n") == ["x" * 1_000_000]
