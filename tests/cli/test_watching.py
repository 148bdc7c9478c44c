"""What is shown of a run while it goes on."""

from __future__ import annotations

import io

import pytest

from sostenuto.agent import Event
from sostenuto.cli._watching import Lines, Ndjson


class Terminal(io.TextIOWrapper):
    """A stream that says it is one, in an encoding of the test's choice."""

    def __init__(self, encoding: str = "utf-8") -> None:
        self.raw_bytes = io.BytesIO()
        super().__init__(self.raw_bytes, encoding=encoding, write_through=True)


def test_the_live_line_says_where_the_run_is_and_goes_away() -> None:
    """Step, fill, cost and tool stand in one line that is drawn only when it changes, and nothing of it is left (A.11)."""
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


def test_nothing_is_drawn_while_a_person_is_asked(capfd: pytest.CaptureFixture[str]) -> None:
    """Events and notices that come during a question leave the screen alone; the notices are told after it, and the line comes back."""
    terminal = Terminal()
    lines = Lines(terminal, is_live=True)
    lines.take(Event("tool-start", {"name": "grep"}))
    with lines.held():
        drawn = terminal.raw_bytes.getvalue()
        lines.take(Event("tool-start", {"name": "shell"}))
        lines.notice("half of the time is used")
        assert terminal.raw_bytes.getvalue() == drawn
        assert capfd.readouterr().err == ""
    assert capfd.readouterr().err == "sostenuto: half of the time is used\n"
    lines.take(Event("request", {"percent": 42}))
    assert "context 42 %" in terminal.raw_bytes.getvalue().decode()


def test_approvals_of_sub_agents_are_told_with_their_category(capfd: pytest.CaptureFixture[str]) -> None:
    """Who watches approvals hears of those of sub-agents, and of nothing else that they do."""
    watcher = Ndjson(frozenset(["approval"]))
    watcher.take(Event("approval", {"state": "refused"}, depth=1))
    watcher.take(Event("tool-start", {"name": "grep"}, depth=1))
    assert capfd.readouterr().err == '{"event": "approval", "depth": 1, "state": "refused"}\n'


def test_words_of_strangers_cannot_act_on_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    """A notice that quotes a provider and a tool that a model named hold nothing that the terminal would obey."""
    terminal = Terminal()
    lines = Lines(terminal, is_live=True)
    lines.take(Event("tool-start", {"name": "grep\x1b]0;owned\x07\x9b2J"}))
    lines.take(Event("notice", {"text": "the server said \x1b[2Jgone\x9b2J"}))
    shown = terminal.raw_bytes.getvalue().decode() + capfd.readouterr().err
    assert "grep" in shown
    assert "gone" in shown
    assert not set(shown) & set("\x1b\x07\x9b")
