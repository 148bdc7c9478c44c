"""``--report``: the page of a replay and of the demo, written whole or not at all, telling what the terminal tells."""

from __future__ import annotations

import gzip
import json
import os
import re
from pathlib import Path

import pytest

from sostenuto.cli import main
from tests.cli.test_replay import session
from tests.reporting.stories import Parsed


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A session as a gzipped file."""
    path = tmp_path / "session.json.gz"
    path.write_bytes(gzip.compress(json.dumps(session(40)).encode()))
    return path


def sentence(printed: str) -> str:
    """The verdict as the terminal printed it, in one line."""
    return re.search(r"All [\d,]+ requests fit .*? keys?\.", " ".join(printed.split())).group()  # type: ignore[union-attr]


def test_a_replay_leaves_a_page_that_says_what_the_terminal_says(recorded: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The verdict is the same sentence, every request is in the data, what was set is named, and two runs write the same bytes."""
    out, kept = tmp_path / "report.html", tmp_path / "my kept"
    command = ["replay", str(recorded), "--window", "8000", "--set", "cycles=4", "--keep", str(kept), "--report", str(out)]
    pages = []
    for _ in range(2):
        assert main(command) == 0
        printed, err = capfd.readouterr()
        assert err == ""
        pages.append(out.read_bytes())
    assert pages[0] == pages[1]
    parsed = Parsed(pages[0].decode())
    assert sentence(printed) in parsed.words
    assert "--set cycles" in parsed.words
    assert "8,000 tokens, given with --window" in parsed.words
    data = parsed.data
    assert len(data["tokens"]) == 41
    assert data["keep"] == f"'{kept}'"
    assert [sum(bands) for bands in zip(*data["bands"], strict=True)] == data["tokens"]
    assert {event[0] for events in data["events"].values() for event in events} >= {"clear", "compact"}
    levels = {data["levels"][level] for level in data["messages"]["level"]}
    assert levels == {"whole", "cleared", "written by Sostenuto"}


def test_the_demo_leaves_a_page_too(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """All 40 requests are in it, with the rungs of the demo, and its verdict is the one that was printed."""
    out = tmp_path / "demo.html"
    assert main(["demo", "--report", str(out)]) == 0
    parsed = Parsed(out.read_text(encoding="utf-8"))
    assert sentence(capfd.readouterr().out) in parsed.words
    assert len(parsed.data["tokens"]) == 40
    assert {"clear", "compact", "trim", "recover"} <= set(parsed.data["marks"])


@pytest.mark.parametrize("command", [["demo"], ["replay", "FILE", "--window", "8000"]])
@pytest.mark.parametrize("place", ["missing/report.html", "."])
def test_a_place_that_cannot_be_written_is_one_line(
    command: list[str], place: str, recorded: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A folder that is not there, or a folder where a file was meant, ends with exit code 1 and one line, before any work."""
    words = [str(recorded) if word == "FILE" else word for word in command]
    assert main([*words, "--report", str(tmp_path / place)]) == 1
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert str(tmp_path) in err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_one_line(recorded: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Where the folder may not be written in, the line says so and names the file."""
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    assert main(["replay", str(recorded), "--window", "8000", "--report", str(locked / "report.html")]) == 1
    err = capfd.readouterr().err
    assert (err.count("\n"), "no permission" in err) == (1, True)


def test_one_file_is_not_named_twice(recorded: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The requests and the report cannot share a file, and neither can be the recording."""
    same = str(tmp_path / "out")
    assert main(["replay", str(recorded), "--window", "8000", "--requests", same, "--report", same]) == 2
    assert "named for two results" in capfd.readouterr().err
    assert main(["replay", str(recorded), "--window", "8000", "--report", str(recorded)]) == 2
    assert not Path(same).exists()


def test_a_session_without_a_request_leaves_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Without a recorded reply there is one line, exit code 1, and no page."""
    path, out = tmp_path / "empty.json", tmp_path / "report.html"
    path.write_text(json.dumps([{"role": "user", "content": "hello"}]))
    assert main(["replay", str(path), "--window", "8000", "--report", str(out)]) == 1
    assert capfd.readouterr().err.count("\n") == 1
    assert not out.exists()


def test_as_sent_and_anthropic_are_told_too(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A history that restarts and a wire whose results stand in user messages have a page whose bands sum up."""
    path, out = tmp_path / "session.json", tmp_path / "report.html"
    messages = [{"role": "user", "content": "Read the files."}]
    for number in range(30):
        call = {"type": "tool_use", "id": f"t{number}", "name": "Read", "input": {"file_path": f"/src/{number}.py"}}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": f"line {number}\n" * 90}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]  # type: ignore[dict-item]
    path.write_text(json.dumps([*messages, {"role": "assistant", "content": "done"}]))
    for history in ("full", "as-sent"):
        assert main(["replay", str(path), "--window", "6000", "--history", history, "--report", str(out)]) == 0
        data = Parsed(out.read_text(encoding="utf-8")).data
        assert [sum(bands) for bands in zip(*data["bands"], strict=True)] == data["tokens"]
        roles = {data["messages"]["roles"][role] for role in data["messages"]["role"]}
        assert roles >= {"user", "assistant", "results", "checkpoint"}
        assert -1 not in [o for o, level in zip(data["messages"]["ordinal"], data["messages"]["level"], strict=True) if level in (1, 2)]
