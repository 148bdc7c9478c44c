"""One at a time: a lock excludes threads and processes, is let go with its holder, and never holds anybody up for ever."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from sostenuto.protocols import KeptResult
from sostenuto.stores._locking import locked
from sostenuto.stores.papers import FilePapers
from sostenuto.stores.results import FileResults


def test_a_second_holder_waits_and_gives_up(tmp_path: Path) -> None:
    """While one holds the lock another one fails after its time, saying what is wrong; afterwards it gets it."""
    with (
        locked(tmp_path / ".lock"),
        pytest.raises(TimeoutError, match="another process is writing here"),
        locked(tmp_path / ".lock", wait_s=0.01),
    ):
        pass
    with locked(tmp_path / ".lock", wait_s=0.0):
        pass


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the holder is a fork")
def test_a_dead_holder_holds_nothing(tmp_path: Path) -> None:
    """A process that is killed with the lock in its hands lets go of it, and writes that waited are written."""
    folder = tmp_path / "tool-results"
    folder.mkdir()
    told, tells = os.pipe()
    child = os.fork()
    if child == 0:
        with locked(tmp_path / ".lock"), locked(folder / ".lock"):
            os.write(tells, b"x")
            signal.pause()
    os.read(told, 1)
    with pytest.raises(TimeoutError), locked(tmp_path / ".lock", wait_s=0.01):
        pass
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(told)
    os.close(tells)
    assert FilePapers(tmp_path).write("state", 1)
    assert FileResults(tmp_path).keep("one", KeptResult("x", "tool", "call"))


def test_a_lock_on_a_removed_folder_guards_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the folder is removed and made again while one waits, the lock of the new folder is taken, not the lost one."""
    folder = tmp_path / "work"
    folder.mkdir()
    opened = os.open
    handles: list[int] = []

    def replaced_after(path: Path, flags: int, mode: int) -> int:
        handles.append(opened(path, flags, mode))
        if len(handles) == 1:
            folder.rename(tmp_path / "gone")
            folder.mkdir()
        return handles[-1]

    monkeypatch.setattr(os, "open", replaced_after)
    with locked(folder / ".lock") as handle:
        assert os.path.samestat(os.fstat(handle), os.stat(folder / ".lock"))
    assert len(handles) == 2


def test_a_lock_is_no_link(tmp_path: Path) -> None:
    """A link planted in the lock's place is refused, and what it points at is not made."""
    (tmp_path / ".lock").symlink_to(tmp_path / "outside")
    with pytest.raises(OSError, match="symbolic"), locked(tmp_path / ".lock"):
        pass
    assert not FilePapers(tmp_path).write("state", 1)
    assert not (tmp_path / "outside").exists()
