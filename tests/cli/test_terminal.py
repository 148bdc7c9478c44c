"""What a terminal is taken to show."""

from __future__ import annotations

import io

import pytest

from sostenuto.cli._terminal import Style, progress, style


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
    ],
)
def test_style_follows_the_terminal(screen: Screen, environment: dict[str, str], unicode: bool, colour: bool) -> None:
    """Colour needs a terminal without NO_COLOR, Unicode an encoding that has it, and a dumb terminal gets neither."""
    found = style(screen, environment)
    assert (found.unicode, found.colour) == (unicode, colour)
    assert 40 <= found.width <= 80


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
