"""What may run: tiers, the list of allowed commands, and the words of a refusal."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.tools import Allowed, Ask, Assessed, Policy, Refused, Risk, Weighed, allowed
from sostenuto.tools._approval import command_words

TIERS: tuple[Risk, ...] = get_args(Risk)


def _weighed(risk: Risk, *, words: tuple[str, ...] = (), why: str = "") -> Weighed:
    return Weighed("tool", {"path": "a"}, Assessed(risk, why, frozenset(["path:/x"]), words))


@pytest.mark.parametrize("level", TIERS)
@pytest.mark.parametrize("risk", TIERS)
def test_what_is_at_or_below_the_level_runs(level: Risk, risk: Risk) -> None:
    """Each tier runs exactly under its own and the higher levels, with its grants; above it is asked or refused."""
    fits = TIERS.index(risk) <= TIERS.index(level)
    assert allowed(_weighed(risk), Policy(level)) == Allowed(frozenset(["path:/x"])) if fits else True
    assert isinstance(allowed(_weighed(risk), Policy(level)), Allowed if fits else Refused)
    assert isinstance(allowed(_weighed(risk), Policy(level, attended=True)), Allowed if fits else Ask)


def test_a_refusal_says_why_and_what_next() -> None:
    """The model reads the tier, the reason, the limit of the run, and that nothing was done."""
    refused = allowed(_weighed("high-risk", why="it leads outside"), Policy("read-only"))
    assert isinstance(refused, Refused)
    for words in ("tool was not run", "high-risk, because it leads outside", "only what is read-only", "Nothing was changed"):
        assert words in refused.text


def test_a_question_shows_everything_that_will_run() -> None:
    """Control characters are made visible, and what does not fit is counted, so that nothing hides behind it."""
    call = Weighed("shell", {"command": "echo a\rrm -rf x\x1b[8m" + "y" * 3_000}, Assessed("high-risk"))
    asked = allowed(call, Policy(attended=True))
    assert isinstance(asked, Ask)
    assert "\\r" in asked.question
    assert "\\x1b[8m" in asked.question
    assert "more characters)" in asked.question


@pytest.mark.parametrize(
    "command",
    [
        "git status; rm x", "git status && rm x", "git status | sh", "git status & rm x", "git status > x", "git status >> x",
        "git status < x",
        "git status $(rm x)", "git status `rm x`", "git status \"$(rm x)\"", "git status \"`rm x`\"", "git status $HOME", "git status ${X}",
        "git status\nrm x", "git status\rrm x", "git status\0", "git status 2>&1", "git status <(rm x)", "(git status)", "{ git status; }",
        "X=1 git status", "git status 'open", "git status \"open", "git status \\", "git \\status", "! git status", "time git status",
        "if git status", "git status\x7f", "git status $'a'", "", "   ",
    ],
)  # fmt: skip
def test_nothing_slips_past_the_list_of_commands(command: str) -> None:
    """A command line that is more than one simple command, or cannot be read as one, has no words and is on no list."""
    assert command_words(command) == ()
    assert isinstance(allowed(_weighed("high-risk", words=command_words(command)), Policy(commands=("git status", "git", "!"))), Refused)


@pytest.mark.parametrize(
    ("command", "listed", "fits"),
    [
        ("git status", "git status", True),
        ("git status --short 'a; b'", "git status", True),
        ("git  \t status", "git status", True),
        ("'git' \"status\"", "git status", True),
        ("git statusx", "git status", False),
        ("git", "git status", False),
        ("gitx status", "git", False),
        ("git -c core.pager=x status", "git status", False),
        ("ls", "", False),
        ("ls", "ls; rm x", False),
        ("echo a&b", "echo", False),
        ("echo 'a&b' \"c | d\" 'it''s'", "echo", True),
    ],
)
def test_a_simple_command_is_held_against_the_list_word_by_word(command: str, listed: str, fits: bool) -> None:
    """Only whole words from the first on count, and an entry that is no simple command allows nothing."""
    decision = allowed(_weighed("high-risk", words=command_words(command)), Policy("read-only", commands=(listed,)))
    assert isinstance(decision, Allowed) == fits


@given(st.text(alphabet="ab '\"\\;&|$`()<>{}!=#~*\n\t", max_size=12))
def test_what_counts_as_simple_has_the_words_of_its_shell(command: str) -> None:
    """Whenever words are given, they are those that splitting by the rules of a shell gives, none of them empty of meaning."""
    words = command_words(command)
    assert not words or list(words) == shlex.split(command)


@pytest.mark.skipif(shutil.which("sh") is None, reason="this machine has no POSIX shell")
@given(st.text(alphabet="ab '\";&|$`()<>!=\\", max_size=14))
def test_a_real_shell_runs_nothing_else_of_a_simple_command(tail: str) -> None:
    """Behind an allowed beginning, whatever else is on the line, a real shell runs only that command, with these words."""
    command = f"printf %s: {tail}"
    words = command_words(command)
    if not words:
        return
    ran = subprocess.run(["sh", "-c", command], capture_output=True, stdin=subprocess.DEVNULL, check=False)
    assert ran.stdout.decode() == "".join(f"{word}:" for word in words[2:] or [""])
    assert ran.stderr == b""
