"""Files are written whole or not at all, and never over somebody else's."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from sostenuto.cli._output import KEPT, check_keepable, check_writable, encoded, keep, kept, write_lines
from sostenuto.errors import UnusableInput

SNAPSHOT: dict[str, Any] = {"schema": 1, "format": "anthropic", "transcript": [{"n": 0}, {"n": 1}], "edits": [{"e": "é"}], "meta": {"m": 1}}
SOURCE = "/sessions/one.jsonl"


def broken() -> Iterator[object]:
    """One value, then a failure."""
    yield {"a": 1}
    raise RuntimeError("stopped")


def test_a_failure_in_the_middle_leaves_the_old_file(tmp_path: Path) -> None:
    """Where writing stops half-way the target is as it was and no temporary file is left."""
    target = tmp_path / "out.jsonl"
    target.write_text("old\n")
    with pytest.raises(RuntimeError):
        write_lines(target, broken())
    assert target.read_text() == "old\n"
    assert os.listdir(tmp_path) == ["out.jsonl"]


def test_values_become_lines(tmp_path: Path) -> None:
    """One JSON value a line, in UTF-8; a lone surrogate is written as an escape and read back equal."""
    target = tmp_path / "out.jsonl"
    write_lines(target, [{"a": "你好"}, {"b": "\ud800"}])
    assert "你好" in target.read_text(encoding="utf-8")
    assert [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()] == [{"a": "你好"}, {"b": "\ud800"}]
    assert encoded("\ud800") == b'"\\ud800"\n'


def test_a_link_is_followed_and_modes_are_kept(tmp_path: Path) -> None:
    """Writing through a link replaces the file behind it and keeps its permissions."""
    real, link = tmp_path / "real.jsonl", tmp_path / "link.jsonl"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    write_lines(link, [1])
    assert link.is_symlink()
    assert real.read_text() == "1\n"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_a_device_is_written_straight() -> None:
    """A target that is no regular file is written to, not replaced."""
    write_lines(Path(os.devnull), [1])
    assert not Path(os.devnull).is_file()


@pytest.mark.parametrize(
    ("name", "says"), [(".", "is a folder"), ("none/out.jsonl", "does not exist"), ("in.jsonl", "is the file being read")]
)
def test_targets_that_cannot_be_written_are_named_before_the_work(tmp_path: Path, name: str, says: str) -> None:
    """A folder, a missing folder and the input itself are refused with the reason."""
    source = tmp_path / "in.jsonl"
    source.touch()
    with pytest.raises((UnusableInput, click.UsageError), match=says):
        check_writable(tmp_path / name, other_than=source)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_locked_folder_is_named(tmp_path: Path) -> None:
    """A folder without write permission is refused for both kinds of output."""
    tmp_path.chmod(0o500)
    with pytest.raises(UnusableInput, match="permission"):
        check_writable(tmp_path / "out", other_than=tmp_path / "in")
    with pytest.raises(UnusableInput, match="no permission"):
        check_keepable(tmp_path / "kept", source=SOURCE)


def test_what_is_kept_can_be_read_back(tmp_path: Path) -> None:
    """The snapshot comes back equal; the folder is for its owner only, and a second replay replaces the first."""
    folder = tmp_path / "a" / "kept"
    keep(folder, SNAPSHOT, source=SOURCE)
    assert kept(folder) == SNAPSHOT
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE((folder / name).stat().st_mode) for name in KEPT} == {0o600}
    keep(folder, {**SNAPSHOT, "edits": []}, source=SOURCE)
    assert kept(folder)["edits"] == []


def test_foreign_files_are_never_replaced(tmp_path: Path) -> None:
    """A folder with files that no replay left is refused and untouched, even if one is called like ours."""
    (tmp_path / "meta.json").write_text('{"name": "mine"}')
    with pytest.raises(click.UsageError, match="not a kept replay"):
        keep(tmp_path, SNAPSHOT, source=SOURCE)
    assert os.listdir(tmp_path) == ["meta.json"]
    (tmp_path / "file").touch()
    with pytest.raises(UnusableInput, match="is a file"):
        check_keepable(tmp_path / "file", source=SOURCE)


@pytest.mark.parametrize(
    ("file", "content", "says"),
    [
        ("transcript.jsonl", None, "transcript.jsonl is missing"),
        ("meta.json", "{}\n", "not written by"),
        ("meta.json", "", "not written by"),
        ("edits.jsonl", "{torn", "edits.jsonl line 1: not JSON"),
        ("transcript.jsonl", '{"n": 0}\n', "has 1 records where 2 were kept"),
    ],
)
def test_damage_is_named_with_its_file(tmp_path: Path, file: str, content: str | None, says: str) -> None:
    """A missing, foreign, torn or short file gives one error with the file and the remedy."""
    keep(tmp_path, SNAPSHOT, source=SOURCE)
    if content is None:
        (tmp_path / file).unlink()
    else:
        (tmp_path / file).write_text(content)
    with pytest.raises(UnusableInput, match=says):
        kept(tmp_path)


def test_a_missing_folder_says_how_to_make_one(tmp_path: Path) -> None:
    """Recall from a folder that is not there names the command that makes it."""
    with pytest.raises(UnusableInput, match="replay FILE --keep"):
        kept(tmp_path / "none")


def test_the_replay_of_another_session_is_never_replaced(tmp_path: Path) -> None:
    """A kept replay is replaced by a replay of the same source only; another one is refused with both remedies."""
    folder = tmp_path / "it's kept"
    keep(folder, SNAPSHOT, source=SOURCE)
    with pytest.raises(click.UsageError, match=r"one\.jsonl") as caught:
        keep(folder, {**SNAPSHOT, "edits": []}, source="/sessions/two.jsonl")
    assert "name another folder" in str(caught.value)
    assert f"rm -r '{tmp_path}/it'\"'\"'s kept'" in str(caught.value)
    assert kept(folder) == SNAPSHOT


def test_a_failed_write_names_what_was_asked_for(tmp_path: Path) -> None:
    """Where the disk fails, the error carries the target's name, never a temporary one."""
    with pytest.raises(OSError, match="none/out") as caught:
        write_lines(tmp_path / "none" / "out", [1])
    assert caught.value.filename == str(tmp_path / "none" / "out")
