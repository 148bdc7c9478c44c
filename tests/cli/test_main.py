"""The program's edges: exit codes, one line for every mistake, a fast start, and readers that go away."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

from sostenuto.cli import main
from sostenuto.cli._main import COMMANDS, program

SOURCE = Path(__file__).resolve().parents[2] / "src"
RUN = [sys.executable, "-c", "import sys; from sostenuto.cli import main; sys.exit(main())"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SOURCE)}
TALK = [
    {"role": "user", "content": "Fix src/app.py"},
    {"role": "assistant", "content": "Done."},
    {"role": "user", "content": "And the tests?"},
    {"role": "assistant", "content": "Green."},
]


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    """A small recorded session."""
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(TALK))
    return path


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["tokenz"], 2, "did you mean 'tokens'"),
        (["replay"], 2, "FILE"),
        (["replay", "{talk}", "--window", "zero"], 2, "--window"),
        (["replay", "{talk}", "--counter", "o100k"], 2, "--counter"),
        (["replay", "{talk}", "--format", "nosuch"], 2, "--format 'nosuch'"),
        (["replay", "{talk}", "--format", "claude_cod"], 2, "did you mean 'claude_code'"),
        (["replay", "{talk}", "--window", "9000", "--set", "compct=0.7"], 2, "did you mean 'compact'"),
        (["replay", "{talk}", "--window", "9000", "--set", "compact=0.99"], 2, "trim line"),
        (["replay", "{talk}", "--window", "9000", "--summarizer", "nul"], 2, "did you mean 'null'"),
        (["replay", "{talk}", "--model", "nobody:nothing"], 2, "--window N"),
        (["replay", "{talk}", "--model", "openai:gpt4o"], 2, "did you mean 'openai:gpt-4o'"),
        (["replay", "{folder}/none.jsonl", "--window", "9000"], 1, "none.jsonl"),
        (["replay", "{folder}", "--window", "9000"], 1, "folder"),
        (["replay", "{talk}", "--window", "20"], 1, "talk.json, request 1: needs "),
        (["replay", "{talk}", "--window", "20"], 1, "give a larger one with --window N, or another --model (FixedPartTooLarge)"),
        (["replay", "{talk}", "--window", "9000", "--requests", "{folder}/none/out"], 1, "does not exist"),
        (["replay", "{talk}", "--window", "9000", "--requests", "{talk}"], 2, "is the file being read"),
        (["replay", "{talk}", "--window", "9000", "--requests", "-"], 2, "standard output carries the result"),
        (["replay", "{talk}", "--window", "9000", "--requests", ""], 2, "the name is empty"),
        (["replay", "{talk}", "--window", "9000", "--keep", ""], 2, "the name is empty"),
        (["replay", "{talk}", "--window", "9000", "--keep", "{folder}"], 2, "not a kept replay"),
        (["replay", "{talk}", "--window", "9000", "--requests", "/proc/x"], 1, "/proc/x: cannot be written"),
        (["replay", "{talk}", "--window", "9000", "--keep", "/proc/x"], 1, "/proc/x: cannot be written"),
        (["replay", "{talk}", "--window", "9000", "--requests", "/dev/full"], 1, "/dev/full: no space left"),
        (["replay", "{talk}", "--window", "9000", "--max-output", "9000"], 2, "--max-output"),
        (["replay", "{talk}", "--window", "9000", "--max-output", "9k"], 2, "a window of 9,000 tokens"),
        (["replay", "{talk}", "--window", "32q"], 2, "write 32000, 32k or 1m"),
        (["replay", "{talk}", "--window", "9000", "--set", "compact=12k"], 2, "not below the window of 9,000 tokens"),
        (["replay", "{talk}", "--window", "9000", "--set", "byte_limit=x"], 2, "bytes of attachments"),
        (["replay", "", "--window", "9000"], 2, "the name is empty"),
        (["tokens", ""], 2, "the name is empty"),
        (["recall", "--keep", "{folder}/none", ""], 2, "is empty"),
        (["recall", "--keep", "{folder}/none", " ", ""], 2, "is empty"),
        (["recall", "--keep", "{folder}/it's", "m1"], 1, "sostenuto replay FILE --keep '"),
        (["replay", "{talk}", "--window", "9000", "--keep", "{talk}"], 1, "is a file"),
        (["recall", "--keep", "{folder}/none", "m1"], 1, "no such folder"),
        (["recall", "--keep", "{folder}", "m1"], 1, "no kept replay"),
        (["tokens", "{folder}/none.txt"], 1, "none.txt"),
    ],
)
def test_every_mistake_is_one_line(arguments: list[str], code: int, says: str, talk: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Bad input gives its exit code, one line on stderr that names it, nothing on stdout and no new file."""
    before = sorted(talk.parent.iterdir())
    given = [word.format(talk=talk, folder=talk.parent) for word in arguments]
    assert main(given) == code
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("sostenuto: ")
    assert says in err
    assert sorted(talk.parent.iterdir()) == before


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("empty.jsonl", b"", "empty"),
        ("torn.jsonl", b'{"type": "user", "mess', "line 1"),
        ("words.jsonl", b"just words\n", "line 1"),
        ("digits.json", b'[{"role": "user", "content": "x", "n": ' + b"9" * 5_000 + b"}]", "a whole number has thousands of digits"),
        ("wide.jsonl", '[{"role": "user"}]'.encode("utf-16"), "UTF-16"),
        ("object.json", b'{"a": 1}', "not a recording"),
        ("silent.json", b'[{"role": "user", "content": "anyone there?"}]', "no recorded reply"),
    ],
)
def test_what_is_no_session_is_named(name: str, content: bytes, says: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A file that cannot be replayed fails with its name and the reason on one line."""
    path = tmp_path / name
    path.write_bytes(content)
    assert main(["replay", str(path), "--window", "9000"]) == 1
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert str(path) in err
    assert says in err


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_teaches_with_examples(command: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Each help page ends well and shows at least one command to copy."""
    assert main([command, "--help"] if command else ["--help"]) == 0
    out, err = capfd.readouterr()
    assert "Example" in out
    assert f"sostenuto {command}".strip() in out
    assert err == ""


def test_help_lists_what_there_is() -> None:
    """The lines of the command list equal the commands' files."""
    context = click.Context(program)
    for name in program.list_commands(context):
        command = program.get_command(context, name)
        assert command is not None
        assert command.name == name


def test_no_command_is_wrong_usage(capfd: pytest.CaptureFixture[str]) -> None:
    """Without a command the help is shown on stderr and the exit code is 2."""
    assert main([]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert "Commands:" in err


def test_version(capfd: pytest.CaptureFixture[str]) -> None:
    """The version is one line on stdout."""
    assert main(["--version"]) == 0
    assert capfd.readouterr().out.startswith("sostenuto ")


def test_help_starts_fast() -> None:
    """The start imports neither the engine nor a reader, and costs little processor time."""
    seen = subprocess.run(
        [sys.executable, "-c", "import sys; from sostenuto.cli import main; main(['--help']); print(*sys.modules)"],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    for heavy in ("sostenuto.app", "sostenuto.manager", "sostenuto.recordings.opening", "sostenuto.ladder", "asyncio"):
        assert heavy not in seen
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*RUN, "--help"], env=ENVIRONMENT, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 1.0


def test_a_reader_that_goes_away_is_no_traceback() -> None:
    """Printing into a closed pipe ends quietly."""
    with subprocess.Popen([*RUN, "replay", "--help"], env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        err = process.stderr.read()
    assert process.returncode in (0, 1)
    assert err == b""


def test_an_interrupt_ends_quietly(talk: Path, tmp_path: Path) -> None:
    """Ctrl-C while a summarizer program runs ends with 130, says nothing, and leaves no half-written file."""
    out = tmp_path / "out.jsonl"
    ready = tmp_path / "ready"
    waiting = f"import pathlib, time; pathlib.Path({str(ready)!r}).touch(); time.sleep(60)"
    script = (
        "import sys; from sostenuto.cli import main, _replay; import sostenuto.app as app\n"
        f"def replay(*rest, **more):\n exec({waiting!r})\n"
        "app.replay = replay\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script, "replay", str(talk), "--window", "9000", "--requests", str(out)],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    limit = time.monotonic() + 60
    while not ready.exists() and time.monotonic() < limit and process.poll() is None:
        os.sched_yield()
    process.send_signal(signal.SIGINT)
    said, err = process.communicate(timeout=60)
    assert (process.returncode, said, err) == (130, b"", b"")
    assert not out.exists()


def test_tokens_of_text(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A text file is counted, and the JSON says how: the components sum up to the tokens."""
    path = tmp_path / "words.txt"
    path.write_text("Hello, wide world! " * 20)
    assert main(["tokens", str(path), "--json"]) == 0
    out = capfd.readouterr().out
    assert out.count("\n") == 1
    found = json.loads(out)
    assert found["tokens"] == sum(found["components"].values()) > 0
    assert found["kind"] == "text"
    assert found["how"]
    assert main(["tokens", str(path), "--model", "anthropic:claude-sonnet-4-5"]) == 0
    assert capfd.readouterr().out.startswith("about ")


def test_tokens_of_a_session(talk: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A recorded session is counted by component, and they sum up to the tokens."""
    assert main(["tokens", str(talk), "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert {"user", "assistant", "framing"} <= set(found["components"])
    assert found["tokens"] == sum(found["components"].values())


def test_tokens_of_bytes_that_are_no_text(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Binary data is refused by name and offset."""
    path = tmp_path / "picture.png"
    path.write_bytes(b"\x89PNG\r\n\xff\xd8")
    assert main(["tokens", str(path)]) == 1
    assert "no UTF-8 text (byte 0x89 at offset 0)" in capfd.readouterr().err


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_any_terminal_can_be_printed_to(encoding: str, tmp_path: Path) -> None:
    """Text the terminal cannot show never ends in a traceback, and JSON is UTF-8 everywhere."""
    path = tmp_path / "gespr\u00e4ch.json"
    path.write_text(json.dumps([{"role": "user", "content": "\u4f60\u597d \ud83d\ude00"}, {"role": "assistant", "content": "\u597d"}]))
    environment = {**ENVIRONMENT, "PYTHONIOENCODING": encoding}
    kept = str(tmp_path / "kept")
    for arguments in (
        ["replay", str(path), "--window", "9000", "--keep", kept],
        ["recall", "--keep", kept, "m0.0"],
        ["recall", "--keep", kept, "m0.0", "--json"],
        ["tokens", str(path)],
        ["replay", str(tmp_path / "\u4f60.json"), "--window", "9000"],
    ):
        done = subprocess.run([*RUN, *arguments], env=environment, capture_output=True, check=False)
        assert b"Traceback" not in done.stderr
        assert done.returncode == (1 if "\u4f60" in arguments[1] else 0)
        done.stdout.decode("latin-1" if encoding == "latin-1" and "--json" not in arguments else "utf-8")


@pytest.mark.parametrize("words", [[], ["replay"], ["config", "get"]])
def test_help_is_a_word_too(words: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    """``help`` and ``help COMMAND`` print what ``--help`` does."""
    assert main(["help", *words]) == 0
    asked = capfd.readouterr().out
    assert main([*words, "--help"]) == 0
    assert asked == capfd.readouterr().out


def test_help_of_an_unknown_command_is_wrong_usage(capfd: pytest.CaptureFixture[str]) -> None:
    """``help`` with a misspelt command gives its nearest name."""
    assert main(["help", "reply"]) == 2
    assert "did you mean 'replay'" in capfd.readouterr().err


@pytest.mark.parametrize("command", ["", "convert", "models", "recall", "replay", "tokens", "verify"])
def test_help_fits_a_narrow_terminal(command: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """No line of a help page is wider than 60 columns on a terminal of 60."""
    monkeypatch.setenv("COLUMNS", "60")
    assert main([*command.split(), "--help"]) == 0
    assert [line for line in capfd.readouterr().out.splitlines() if len(line) > 60] == []


def test_replay_help_names_every_format(capfd: pytest.CaptureFixture[str]) -> None:
    """The names of --format are those of the readers."""
    from sostenuto.recordings.opening import FORMATS

    assert main(["replay", "--help"]) == 0
    out = " ".join(capfd.readouterr().out.split())
    assert f"insists on one of {', '.join(sorted(FORMATS))}." in out


def test_nothing_in_an_error_acts_on_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    """An error that quotes what was handed over shows its words, and nothing in it that a terminal would obey."""
    for arguments in (["tokens", "none\x1b]0;owned\x07\x9b2J.txt"], ["replay", "--window", "9\x1b[2J", "x"], ["\x1b[2Jrun"]):
        assert main(arguments) > 0
        err = capfd.readouterr().err
        assert err.startswith("sostenuto: ")
        assert not set(err) & set("\x1b\x07\x9b")
