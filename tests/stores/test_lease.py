"""Who may write a conversation."""

from __future__ import annotations

import json
import os
import platform
import signal
import sys
from pathlib import Path

import pytest

from sostenuto.errors import ConversationInUse
from sostenuto.stores._lease import NAME, _made_substitute, taken
from sostenuto.stores.files import Files
from tests.stores.dying import ended, started

posix = pytest.mark.skipif(sys.platform == "win32", reason="no fork server on Windows")


def folder(home: Path) -> Path:
    """A conversation's folder."""
    return home / "history" / "default" / "talk"


def test_the_refusal_names_owner_host_and_time(tmp_path: Path) -> None:
    """Whoever comes second reads who holds the conversation, in which process, on which host and since when."""
    first = taken(folder(tmp_path), conversation="talk", home=tmp_path)
    with pytest.raises(ConversationInUse) as raised:
        taken(folder(tmp_path), conversation="talk", home=tmp_path)
    held = json.loads((folder(tmp_path) / NAME).read_text())
    assert held["host"] == platform.node()
    text = str(raised.value)
    assert (
        f"conversation 'talk' is written by {held['owner']} (process {os.getpid()} on host {held['host']}, since {held['since']})" in text
    )
    first.close()
    assert (folder(tmp_path) / NAME).read_bytes() == b""
    taken(folder(tmp_path), conversation="talk", home=tmp_path).close()


def dies_open(home: Path) -> None:
    """Open a conversation, write, and die."""
    log = Files(home).open("talk")
    if log.append([{"seq": 0}], []):
        os.kill(os.getpid(), signal.SIGKILL)


@posix
def test_what_a_dead_process_held_is_taken_over_and_said(tmp_path: Path) -> None:
    """B167: after a kill the next writer is let in, reads everything, and is told whom it took over from; the one after is not."""
    assert ended(started(dies_open, tmp_path)) == -signal.SIGKILL
    log = Files(tmp_path).open("talk")
    kept = log.read()
    assert list(kept.transcript) == [{"seq": 0}]
    assert len(kept.notes) == 1
    assert "ended without closing it; it was taken over" in kept.notes[0]
    assert platform.node() in kept.notes[0]
    log.close()
    log = Files(tmp_path).open("talk")
    assert log.read().notes == ()
    log.close()


@pytest.mark.parametrize("content", [b"\xff\xfe", b"[" * 5_000, b"[]", b"null", b'{"owner": "x\\n\\u001b[31m' + b"y" * 3_000 + b'"}'])
def test_odd_words_in_a_lease_are_words(tmp_path: Path, content: bytes) -> None:
    """Whatever stands in the file, without a lock it is taken over, and the note about it is one short line."""
    folder(tmp_path).mkdir(parents=True)
    (folder(tmp_path) / NAME).write_bytes(content)
    log = Files(tmp_path).open("talk")
    (note,) = log.read().notes
    assert note.isprintable()
    assert len(note) < 500
    log.close()


def test_a_conversation_in_which_nothing_was_written_leaves_nothing(tmp_path: Path) -> None:
    """Opening and closing makes no conversation, while one with a word in it stays."""
    Files(tmp_path).open("talk").close()
    assert not folder(tmp_path).exists()
    log = Files(tmp_path).open("talk")
    assert log.append([{"seq": 0}], [])
    log.close()
    Files(tmp_path).open("talk").close()
    assert {path.name for path in folder(tmp_path).iterdir()} == {"transcript.jsonl", "meta.json", NAME}


def test_without_locks_a_living_holder_on_this_host_keeps_its_place(tmp_path: Path) -> None:
    """Where a file system has no locks, a second file stands for one: its maker's process is asked for."""
    path = tmp_path / "lease.held"
    _made_substitute(path, conversation="talk")
    with pytest.raises(ConversationInUse, match=f"process {os.getpid()}"):
        _made_substitute(path, conversation="talk")


def lives() -> None:
    """Live for a moment."""


def has_no_locks(home: Path) -> None:
    """Two writers, one after the other, where the system says that it has no locks."""
    import errno
    import fcntl

    def flock(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    fcntl.flock = flock
    first = Files(home).open("talk")
    assert first.append([{"seq": 0}], [])
    with pytest.raises(ConversationInUse, match=f"process {os.getpid()}"):
        Files(home).open("talk")
    first.close()
    second = Files(home).open("talk")
    assert second.read().notes == ()
    assert second.append([{"seq": 1}], [])
    if home.name == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    second.close()


@posix
@pytest.mark.parametrize("fate", ["closes", "dies"])
def test_without_locks_writers_exclude_each_other_too(tmp_path: Path, fate: str) -> None:
    """On a file system without locks one writes at a time, and whoever comes after its end is let in."""
    home = tmp_path / fate
    assert ended(started(has_no_locks, home)) == (0 if fate == "closes" else -signal.SIGKILL)
    names = {path.name for path in folder(home).iterdir()}
    assert ("lease.held" in names) == (fate == "dies")
    assert len(Files(home).read("talk").transcript) == 2


@posix
def test_without_locks_a_dead_holder_on_this_host_is_taken_over(tmp_path: Path) -> None:
    """What the process of a number that no longer lives left on this host is removed; nothing else stays behind."""
    path = tmp_path / "lease.held"
    process = started(lives)
    pid = process.pid
    ended(process)
    path.write_text(json.dumps({"owner": "ana", "host": platform.node(), "pid": pid, "since": "now"}))
    _made_substitute(path, conversation="talk")
    assert json.loads(path.read_text())["pid"] == os.getpid()
    assert [other.name for other in tmp_path.iterdir()] == ["lease.held"]


@pytest.mark.parametrize("pid", [1, 2**40, -1, "x", None])
def test_without_locks_another_host_is_never_taken_for_dead(tmp_path: Path, pid: object) -> None:
    """A holder that cannot be asked keeps its place, and is named."""
    path = tmp_path / "lease.held"
    path.write_text(json.dumps({"owner": "ana", "host": "elsewhere", "pid": pid, "since": "2026-01-01T00:00:00+00:00"}))
    with pytest.raises(ConversationInUse, match=r"ana \(process .* on host elsewhere, since 2026-01-01"):
        _made_substitute(path, conversation="talk")
