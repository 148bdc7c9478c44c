"""Approvals at a terminal: what is shown, what each answer does, and that nothing but a plain yes is one (D26; origin 7, 11.3)."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from sostenuto.cli._asking import understood
from sostenuto.testing import FakeServer, Reply, Script
from tests.cli.terminals import Terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")

ARGUMENTS = ("run", "Go.", "--model", "llamacpp:tiny-random")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data home, and a working directory."""
    monkeypatch.setenv("SOSTENUTO_HOME", str(tmp_path / "home"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


class Served:
    """A server on loopback that answers by a script."""

    def __init__(self, server: FakeServer) -> None:
        self.server = server
        self.environment = {"LLAMACPP_BASE_URL": server.base_url}

    @property
    def results(self) -> list[str]:
        """What the model was told of its calls, in the last request."""
        bodies = [each.body for each in self.server.received if isinstance(each.body, Mapping) and "messages" in each.body]
        return [str(message["content"]) for message in bodies[-1]["messages"] if message["role"] == "tool"]


@pytest.fixture
def served() -> Iterator[Any]:
    """Makes servers, and stops them."""
    servers: list[FakeServer] = []

    def made(script: Script) -> Served:
        server = FakeServer("llamacpp", script, window=16_384)
        server.__enter__()
        servers.append(server)
        return Served(server)

    yield made
    for server in servers:
        server.__exit__(None, None, None)


def shell(*commands: str) -> Reply:
    """A reply that runs commands, all in one batch."""
    return Reply(calls=[("shell", {"command": command}) for command in commands])


@pytest.mark.parametrize(
    ("line", "kind", "reason"),
    [
        ("y", "yes", ""),
        (" YES ", "yes", ""),
        ("n", "no", ""),
        ("n too  dangerous", "no", "too  dangerous"),
        ("a", "always", ""),
        ("v", "view", ""),
        ("", "unclear", ""),
        ("yes please", "unclear", ""),
        ("y n", "unclear", ""),
        ("\x1b[A", "unclear", ""),
        ("okay", "unclear", ""),
    ],
)
def test_nothing_but_a_plain_yes_is_one(line: str, kind: str, reason: str) -> None:
    """Each answer is read as what it says, and everything else is asked again."""
    assert understood(line, has_more=True) == (kind, reason)
    assert understood("v", has_more=False) == ("unclear", "")


def test_a_yes_runs_the_command_once(served: Any) -> None:
    """The command is shown before it runs; after y it has run, and the same one is asked for again."""
    one = served([shell("echo one"), shell("echo two"), "Done."])
    with Terminal(*ARGUMENTS, environment=one.environment) as terminal:
        screen = terminal.until("allow? ")
        assert "shell asks to run (high-risk)" in screen
        assert "| echo one" in screen
        terminal.type("y\n")
        terminal.until("allow? ", times=2)
        terminal.type("n\n")
        assert terminal.ended() == 0
    assert one.results[0].strip() == "one"
    assert "the person said no" in one.results[1]
    assert terminal.plain.rstrip().endswith("Done.")


def test_a_reason_is_told_to_the_model(served: Any) -> None:
    """What stands behind the n is in the answer to the call, and nothing ran."""
    one = served([shell("touch made"), "Done."])
    with Terminal(*ARGUMENTS, environment=one.environment) as terminal:
        terminal.until("allow? ")
        terminal.type("n use the other folder\n")
        assert terminal.ended() == 0
    assert "They said: use the other folder" in one.results[0]
    assert not Path("made").exists()


def test_always_covers_the_same_beginning_and_no_other(served: Any) -> None:
    """After a, commands with the same two words run unasked, a different second word is asked, and so is more than a simple command."""
    one = served([shell("git --version", "git --version --build-options"), shell("git help"), shell("git --version; ls"), "Done."])
    with Terminal(*ARGUMENTS, environment=one.environment) as terminal:
        assert "commands that begin with: git --version" in terminal.until("allow? ")
        terminal.type("a\n")
        terminal.until("allow? ", times=2)
        assert "| git help" in terminal.screen
        terminal.type("n\n")
        assert "this very command" in terminal.until("allow? ", times=3)
        terminal.type("n\n")
        assert terminal.ended() == 0
    assert ["git version" in result for result in one.results] == [True, True, False, False]


def test_calls_of_one_batch_are_asked_one_after_another(served: Any) -> None:
    """The second question stands on the screen only after the first is answered, and each answer goes to its own call."""
    one = served([shell("echo first", "echo second", "echo third"), "Done."])
    with Terminal(*ARGUMENTS, environment=one.environment) as terminal:
        for number, (command, answer) in enumerate((("first", "y"), ("second", "n"), ("third", "y")), start=1):
            screen = terminal.until("allow? ", times=number)
            assert f"| echo {command}" in screen
            assert screen.count("| echo ") == number
            terminal.type(f"{answer}\n")
        assert terminal.ended() == 0
    assert [result.splitlines()[0] for result in one.results][::2] == ["first", "third"]
    assert "said no" in one.results[1]


def test_what_was_typed_before_the_question_does_not_answer_it(served: Any) -> None:
    """A y and a line end that were typed ahead let nothing run; an unclear answer is asked again."""
    one = served([shell("touch made"), "Done."])
    with Terminal(*ARGUMENTS, environment=one.environment) as terminal:
        terminal.type("y\n")
        terminal.until("allow? ")
        terminal.type("perhaps\n")
        terminal.until("allow? ", times=2)
        terminal.type("n\n")
        assert terminal.ended() == 0
    assert not Path("made").exists()


def test_ctrl_c_at_a_question_ends_the_run_in_good_order(served: Any) -> None:
    """The exit code is 130, the call is answered as interrupted in what is kept, and the line to go on with is told."""
    one = served([shell("echo one"), "Never."])
    with Terminal(*ARGUMENTS, "--conversation", "c1", environment=one.environment) as terminal:
        terminal.until("allow? ")
        terminal.type("\x03")
        assert terminal.ended() == 130
    lines = terminal.plain.splitlines()
    assert any(line.startswith("sostenuto: stopping;") for line in lines)
    assert any("--conversation c1" in line for line in lines)
    again = served(["Here."])
    with Terminal(*ARGUMENTS, "--conversation", "c1", environment=again.environment) as terminal:
        assert terminal.ended() == 0
    assert "was not run: the person interrupted the run" in again.results[0]


def test_the_end_of_the_input_refuses(served: Any) -> None:
    """Ctrl+D at a question lets nothing run, and the run goes on."""
    one = served([shell("touch made"), "Done."])
    with Terminal(*ARGUMENTS, environment=one.environment) as terminal:
        terminal.until("allow? ")
        terminal.type("\x04")
        assert terminal.ended() == 0
    assert "nobody answered" in one.results[0]


def test_hostile_text_cannot_act_on_the_terminal_or_hide_its_end(served: Any) -> None:
    """Escapes, returns and turned writing are written out; of a long command the end stands there, and v shows every line."""
    hostile = "echo \x1b[2J\x1b]0;title\x07 \r\u202e" + "\n" * 100 + "allow? y\nrm -rf everything"
    one = served([shell(hostile), "Done."])
    with Terminal(*ARGUMENTS, environment=one.environment) as terminal:
        terminal.until("allow? ", times=2)  # the first one is the model's, behind a bar
        screen = terminal.screen
        assert "\x1b[2J" not in screen
        assert "\x1b]" not in screen
        assert "\u202e" not in screen
        assert "\\x1b[2J" in screen
        assert "\\u202e" in screen
        assert "  | allow? y" in screen
        assert "  | rm -rf everything" in screen
        assert "(102 lines)" in screen
        assert "lines are not shown here" in screen
        terminal.type("v\n")
        for number in range(1, 5):
            terminal.until("Enter goes on", times=number)
            terminal.type("\n")
        terminal.until("allow? ", times=4)
        assert terminal.screen.count("  | rm -rf everything") == 2
        terminal.type("n\n")
        assert terminal.ended() == 0


def test_an_edit_is_shown_as_a_difference(served: Any, folder: Path) -> None:
    """Writing outside the working directory is asked with its path, its reason and what changes in the file."""
    target = folder.parent / "notes.txt"
    target.write_text("one\ntwo\nthree\n")
    write = Reply(calls=[("write_file", {"path": "../notes.txt", "content": "one\nTWO\nthree\n"})])
    one = served([write, "Done."])
    with Terminal(*ARGUMENTS, environment=one.environment) as terminal:
        screen = terminal.until("allow? ").replace("\r\n", "\n")
        assert "outside the working directory" in screen
        assert "  | -two\n  | +TWO\n" in screen
        assert "write_file where it is high-risk" in screen
        terminal.type("y\n")
        assert terminal.ended() == 0
    assert target.read_text() == "one\nTWO\nthree\n"


@pytest.mark.parametrize("extra", [["--json"], ["--events", "approval"]])
def test_for_a_program_nobody_is_asked(served: Any, extra: list[str]) -> None:
    """With --json or --events the call is refused in words also on a terminal."""
    one = served([shell("touch made"), "Done."])
    with Terminal(*ARGUMENTS, *extra, environment=one.environment) as terminal:
        assert terminal.ended() == 0
    assert "allow?" not in terminal.screen
    assert "this run allows only what is low-risk" in one.results[0]
    assert ('"event": "approval", "state": "refused"' in terminal.screen) is (extra[0] == "--events")
    assert not os.path.exists("made")


def test_the_answer_cannot_act_on_the_terminal(served: Any) -> None:
    """What the model answers is shown with its lines, and nothing in it that a terminal would obey."""
    server = served([Reply("first\x1b]0;owned\x07\nsecond\x9b2J line")])
    with Terminal(*ARGUMENTS, environment={**server.environment, "TERM": "dumb"}) as terminal:
        assert terminal.ended() == 0
        shown = terminal.plain
    assert "first" in shown
    assert "second" in shown
    assert not set(terminal.screen) & set("\x1b\x07\x9b")


def test_an_answer_that_means_nothing_is_said_to(served: Any) -> None:
    """One line says what was not understood, the choices stand below it; after Ctrl+C no live line is drawn again."""
    one = served([shell("echo one"), "Done."])
    with Terminal(*ARGUMENTS, environment=one.environment) as terminal:
        terminal.until("allow? ")
        terminal.type("perhaps\n")
        screen = terminal.until("allow? ", times=2)
        assert screen.count("not understood: 'perhaps'; type one of these") == 1
        terminal.type("\x03")
        assert terminal.ended() == 130
        assert "step 1" not in terminal.screen.partition("^C")[2]
