"""``sostenuto inspect``: one conversation in full, on the terminal and as a page."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from sostenuto.cli import main
from tests.app.kept import files_of, opened, reviewed, transcript_file
from tests.cli.terminals import Terminal
from tests.reporting.stories import Parsed


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data home with one conversation."""
    place = tmp_path / "home"
    monkeypatch.setenv("SOSTENUTO_HOME", str(place))
    monkeypatch.chdir(tmp_path)
    reviewed(place)
    return place


def test_it_shows_transcript_timeline_checkpoint_and_journal(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """All four are there, every line fits, nothing is coloured in a pipe, and no file is touched."""
    before = files_of(home)
    assert main(["inspect", "review"]) == 0
    out, err = capfd.readouterr()
    for heading in ("Transcript", "What was done to the view", "Checkpoint in view", "Journal: 1 record"):
        assert heading in out.splitlines()
    assert re.search(r"behind m68 +#4 compact +6,6\d\d -> 2,1\d\d  m0-m60", out)
    assert "\x1b" not in out
    assert err == ""
    assert files_of(home) == before
    assert main(["inspect", "review", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert len(found["messages"]) == 89
    assert [event["rung"] for event in found["events"]] == ["clear", "clear", "clear", "clear", "compact", "clear"]
    assert found["checkpoint"].startswith("# Checkpoint")
    assert len(found["journal"]) == 1


def test_what_was_undone_says_so(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """An edit that is not in force is marked, and its undoing stands in the timeline."""
    manager = opened(home)
    manager.undo(5)
    manager.close()
    assert main(["inspect", "review"]) == 0
    out = capfd.readouterr().out
    assert "(undone)" in next(line for line in out.splitlines() if " #5 clear" in line)
    assert any(" #5 undo" in line for line in out.splitlines())


def test_a_terminal_has_colours_and_a_pager(home: Path) -> None:
    """On a terminal it goes through PAGER with colours; a narrow one has shorter lines."""
    with Terminal("inspect", "review", environment={"PAGER": "cat", "COLUMNS": "60"}) as terminal:
        assert terminal.ended() == 0
        assert "\x1b[" in terminal.screen
        transcript = terminal.plain.split("Transcript", 1)[1].split("What was done", 1)[0]
        assert max(map(len, transcript.splitlines())) <= 60


def test_the_page_is_written_whole(home: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """--html leaves one page with every request of the conversation; twice the same bytes; stdout stays empty."""
    out = tmp_path / "review.html"
    pages = []
    for _ in range(2):
        assert main(["inspect", "review", "--html", str(out)]) == 0
        printed, err = capfd.readouterr()
        assert printed == ""
        assert str(out) in err
        pages.append(out.read_bytes())
    assert pages[0] == pages[1]
    assert len(Parsed(pages[0].decode()).data["tokens"]) == 45
    assert main(["inspect", "review", "--html", str(tmp_path / "none" / "x.html")]) == 1
    assert "does not exist" in capfd.readouterr().err


def test_hostile_text_is_written_out(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Escapes in messages, in the checkpoint and in the journal do not reach the terminal raw."""
    reviewed(home, name="evil", task="look \x1b]0;owned\x07 \x9b31m \u202egnp here")
    assert main(["inspect", "evil", "--full"]) == 0
    out = capfd.readouterr().out
    assert out.count("\\x1b]0;owned") >= 3
    assert not set(out) & set("\x1b\x9b\x07\u202e")


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda path: path.write_bytes(b"\x00\xffgarbage" * 100), "no transcript"),
        (lambda path: path.write_text(path.read_text().replace('"schema":1', '"schema":9', 1)), "newer version"),
        (lambda path: path.unlink(), "only its work"),
        (lambda path: path.write_text(path.read_text().replace("openai_chat", "martian", 1)), "not known"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_one_line(spoil: object, says: str, home: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Corrupt, foreign and newer files are named in one line by every command, and stay as they are."""
    assert callable(spoil)
    spoil(transcript_file(home))
    before = files_of(home)
    for command in (
        ["inspect", "review"], ["inspect", "review", "--html", str(tmp_path / "x.html")], ["context", "review"],
        ["context", "review", "--compact"], ["context", "review", "--undo"], ["conversations", "show", "review"],
        ["conversations", "export", "review"],
    ):  # fmt: skip
        assert main(command) == 1
        out, err = capfd.readouterr()
        assert out == ""
        assert says in err
        assert err.count("\n") == 1
    assert files_of(home) == before


def test_a_record_without_sense_is_left_out_and_said(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A message with a number that none can have costs itself: everything else is shown, and that it was left out is said."""
    assert main(["inspect", "review"]) == 0
    whole, _ = capfd.readouterr()
    path = transcript_file(home)
    path.write_text(path.read_text() + '{"seq":9000,"ordinal":999999999999,"raw":{}}\n')
    assert main(["inspect", "review"]) == 0
    out, _ = capfd.readouterr()
    said = "conversation review: records that make no sense were left out (1)\n"
    assert said in out
    assert out.replace(said, "") == whole
    assert main(["inspect", "review", "--html", str(path.parent.parent / "x.html")]) == 0


def test_a_torn_end_is_left_out(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A last line that was never acknowledged is not shown, and nothing is written for it."""
    path = transcript_file(home)
    path.write_bytes(path.read_bytes()[:-40])
    before = files_of(home)
    assert main(["inspect", "review", "--json"]) == 0
    assert len(json.loads(capfd.readouterr().out)["messages"]) == 88
    assert files_of(home) == before


@pytest.mark.parametrize("line", ['{"seq":9000,"fork":[1]}', '{"seq":9000,"ordinal":1000000000000,"raw":{}}', '{"seq":9000,"ordinal":"x"}'])
def test_a_record_that_makes_no_sense_is_gone_around(line: str, home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Looking at a conversation with such a record shows what it shows without it."""
    assert main(["conversations", "show", "review"]) == 0
    before = capfd.readouterr().out
    path = transcript_file(home)
    path.write_text(path.read_text() + line + "\n")
    assert main(["conversations", "show", "review"]) == 0
    assert capfd.readouterr().out == before


def test_less_shows_colours(home: Path) -> None:
    """Without PAGER and LESS the pager is less and shows colours as such; no escape code is written out."""
    with Terminal("inspect", "review", environment={"PAGER": "", "LESS": ""}) as terminal:
        terminal.until("Transcript")
        terminal.type("q")
        terminal.ended()
        assert "ESC" not in terminal.screen
