"""What is shown of a run while it goes on."""

from __future__ import annotations

import io

import pytest

from sostenuto.agent import Event
from sostenuto.cli._watching import Lines


class Terminal(io.TextIOWrapper):
    """A stream that says it is one, in an encoding of the test's choice."""

    def __init__(self, encoding: str = "utf-8") -> None:
        self.raw_bytes = io.BytesIO()
        super().__init__(self.raw_bytes, encoding=encoding, write_through=True)


def test_the_live_line_says_where_the_run_is_and_goes_away() -> None:
    """Step, fill, cost and tool stand in one line that is drawn only when it changes, and nothing of it is left."""
    terminal = Terminal()
    lines = Lines(terminal, is_live=True)
    for event in (
        Event("iteration", {"number": 3, "limit": 100}),
        Event("request", {"percent": 42}),
        Event("request", {"percent": 42}),
        Event("usage", {"cost_known": True, "total_usd": 0.25}),
        Event("tool-start", {"name": "grep"}),
    ):
        lines.take(event)
    lines.close()
    drawn = terminal.raw_bytes.getvalue().decode().split("\r")
    assert drawn[-3].rstrip() == "step 3/100 · context 42 % · $0.25 · grep"
    assert drawn[-2].strip() == ""
    assert len(drawn) == 7


def test_a_terminal_without_the_signs_gets_plain_ones() -> None:
    """In ASCII the line has hyphens."""
    terminal = Terminal("ascii")
    lines = Lines(terminal, is_live=True)
    lines.take(Event("iteration", {"number": 3, "limit": None}))
    lines.take(Event("request", {"percent": 42}))
    assert b"step 3 - context 42 % - thinking" in terminal.raw_bytes.getvalue()


def test_notices_are_lines_above_it(capfd: pytest.CaptureFixture[str]) -> None:
    """A notice is one line on standard error, whatever was in it; without a terminal nothing else is shown."""
    terminal = Terminal()
    lines = Lines(terminal, is_live=False)
    lines.take(Event("iteration", {"number": 3, "limit": 100}))
    lines.take(Event("notice", {"text": "two\nlines"}))
    assert capfd.readouterr().err == "sostenuto: two lines\n"
    assert terminal.raw_bytes.getvalue() == b""
