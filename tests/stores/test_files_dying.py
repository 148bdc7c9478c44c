"""A conversation whose writer dies: whatever was acknowledged is there, once, and it goes on."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import random
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from sostenuto.stores.files import Files
from tests.stores.dying import NAME, Call, ended, play, session, started, steps_in, traces, writes_on
from tests.stores.killing import kill_everywhere

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL and no fork on Windows")

SAID = [record for step in session() for record in step[0]]
DONE = [record for step in session() for record in step[1]]


def _holds_acknowledged(home: Path, steps: list[int]) -> None:
    """Reading, which writes nothing, shows every acknowledged record, each once and whole, and nothing that was never written."""
    kept = Files(home).read(NAME)
    assert not kept.notes
    for records, written, place in ((kept.transcript, SAID, 0), (kept.edits, DONE, 1)):
        assert list(records) == written[: len(records)]
        safe = [record for number in steps for record in session()[number][place]]
        assert [record for record in records if record in safe] == safe


def _goes_on(home: Path) -> None:
    """Another process takes it over and writes the rest, so that in the end everything is there."""
    log = Files(home).open(NAME)
    kept = log.read()
    assert len(kept.notes) <= 1  # that it was taken over
    missing = [record["seq"] for record in DONE if record not in kept.edits and record["seq"] < log.expects_from]
    said = [record for record in SAID if record["seq"] >= log.expects_from]
    done = [record for record in DONE if record["seq"] >= log.expects_from]
    assert log.append(said, done)
    kept = log.read()
    assert list(kept.transcript) == SAID
    assert list(kept.edits) == [record for record in DONE if record["seq"] not in missing]
    log.close()


def loses_nothing(home: Path, steps: list[int]) -> None:
    """What is left after a death: everything acknowledged, and a conversation that goes on."""
    _holds_acknowledged(home, steps)
    _goes_on(home)


def test_a_writer_killed_at_any_boundary_loses_nothing_it_acknowledged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """B161, B165: SIGKILL before each system call of a session, or half way through each write, leaves whole acknowledged records."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)  # what a process wrote outlives its death without that

    def places(moment: int) -> tuple[Path, Path]:
        return tmp_path / f"home{moment}", tmp_path / f"steps{moment}"

    def check(moment: int) -> None:
        home, acknowledged = places(moment)
        loses_nothing(home, steps_in(acknowledged))

    killed = kill_everywhere(lambda moment: partial(play, *places(moment)), check=check)
    assert killed > 60  # so many calls there are: had none been watched, nothing would have been tried
    assert steps_in(places(killed)[1]) == list(range(len(session())))


def _rounds(count: int, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    home = tmp_path / "home"
    safe: list[int] = []
    for _ in range(count):
        receiver, sender = multiprocessing.get_context("forkserver").Pipe(duplex=False)
        writer = started(writes_on, home, sender, seed)
        sender.close()
        for _ in range(chance.randrange(1, 12)):
            safe.append(int(receiver.recv_bytes()))
        writer.kill()
        assert ended(writer) == -signal.SIGKILL
        with suppress(EOFError):
            while True:
                safe.append(int(receiver.recv_bytes()))
        receiver.close()
        kept = Files(home).read(NAME)
        said, done = ([record["seq"] for record in records] for records in (kept.transcript, kept.edits))
        assert (said, done) == (sorted(set(said)), sorted(set(done)))
        assert set(safe) <= set(said)
        assert {number + 1 for number in safe} <= set(done)
        assert all(record["text"] == "x" * ((record["seq"] * 7 + seed) % 3_000) for record in kept.transcript)


def test_a_writer_killed_at_any_moment_loses_nothing_it_acknowledged(tmp_path: Path) -> None:
    """Killed at twelve random moments in a row, each time taken over: every acknowledged record is there, in order."""
    _rounds(12, tmp_path, 1)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_a_writer_killed_at_many_moments_loses_nothing_it_acknowledged(tmp_path: Path, seed: int) -> None:
    """The same a hundred times in a row, for twenty seeds."""
    _rounds(100, tmp_path, seed)


# ---------------------------------------------------------------- loss of power


def _disks(calls: list[Call]) -> Iterator[tuple[dict[str, bytes], list[int]]]:
    """Every state a loss of power may leave: what was flushed, any beginning of what was not; with the steps acknowledged by then.

    A file whose name was not flushed with its folder may be missing.
    """
    safe: dict[str, bytes] = {}  # contents that are flushed
    cached: dict[str, bytes] = {}  # contents as the process sees them
    named: set[str] = set()
    made: set[str] = set()
    steps: list[int] = []
    for call, path, data in calls:
        if call == "acknowledged":
            steps.append(int(path))
        elif call == "made":
            made.add(path)
        elif call == "write":
            cached[path] = cached.get(path, b"") + data
        elif call == "cut":
            cached[path] = cached.get(path, b"")[:data]
        elif call == "fsync":
            safe[path] = cached.get(path, b"")
            named |= {other for other in made if os.path.dirname(other) == path}
        durable = {other: text for other, text in safe.items() if other in named}
        yield durable, list(steps)
        if call == "write":
            before = safe.get(path, b"")
            for end in range(len(before), len(cached[path]) + 1):
                yield {**durable, path: cached[path][:end]}, list(steps)


def test_a_loss_of_power_at_any_moment_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    """Only flushed bytes and any beginning of the others survive: every acknowledged record is there, once and whole."""
    home, out = tmp_path / "home", tmp_path / "calls"
    assert ended(started(traces, home, tmp_path / "steps", out)) == 0
    calls = pickle.loads(out.read_bytes())
    folder = home / "history" / "default" / NAME
    tried = set()
    for disk, steps in _disks(calls):
        texts = tuple(disk.get(str(folder / name)) for name in ("transcript.jsonl", "edits.jsonl"))
        if (texts, len(steps)) in tried:
            continue
        tried.add((texts, len(steps)))
        for name, text in zip(("transcript.jsonl", "edits.jsonl"), texts, strict=True):
            (folder / name).unlink(missing_ok=True)
            if text is not None:
                (folder / name).write_bytes(text)
        _holds_acknowledged(home, steps)
    assert len(tried) > 500


def test_nothing_is_acknowledged_before_its_folder_is_flushed(tmp_path: Path) -> None:
    """When the first step is acknowledged, the names of the files and of every folder down to them are flushed."""
    home, out = tmp_path / "home", tmp_path / "calls"
    assert ended(started(traces, home, tmp_path / "steps", out)) == 0
    flushed = {path for call, path, _ in pickle.loads(out.read_bytes()) if call == "fsync"}
    folder = home / "history" / "default" / NAME
    assert {str(parent) for parent in (folder, *folder.parents) if parent.is_relative_to(tmp_path)} <= flushed


def test_the_whole_session_is_kept(tmp_path: Path) -> None:
    """Without any death the session leaves exactly its records."""
    play(tmp_path / "home", tmp_path / "steps")
    kept = Files(tmp_path / "home").read(NAME)
    assert (list(kept.transcript), list(kept.edits)) == (SAID, DONE)
