"""``sostenuto work``: state, todos and journal of a conversation."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from sostenuto.cli import main
from sostenuto.stores.papers import FilePapers
from tests.app.kept import opened, reviewed


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data home with one conversation and its work."""
    place = tmp_path / "home"
    monkeypatch.setenv("SOSTENUTO_HOME", str(place))
    reviewed(place)
    papers = FilePapers(place / "work/default/review", home=place)
    assert papers.write("state", {"goal": "find the leak \x1b[31m", "nextStep": "read b.py"})
    done = {"content": "mend a.py", "status": "completed", "priority": "high"}
    assert papers.write("todos", [done, {**done, "content": "test it", "verifiedBy": "pytest"}, {"content": "tell", "status": "pending"}])
    return place


def test_it_shows_state_todos_and_the_newest_record(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A completed todo that nobody checked says so; records are counted; at most 500 characters of the newest; what is stored in KB."""
    assert main(["work", "show", "review"]) == 0
    out, err = capfd.readouterr()
    assert "Goal: find the leak \\x1b[31m" in out
    assert "[x] mend a.py (high) - nobody has checked it" in out
    assert "[x] test it (high) - checked by: pytest" in out
    assert "1 record in the journal" in out
    assert re.search(r"the newest, .*, without a model: 6,6\d\d -> 2,1\d\d tokens", out)
    assert "KB of state, todos and journal" in out
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) <= 80
    assert err == ""
    assert main(["work", "show", "review", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert (found["records"], len(found["newest"]["summary"]), len(found["todos"])) == (1, 500, 3)
    assert found["bytes"] > 1_000


def test_clearing_takes_the_work_and_leaves_the_history(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Without --yes where nobody can be asked it is wrong usage; with it the folder is gone and the conversation is not."""
    assert main(["work", "clear", "review"]) == 2
    assert "--yes" in capfd.readouterr().err
    assert (home / "work/default/review/journal.jsonl").exists()
    assert main(["work", "clear", "review", "--yes"]) == 0
    assert "cleared the work of review" in capfd.readouterr().out
    assert not (home / "work/default/review").exists()
    assert main(["conversations", "show", "review"]) == 0
    capfd.readouterr()
    assert main(["work", "show", "review"]) == 0
    assert "The list is empty" in capfd.readouterr().out
    assert main(["work", "clear", "review", "--yes"]) == 1
    assert "has no work" in capfd.readouterr().err


def test_work_of_one_in_use_is_not_cleared(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Whoever writes the conversation keeps its journal."""
    manager = opened(home)
    assert main(["work", "clear", "review", "--yes"]) == 1
    assert "review" in capfd.readouterr().err.splitlines()[-1]
    manager.close()
    assert (home / "work/default/review/journal.jsonl").exists()


def test_a_document_that_cannot_be_read_is_said(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Damaged and newer documents count as none, are named, and stay as they are."""
    (home / "work/default/review/state.json").write_text("{bad")
    (home / "work/default/review/todos.json").write_text('{"schema": 9, "value": []}')
    assert main(["work", "show", "review"]) == 0
    out, err = capfd.readouterr()
    assert "nothing is written down" in out
    assert "state.json: not JSON" in err
    assert "newer version (schema 9)" in err
    assert (home / "work/default/review/state.json").read_text() == "{bad"


@pytest.mark.parametrize("name", ["../x", "a\0b", "a" * 10_000, "nobody"])
def test_no_such_conversation_is_one_line(name: str, home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Names that cannot be one and names that are not there are wrong usage."""
    for arguments in (["show", name], ["clear", name, "--yes"]):
        assert main(["work", *arguments]) == 2
        out, err = capfd.readouterr()
        assert out == ""
        assert err.count("\n") == 1
