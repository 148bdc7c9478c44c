"""Every store does what every store must do, and the public checks find what is wrong with one."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sostenuto.protocols import Kept, Record, Store
from sostenuto.stores.files import Files
from sostenuto.stores.in_memory import InMemory, LogInMemory
from sostenuto.testing import STORE_CHECKS, Placed, StoreCheck


@contextmanager
def in_memory() -> Iterator[Callable[[], Store]]:
    """A store of this process, which is its own second handle."""
    store = InMemory()
    yield lambda: store


@contextmanager
def on_disk() -> Iterator[Callable[[], Store]]:
    """A folder; every handle onto it is a store of its own."""
    with tempfile.TemporaryDirectory() as folder:
        yield lambda: Files(Path(folder) / "home")


@pytest.mark.parametrize("placed", [in_memory, on_disk])
@pytest.mark.parametrize("check", STORE_CHECKS, ids=lambda check: check.name)
def test_every_store_does_what_a_store_must(check: StoreCheck, placed: Placed) -> None:
    """The stores of this package pass every public check."""
    check.run(placed)


class Flawed(InMemory):
    """A store with something wrong with it."""

    flaw: type[LogInMemory] = LogInMemory

    def open(self, conversation: str, /) -> LogInMemory:
        """A log that is not what it should be."""
        if self.flaw is Open and conversation in self._held:
            self._held[conversation].writer = None
        log = super().open(conversation)
        log.__class__ = self.flaw
        return log


class Reordered(LogInMemory):
    """Reads backwards."""

    def read(self) -> Kept:
        """The last record first."""
        kept = super().read()
        return Kept(kept.transcript[::-1], kept.edits[::-1])


class Forgetful(LogInMemory):
    """Calls safe what it did not write."""

    def append(self, transcript: Sequence[Record], edits: Sequence[Record], /) -> bool:
        """The edits are not kept."""
        return super().append(transcript, [])


class Open(LogInMemory):
    """Lets everybody in."""


class Talkative(LogInMemory):
    """Keeps what nobody asked it to keep."""

    def keep(self, items: Mapping[str, str], /) -> frozenset[str]:
        """One key too many."""
        return frozenset([*items, "m9.0"])


class Unwritten(LogInMemory):
    """Has no journal."""

    def journalled(self) -> Sequence[Record]:
        """Nothing was ever written down."""
        return ()


def _found(flaw: type[LogInMemory]) -> set[str]:
    @contextmanager
    def placed() -> Iterator[Callable[[], Store]]:
        store = Flawed()
        store.flaw = flaw
        yield lambda: store

    failed = set()
    for check in STORE_CHECKS:
        try:
            check.run(placed)
        except AssertionError:
            failed.add(check.name)
    return failed


@pytest.mark.parametrize(
    ("flaw", "expected"),
    [
        (LogInMemory, set()),
        (Reordered, {"it keeps what was appended", "it keeps many records in order", "it leaves no hole"}),
        (Forgetful, {"it keeps what was appended", "it keeps many records in order", "it writes nothing twice"}),
        (Open, {"a conversation has one writer", "a closed log is closed for good"}),
        (Talkative, {"it says what it really keeps"}),
        (Unwritten, {"it journals", "its records are copies", "it keeps conversations apart"}),
    ],
)
def test_a_flaw_is_found(flaw: type[LogInMemory], expected: set[str]) -> None:
    """A sound store passes every check; a flaw fails at least the checks that are about it."""
    found = _found(flaw)
    assert expected <= found
    assert bool(expected) == bool(found)


def test_the_checks_have_names_of_their_own() -> None:
    """No two checks are called the same, so that a report of failures can be read."""
    names: list[Any] = [check.name for check in STORE_CHECKS]
    assert len(set(names)) == len(names)
