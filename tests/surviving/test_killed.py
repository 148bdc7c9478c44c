"""A run that is killed at any change of the disk, or at any moment, goes on with everything that was acknowledged (invariant 8, D32)."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.surviving.checking import wrong
from tests.surviving.dying import ended, started
from tests.surviving.working import DONE, GO_ON, TASK, WORK_S, changes, work

SPREAD, MOMENTS = 12, 6


def killed_at(numbers: Iterator[int] | range) -> list[str]:
    """What does not hold after a death before each of these changes of the disk."""
    found = []
    for number in numbers:
        with work() as life:
            assert life.run(TASK, dies_at=number) == -9, f"the run did not come to change {number}"
            found += [f"change {number}: {line}" for line in wrong(life, code=life.run(GO_ON))]
    return found


def killed_sometime(times: int, *, seed: int | None) -> list[str]:
    """What does not hold after deaths at random moments, up to three of them in one conversation."""
    chance = random.Random(seed)
    found = []
    for _ in range(times):
        with work() as life:
            moments = [round(chance.uniform(0, WORK_S), 3) for _ in range(chance.choice((1, 1, 1, 2, 3)))]
            for number, moment in enumerate(moments):
                ended(started(life.told(GO_ON if number else TASK)), within_s=moment)
            found += [f"killed after {moments} s: {line}" for line in wrong(life, code=life.run(GO_ON))]
    return found


def test_a_run_that_is_not_killed_is_whole() -> None:
    """The run these tests kill compacts with a model's summary, keeps results whole, and everything that must hold does."""
    with work() as life:
        assert wrong(life, code=life.run(TASK)) == []
        assert sum(seen.is_summary for seen in life.seen) >= 2
        assert len(list((life.papers / "tool-results").glob("*.txt"))) == 3


def test_a_killed_run_goes_on_wherever_it_died() -> None:
    """After SIGKILL before, or in the middle of, a change of the disk a second run ends with the answer, and nothing is lost or doubled."""
    count = changes()
    assert killed_at(range(count // SPREAD // 2, count, count // SPREAD + 1)) == []


@pytest.mark.long
def test_a_killed_run_goes_on_after_every_change() -> None:
    """The same for every one of them."""
    assert killed_at(range(changes())) == []


def test_a_run_that_is_killed_at_some_moment_goes_on() -> None:
    """The same at moments that have nothing to do with the disk, and after several deaths."""
    assert killed_sometime(MOMENTS, seed=7) == []


@pytest.mark.long
def test_a_run_that_is_killed_at_many_moments_goes_on() -> None:
    """The same two thousand times."""
    assert killed_sometime(2_000, seed=None) == []


def test_the_program_itself_goes_on() -> None:
    """What is true for processes that were forked is true for ``python -m sostenuto``."""
    with work() as life:
        told = life.told(TASK)
        command = [sys.executable, "-m", "sostenuto", *told.arguments]
        with told.err.open("wb") as err, subprocess.Popen(command, cwd=told.folder, env=life.environment, stderr=err) as process:
            while not life.seen or life.seen[-1].is_summary or len(life.seen) < 6:
                life.came.wait(10)
                life.came.clear()
            process.kill()
        told = life.told(GO_ON)
        command = [sys.executable, "-m", "sostenuto", *told.arguments]
        with told.err.open("wb") as err, told.out.open("wb") as out:
            done = subprocess.run(command, cwd=told.folder, env=life.environment, stdout=out, stderr=err, check=False)
        assert wrong(life, code=done.returncode) == []
        assert life.out.read_text() == f"{DONE}\n"
