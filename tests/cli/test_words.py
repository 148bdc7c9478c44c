"""What is said beside the numbers: how they were counted, what was not used, what to beware of, what compares with what."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from sostenuto import app
from sostenuto.cli import main
from sostenuto.cli._settings import engine_settings
from tests.cli.test_replay import session

CLAUDE = "anthropic:claude-sonnet-4-5"


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A session with instructions and a tool."""
    path = tmp_path / "session.json"
    tool = {"type": "function", "function": {"name": "read_file", "description": "Read a file. " * 30, "parameters": {"type": "object"}}}
    system = {"role": "system", "content": "Be brief. " * 100}
    path.write_text(json.dumps({"messages": [system, *session(30)], "tools": [tool]}))
    return path


def printed(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> tuple[str, str]:
    """Standard output as one line, and standard error, of a command that succeeds."""
    assert main(arguments) == 0
    out, err = capfd.readouterr()
    return " ".join(out.split()), err


@pytest.mark.parametrize("counter", ["o200k", "family", "recorded"])
def test_doing_nothing_is_comparable(counter: str, recorded: Path) -> None:
    """Where no rung fires, doing nothing has exactly the tokens of what was sent, instructions, tools and retrieval tools included."""
    never = app.replay(recorded, app.ReplayOptions(window=10**9, counter=counter))
    assert list(never.unedited) == [row.tokens for row in never.rows]
    small = app.replay(recorded, app.ReplayOptions(window=8_000, counter=counter))
    assert [round(a / b, 2) for a, b in zip(small.unedited, never.unedited, strict=True)] == [1.0] * len(never.unedited)
    assert any(plain > row.tokens for plain, row in zip(small.unedited, small.rows, strict=True))


def test_doing_nothing_grows_by_what_was_learned(tmp_path: Path) -> None:
    """With recorded usage three times the estimate, doing nothing stays on the same scale."""
    path = tmp_path / "claude.jsonl"
    lines: list[dict[str, Any]] = []
    for number in range(30):
        asked = {"role": "user", "content": f"Part {number}. " + "Look at every line of it, then go on. " * 40}
        usage = {"input_tokens": 3_000 + 1_200 * (number + 1), "output_tokens": 5}
        reply = {"role": "assistant", "model": "claude-sonnet-4-5", "content": [{"type": "text", "text": "Done."}], "usage": usage}
        for kind, message in (("user", asked), ("assistant", {**reply, "id": f"msg{number}"})):
            parent = lines[-1]["uuid"] if lines else None
            lines.append({"type": kind, "uuid": f"u{len(lines)}", "parentUuid": parent, "sessionId": "s", "message": message})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = app.replay(path, app.ReplayOptions(window=16_000, counter="recorded"))
    assert len(found.rows) == 30
    assert all(plain >= row.tokens for plain, row in zip(found.unedited, found.rows, strict=True) if not row.nudges)
    assert abs(found.unedited[-1] / (3_000 + 1_200 * 30) - 1) < 0.2


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--window", "9k"], "counted with o200k, exact for OpenAI models since gpt-4o, summaries"),
        (["--window", "9k", "--model", CLAUDE], f"gpt-4o, not as {CLAUDE} counts (--counter family does)"),
        (["--window", "9k", "--model", "openai:gpt-4o"], "counted with o200k (exact for openai:gpt-4o)"),
        (["--window", "9k", "--model", "openai:gpt-4"], "not as openai:gpt-4 counts"),
        (["--window", "9k", "--model", CLAUDE, "--counter", "family"], f"for {CLAUDE}"),
        (["--model", "openai:gpt-4o"], "counted with o200k (exact), summaries"),
    ],
)
def test_the_summary_says_how_it_counted(options: list[str], says: str, recorded: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Exact is said only of the models for which it is, and a model that was not asked is named with the remedy."""
    out, err = printed(["replay", str(recorded), *options], capfd)
    assert says in out
    assert err == ""


@pytest.mark.parametrize("command", [["replay", "--window", "9k", "--json"], ["tokens"]])
def test_a_misspelt_model_does_not_pass_silently(command: list[str], recorded: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A model that is in no catalogue is said on standard error with the nearest name, even where nothing depends on it."""
    _, err = printed([*command, str(recorded), "--model", "openai:gtp-4o"], capfd)
    assert err.count("\n") == 1
    assert "'openai:gtp-4o' is not in the catalogue (did you mean 'openai:gpt-4o'?);" in err


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ('{"role": "user", "content": "x"}\n{torn\n{"role": "assistant", "content": "y"}\n', "line 2"),
        ('[{"role": "user", "content": "x"}, {"role": "assis', "cut off"),
        ('{"role": "user", "content": "x"}\n{"role": "assistant", "content": "y"}\n{"role": "us', "line 3: the last line stops"),
    ],
)
def test_a_damaged_session_is_not_passed_over(content: str, says: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Standard error names file, line and reason where a session was counted as text, or without its last line."""
    path = tmp_path / "damaged.jsonl"
    path.write_text(content)
    _, err = printed(["tokens", str(path)], capfd)
    assert err.startswith("sostenuto: ")
    assert err.count("\n") == 1
    assert str(path) in err
    assert says in err


@pytest.mark.parametrize("content", ["just words", "[1, 2, 3]", "[12:01] a log line", '{"name": "package"}', "{not a session}"])
def test_other_text_is_counted_without_a_word(content: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Text that is no session, JSON or not, is plain text and needs no remark."""
    path = tmp_path / "words"
    path.write_text(content)
    out, err = printed(["tokens", str(path)], capfd)
    assert (err, "text," in out) == ("", True)


def test_one_is_singular_and_lines_fit(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """One token, one character, one message; no line is wider than 79 columns."""
    path = tmp_path / "one"
    path.write_text("a")
    assert printed(["tokens", str(path)], capfd)[0].startswith("1 token text 1 100 % text, 1 character, counted with o200k")
    path.write_text(json.dumps([{"role": "user", "content": "a"}]))
    assert main(["tokens", str(path), "--model", CLAUDE]) == 0
    out = capfd.readouterr().out
    assert "1 message, 1 character" in out
    assert max(map(len, out.splitlines())) < 80


def test_a_line_in_tokens_fires_there(recorded: Path) -> None:
    """B027: with compact=5k a window of 16,000 tokens is compacted near 5,000 whether the window is given or looked up."""

    def settings(tokens: int) -> Any:
        return engine_settings([("compact", "5k"), ("gain", "1")], window=tokens)

    found = app.replay(recorded, app.ReplayOptions(window=16_000, settings=settings))
    first = next(event for row in found.rows for event in row.events if event.rung == "compact")
    assert first.tokens_before > 5_000
    assert max(row.tokens for row in found.rows) <= 5_000 + 1_000


@pytest.mark.parametrize("words", [["m99999"], ["zebra"], ["zebra", "crossing"]])
def test_what_is_not_kept_fails_the_same_way(words: list[str], recorded: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A key, a word and several words that name nothing each give exit code 1 and one line that names the folder."""
    folder = recorded.parent / "kept"
    assert main(["replay", str(recorded), "--window", "8k", "--keep", str(folder), "--json"]) == 0
    capfd.readouterr()
    assert main(["recall", "--keep", str(folder), *words]) == 1
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"sostenuto: {folder}: ")
    if words[0] == "zebra":
        assert f"nothing kept has the key or the words {' '.join(words)!r}" in err


def test_set_help_needs_no_session(capfd: pytest.CaptureFixture[str]) -> None:
    """The list of settings is printed without a file."""
    out, _ = printed(["replay", "--set", "help"], capfd)
    assert "byte_limit, now none bytes of attachments a request may hold" in out


def test_a_skipped_message_is_named(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Where nothing is left to replay, the message whose role nobody knows is named with its place."""
    path = tmp_path / "odd.json"
    path.write_text(json.dumps([{"role": "wizard", "content": "x"}, {"role": "assistant", "content": "y"}]))
    assert main(["replay", str(path), "--window", "9k"]) == 1
    err = capfd.readouterr().err
    assert "line 1 was left out" in err
    assert "wizard" in err


def test_set_help_is_for_who_sets(capfd: pytest.CaptureFixture[str]) -> None:
    """The list of settings names no decision, and the warn line and the compact line have a sentence each."""
    out, _ = printed(["replay", "--set", "help"], capfd)
    assert re.findall(r"\b[BD]\d{1,3}\b|origin|algorithms", out) == []
    assert "warn, now 0.7 above this the person is told that the window fills up." in out
    assert "compact, now 0.8 above this older history is replaced by a checkpoint." in out


def test_a_suggestion_is_really_alike(recorded: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A name like no other gets no suggestion."""
    assert main(["replay", str(recorded), "--model", "foo:bar"]) == 2
    err = capfd.readouterr().err
    assert "did you mean" not in err
    assert "name the window with --window N" in err


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """Four messages, one a line, and a broken line between them."""
    path = tmp_path / "broken.jsonl"
    lines = [json.dumps(message) for message in session(2)]
    path.write_text("\n".join([*lines[:2], '{"role": "us', *lines[2:]]) + "\n")
    return path


@pytest.mark.parametrize("command", [["replay", "--window", "9k"], ["convert", "--to", "anthropic"], ["verify", "--window", "9k"]])
def test_a_broken_line_stops_and_names_the_way_on(command: list[str], broken: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A broken line in the middle is an error that names file, line, reason and the option that goes on without it."""
    assert main([command[0], str(broken), *command[1:]]) == 1
    err = capfd.readouterr().err
    assert f"{broken}, line 3: the JSON is cut off in the middle" in err
    assert err.endswith("or go on without it: --skip-broken-lines\n")


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (["replay", "--window", "9k"], "left out because it cannot be read: line 3"),
        (["tokens"], "line 3: the line is broken: the JSON is cut off in the middle; it was not counted"),
        (["convert", "--to", "anthropic"], "line 3 was left out: the line is broken"),
    ],
)
def test_a_broken_line_can_be_skipped(command: list[str], says: str, broken: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """With --skip-broken-lines the rest is read and the line is named."""
    _, err = printed([command[0], str(broken), *command[1:], "--skip-broken-lines"], capfd)
    assert says in err


@pytest.mark.parametrize("key", ["m1.0", "M1.0", "M1"])
def test_keys_are_taken_in_any_case(key: str, recorded: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A key in capital letters names the same piece."""
    folder = recorded.parent / "kept"
    assert main(["replay", str(recorded), "--window", "8k", "--keep", str(folder), "--json"]) == 0
    capfd.readouterr()
    out, _ = printed(["recall", "--keep", str(folder), key], capfd)
    assert out
