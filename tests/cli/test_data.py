"""``sostenuto data``: what is kept, purged and copied."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from sostenuto.cli import main
from tests.app.kept import files_of, reviewed
from tests.cli.terminals import Terminal


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data home with one conversation."""
    place = tmp_path / "home"
    monkeypatch.setenv("SOSTENUTO_HOME", str(place))
    reviewed(place)
    return place


def test_it_shows_where_and_how_much(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The place, every kind with bytes and files, and the sum; a data home that is not there is said to be so."""
    assert main(["data"]) == 0
    out, err = capfd.readouterr()
    assert str(home) in out
    assert [line.split()[0] for line in out.splitlines()[1:]] == [
        *("history", "archive", "work", "tool-results", "scratchpad", "telemetry", "cache", "together"),
    ]  # fmt: skip
    assert max(map(len, out.splitlines()[1:])) <= 80
    assert err == ""
    assert main(["data", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert found["kinds"]["history"]["bytes"] == sum(len(data) for name, data in files_of(home).items() if name.startswith("history"))


def test_a_home_that_is_not_there_is_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """Nothing is made by looking."""
    monkeypatch.setenv("SOSTENUTO_HOME", str(tmp_path / "none"))
    assert main(["data"]) == 0
    assert "not there yet" in capfd.readouterr().out
    assert not (tmp_path / "none").exists()
    assert main(["data", "--export", str(tmp_path / "x.tar.gz")]) == 1
    assert not (tmp_path / "x.tar.gz").exists()


def test_purging_asks_first(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Where nobody can be asked nothing goes without --yes; with it what is old enough goes, and how much that was is said."""
    before = files_of(home)
    assert main(["data", "--purge", "history", "--older-than", "0"]) == 2
    err = capfd.readouterr().err
    assert "everything goes for good however new it is" in err
    assert "--yes" in err
    assert main(["data", "--purge", "history", "--older-than", "30", "--yes"]) == 0
    assert "0 files" in capfd.readouterr().out
    assert files_of(home) == before
    assert main(["data", "--purge", "history", "--older-than", "0", "--yes"]) == 0
    assert "purged history" in capfd.readouterr().out
    assert not files_of(home)


def test_a_person_may_say_no(home: Path) -> None:
    """A no at the terminal leaves everything."""
    before = files_of(home)
    with Terminal("data", "--purge", "history", "--older-than", "0") as terminal:
        terminal.until("go on? [y/N]: ")
        terminal.type("\n")
        assert terminal.ended() == 1
    assert files_of(home) == before


@pytest.mark.parametrize(
    "arguments",
    [
        ("--purge", "history"),
        ("--older-than", "3"),
        ("--purge", "../x", "--older-than", "3"),
        ("--purge", "history", "--older-than", "nan", "--yes"),
        ("--purge", "history", "--older-than", "-1", "--yes"),
        ("--purge", "history", "--older-than", "x"),
        ("--purge", "history", "--older-than", "3", "--export", "x"),
    ],
)
def test_what_is_no_purge_is_wrong_usage(arguments: tuple[str, ...], home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """One line, and nothing is touched or asked."""
    before = files_of(home)
    assert main(["data", *arguments]) == 2
    assert capfd.readouterr().err.count("\n") == 1
    assert files_of(home) == before


def test_export_writes_a_copy_for_its_owner(home: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The archive is complete and closed to others; a place that cannot be written is one line."""
    target = tmp_path / "copy.tar.gz"
    assert main(["data", "--export", str(target), "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    with tarfile.open(target) as archive:
        assert len(archive.getnames()) == found["files"]
    assert target.stat().st_mode & 0o777 == 0o600
    assert main(["data", "--export", str(tmp_path / "none" / "x")]) == 1
    assert "does not exist" in capfd.readouterr().err
