"""A run whose surroundings turn against it: it goes on, ends with its answer, says so once, and later writes recover (D34, invariant 7)."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from sostenuto.engine import amounting
from sostenuto.stores.files import Files
from sostenuto.testing import FakeServer
from tests.surviving.checking import transcript, wrong
from tests.surviving.dying import ended, started
from tests.surviving.working import DONE, GO_ON, NAME, TASK, Work, work

CANNOT, AGAIN = "cannot be written down now", "is written down again"


def notices(life: Work) -> list[str]:
    """What the person was told in the newest run."""
    return [event["text"] for event in life.events(life.runs) if event.get("event") == "notice"]


def about(life: Work, words: str) -> int:
    """How often a notice said so."""
    return sum(words in text for text in notices(life))


@contextmanager
def mounted(path: Path, *, size: str) -> Iterator[None]:
    """A small disk of its own at this place."""
    path.mkdir(parents=True)
    try:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(path)], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("nothing can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(path)], check=True)


def at_step(number: int, act: Callable[[Work], object], *more: tuple[int, Callable[[Work], object]]) -> Callable[[Work, int], None]:
    """Do something to the world when the request with this number comes."""
    acts = dict([(number, act), *more])
    return lambda life, now: (acts[now](life), None)[1] if now in acts else None


def filled(life: Work) -> None:
    """Leave no room on the disk."""
    with (life.home / "filler").open("wb", buffering=0) as file:
        try:
            while file.write(b"x" * 1024):
                pass
        except OSError:
            return


def test_a_disk_that_is_full_for_a_while() -> None:
    """The run ends with its answer, one notice says that nothing is written and one that it is again, and nothing is missing."""
    freed = (9, lambda life: (life.home / "filler").unlink())
    with work(at=at_step(4, filled, freed)) as life, mounted(life.home, size="512k"):
        assert life.run(TASK) == 0
        assert (about(life, CANNOT), about(life, AGAIN)) == (1, 1)
        assert len([message for message in transcript(life) if message["role"] == "assistant"]) == 13
        assert life.run(GO_ON) == 0


def test_a_disk_that_stays_full() -> None:
    """The run ends with its answer, and says at its end that the conversation is not kept; the next one goes on with what was."""
    with work(at=at_step(4, filled)) as life, mounted(life.home, size="512k"):
        assert life.run(TASK) == 0
        assert life.out.read_text().strip() == DONE
        assert about(life, CANNOT) == 1
        assert "the conversation is not kept" in life.err.read_text()
        (life.home / "filler").unlink()
        assert life.run(GO_ON) == 0
        assert [message["content"] for message in transcript(life) if message["role"] == "user"] == [TASK, GO_ON]


def locked(life: Work) -> None:
    """Let nobody change anything in the data home."""
    for options in (["--bind", str(life.home)], ["-o", "remount,bind,ro"]):
        subprocess.run(["mount", *options, str(life.home)], check=True, capture_output=True)


def unlocked(life: Work) -> None:
    """As it was."""
    subprocess.run(["umount", "--lazy", str(life.home)], check=True)


def test_a_data_home_that_is_read_only_for_a_while() -> None:
    """The same where nothing can be changed at all."""
    with work(at=at_step(4, locked, (9, unlocked))) as life, mounted(life.home, size="4m"):
        assert life.run(TASK) == 0
        assert (about(life, CANNOT), about(life, AGAIN)) == (1, 1)
        assert len([message for message in transcript(life) if message["role"] == "assistant"]) == 13
        assert life.run(GO_ON) == 0


def test_a_data_home_that_is_removed() -> None:
    """What was kept is written again, whole, by the next step; nobody has to be told."""
    with work(at=at_step(6, lambda life: shutil.rmtree(life.home))) as life:
        assert life.run(TASK) == 0
        assert about(life, CANNOT) == 0
        assert len([message for message in transcript(life) if message["role"] == "assistant"]) == 13
        assert life.run(GO_ON) == 0
        assert transcript(life)[-1]["content"] == DONE


def gone(life: Work) -> None:
    """The data home is away, and nothing can be made in its place."""
    life.home.rename(life.root / "away")
    life.home.write_text("in the way")


def back(life: Work) -> None:
    """It is there again."""
    life.home.unlink()
    (life.root / "away").rename(life.home)


def test_a_data_home_that_goes_and_comes_back() -> None:
    """A disk that was taken away and put back is written on where it ended."""
    with work(at=at_step(4, gone, (9, back))) as life:
        assert life.run(TASK) == 0
        assert (about(life, CANNOT), about(life, AGAIN)) == (1, 1)
        kept = Files(life.home).read(NAME)
        assert kept.notes == ()
        numbers = [record["seq"] for record in kept.transcript]
        assert numbers == sorted(set(numbers))
        assert len([message for message in transcript(life) if message["role"] == "assistant"]) == 13
        assert life.run(GO_ON) == 0


def test_a_clock_that_jumps_back() -> None:
    """Files and leases that seem to come from the future are nothing to worry about: a killed run goes on as ever."""
    with work() as life:
        assert life.run(TASK, dies_at=200) == -9
        for path in life.home.rglob("*"):
            os.utime(path, (4_102_444_800, 4_102_444_800))
        lease = life.history / "lease.json"
        lease.write_text(json.dumps({**json.loads(lease.read_text()), "since": "2100-01-01T00:00:00+00:00"}))
        assert wrong(life, code=life.run(GO_ON)) == []


def test_another_run_of_the_same_conversation_is_refused_in_one_line() -> None:
    """While one writes, a second ends at once with a line that names the owner; the first does not notice."""
    refused: list[tuple[int | None, str]] = []

    def second(life: Work) -> None:
        told = life.told(GO_ON)
        with FakeServer("llamacpp") as other:  # the first one is busy with the first run
            code = ended(started(replace(told, surroundings={**told.surroundings, "LLAMACPP_BASE_URL": other.base_url})))
        refused.append((code, told.err.read_text()))
        life.runs -= 1
        told.err.unlink()

    with work(at=at_step(5, second)) as life:
        assert wrong(life, code=life.run(TASK)) == []
        [(code, said)] = refused
        assert code == 1
        lines = [line for line in said.splitlines() if not line.startswith("{")]
        assert len(lines) == 1
        assert f"conversation '{NAME}' is written by" in lines[0]
        assert "process" in lines[0]


def test_two_conversations_of_one_agent_at_the_same_time() -> None:
    """Each run ends with its answer, and each conversation holds its own."""

    def beside(life: Work) -> None:
        other = life.told(GO_ON, conversation="other")
        processes.append(started(other))

    processes: list[BaseProcess] = []
    with work(at=at_step(1, beside), steps=24) as life:
        life.run(TASK)
        assert ended(processes[0]) == 0
        for name in (NAME, "other"):
            kept = Files(life.home).read(name)
            assert kept.notes == ()
            said = [record["raw"] for record in amounting(kept)[0]["transcript"]]
            assert said[-1]["content"] == DONE
            assert [call["id"] for raw in said for call in raw.get("tool_calls") or ()] == [
                raw["tool_call_id"] for raw in said if raw["role"] == "tool"
            ]


@pytest.mark.parametrize("signals", [(signal.SIGTERM,), (signal.SIGINT,), (signal.SIGINT, signal.SIGINT), (signal.SIGTERM, signal.SIGINT)])
def test_a_run_that_is_told_to_stop_goes_on_later(signals: tuple[signal.Signals, ...]) -> None:
    """Whatever it is told to stop with, and however often, it ends by itself, and the next run has everything."""
    running: list[BaseProcess] = []

    def stop(life: Work) -> None:
        for number in signals:
            pid = running[0].pid
            assert pid is not None
            os.kill(pid, number)

    with work(at=at_step(7, stop)) as life:
        running.append(started(life.told(TASK)))
        assert ended(running[0]) == 130
        assert wrong(life, code=life.run(GO_ON)) == []
