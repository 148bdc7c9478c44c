"""``sostenuto context``: what a person sees of a window, and what compacting and undoing say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sostenuto.cli import main
from tests.app.kept import files_of, opened, reviewed
from tests.cli.terminals import Terminal


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data home with one conversation."""
    place = tmp_path / "home"
    monkeypatch.setenv("SOSTENUTO_HOME", str(place))
    monkeypatch.chdir(tmp_path)
    reviewed(place)
    return place


def printed(capfd: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> tuple[str, str]:
    """Standard output and error of a command that ends with `code`."""
    assert main(["context", *arguments]) == code
    out, err = capfd.readouterr()
    return out, err


def as_json(capfd: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    """The one line of JSON that a command prints."""
    out, _ = printed(capfd, *arguments, "--json", code=code)
    assert out.count("\n") == 1
    return json.loads(out)


def test_it_shows_window_components_pieces_and_edits(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The window with its source and the date of what is published, tokens and shares, ten pieces, six edits; no line is too wide."""
    before = files_of(home)
    out, err = printed(capfd, "review")
    words = " ".join(out.split())
    assert (
        "8,000 tokens, set when the conversation was last used; the published limit of openai:gpt-4o is 128,000, as of 2024-08-06" in words
    )
    assert "1,600 tokens above 6,400" in words
    assert "result of read_file" in out
    assert out.count(" -> ") == 6
    assert max(map(len, out.splitlines())) <= 80
    assert "\x1b" not in out
    assert err == ""
    assert files_of(home) == before
    found = as_json(capfd, "review")
    assert sum(found["components"].values()) == found["tokens"]
    assert [edit["rung"] for edit in found["edits"]] == ["clear", "clear", "clear", "clear", "compact", "clear"]
    assert found["window"] == {
        "tokens": 8000,
        "source": "pinned",
        "date": None,
        "set": True,
        "setting": None,
        "published": 128000,
        "publishedDate": "2024-08-06",
    }


def test_a_terminal_has_a_grid(home: Path) -> None:
    """Ten rows of ten cells, with the letters of the components."""
    with Terminal("context", "review", environment={"TERM": "xterm"}) as terminal:
        assert terminal.ended() == 0
        rows = [
            line.split() for line in terminal.plain.splitlines() if len(line.split()) == 10 and all(len(cell) == 1 for cell in line.split())
        ]
    assert len(rows) == 10
    assert {cell for row in rows for cell in row} >= {"C", "a", "r", ".", "-"}


def test_another_window_is_only_looked_at(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """--window and --model say how it would be, with their sources."""
    assert "32,000 tokens, given with --window" in " ".join(printed(capfd, "review", "--window", "32k")[0].split())
    out = " ".join(printed(capfd, "review", "--model", "anthropic:claude-sonnet-4-5")[0].split())
    assert "200,000 tokens, the published limit of anthropic:claude-sonnet-4-5, as of " in out
    assert as_json(capfd, "review")["window"]["tokens"] == 8000


def test_dry_run_compact_and_undo(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The dry run names what would leave; the compaction what left and how to read it back and take it back; undo what came of it."""
    out, err = printed(capfd, "review", "--compact", "--dry-run")
    assert "m0-m80" in out
    assert "nothing was changed" in err
    assert as_json(capfd, "review", "--compact", "--dry-run")["left"][0]["key"] == "m0-m80"
    out, _ = printed(capfd, "review", "--compact")
    assert "m0-m80" in out
    assert "sostenuto context review --undo" in out
    out, _ = printed(capfd, "review", "--undo")
    assert "Edit 6 (cover) was undone" in out
    redone = as_json(capfd, "review", "--redo", "6")
    assert (redone["applied"], redone["edit"], redone["kept"]) == (True, 6, True)
    out, _ = printed(capfd, "review", "--undo", "4", code=1)
    assert "undo that one (edit 6) first" in out
    assert "(undone)" not in printed(capfd, "review")[0]


def test_nothing_to_compact_is_exit_code_one(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A second compaction at once changes nothing and says so."""
    reviewed(home, name="short", cycles=1)
    out, _ = printed(capfd, "short", "--compact", code=1)
    assert "Nothing was changed" in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--undo", "--redo"), "do not go together"),
        (("--undo", "--compact"), "do not go together"),
        (("--dry-run",), "add --compact"),
        (("--before", "m40"), "add --compact"),
        (("--undo", "x"), "not the number of an edit"),
        (("--undo", "3", "--window", "9k"), "no --model or --window"),
        (("--window", "0"), "not a number of tokens"),
    ],
)
def test_what_does_not_go_together_is_wrong_usage(
    arguments: tuple[str, ...], says: str, home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """One line says why, and nothing is touched."""
    before = files_of(home)
    _, err = printed(capfd, "review", *arguments, code=2)
    assert says in err
    assert files_of(home) == before


def test_one_in_use_says_who_has_it(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Looking works meanwhile; --compact and --undo are refused in one line."""
    manager = opened(home)
    try:
        printed(capfd, "review")
        printed(capfd, "review", "--compact", "--dry-run")
        for option in ("--compact", "--undo"):
            out, err = printed(capfd, "review", option, code=1)
            assert out == ""
            assert "review" in err
            assert err.count("\n") == 1
    finally:
        manager.close()
