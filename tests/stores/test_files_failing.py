"""What a conversation does when its disk is full, read-only, removed or arranged by somebody else (D34)."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sostenuto.errors import UnusableInput
from sostenuto.stores._log import LogOnDisk
from sostenuto.stores.files import Files
from tests.stores.dying import NAME, as_somebody, ended, started

posix = pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits, links or rights on Windows")


def records(*numbers: int) -> list[dict[str, Any]]:
    """Small records."""
    return [{"seq": number, "text": "ü" * 100} for number in numbers]


def folder_of(home: Path) -> Path:
    """Where the conversation lies."""
    return home / "history" / "default" / NAME


def numbers(log: LogOnDisk) -> list[int]:
    """What is in both files."""
    kept = log.read()
    return [record["seq"] for record in (*kept.transcript, *kept.edits)]


def _fills(log: LogOnDisk, *, frees: Callable[[], None]) -> None:
    """Append until the disk is full, again in vain, and again with success once it is free."""
    safe = 0
    while log.append([{"seq": safe, "text": "x" * 3_000}], []):
        safe += 1
        assert safe < 1_000, "the disk does not get full"
    assert safe > 1
    assert log.expects_from == safe
    assert not log.append([{"seq": safe, "text": "x" * 3_000}], [{"seq": safe + 1}])
    assert numbers(log)[:safe] == list(range(safe))
    frees()
    assert log.append([{"seq": safe, "text": "x" * 3_000}], [{"seq": safe + 1}])
    assert numbers(log) == list(range(safe + 2))
    assert not log.read().notes
    log.close()


def meets_a_limit(home: Path) -> None:
    """A limit on the size of files stands for a full disk: writes are cut short, then refused."""
    import resource
    import signal

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    _fills(Files(home).open(NAME), frees=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard)))


@posix
def test_a_write_that_is_cut_short_is_not_called_safe_and_made_good_later(tmp_path: Path) -> None:
    """A torn write gives False; the records before it stand, and the same record is whole once there is room."""
    assert ended(started(meets_a_limit, tmp_path / "home")) == 0


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root can mount a small disk, on Linux")
def test_a_full_disk_is_survived(tmp_path: Path) -> None:
    """ENOSPC gives False, nothing is called safe that is not, and with room again everything is written."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(disk)], capture_output=True).returncode:
        pytest.skip("mounting is not allowed here")
    try:
        ballast = disk / "ballast"
        ballast.write_bytes(b"x" * 50_000)
        _fills(Files(disk / "home").open(NAME), frees=ballast.unlink)
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)  # a failed test may still hold a file open


def meets_a_closed_folder(home: Path) -> None:
    """Somebody takes the right to write away, and gives it back; and a conversation is taken up that cannot be written."""
    log = Files(home).open(NAME)
    assert log.append(records(0), [])
    files = [folder_of(home), *folder_of(home).iterdir()]
    for path in files:
        path.chmod(0o500 if path.is_dir() else 0o400)
    assert not log.append(records(1), [])
    log.close()
    log = Files(home).open(NAME)
    assert numbers(log) == [0]
    assert not log.append(records(1), [])
    for path in files:
        path.chmod(0o700 if path.is_dir() else 0o600)
    assert log.append(records(1), [])
    assert numbers(log) == [0, 1]
    log.close()


@posix
def test_a_read_only_conversation_is_read_and_not_called_saved() -> None:
    """Without the right to write, reading works and appending gives False until the right is back."""
    with tempfile.TemporaryDirectory() as place:  # the folders of pytest are closed to whom root becomes for this
        os.chmod(place, 0o777)
        assert ended(started(as_somebody, meets_a_closed_folder, Path(place) / "home")) == 0


def test_a_removed_folder_is_made_again_and_everything_is_asked_for(tmp_path: Path) -> None:
    """After its folder went, an append over the hole is refused, and one from the beginning writes everything again."""
    log = Files(tmp_path).open(NAME)
    assert log.append(records(0, 1), records(2))
    shutil.rmtree(tmp_path / "history")
    assert not log.append(records(3), [])
    assert log.expects_from == 0
    assert not log.append(records(3), [])
    assert log.append(records(0, 1, 3), records(2))
    assert numbers(log) == [0, 1, 3, 2]
    assert log.expects_from == 4
    log.close()


def test_reading_notices_too_that_records_are_gone(tmp_path: Path) -> None:
    """Where reading finds less than was safe, everything is asked for, and nothing is taken over the hole."""
    log = Files(tmp_path).open(NAME)
    assert log.append(records(0, 1), records(2))
    (folder_of(tmp_path) / "transcript.jsonl").unlink()
    assert numbers(log) == [2]
    assert log.expects_from == 0
    assert not log.append(records(3), [])
    assert log.append(records(0, 1, 3), records(2))
    assert numbers(log) == [0, 1, 3, 2]
    log.close()


@pytest.mark.parametrize("name", ["transcript.jsonl", "edits.jsonl"])
def test_with_one_file_gone_the_other_is_moved_aside(tmp_path: Path, name: str) -> None:
    """What is left of a conversation is not mixed with what its writer writes anew, whose numbers may differ; nothing is deleted."""
    log = Files(tmp_path).open(NAME)
    assert log.append(records(0, 1), records(2, 3))
    (folder_of(tmp_path) / name).unlink()
    assert not log.append(records(4), [])
    assert log.expects_from == 0
    assert log.append([{"seq": 0, "anew": True}], [{"seq": 1, "anew": True}])
    assert log.append([{"seq": 2}], [])
    kept = log.read()
    assert list(kept.transcript) == [{"seq": 0, "anew": True}, {"seq": 2}]
    assert list(kept.edits) == [{"seq": 1, "anew": True}]
    other = "edits.jsonl" if name == "transcript.jsonl" else "transcript.jsonl"
    assert len((folder_of(tmp_path) / f"{other}.unreadable").read_bytes().splitlines()) == 3
    log.close()


def test_a_file_that_was_cut_is_noticed(tmp_path: Path) -> None:
    """Records that were safe and are gone from the end make the log ask for everything."""
    log = Files(tmp_path).open(NAME)
    assert log.append(records(0, 1, 2), [])
    path = folder_of(tmp_path) / "transcript.jsonl"
    os.truncate(path, path.stat().st_size - 10)
    assert not log.append(records(3), [])
    assert log.expects_from == 0
    assert log.append(records(0, 1, 2, 3), [])
    assert numbers(log) == [0, 1, 2, 3]
    log.close()


def test_a_file_that_was_copied_away_and_back_is_known_again(tmp_path: Path) -> None:
    """The same bytes under another number of the file system are the same conversation."""
    log = Files(tmp_path).open(NAME)
    assert log.append(records(0), records(1))
    shutil.copytree(folder_of(tmp_path), tmp_path / "copy")
    shutil.rmtree(folder_of(tmp_path))
    shutil.copytree(tmp_path / "copy", folder_of(tmp_path))
    assert log.append(records(2), records(3))
    assert numbers(log) == [0, 2, 1, 3]
    log.close()


def test_somebody_elses_conversation_in_its_place_is_left_alone(tmp_path: Path) -> None:
    """B177, B179: where another writer began a conversation of the same name meanwhile, nothing is added to it, and it is not moved."""
    log = Files(tmp_path).open(NAME)
    assert log.append(records(0), records(1))
    shutil.rmtree(folder_of(tmp_path))
    other = Files(tmp_path).open(NAME)
    assert other.append([{"seq": 0, "text": "mine"}], [])
    assert not log.append(records(2), [])
    other.close()
    assert not log.append(records(2), [])
    assert not log.append(records(0, 2), records(1))
    assert list(Files(tmp_path).read(NAME).transcript) == [{"seq": 0, "text": "mine"}]
    log.close()


def test_other_words_in_the_same_file_are_left_alone(tmp_path: Path) -> None:
    """A file that took over the number of ours in the file system, yet holds other records, is known to be another one."""
    log = Files(tmp_path).open(NAME)
    assert log.append(records(0, 1), [])
    path = folder_of(tmp_path) / "transcript.jsonl"
    others = b'{"schema":1,"kind":"transcript"}\n{"seq":0,"text":"mine"}\n'
    for text in (others, others + b'{"seq":1,"text":"' + b"x" * 500 + b'"}\n'):
        path.write_bytes(text)
        assert not log.append(records(2), [])
        assert not log.append(records(0, 1, 2), [])
        assert path.read_bytes() == text
    log.close()


@posix
@pytest.mark.parametrize("planted", ["transcript.jsonl", "edits.jsonl", "lease.json"])
def test_nothing_is_written_through_a_planted_link(tmp_path: Path, planted: str) -> None:
    """A symbolic link in the place of a file is neither read nor written, and what it points to stays as it is."""
    outside = tmp_path / "outside"
    outside.write_bytes(b"")
    folder = folder_of(tmp_path / "home")
    folder.mkdir(parents=True)
    (folder / planted).symlink_to(outside)
    if planted == "lease.json":
        with pytest.raises(UnusableInput, match="symbolic link"):
            Files(tmp_path / "home").open(NAME)
    else:
        log = Files(tmp_path / "home").open(NAME)
        with pytest.raises(UnusableInput, match="symbolic link"):
            log.read()
        assert not log.append(records(0), records(1))
        log.close()
    assert outside.read_bytes() == b""


@posix
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_no_folder_below_the_home_may_be_a_link(tmp_path: Path, depth: int) -> None:
    """A linked folder is refused and named, whichever it is; the home itself may be a link."""
    outside = tmp_path / "outside"
    outside.mkdir()
    home = tmp_path / "home"
    link = home.joinpath(*("history", "default", NAME)[:depth])
    link.parent.mkdir(parents=True)
    link.symlink_to(outside)
    with pytest.raises(UnusableInput, match="symbolic link"):
        Files(home).open(NAME)
    with pytest.raises(UnusableInput, match="symbolic link"):
        Files(home).read(NAME)
    assert not list(outside.iterdir())
    (tmp_path / "linked").symlink_to(outside)
    with_link = Files(tmp_path / "linked").open(NAME)
    assert with_link.append(records(0), [])
    with_link.close()


@posix
def test_a_planted_pipe_holds_nobody_up(tmp_path: Path) -> None:
    """A pipe in the place of the transcript is refused at once."""
    folder_of(tmp_path).mkdir(parents=True)
    os.mkfifo(folder_of(tmp_path) / "transcript.jsonl")
    log = Files(tmp_path).open(NAME)
    assert not log.append(records(0), [])
    with pytest.raises(UnusableInput, match="is no file"):
        log.read()
    log.close()


def test_a_home_that_is_a_file_is_named(tmp_path: Path) -> None:
    """Where no folder can be made, opening says which and what to do, in one line."""
    (tmp_path / "home").write_text("a file")
    with pytest.raises(UnusableInput, match=r"home.*free the place") as raised:
        Files(tmp_path / "home").open(NAME)
    assert len(str(raised.value).splitlines()) == 1


def meets_a_failed_flush(home: Path) -> None:
    """The disk takes what is written and fails to keep it, once; the log is read in between."""
    log = Files(home).open(NAME)
    assert log.append(records(0), records(1))
    flushed: list[int] = []
    real, fails = os.fsync, True

    def flush(fd: int) -> None:
        if fails:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        flushed.append(os.fstat(fd).st_size)
        real(fd)

    os.fsync = flush  # type: ignore[assignment]
    path = folder_of(home) / "transcript.jsonl"
    for number, is_read in ((2, False), (3, True)):
        fails = True
        assert not log.append(records(number), [])
        if is_read:
            assert log.read().transcript[-1]["seq"] == number
        assert log.expects_from == number
        fails, before = False, path.stat().st_mtime_ns
        flushed.clear()
        assert log.append(records(number), [])
        assert flushed == [path.stat().st_size]
        assert path.stat().st_mtime_ns > before  # what a failed flush held is not flushed but written anew: it may be nowhere
    assert numbers(log) == [0, 2, 3, 1]
    log.close()
    with (folder_of(home) / "edits.jsonl").open("ab") as file:  # as a process that died before it flushed left it
        file.write(b'{"seq":4}\n')
    log = Files(home).open(NAME)
    assert log.read().edits[-1] == {"seq": 4}
    flushed.clear()
    assert log.append(records(5), [])
    assert (folder_of(home) / "edits.jsonl").stat().st_size in flushed
    log.close()


@posix
def test_what_was_never_flushed_is_not_called_safe(tmp_path: Path) -> None:
    """After a failed flush the same record is written and flushed again, and what a dead process left is flushed before it is built on."""
    assert ended(started(meets_a_failed_flush, tmp_path / "home")) == 0


def loses_its_lease(home: Path) -> None:
    """The first write fails in the flush; then the lease is removed, and somebody else writes the file that was made for it."""
    real = os.fsync

    def flush(fd: int) -> None:
        if os.fstat(fd).st_size and stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        real(fd)

    log = Files(home).open(NAME)
    os.fsync = flush  # type: ignore[assignment]
    assert not log.append(records(0), [])
    os.fsync = real
    (folder_of(home) / "lease.json").unlink()
    path = folder_of(home) / "transcript.jsonl"
    others = b'{"schema":1,"kind":"transcript"}\n{"seq":0,"text":"mine"}\n'
    path.write_bytes(others)
    assert not log.append(records(0), [])
    assert path.read_bytes() == others


@posix
def test_without_its_lease_a_log_takes_nothing_back(tmp_path: Path) -> None:
    """What stands in a file after the lease was lost is not cut off as the torn end of a write of ours."""
    assert ended(started(loses_its_lease, tmp_path / "home")) == 0


def test_a_log_that_was_never_read_knows_where_it_ends(tmp_path: Path) -> None:
    """Appending without reading first goes on behind what is there, also when the first look at the files fails."""
    log = Files(tmp_path).open(NAME)
    assert log.append(records(0, 1), records(2))
    log.close()
    edits = folder_of(tmp_path) / "edits.jsonl"
    edits.rename(edits.with_name("away"))
    edits.mkdir()
    log = Files(tmp_path).open(NAME)
    assert not log.append(records(3), [])
    edits.rmdir()
    edits.with_name("away").rename(edits)
    assert log.append(records(3), [])
    assert log.expects_from == 4
    log.close()
