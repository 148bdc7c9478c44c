"""Whole results on disk: the text that was kept comes back to the letter, with whose words it holds, inside the cap."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from sostenuto.protocols import KeptResult
from sostenuto.results import KEPT_BYTES, Provenance, framed
from sostenuto.stores.results import FileResults
from tests.stores.filling import full_disk
from tests.stores.killing import kill_everywhere

CAP = 1_500
STRANGER = Provenance("external", "https://example.test/page", "Mind it.")
HOSTILE = [
    "../escape",
    "a/b",
    "..",
    ".",
    ".lock",
    "",
    "nul",
    "COM1.txt",
    "x" * 201,
    "x" * 10_000,
    "a\0b",
    "ключ",
    "a\nb",
    "~" + "0" * 64,
    "\ud800",
]


@pytest.fixture(autouse=True, scope="module")
def _unflushed() -> Iterator[None]:
    """No power is lost here, so nothing waits for the disk; what is flushed, and when, is asked in the tests of the journal."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda handle: None)
        yield


def _result(text: str = "text", *, provenance: Provenance | None = None) -> KeptResult:
    return KeptResult(text, "read_file", "call_1", provenance)


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in (folder / "tool-results").iterdir() if path.name != ".lock")


def test_a_body_is_written_and_read_back(tmp_path: Path) -> None:
    """Origin A.4: the file holds the text as it is, under its id, and it reads back with tool, call and provenance."""
    results = FileResults(tmp_path / "work")
    assert results.keep("call_A-1.x", _result("line\r\nline\n", provenance=STRANGER))
    assert (tmp_path / "work" / "tool-results" / "call_A-1.x.txt").read_bytes() == b"line\r\nline\n"
    assert (tmp_path / "work" / "tool-results" / "call_A-1.x.provenance.json").is_file()
    assert FileResults(tmp_path / "work").kept("call_A-1.x") == KeptResult("line\r\nline\n", "read_file", "call_1", STRANGER)


def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    """Origin 4.2: folders have mode 0700 and files 0600, whatever the umask says; what was opened to others is closed again."""
    before = os.umask(0)
    try:
        assert FileResults(tmp_path / "work").keep("one", _result())
        (tmp_path / "work" / "tool-results").chmod(0o755)
        (tmp_path / "work" / "tool-results" / "one.txt").chmod(0o644)
        assert FileResults(tmp_path / "work").keep("two", _result())
    finally:
        os.umask(before)
    assert (tmp_path / "work" / "tool-results").stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "work" / "tool-results").iterdir()} == {0o600}


def test_a_second_write_keeps_the_first_body(tmp_path: Path) -> None:
    """Origin A.4: the first result under a key stays, for another object too, and keeping again says that one is kept."""
    assert FileResults(tmp_path).keep("one", _result("first", provenance=STRANGER))
    assert FileResults(tmp_path).keep("one", _result("second"))
    assert FileResults(tmp_path).kept("one") == _result("first", provenance=STRANGER)


def test_a_missing_body_is_nothing(tmp_path: Path) -> None:
    """Origin A.4: a key that was never kept reads as none, without an error and without making anything."""
    results = FileResults(tmp_path / "work")
    assert results.kept("one") is None
    assert results.notes() == ()
    assert not (tmp_path / "work").exists()


@pytest.mark.parametrize("key", HOSTILE)
def test_a_hostile_key_stays_retrievable_and_is_no_path(tmp_path: Path, key: str) -> None:
    """Origin A.4, D47: a key that may not name a file is kept under its digest, inside the folder, apart from every other."""
    work = tmp_path / "deep" / "work"
    results = FileResults(work)
    assert results.keep("ordinary", _result("ordinary"))
    assert results.keep(key, _result(f"of {len(key)}"))
    assert results.kept(key) == _result(f"of {len(key)}")
    assert results.kept("ordinary") == _result("ordinary")
    assert os.listdir(tmp_path) == ["deep"]
    assert all(path.parent == work / "tool-results" for path in work.rglob("*.txt"))
    assert len(list(work.rglob("*.txt"))) == 2


@settings(max_examples=40, deadline=None)
@given(st.text(st.characters(exclude_categories=()), max_size=60))
@example("\ud83d\ude00 \ud800 \udfff")
@example("\r\n\r\0\ufeff\u2028\x1a")
def test_every_text_comes_back_to_the_letter(text: str) -> None:
    """Lone surrogates, nulls, every kind of line end and mark come back as they were."""
    with tempfile.TemporaryDirectory() as folder:
        assert FileResults(Path(folder)).keep("one", _result(text))
        assert FileResults(Path(folder)).kept("one") == _result(text)


def test_a_framed_body_without_a_note_keeps_its_kind(tmp_path: Path) -> None:
    """Origin A.4: a text without a note has the provenance of the frame it stands in, and a plain one has none."""
    results = FileResults(tmp_path)
    assert results.keep("framed", _result(framed("words", STRANGER)))
    assert results.keep("plain", _result("words"))
    for path in (tmp_path / "tool-results").glob("*.json"):
        path.unlink()
    found = results.kept("framed")
    assert found is not None
    assert found.provenance == Provenance("external", "https://example.test/page")
    assert results.kept("plain") == KeptResult("words", "", "plain", None)


@pytest.mark.parametrize("note", [b"{", b"[]", b"\xff", b"{}", b'{"provenance": 7}', b'{"provenance": {"kind": "friend"}}', b"[" * 100_000])
def test_a_spoiled_note_makes_the_words_a_strangers(tmp_path: Path, note: bytes) -> None:
    """Where a note cannot be understood the text is there, and is taken for a stranger's."""
    results = FileResults(tmp_path)
    assert results.keep("one", _result("words"))
    (tmp_path / "tool-results" / "one.provenance.json").write_bytes(note)
    found = results.kept("one")
    assert found is not None
    assert found.text == "words"
    assert found.provenance is not None
    assert found.provenance.taints


def test_a_newer_version_is_refused_without_damage(tmp_path: Path) -> None:
    """A result of a newer version is none, is not written over, and the line says why."""
    results = FileResults(tmp_path)
    assert results.keep("one", _result("words"))
    note = tmp_path / "tool-results" / "one.provenance.json"
    note.write_text('{"schema": 2}')
    assert results.kept("one") is None
    assert not FileResults(tmp_path).keep("one", _result("other"))
    assert "newer version" in results.notes()[0]
    assert (note.read_text(), (tmp_path / "tool-results" / "one.txt").read_text()) == ('{"schema": 2}', "words")


def test_the_oldest_make_room_and_it_is_said(tmp_path: Path) -> None:
    """D15: over the cap the oldest go first, read as none afterwards, and one line says how many and what to do."""
    results = FileResults(tmp_path, cap_bytes=10_000)
    for number in range(20):
        assert results.keep(f"call_{number}", _result("x" * 1_000))
        assert _bytes(tmp_path) <= 10_000
    kept = [number for number in range(20) if results.kept(f"call_{number}")]
    assert kept == list(range(kept[0], 20))
    assert len(kept) >= 7
    assert len(results.notes()) == 1
    assert f"the oldest {kept[0]} results" in results.notes()[0]


@pytest.mark.parametrize("count", [2_000, pytest.param(10_000, marks=pytest.mark.long)])
def test_many_small_results_stay_under_the_cap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """B171: over 10,000 results, or a fifth of them, the cap holds and the folder is looked through once."""
    looks: list[Path] = []
    scandir = os.scandir

    def seen(path: Path) -> Any:
        looks.append(path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", seen)
    results = FileResults(tmp_path, cap_bytes=50_000)
    for number in range(count):
        assert results.keep(f"call_{number}", _result("x" * (number % 97)))
    assert len(looks) == 1
    assert 49_000 < _bytes(tmp_path) <= 50_000
    assert results.kept(f"call_{count - 1}") == _result("x" * ((count - 1) % 97))
    assert results.kept("call_0") is None


def test_the_cap_counts_what_was_there_before(tmp_path: Path) -> None:
    """The cap is the folder's: a new object, and one that ran beside it, count each other's results, the oldest of both goes first."""
    one, other = FileResults(tmp_path, cap_bytes=6_000), FileResults(tmp_path, cap_bytes=6_000)
    for number in range(10):
        assert (one, other)[number % 2].keep(f"call_{number}", _result("x" * 1_000))
        assert _bytes(tmp_path) <= 6_000
    assert FileResults(tmp_path).kept("call_9")
    assert not FileResults(tmp_path).kept("call_0")


class Unread(str):
    """A text that may be measured and never read."""

    def encode(self, *given: object, **named: object) -> bytes:
        raise AssertionError("it was read")


def test_a_result_over_the_cap_is_refused_unread(tmp_path: Path) -> None:
    """A text longer than the cap is False by its length alone, drives nothing out, and the line names tool and figures."""
    results = FileResults(tmp_path, cap_bytes=1_000)
    assert results.keep("small", _result("small"))
    assert not results.keep("huge", _result(Unread("x" * 1_001)))
    assert not results.keep("wide", _result("я" * 600))
    assert results.kept("small") == _result("small")
    assert "read_file" in results.notes()[0]
    assert results.keep("next", _result("next"))
    assert KEPT_BYTES == 256_000_000


def test_a_place_that_cannot_be_written_is_false_and_recovers(tmp_path: Path) -> None:
    """Origin A.4, D34: where nothing can be written keep is False and kept none; once it can, keeping works and the line is gone."""
    (tmp_path / "work").write_text("in the way")
    results = FileResults(tmp_path / "work")
    assert [results.keep("one", _result()) for _ in range(3)] == [False] * 3
    assert results.kept("one") is None
    assert len(results.notes()) == 1
    (tmp_path / "work").unlink()
    assert results.keep("one", _result())
    assert results.notes() == ()
    (tmp_path / "work").rename(tmp_path / "gone")
    assert results.kept("one") is None
    assert results.keep("one", _result("again"))
    assert results.kept("one") == _result("again")


def test_on_a_full_disk_keep_is_false_and_recovers(tmp_path: Path) -> None:
    """D34: without room keep is False, nothing of the result is left, the ones before it stay, and with room keeping works."""
    results = FileResults(tmp_path)
    assert results.keep("one", _result("first"))
    with full_disk():
        assert not FileResults(tmp_path).keep("two", _result("second"))
        assert not results.keep("two", _result("second"))
    assert "no space left" in results.notes()[0]
    assert results.kept("two") is None
    assert results.kept("one") == _result("first")
    assert sorted(os.listdir(tmp_path / "tool-results")) == [".lock", "one.provenance.json", "one.txt"]
    assert results.keep("two", _result("second"))
    assert results.notes() == ()


def test_one_failing_id_does_not_stop_the_others(tmp_path: Path) -> None:
    """Origin 4.2: a key in whose place something else lies is False, and the ones after it are kept."""
    results = FileResults(tmp_path)
    (tmp_path / "tool-results" / "one.txt").mkdir(parents=True)
    assert not results.keep("one", _result())
    assert results.kept("one") is None
    assert results.keep("two", _result())
    assert sorted(path.name for path in (tmp_path / "tool-results").glob("*.json")) == ["two.provenance.json"]


def test_a_planted_link_is_not_followed(tmp_path: Path) -> None:
    """A link in a body's place is replaced and never read, one in the folder's place refuses everything; its target is untouched."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("secret")
    (tmp_path / "work" / "tool-results").mkdir(parents=True)
    (tmp_path / "work" / "tool-results" / "one.txt").symlink_to(outside / "secret.txt")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "tool-results").symlink_to(outside)
    assert FileResults(tmp_path / "work").kept("one") is None
    assert FileResults(tmp_path / "work").keep("one", _result("mine"))
    assert FileResults(tmp_path / "work").kept("one") == _result("mine")
    assert FileResults(tmp_path / "linked").kept("secret") is None
    assert not FileResults(tmp_path / "linked").keep("one", _result("mine"))
    assert not FileResults(tmp_path / "linked").purge()
    assert os.listdir(outside) == ["secret.txt"]
    assert (outside / "secret.txt").read_text() == "secret"


def test_purging_leaves_nothing(tmp_path: Path) -> None:
    """Origin A.8: purge removes every result of its own folder only, and purging nothing is fine."""
    results = FileResults(tmp_path / "one")
    assert FileResults(tmp_path / "other").keep("call", _result())
    assert results.purge()
    assert results.keep("call", _result())
    assert results.purge()
    assert results.kept("call") is None
    assert _bytes(tmp_path / "one") == 0
    assert FileResults(tmp_path / "other").kept("call")
    assert results.keep("call", _result("again"))


def test_several_writers_never_lose_a_result(tmp_path: Path) -> None:
    """Writers at the same time, each with an object of its own, keep everything they were told is kept."""

    def write(writer: int) -> bool:
        results = FileResults(tmp_path)
        return all(results.keep(f"{writer}-{number}", _result(f"{writer} {number}")) for number in range(15))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(write, range(4)))
    reader = FileResults(tmp_path)
    assert all(reader.kept(f"{writer}-{number}") == _result(f"{writer} {number}") for writer in range(4) for number in range(15))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the process that is killed is a fork")
def test_killed_at_any_write_a_result_is_whole_or_not_there(tmp_path: Path) -> None:
    """B161: killed before or within any write, what reads has its text and its provenance whole, and the cap holds afterwards."""

    def prepare(moment: int) -> Callable[[], object]:
        results = FileResults(tmp_path / str(moment), cap_bytes=2_600)
        assert results.keep("old", _result("o" * 1_000, provenance=STRANGER))
        return lambda: (results.keep("new", _result("n" * 1_000, provenance=STRANGER)), results.keep("last", _result("l" * 1_000)))

    def check(moment: int) -> None:
        folder = tmp_path / str(moment)
        results = FileResults(folder, cap_bytes=2_600)
        assert results.kept("old") in (None, _result("o" * 1_000, provenance=STRANGER))
        assert results.kept("new") in (None, _result("n" * 1_000, provenance=STRANGER))
        assert results.kept("old") or results.kept("new")
        assert results.keep("after", _result("a" * 1_000))
        assert results.kept("after") == _result("a" * 1_000)
        assert _bytes(folder) <= 2_600
        assert not [path for path in (folder / "tool-results").iterdir() if path.name.startswith(".") and path.name != ".lock"]

    assert kill_everywhere(prepare, check=check) > 20


@cache
def _note_bytes(key: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        assert FileResults(Path(folder)).keep(key, _result(""))
        return _bytes(Path(folder))


class Cap(RuleBasedStateMachine):
    """Results against a list: what is left is always the newest that fit, and the newest is always there."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.results = self._opened()
        self.held: dict[str, str] = {}

    def _opened(self) -> FileResults:
        return FileResults(Path(self.folder.name), cap_bytes=CAP)

    @rule(key=st.sampled_from(["a", "b", "c", "../d", "e" * 300]), size=st.integers(0, 700) | st.integers(1_200, 1_600))
    def keep(self, key: str, size: int) -> None:
        text = chr(97 + size % 26) * size
        fits = size + _note_bytes(key) <= CAP
        assert self.results.keep(key, _result(text)) == fits
        if fits and key not in self.held:
            self.held[key] = text
            while sum(len(one) + _note_bytes(name) for name, one in self.held.items()) > CAP:
                del self.held[next(iter(self.held))]

    @rule()
    def reopen(self) -> None:
        self.results = self._opened()

    @rule()
    def purge(self) -> None:
        assert self.results.purge()
        self.held.clear()

    @invariant()
    def the_newest_that_fit_are_left(self) -> None:
        for key in ("a", "b", "c", "../d", "e" * 300):
            assert self.results.kept(key) == (_result(self.held[key]) if key in self.held else None)
        bodies = Path(self.folder.name, "tool-results").glob("*.txt")
        assert len(list(bodies)) == len(self.held)

    def teardown(self) -> None:
        self.folder.cleanup()


TestCap = Cap.TestCase
TestCap.settings = settings(max_examples=20, stateful_step_count=20, deadline=None)
