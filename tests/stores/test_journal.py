"""The journal: nothing that was written down is lost, whatever lies in the file and whenever the process dies."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sostenuto.stores._journal import CAP_BYTES, Journal
from tests.stores.filling import full_disk
from tests.stores.killing import kill_everywhere


@pytest.fixture(autouse=True, scope="module")
def _unflushed() -> Iterator[None]:
    """No power is lost here, so nothing waits for the disk; what is flushed, and when, is asked in one test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda handle: None)
        yield


def _sized(number: int, *, size: int) -> dict[str, Any]:
    return {"number": number, "summary": "x" * size}


def _numbers(journal: Journal) -> list[int]:
    return [record["number"] for record in journal.records()]


def test_an_empty_journal_reads_as_empty(tmp_path: Path) -> None:
    """Origin A.8: without a file there are no records."""
    assert Journal(tmp_path / "none" / "journal.jsonl").records() == []


def test_records_come_back_oldest_first_with_their_numbers(tmp_path: Path) -> None:
    """Origin A.8: entries read back oldest first, each as it was written."""
    journal = Journal(tmp_path / "work" / "journal.jsonl")
    records: list[dict[str, Any]] = [
        {"tokensBefore": 9, "summary": "первый\n\u2028"},
        {"schema": 7, "summary": "second"},
        {"summary": "\ud800 half"},
    ]
    assert all(journal.append(record) for record in records)
    assert journal.records() == records
    assert Journal(tmp_path / "work" / "journal.jsonl").records() == records


def test_journals_are_apart(tmp_path: Path) -> None:
    """Origin A.8: a journal holds what was appended to its own path only."""
    one, other = Journal(tmp_path / "a" / "one" / "journal.jsonl"), Journal(tmp_path / "b" / "one" / "journal.jsonl")
    assert one.append({"number": 1})
    assert other.append({"number": 2})
    assert (_numbers(one), _numbers(other)) == ([1], [2])


def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    """Origin 8.1: the folder has mode 0700 and the file 0600, also where they were laxer before."""
    folder = tmp_path / "work"
    folder.mkdir(mode=0o755)
    (folder / "journal.jsonl").write_bytes(b"")
    (folder / "journal.jsonl").chmod(0o644)
    assert Journal(folder / "journal.jsonl").append({})
    assert (folder.stat().st_mode & 0o777, (folder / "journal.jsonl").stat().st_mode & 0o777) == (0o700, 0o600)


def test_a_torn_last_line_loses_only_itself(tmp_path: Path) -> None:
    """Origin A.8: wherever the last line was cut, the ones before it read, and the next one is not swallowed."""
    path = tmp_path / "journal.jsonl"
    journal = Journal(path)
    assert journal.append({"number": 1})
    whole = path.read_bytes()
    assert journal.append({"number": 2})
    line = path.read_bytes()[len(whole) :]
    for cut in range(1, len(line) - 1):
        path.write_bytes(whole + line[:cut])
        assert _numbers(journal) == [1]
        assert journal.append({"number": 3})
        assert _numbers(journal) == [1, 3]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.binary(max_size=30), max_size=6))
def test_a_malformed_line_loses_only_itself(noise: list[bytes]) -> None:
    """B163: bytes that are no record, anywhere in the file, take no other record with them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "journal.jsonl")
        journal = Journal(path)
        for number, bytes_between in enumerate(noise):
            assert journal.append({"number": number})
            with path.open("ab") as file:
                file.write(bytes_between.replace(b"{", b"?").replace(b"\n", b"?"))
        assert journal.append({"number": len(noise)})
        assert [record["number"] for record in journal.records() if "number" in record] == list(range(len(noise) + 1))


@pytest.mark.parametrize("line", [b"[1]", b"null", b"7" * 5_000, b"[" * 100_000, b"\xff\xfe", b'{"a":', b""])
def test_lines_that_are_no_object_are_left_out(tmp_path: Path, line: bytes) -> None:
    """A list, a bare value, a number too long, endless brackets, broken UTF-8 and half an object are no records."""
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b'{"number": 1}\n' + line + b'\n{"number": 2}\n')
    assert _numbers(Journal(path)) == [1, 2]


@pytest.mark.parametrize("record", [{"a": object()}, {"a": {1, 2}}, {(1, 2): 3}])
def test_what_is_no_json_is_refused(tmp_path: Path, record: Any) -> None:
    """A record that cannot be written is False, and nothing of it is in the file."""
    journal = Journal(tmp_path / "journal.jsonl")
    assert journal.append({"number": 1})
    assert not journal.append(record)
    assert _numbers(journal) == [1]


def test_a_record_is_flushed_before_it_is_acknowledged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Origin 8.1: when append returns, the line was in the file at the time the file was flushed."""
    path = tmp_path / "journal.jsonl"
    flushed: list[bytes] = []
    monkeypatch.setattr(os, "fsync", lambda handle: flushed.append(path.read_bytes()))
    assert Journal(path).append({"number": 1})
    assert Journal(path).append({"number": 2})
    assert flushed[-1] == path.read_bytes() == b'{"schema": 1}\n{"number": 1}\n{"number": 2}\n'


def test_under_the_cap_nothing_goes(tmp_path: Path) -> None:
    """Origin A.8: under the cap nothing happens, and other files of the folder are not counted (D40)."""
    (tmp_path / "state.json").write_bytes(b"x" * CAP_BYTES)
    journal = Journal(tmp_path / "journal.jsonl")
    for number in range(7):
        assert journal.append(_sized(number, size=CAP_BYTES // 8))
    assert _numbers(journal) == list(range(7))


@pytest.mark.parametrize(("held", "left"), [(1, 1), (2, 1), (3, 2), (4, 2), (7, 4), (8, 4)])
def test_over_the_cap_the_newest_half_stays(tmp_path: Path, held: int, left: int) -> None:
    """Origin 8.1: of n + 1 records over the cap, half, rounded up, are dropped, and the newest stay."""
    journal = Journal(tmp_path / "journal.jsonl", cap_bytes=held * 1_000 + 40)
    for number in range(held + 1):
        assert journal.append(_sized(number, size=970))
    assert _numbers(journal) == list(range(held + 1))[-left:]
    assert (tmp_path / "journal.jsonl").stat().st_size <= held * 1_000 + 40


def test_the_newest_record_is_never_dropped(tmp_path: Path) -> None:
    """D40: a record larger than the cap stays until a newer one takes its place."""
    journal = Journal(tmp_path / "journal.jsonl", cap_bytes=100)
    for number in range(3):
        assert journal.append(_sized(number, size=500))
        assert _numbers(journal) == [number]


def test_the_cap_holds_over_two_hundred_compactions(tmp_path: Path) -> None:
    """deepagents 2876: the file stays bounded however many compactions there are, and what it holds is the newest without a gap."""
    journal = Journal(tmp_path / "journal.jsonl", cap_bytes=20_000)
    for number in range(200):
        assert journal.append(_sized(number, size=700))
        assert (tmp_path / "journal.jsonl").stat().st_size <= 20_000
    numbers = _numbers(journal)
    assert numbers == list(range(numbers[0], 200))
    assert len(numbers) >= 10


def test_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    """A journal of a newer version reads as none, takes no record, and keeps every byte."""
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b'{"schema": 2, "packed": true}\n{"number": 1}\n')
    before = path.read_bytes()
    journal = Journal(path)
    assert journal.records() == []
    assert not journal.append({"number": 2})
    assert path.read_bytes() == before


def test_a_place_that_cannot_be_written_is_false_and_recovers(tmp_path: Path) -> None:
    """D34: where a file stands in the folder's place append is False; once it is gone the next one is written."""
    (tmp_path / "work").write_text("in the way")
    journal = Journal(tmp_path / "work" / "journal.jsonl")
    assert not journal.append({"number": 1})
    assert journal.records() == []
    (tmp_path / "work").unlink()
    assert journal.append({"number": 2})
    assert _numbers(journal) == [2]


def test_on_a_full_disk_append_is_false_and_recovers(tmp_path: Path) -> None:
    """D34: without room append is False, what was written before stays, and with room the next one is written."""
    journal = Journal(tmp_path / "journal.jsonl")
    assert journal.append({"number": 1})
    with full_disk():
        assert not journal.append({"number": 2})
    assert _numbers(journal) == [1]
    assert journal.append({"number": 3})
    assert _numbers(journal) == [1, 3]


def test_what_cannot_be_pruned_now_is_pruned_later(tmp_path: Path) -> None:
    """Where the pruned file cannot be put in place the record is safe all the same, and a later append prunes."""
    path = tmp_path / "journal.jsonl"
    for number in range(4):
        assert Journal(path).append(_sized(number, size=900))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "replace", lambda source, target: (_ for _ in ()).throw(OSError("no")))
        assert Journal(path, cap_bytes=3_000).append(_sized(4, size=900))
    assert _numbers(Journal(path)) == [0, 1, 2, 3, 4]
    assert Journal(path, cap_bytes=3_000).append(_sized(5, size=900))
    assert _numbers(Journal(path)) == [3, 4, 5]


def test_a_planted_link_is_not_followed(tmp_path: Path) -> None:
    """A symbolic link in the place of the journal or of its folder is neither read nor written through."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "journal.jsonl").write_bytes(b'{"number": 1}\n')
    (tmp_path / "work").symlink_to(outside)
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "journal.jsonl").symlink_to(outside / "journal.jsonl")
    for journal in (Journal(tmp_path / "work" / "journal.jsonl"), Journal(tmp_path / "real" / "journal.jsonl")):
        assert not journal.append({"number": 2})
        assert journal.records() == []
    assert (outside / "journal.jsonl").read_bytes() == b'{"number": 1}\n'


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the process that is killed is a fork")
@pytest.mark.parametrize(("cap", "after", "kills"), [(CAP_BYTES, [0, 1, 2, 3], 5), (3_000, [2, 3], 12)])
def test_killed_at_any_write_no_acknowledged_record_is_lost(tmp_path: Path, cap: int, after: list[int], kills: int) -> None:
    """B161: killed before or within any write, appending and pruning alike, the journal reads as before it or as after it."""
    old = [0, 1, 2]

    def path(moment: int) -> Path:
        return tmp_path / str(moment) / "journal.jsonl"

    def prepare(moment: int) -> Callable[[], object]:
        for number in old:
            assert Journal(path(moment), cap_bytes=CAP_BYTES).append(_sized(number, size=900))
        journal = Journal(path(moment), cap_bytes=cap)
        return lambda: journal.append(_sized(3, size=900))

    def check(moment: int) -> None:
        journal = Journal(path(moment), cap_bytes=cap)
        assert _numbers(journal) in (old, [*old, 3], after)
        assert journal.append(_sized(4, size=900))
        assert _numbers(journal)[-1] == 4

    assert kill_everywhere(prepare, check=check) >= kills


@settings(max_examples=25, deadline=None)
@given(st.lists(st.dictionaries(st.text(), st.none() | st.integers() | st.text() | st.lists(st.text())), max_size=3))
def test_every_record_reads_as_it_was_written(records: list[dict[str, Any]]) -> None:
    """Whatever JSON can hold comes back the same, record by record."""
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(Path(folder, "journal.jsonl"))
        assert all(journal.append(record) for record in records)
        assert journal.records() == json.loads(json.dumps(records))
