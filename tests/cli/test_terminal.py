"""What a terminal is taken to show."""

from __future__ import annotations

import io

import pytest

from sostenuto.cli._terminal import Style, count, percent, progress, style


class Screen(io.StringIO):
    """A terminal of a given encoding."""

    def __init__(self, encoding: str = "utf-8", *, terminal: bool = True) -> None:
        super().__init__()
        self._encoding = encoding
        self._terminal = terminal

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """How it encodes."""
        return self._encoding

    def isatty(self) -> bool:
        """Whether a person is looking."""
        return self._terminal


@pytest.mark.parametrize(
    ("screen", "environment", "unicode", "colour"),
    [
        (Screen(), {}, True, True),
        (Screen(), {"NO_COLOR": "1"}, True, False),
        (Screen(), {"TERM": "dumb"}, False, False),
        (Screen(terminal=False), {}, True, False),
        (Screen("ascii"), {}, False, True),
        (Screen("no-such-encoding"), {}, False, True),
        (Screen(), {"LC_ALL": "C"}, False, True),
        (Screen(), {"LANG": "C", "LC_CTYPE": "C.UTF-8"}, False, True),
        (Screen(), {"LANG": "POSIX"}, False, True),
        (Screen(), {"LC_ALL": "de_DE.UTF-8", "LANG": "C"}, True, True),
        (Screen(), {"LC_CTYPE": "C.UTF-8"}, True, True),
    ],
)
def test_style_follows_the_terminal(screen: Screen, environment: dict[str, str], unicode: bool, colour: bool) -> None:
    """Colour needs a terminal without NO_COLOR, Unicode an encoding that has it, and a dumb terminal gets neither."""
    found = style(screen, environment)
    assert (found.unicode, found.colour) == (unicode, colour)
    assert 60 <= found.width <= 100


def test_progress_is_for_a_person_only() -> None:
    """The line appears on a terminal and is gone at the end; elsewhere nothing is written."""
    seen, silent = Screen(), Screen(terminal=False)
    assert list(progress(range(3), total=3, what="step", stream=seen, environment={})) == [0, 1, 2]
    assert list(progress(range(3), total=3, what="step", stream=silent, environment={})) == [0, 1, 2]
    assert "step 2 of 3" in seen.getvalue()
    assert seen.getvalue().endswith(" \r")
    assert silent.getvalue() == ""


def test_paint_needs_colour() -> None:
    """Without colour the words stay plain, and nothing is painted around an empty text."""
    assert Style(colour=False).paint("x", "red") == "x"
    assert Style(colour=True).paint("x", "red") == "\x1b[31mx\x1b[0m"
    assert Style(colour=True).paint("", "red") == ""


@pytest.mark.parametrize(("columns", "width"), [("72", 72), ("10", 60), ("300", 100), ("wide", 80), ("", 80), ("\u0663\u0660", 80)])
def test_the_width_follows_the_columns(columns: str, width: int) -> None:
    """COLUMNS is followed between 60 and 100, and ignored where it is no number."""
    assert style(Screen(terminal=False), {"COLUMNS": columns}).width == width


@pytest.mark.parametrize(
    ("share", "words"),
    [(0, "0 %"), (1, "100 %"), (0.75, "75 %"), (0.9549, "95.5 %"), (0.99999, "99.9 %"), (0.0001, "under 0.1 %"), (2.5, "250 %")],
)
def test_shares_are_written_one_way(share: float, words: str) -> None:
    """A percentage has at most one place, and nothing but all is 100 %."""
    assert percent(share) == words


def test_one_is_not_many() -> None:
    """The noun follows the number."""
    assert (count(1, "token"), count(0, "token"), count(2_000, "token")) == ("1 token", "0 tokens", "2,000 tokens")
