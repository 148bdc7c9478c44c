"""write_file, edit_file and multi_edit: exact, and all or nothing."""

from __future__ import annotations

import codecs
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.tools.working import one


def _edit(root: Path, old: str, new: str, **more: Any) -> str:
    return one("edit_file", {"path": "file", "old_text": old, "new_text": new, **more}, root=root).text


def test_a_file_is_created_with_its_folders_and_overwritten(tmp_path: Path) -> None:
    """The first write makes the file, the second says that it replaced it."""
    first = one("write_file", {"path": "a/b/c.txt", "content": "é\nb"}, root=tmp_path)
    assert first.text == "Created a/b/c.txt: 2 lines."
    assert one("write_file", {"path": "a/b/c.txt", "content": ""}, root=tmp_path).text == "Overwrote a/b/c.txt: 0 lines."
    assert (tmp_path / "a/b/c.txt").read_bytes() == b""
    assert [path.name for path in (tmp_path / "a/b").iterdir()] == ["c.txt"]


def test_a_folder_is_not_overwritten(tmp_path: Path) -> None:
    """Writing to the name of a folder fails and leaves it."""
    (tmp_path / "a").mkdir()
    assert "is no file" in one("write_file", {"path": "a", "content": "x"}, root=tmp_path).text
    (tmp_path / "f").write_text("f")
    assert "cannot be written" in one("write_file", {"path": "f/x", "content": "x"}, root=tmp_path).text


def test_the_mode_of_a_file_stays(tmp_path: Path) -> None:
    """A script that was executable is so after an edit."""
    (tmp_path / "file").write_text("a")
    (tmp_path / "file").chmod(0o755)
    assert _edit(tmp_path, "a", "b").startswith("Edited file: 1 replacement.")
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o755


def test_an_edit_wants_its_piece_exactly_once(tmp_path: Path) -> None:
    """Missing and repeated pieces change nothing and say where to look; with replace_all every place changes."""
    (tmp_path / "file").write_text("a = 1\n  b = 2\na = 1\n")
    assert "2 times (lines 1, 3)" in _edit(tmp_path, "a = 1", "a = 9")
    assert "line 2 holds its first line" in _edit(tmp_path, "b = 2\nc", "x")
    assert "is not in file. Nothing was changed" in _edit(tmp_path, "zzz", "x")
    assert "old_text is empty" in _edit(tmp_path, "", "x")
    assert "are the same" in _edit(tmp_path, "a", "a")
    assert (tmp_path / "file").read_text() == "a = 1\n  b = 2\na = 1\n"
    assert "2 replacements" in _edit(tmp_path, "a = 1", "a = 9", replace_all=True)
    assert (tmp_path / "file").read_text() == "a = 9\n  b = 2\na = 9\n"


def test_an_edit_shows_what_stands_there_now(tmp_path: Path) -> None:
    """The answer holds the changed lines with their numbers and two on each side."""
    (tmp_path / "file").write_text("".join(f"{number}\n" for number in range(1, 10)))
    assert _edit(tmp_path, "5\n", "five\n") == "Edited file: 1 replacement.\n3\t3\n4\t4\n5\tfive\n6\t6\n7\t7"


def test_windows_line_ends_and_marks_stay(tmp_path: Path) -> None:
    """A piece written with plain line ends fits a file with Windows ones, and all else stays byte for byte."""
    (tmp_path / "file").write_bytes(codecs.BOM_UTF8 + b"one\r\ntwo\r\nthree\r\n")
    _edit(tmp_path, "one\ntwo", "1\n2\n2b")
    assert (tmp_path / "file").read_bytes() == codecs.BOM_UTF8 + b"1\r\n2\r\n2b\r\nthree\r\n"


@pytest.mark.parametrize(
    ("content", "after"),
    [
        (codecs.BOM_UTF16_LE + "aé漢".encode("utf-16-le"), codecs.BOM_UTF16_LE + "bé漢".encode("utf-16-le")),
        ("aé".encode("cp1252"), "bé".encode("cp1252")),
        (b"a\x81", b"b\x81"),
        (b"x" * 70_000 + b"\xe9a", b"x" * 70_000 + b"\xe9b"),
    ],
)
def test_an_encoding_stays(content: bytes, after: bytes, tmp_path: Path) -> None:
    """An edit writes in the encoding that it read, whatever the rest of the file is."""
    (tmp_path / "file").write_bytes(content)
    _edit(tmp_path, "a", "b")
    assert (tmp_path / "file").read_bytes() == after


def test_a_letter_that_an_encoding_lacks_is_refused(tmp_path: Path) -> None:
    """The file stays as it was, and the answer names the letter."""
    (tmp_path / "file").write_bytes("é".encode("cp1252"))
    assert "cp1252, which has no '\\u6f22'" in _edit(tmp_path, "é", "漢")
    assert (tmp_path / "file").read_bytes() == b"\xe9"


def test_binary_and_huge_files_are_not_edited(tmp_path: Path) -> None:
    """Neither is read into an edit, and both say why."""
    (tmp_path / "file").write_bytes(b"a\0")
    assert "is binary" in _edit(tmp_path, "a", "b")
    os.truncate(tmp_path / "file", 11 * 1024 * 1024)
    assert "files up to 10,485,760 can be edited" in _edit(tmp_path, "a", "b")


def test_several_edits_are_made_one_after_the_other_or_not_at_all(tmp_path: Path) -> None:
    """The second edit works on what the first left; one that does not fit leaves the file as it was."""
    (tmp_path / "file").write_text("a\nb\n")
    good = [{"old_text": "a", "new_text": "c"}, {"old_text": "c\nb", "new_text": "d"}]
    bad = [*good, {"old_text": "a", "new_text": "x"}]
    assert "edit 3 of 3: old_text is not in file" in one("multi_edit", {"path": "file", "edits": bad}, root=tmp_path).text
    assert (tmp_path / "file").read_text() == "a\nb\n"
    assert one("multi_edit", {"path": "file", "edits": good}, root=tmp_path).text == "Edited file: 2 replacements. (line 1, line 1)"
    assert (tmp_path / "file").read_text() == "d\n"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="whoever may write everywhere cannot be refused")
def test_a_folder_that_may_not_be_written_is_told(tmp_path: Path) -> None:
    """The refusal of the system is passed on, and the old file is whole."""
    (tmp_path / "file").write_text("a")
    tmp_path.chmod(0o500)
    try:
        assert "cannot be written (Permission denied)" in _edit(tmp_path, "a", "b")
    finally:
        tmp_path.chmod(0o700)
    assert (tmp_path / "file").read_text() == "a"
