"""The summarizers a replay can be given."""

from __future__ import annotations

import sys

import click
import pytest

from sostenuto.cli._summarizers import summarizer


def test_the_built_in_ones() -> None:
    """Mechanical needs no text, null answers with none, extractive copies."""
    null, copying = summarizer("null"), summarizer("extractive")
    assert summarizer("mechanical") is None
    assert null is not None
    assert null("anything") == ""
    assert copying is not None
    assert "The parser fails on empty input." in copying("The parser fails on empty input. It was fixed in the second attempt.")


def test_a_command_reads_the_prompt_without_a_shell() -> None:
    """A program gets the prompt on standard input and its output is the summary; shell signs in it mean nothing."""
    echo = summarizer(f"{sys.executable} -c 'import sys; print(sys.stdin.read().upper(), sys.argv[1:])' $HOME ; ls")
    assert echo is not None
    assert echo("words") == "WORDS ['$HOME', ';', 'ls']\n"


def test_a_command_that_fails_says_so() -> None:
    """A program that ends with an error raises with its last line, which the engine answers with a mechanical checkpoint."""
    failing = summarizer(f"""{sys.executable} -c 'import sys; print("no model", file=sys.stderr); sys.exit(3)'""")
    assert failing is not None
    with pytest.raises(RuntimeError, match="ended with 3: no model"):
        failing("words")


@pytest.mark.parametrize(
    ("name", "says"), [("mechanicl", "did you mean 'mechanical'"), ("", "neither"), ("no-such-program-here", "neither"), ("'open", "quot")]
)
def test_what_cannot_be_run_is_wrong_usage(name: str, says: str) -> None:
    """A name that is no summarizer and no program is refused before the replay starts."""
    with pytest.raises(click.UsageError, match=says):
        summarizer(name)
