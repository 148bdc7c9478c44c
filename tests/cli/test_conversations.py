"""``sostenuto conversations``: what a person types about what is kept, and what comes back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sostenuto.cli import main
from sostenuto.stores.shelf import Shelf
from tests.app.kept import TASK, files_of, opened, reviewed
from tests.cli.terminals import Terminal


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data home, with one conversation of the usual agent and one of another."""
    place = tmp_path / "home"
    monkeypatch.setenv("SOSTENUTO_HOME", str(place))
    monkeypatch.chdir(tmp_path)
    reviewed(place)
    reviewed(place, name="other", agent="helper", cycles=3)
    return place


def printed(capfd: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> tuple[str, str]:
    """Standard output and error of a command that ends with `code`."""
    assert main(["conversations", *arguments]) == code
    out, err = capfd.readouterr()
    return out, err


def as_json(capfd: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """The one line of JSON that a command prints."""
    out, _ = printed(capfd, *arguments, "--json")
    assert out.count("\n") == 1
    return json.loads(out)


def test_a_list_has_a_line_for_each(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Name, messages, size, when it was used and the first words; those of others with --all; archived ones are marked."""
    out, err = printed(capfd, "list")
    assert err == ""
    assert [line.split()[:2] for line in out.splitlines()] == [["name", "messages"], ["review", "89"]]
    assert TASK[:20] in out
    out, _ = printed(capfd, "list", "--all")
    assert "helper/other" in out
    Shelf(home).archive("default", keep=0)
    assert "(archived)" in printed(capfd, "list")[0]
    entries = as_json(capfd, "list", "--all")["conversations"]
    assert {(one["agent"], one["conversation"], one["messages"], one["archived"]) for one in entries} == {
        ("default", "review", 89, True),
        ("helper", "other", 7, False),
    }


def test_an_empty_list_says_how_to_begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """Without a data home nothing is printed, a hint is said, and none is made."""
    monkeypatch.setenv("SOSTENUTO_HOME", str(tmp_path / "none"))
    out, err = printed(capfd, "list")
    assert out == ""
    assert "sostenuto run --conversation" in err
    assert not (tmp_path / "none").exists()


def test_messages_are_shown_with_key_role_and_level(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Every message has a line with its key and who speaks; what left the view says so; with --full all lines are there."""
    out, _ = printed(capfd, "show", "review")
    assert [line.split()[0] for line in out.splitlines() if line.startswith("m")] == [f"m{number}" for number in range(89)]
    assert "m2   tool       [covered] line of file 0 with words" in out
    assert "call read_file" in out
    assert max(map(len, out.splitlines())) <= 80
    full, _ = printed(capfd, "show", "review", "--full")
    assert full.count("line of file 0 with words") == 60
    said = as_json(capfd, "show", "review")
    assert len(said["messages"]) == 89
    assert said["messages"][2]["parts"][0]["level"] == "covered"
    assert "level" not in said["messages"][88]["parts"][0]


def test_a_search_finds_keys_in_every_conversation(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Finds stand under their conversation, in the archive too; nothing found is exit code 1 and a hint."""
    reviewed(home, name="second", cycles=3)
    Shelf(home).archive("default", keep=1)
    out, _ = printed(capfd, "search", "line", "of", "file", "2", "with")
    assert out.splitlines()[0].startswith(("review", "second"))
    assert {"review", "second"} <= {line.split()[0] for line in out.splitlines() if not line.startswith(" ")}
    found = as_json(capfd, "search", "line of file 2 with")
    assert {one["conversation"] for one in found["conversations"]} == {"review", "second"}
    out, err = printed(capfd, "search", "unheard-of", code=1)
    assert out == ""
    assert "try fewer or other words" in err
    printed(capfd, "search", "  ", code=2)


def test_words_that_are_a_listing_are_searched_too(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A search for a word that recall knows as an address finds the word, not the listing."""
    reviewed(home, name="asked", cycles=1, task="count the requests")
    found = as_json(capfd, "search", "requests")
    assert [hit["key"] for one in found["conversations"] for hit in one["hits"]] == ["m0.0"]


def test_export_and_import_make_a_copy(home: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A log from stdout comes in under another name; a file is its owner's only; a taken name is wrong usage."""
    out, err = printed(capfd, "export", "review")
    assert "89 messages as log" in err
    path = tmp_path / "review.jsonl"
    path.write_text(out)
    out, _ = printed(capfd, "import", str(path), "--as", "copy")
    assert out.startswith("copy: 89 messages and 6 edits of a log file")
    _, err = printed(capfd, "import", str(path), "--as", "copy", code=2)
    assert "nothing is written over it" in err
    printed(capfd, "export", "copy", "--to", "anthropic", "--out", str(tmp_path / "body.json"))
    assert (tmp_path / "body.json").stat().st_mode & 0o777 == 0o600
    assert json.loads((tmp_path / "body.json").read_text())["messages"][0]["role"] == "user"
    entry = as_json(capfd, "export", "copy", "--to", "gemini")
    assert entry["body"]["contents"]
    _, err = printed(capfd, "export", "copy", "--to", "gemni", code=2)
    assert "did you mean 'gemini'" in err


def test_deleting_asks_and_says_what_goes(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Where nobody can be asked nothing goes without --yes; with it all of it goes, and what that was is said."""
    before = files_of(home)
    _, err = printed(capfd, "delete", "review", code=2)
    assert "89 messages" in err
    assert "--yes" in err
    assert files_of(home) == before
    out, _ = printed(capfd, "delete", "review", "--yes")
    assert out.startswith("deleted review of default")
    assert not any("review" in path for path in files_of(home))
    _, err = printed(capfd, "delete", "review", "--yes", code=2)
    assert "no conversation 'review'" in err


def test_a_person_at_a_terminal_is_asked(home: Path) -> None:
    """A no leaves everything, a yes deletes."""
    for answer, code, left in (("n\n", 1, True), ("y\n", 0, False)):
        with Terminal("conversations", "delete", "review") as terminal:
            terminal.until("go on? [y/N]: ")
            terminal.type(answer)
            assert terminal.ended() == code
        assert (home / "history/default/review").exists() is left


def test_one_in_use_is_read_and_not_deleted(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """While somebody writes it, it is shown and exported, and deleting says who has it."""
    manager = opened(home)
    try:
        printed(capfd, "show", "review")
        printed(capfd, "export", "review")
        _, err = printed(capfd, "delete", "review", "--yes", code=1)
        assert "review" in err.splitlines()[-1]
    finally:
        manager.close()


@pytest.mark.parametrize("name", ["../x", "a\0b", "a" * 10_000, "revіew", "CON", ""])
@pytest.mark.parametrize("command", [("show",), ("export",), ("delete", "--yes")], ids=lambda command: command[0])
def test_a_name_that_cannot_be_one_is_one_line(command: tuple[str, ...], name: str, home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """It is wrong usage, said in one short line, and nothing is touched."""
    before = files_of(home)
    out, err = printed(capfd, *command, name, code=2)
    assert out == ""
    assert err.count("\n") == 1
    assert len(err) < 400
    assert files_of(home) == before


def test_hostile_text_does_not_reach_the_terminal(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Escapes, C1 controls and bidi overrides are written out in lists, transcripts and finds, and on a terminal in JSON."""
    evil = "look \x1b]0;owned\x07 \x9b31m \u202egnp here"
    reviewed(home, name="evil", cycles=1, task=evil)
    for arguments in (["list"], ["show", "evil"], ["show", "evil", "--full"], ["search", "look", "here"]):
        out, _ = printed(capfd, *arguments)
        assert "\\x1b" in out
        assert not set(out) & set("\x1b\x9b\x07\u202e")
    with Terminal("conversations", "show", "evil", "--json", environment={"TERM": "dumb"}) as terminal:
        assert terminal.ended() == 0
        assert not set(terminal.screen) & set("\x1b\x9b\x07\u202e")


def test_a_data_home_that_is_a_file_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """Every command names it and what to do."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SOSTENUTO_HOME", str(tmp_path / "file"))
    for arguments in (["list"], ["show", "x"], ["search", "x"], ["export", "x"], ["delete", "x", "--yes"]):
        _, err = printed(capfd, *arguments, code=1)
        assert "data home cannot be read" in err
        assert err.count("\n") == 1


def test_a_search_says_where_the_words_are_instead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Words under another agent are hinted at, --all finds them, and without any conversation that is said."""
    from sostenuto.manager import ContextManager
    from sostenuto.stores.files import Files

    monkeypatch.setenv("SOSTENUTO_HOME", str(tmp_path))
    assert main(["conversations", "search", "zeppelin"]) == 1
    assert "there are no conversations; begin one with" in capfd.readouterr().err
    context = ContextManager(window=100_000, store=Files(tmp_path, agent="scout"), conversation="sky")
    context.prepare_sync([{"role": "user", "content": "A zeppelin."}])
    context.close()
    assert main(["conversations", "search", "zeppelin"]) == 1
    assert "agent scout has them in sky: add --agent scout, or --all" in capfd.readouterr().err
    assert main(["conversations", "search", "zeppelin", "--all"]) == 0
    assert capfd.readouterr().out.startswith("scout/sky  1 find")
    assert main(["conversations", "show", "a b"]) != 0
    assert "' ' may not stand in a name" in capfd.readouterr().err


def test_an_export_says_what_it_replaced_and_what_is_redacted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    """A file that was there is told of; that something is [redacted] only where something is."""
    from sostenuto.manager import ContextManager
    from sostenuto.stores.files import Files

    monkeypatch.setenv("SOSTENUTO_HOME", str(tmp_path / "home"))
    for name, text in (("plain", "Hello."), ("telling", "The password=hunter2-and-more-of-it is it.")):
        context = ContextManager(window=100_000, store=Files(tmp_path / "home", agent="default"), conversation=name)
        context.prepare_sync([{"role": "user", "content": text}])
        context.close()
        told = []
        for _ in range(2):
            assert main(["conversations", "export", name, "--out", str(tmp_path / name)]) == 0
            told.append(capfd.readouterr().err)
        assert ["replaced" in err for err in told] == [False, True]
        assert all(("[redacted]" in err) is (name == "telling") for err in told)
