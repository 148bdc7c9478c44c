"""Processes that write conversations: a scripted session, what it asks of the disk, and writers that go on until they are killed."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final

from sostenuto.errors import ConversationInUse
from sostenuto.stores.files import Files

NAME: Final = "conversation"
PATIENCE_S: Final = 120


def started(target: Callable[..., None], *args: Any) -> BaseProcess:
    """A process of its own that runs a function of this file; forked from a server that has imported it, so it starts at once."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["__main__", __name__, target.__module__])
    process = context.Process(target=target, args=args, daemon=True)
    process.start()
    return process


def ended(process: BaseProcess) -> int | None:
    """The exit code of a process that ends by itself; None if it hangs (it is killed then)."""
    process.join(PATIENCE_S)
    code = process.exitcode
    if code is None:
        process.kill()
        process.join()
    process.close()
    return code


def session() -> list[tuple[list[dict[str, Any]], list[dict[str, Any]]]]:
    """What the scripted session appends, one pair of lists a step."""
    return [
        ([_record(0), _record(1)], [_record(2)]),
        ([_record(3)], []),
        ([], [_record(4)]),
        ([_record(5, text="ü\ud800" * 30), _record(6)], [_record(7), _record(8)]),
    ]


def _record(number: int, *, text: str = "Grüße 🎉") -> dict[str, Any]:
    return {"seq": number, "text": text}


def play(home: Path, acknowledged: Path) -> None:
    """The scripted session: half of it, closed, and the rest by another handle. Each step that is safe leaves its number in a file."""
    handle = _real_open(acknowledged, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    steps = session()
    for part in (range(2), range(2, len(steps))):
        log = Files(home).open(NAME)
        log.read()
        for number in part:
            if log.append(*steps[number]):
                _real_write(handle, f"{number}\n".encode())
        log.close()


def steps_in(acknowledged: Path) -> list[int]:
    """The numbers of the steps that were acknowledged."""
    return [int(line) for line in acknowledged.read_text().split()] if acknowledged.exists() else []


_real_open, _real_write = os.open, os.write


# What a session asked of the disk: the call, the path and the data; or "acknowledged" and the number of the step.
Call = tuple[str, str, Any]


def traces(home: Path, acknowledged: Path, out: Path) -> None:
    """Play the session and write down what it asked of the disk."""
    calls: list[Call] = []
    paths: dict[int, str] = {}
    real = {name: getattr(os, name) for name in ("open", "write", "fsync", "ftruncate", "mkdir")}

    def opening(path: Any, flags: int, *args: Any, **more: Any) -> int:
        is_new = bool(flags & os.O_CREAT) and not os.path.lexists(path)
        handle: int = real["open"](path, flags, *args, **more)
        paths[handle] = os.fspath(path)
        if is_new:
            calls.append(("made", os.fspath(path), b""))
        return handle

    def writing(handle: int, data: bytes) -> int:
        calls.append(("write", paths.get(handle, ""), bytes(data)))
        done: int = real["write"](handle, data)
        return done

    def flushing(handle: int) -> None:
        real["fsync"](handle)
        calls.append(("fsync", paths.get(handle, ""), b""))

    def cutting(handle: int, size: int) -> None:
        calls.append(("cut", paths.get(handle, ""), size))
        real["ftruncate"](handle, size)

    def making(path: Any, *args: Any, **more: Any) -> None:
        real["mkdir"](path, *args, **more)
        calls.append(("made", os.fspath(path), b""))

    os.open, os.write, os.fsync, os.ftruncate, os.mkdir = opening, writing, flushing, cutting, making  # type: ignore[assignment]
    steps = session()
    log = Files(home).open(NAME)
    for number, step in enumerate(steps):
        if log.append(*step):
            calls.append(("acknowledged", str(number), b""))
    log.close()
    import pickle

    out.write_bytes(pickle.dumps(calls))


def writes_on(home: Path, acknowledged: Any, seed: int) -> None:
    """Append one small turn after the other, telling each number that is safe through a pipe, until somebody ends it."""
    log = Files(home).open(NAME)
    log.read()
    number = log.expects_from
    while True:
        size = (number * 7 + seed) % 3_000
        if log.append([{"seq": number, "text": "x" * size}], [{"seq": number + 1}]):
            acknowledged.send_bytes(str(number).encode())
        number += 2


def hammers(home: Path, acknowledged: Path, seed: int, turns: int) -> None:
    """Write turns into conversations that others write too: open, read, append what follows, close, as often as it is let in."""
    import random

    chance = random.Random(seed)
    files = Files(home)
    with acknowledged.open("a") as told:
        while turns:
            name = f"c{chance.randrange(4)}"
            try:
                log = files.open(name)
            except ConversationInUse:
                _check(files.read(name).transcript)
                continue
            kept = log.read()
            _check(kept.transcript)
            if kept.notes:
                raise AssertionError(kept.notes)
            for _ in range(chance.randrange(1, 4)):
                first = log.expects_from
                records = [{"seq": first + number, "by": seed, "text": "x" * chance.randrange(2_000)} for number in range(3)]
                if not log.append(records[:2], records[2:]):
                    raise AssertionError(f"{name} could not be written")
                told.write(f"{name} {first}\n")
            log.close()
            turns -= 1


def _check(records: Sequence[Any]) -> None:
    numbers = [record["seq"] for record in records]
    if numbers != sorted(set(numbers)):
        raise AssertionError(f"out of order: {numbers}")


def hammers_for(home: Path, acknowledged: Path, seed: int, seconds: float) -> None:
    """The same for a time."""
    import time

    until = time.monotonic() + seconds
    while time.monotonic() < until:
        hammers(home, acknowledged, seed, 20)
        seed += 1_000


def as_somebody(target: Callable[..., None], *args: Any) -> None:
    """Run a function as a user without rights, where this one has all; an exception is the exit code."""
    if sys.platform != "win32" and os.geteuid() == 0:
        os.setgid(65_534)
        os.setuid(65_534)
    target(*args)
