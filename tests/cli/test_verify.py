"""``sostenuto verify``: the verdict on a person's own session, in words and in JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sostenuto.app import installed_peers, peer_names
from sostenuto.cli import main

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A session whose reads are several times a window of 4,000 tokens."""
    made: list[dict[str, Any]] = [{"role": "user", "content": "Read everything."}]
    for number in range(30):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "read_file", "arguments": f'{{"path": "src/{number}.py"}}'}}
        made.append({"role": "assistant", "content": "", "tool_calls": [call]})
        made.append({"role": "tool", "tool_call_id": f"c{number}", "content": f"part_{number:05} " + "word " * 300})
    path = tmp_path / "session.json"
    path.write_text(json.dumps([*made, {"role": "assistant", "content": "It was part_00002."}]), encoding="utf-8")
    return path


def test_it_says_in_words_what_is_kept_lost_and_paid(session: Path, capsys: Capture) -> None:
    """The answer names the window, what doing nothing would mean, and what our engine fits, keeps, loses, gives back and costs."""
    assert main(["verify", str(session), "--window", "4k", *alone()]) == 0
    out = capsys.readouterr().out
    for words in ("62 messages, 31 requests", "4,000 tokens", "would be refused as too long", "Sostenuto"):
        assert words in " ".join(out.split())
    for word in ("fits", "keeps", "out of view", "gives back", "costs", "takes"):
        assert f"\n  {word} " in out
    assert "the first request in 100 % of the requests" in " ".join(out.split())


def alone() -> list[str]:
    """Options that keep a run to one peer, so that a machine with many libraries is as quick as one with none; none where none is there."""
    here = set(installed_peers())
    return [word for name in peer_names() if name in here for word in ("--peer", name)][:2]


def test_a_peer_that_is_not_installed_is_said_with_its_remedy(session: Path, capsys: Capture) -> None:
    """Asking by name for a library that is not there fails before any work, with what to install."""
    if "strands-sliding" in installed_peers():
        pytest.skip("the library is installed here")
    assert main(["verify", str(session), "--window", "4k", "--peer", "strands-sliding"]) == 1
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert "strands-agents is not installed here; pip install strands-agents" in told.err


def test_the_figures_are_one_line_of_json(session: Path, capsys: Capture) -> None:
    """--json prints one object with the verdict on every strategy."""
    assert main(["verify", str(session), "--window", "4k", "--json", *alone()]) == 0
    out = capsys.readouterr().out
    found = json.loads(out)
    assert out.count("\n") == 1
    assert (found["session"], found["requests"], found["window"]) == (str(session), 31, 4000)
    ours = found["strategies"][0]
    assert (ours["title"], ours["verdict"]["over"], ours["verdict"]["recoverable"]) == ("Sostenuto", 0, 1.0)


def test_a_window_that_holds_everything_is_said_to(session: Path, capsys: Capture) -> None:
    """Where nothing has to leave, the answer says so and how long the longest request is."""
    assert main(["verify", str(session), "--window", "1m", *alone()]) == 0
    assert "Nothing has to be left out" in capsys.readouterr().out


def test_a_window_that_holds_nothing_is_said_to(session: Path, capsys: Capture) -> None:
    """Where not one request can be made, the answer says how many and what the engine said, invents no shares, and fails."""
    assert main(["verify", str(session), "--window", "5", *alone()]) == 1
    out, err = capsys.readouterr()
    assert "not one of its 31 requests can be made in a window of 5 tokens; give a larger one with --window N" in err
    assert err.count("\n") == 1
    assert "31 requests could not be made" in out
    assert "FixedPartTooLarge" in out
    assert "keeps" not in out.split("LangChain")[0]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('[{"role": "user", "content": "hi"}]', "no recorded reply"),
        ("[]", "an empty list"),
        ("", "the file is empty"),
        ("{", "cut off"),
    ],
)
def test_a_session_without_a_request_is_one_line_of_error(content: str, words: str, tmp_path: Path, capsys: Capture) -> None:
    """One message, none, and no session at all fail with one line that names the file."""
    path = tmp_path / "odd.json"
    path.write_text(content, encoding="utf-8")
    assert main(["verify", str(path)]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert words in told.err
    assert "odd.json" in told.err


def test_an_unknown_peer_is_wrong_usage_with_a_suggestion(session: Path, capsys: Capture) -> None:
    """A misspelt name ends with code 2 and the nearest known one."""
    assert main(["verify", str(session), "--peer", "langchian-trim"]) == 2
    assert "did you mean 'langchain-trim'" in capsys.readouterr().err


def test_the_names_of_peers_can_be_listed(capsys: Capture) -> None:
    """--peer help prints every name and needs a session only by form."""
    assert main(["verify", "x", "--peer", "help"]) == 0
    assert "langchain-trim" in capsys.readouterr().out.splitlines()


def test_what_left_early_is_not_called_needless(session: Path, capsys: Capture) -> None:
    """Where everything would fit but results left view, the answer says that they left early instead of that nothing had to."""
    assert main(["verify", str(session), "--window", "15k", *alone()]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "every request would fit" in out
    assert "Nothing has to be left out" not in out
    assert "tool results that left" in out


@pytest.mark.parametrize("columns", ["60", "80", "100"])
def test_lines_fit_the_terminal(columns: str, session: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    """No line of the answer is wider than the terminal, except one with the file's own name."""
    monkeypatch.setenv("COLUMNS", columns)
    for window in ("4k", "5"):
        main(["verify", str(session), "--window", window, *alone()])
        out = capsys.readouterr().out
        assert [line for line in out.splitlines() if len(line) >= int(columns) and str(session) not in line] == []
