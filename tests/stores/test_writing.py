"""Writing below the data home."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sostenuto.errors import UnusableInput
from sostenuto.stores._writing import append_bytes, make_folder, moved_aside, opened, replace_file

posix = pytest.mark.skipif(sys.platform == "win32", reason="no such links and rights on Windows")


def mode(path: Path) -> int:
    """Who may do what."""
    return stat.S_IMODE(path.stat().st_mode)


@contextmanager
def umask(mask: int) -> Iterator[None]:
    """Rights that new files do not get."""
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@posix
@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077, 0o277, 0o777])
def test_folders_and_files_are_their_owners_only(tmp_path: Path, mask: int) -> None:
    """Whatever the umask, new folders have mode 0700 and new files 0600."""
    home = tmp_path / "home"
    with umask(mask):
        make_folder(home / "a", home=home)
        make_folder(home / "a" / "b", home=home)
        append_bytes(home / "a" / "appended", b"x\n", home=home)
        replace_file(home / "a" / "replaced", b"x", home=home)
    assert [mode(home / "a"), mode(home / "a" / "b")] == [0o700, 0o700]
    assert [mode(home / "a" / name) for name in ("appended", "replaced")] == [0o600, 0o600]


@posix
def test_loose_rights_are_tightened_below_the_home_and_nowhere_else(tmp_path: Path) -> None:
    """Folders and files that others could enter are closed; the home itself and stricter rights stay as they are."""
    home = tmp_path / "home"
    (home / "loose" / "strict").mkdir(parents=True)
    (home / "loose" / "file").write_bytes(b"old\n")
    for path, rights in ((home, 0o755), (home / "loose", 0o777), (home / "loose" / "strict", 0o500), (home / "loose" / "file", 0o664)):
        path.chmod(rights)
    make_folder(home / "loose" / "strict", home=home)
    append_bytes(home / "loose" / "file", b"new\n", home=home)
    assert [mode(path) for path in (home, home / "loose", home / "loose" / "strict")] == [0o755, 0o700, 0o500]
    assert mode(home / "loose" / "file") == 0o600
    assert (home / "loose" / "file").read_bytes() == b"old\nnew\n"


@posix
def test_reading_changes_no_rights(tmp_path: Path) -> None:
    """A file that is opened for reading only keeps its rights."""
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "file").chmod(0o644)
    os.close(opened(tmp_path / "file", os.O_RDONLY, home=tmp_path))
    assert mode(tmp_path / "file") == 0o644


@posix
def test_no_function_follows_a_link(tmp_path: Path) -> None:
    """A link in the place of a folder or a file is refused by name; one in the place of a file that is replaced is replaced."""
    home, outside = tmp_path / "home", tmp_path / "outside"
    home.mkdir()
    outside.mkdir()
    (outside / "file").write_bytes(b"theirs")
    (home / "folder").symlink_to(outside)
    (home / "file").symlink_to(outside / "file")
    with pytest.raises(UnusableInput, match="folder: is a symbolic link"):
        make_folder(home / "folder" / "deeper", home=home)
    with pytest.raises(UnusableInput, match="folder: is a symbolic link"):
        replace_file(home / "folder" / "file", b"mine", home=home)
    with pytest.raises(UnusableInput, match="folder: is a symbolic link"):
        moved_aside(home / "folder" / "file", home=home)
    with pytest.raises(UnusableInput, match="file: is a symbolic link"):
        append_bytes(home / "file", b"mine", home=home)
    with pytest.raises(UnusableInput, match="file: is a symbolic link"):
        append_bytes(home / "file", b"mine")
    replace_file(home / "file", b"mine", home=home)
    assert (outside / "file").read_bytes() == b"theirs"
    assert (home / "file").read_bytes() == b"mine"
    assert not (home / "file").is_symlink()


def test_a_torn_last_line_is_closed_before_the_next(tmp_path: Path) -> None:
    """What is appended begins on a line of its own."""
    path = tmp_path / "lines"
    append_bytes(path, b"one\n")
    with path.open("ab") as file:
        file.write(b"to")
    append_bytes(path, b"three\n")
    assert path.read_bytes() == b"one\nto\nthree\n"


def test_a_failed_replacement_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    """Where the new file cannot take the old one's place, the folder is as it was."""
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "inside").write_bytes(b"x")
    with pytest.raises(OSError, match="taken"):
        replace_file(tmp_path / "taken", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_every_copy_that_is_moved_aside_gets_a_name_of_its_own(tmp_path: Path) -> None:
    """A second unreadable file does not overwrite the first."""
    path = tmp_path / "file"
    others = []
    for text in (b"first", b"second"):
        path.write_bytes(text)
        others.append(moved_aside(path))
    assert [other.read_bytes() for other in others] == [b"first", b"second"]
    assert not path.exists()
