"""What cannot be read in a conversation, and what happens to it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from sostenuto.errors import UnusableInput
from sostenuto.stores._lines import Lines
from sostenuto.stores._records import found_in
from sostenuto.stores.files import Files
from tests.stores.dying import NAME, ended, started
from tests.stores.lines import HEADER, WHOLE, line, numbers, transcript, written


def snapshot(home: Path) -> dict[str, tuple[int, int, bytes]]:
    """Everything below a home: rights, time of change and bytes."""
    paths = sorted(home.rglob("*"))
    return {str(path): (path.stat().st_mode, path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else b"") for path in paths}


@pytest.mark.parametrize(
    "bad",
    [
        *(b'{"seq":3,"text":"\xff"}', b"no json", b'{"seq":3', b"[3]", b"3", b"null", b"\0" * 50, b"[" * 9_000),
        *(b'{"text":1}', b'{"seq":"3"}', b'{"seq":true}', b'{"seq":3},{"seq":3}', b'{"seq":3}{"seq":3}', b"3" * 5_000),
    ],
)
def test_one_bad_line_costs_that_line_only(tmp_path: Path, bad: bytes) -> None:
    """B163: with a bad line 4 of 11 the ten others are read; the line is copied once beside the file, which stays; a note names both."""
    path = written(tmp_path, *(line(number) for number in range(2)), bad + b"\n", *(line(number) for number in range(4, 11)))
    before = path.read_bytes()
    for _ in range(2):
        log = Files(tmp_path).open(NAME)
        kept = log.read()
        assert numbers(kept.transcript) == [0, 1, *range(4, 11)]
        (note,) = kept.notes
        assert f"{path}: line 4 could not be read (" in note
        assert "a copy is in transcript.bad.jsonl" in note
        assert path.read_bytes() == before
        assert path.with_name("transcript.bad.jsonl").read_bytes() == bad + b"\n"
        log.close()
    log = Files(tmp_path).open(NAME)
    assert log.append([{"seq": 11}], [])
    assert path.read_bytes() == before + b'{"seq":11}\n'
    log.close()


def test_many_bad_lines_are_one_note(tmp_path: Path) -> None:
    """Thousands of bad lines give one short note with their number; the first thousand are copied."""
    path = written(tmp_path, line(0), *(b"bad %d\n" % number for number in range(3_000)), line(1))
    log = Files(tmp_path).open(NAME)
    kept = log.read()
    assert numbers(kept.transcript) == [0, 1]
    (note,) = kept.notes
    assert "lines 3, 4, 5, 6, 7 and 2,995 more could not be read" in note
    assert len(path.with_name("transcript.bad.jsonl").read_bytes().splitlines()) == 1_000
    log.close()


def test_reading_writes_nothing_at_all(tmp_path: Path) -> None:
    """D33: a reader repairs, copies and locks nothing, whatever it finds, and reads beside an open writer."""
    written(tmp_path, line(0), b"bad\n", line(1), b'{"seq":2,"te')
    os.chmod(transcript(tmp_path), 0o644)
    written_edits = transcript(tmp_path).with_name("edits.jsonl")
    written_edits.write_bytes(b"something else\n")
    before = snapshot(tmp_path)
    kept = Files(tmp_path).read(NAME)
    assert (numbers(kept.transcript), len(kept.notes)) == ([0, 1], 2)
    assert snapshot(tmp_path) == before
    log = Files(tmp_path).open(NAME)
    assert numbers(Files(tmp_path).read(NAME).transcript) == [0, 1]
    log.close()
    empty = Files(tmp_path / "nowhere").read(NAME)
    assert (list(empty.transcript), list(empty.edits), empty.notes) == ([], [], ())
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize(
    "end", [*(WHOLE[:length] for length in range(len(WHOLE) - 1)), *(WHOLE[:length] + b"\n" for length in range(1, 26))]
)
def test_a_torn_end_is_ignored_and_repaired_by_the_next_append(tmp_path: Path, end: bytes) -> None:
    """B161: a last line cut anywhere, inside a letter too, with a line end or not, is not read, and the next append takes its place."""
    path = written(tmp_path, line(0), line(1), end)
    log = Files(tmp_path).open(NAME)
    kept = log.read()
    assert (numbers(kept.transcript), kept.notes) == ([0, 1], ())
    assert log.expects_from == 2
    assert log.append([{"seq": 2}], [])
    assert path.read_bytes() == HEADER + line(0) + line(1) + b'{"seq":2}\n'
    copies = path.with_name("transcript.bad.jsonl")
    assert (copies.read_bytes() if copies.exists() else b"") == (end if end.strip() and end.endswith(b"\n") else b"")
    log.close()


@pytest.mark.parametrize("cut", range(len(HEADER)))
def test_a_torn_header_is_an_empty_file(tmp_path: Path, cut: int) -> None:
    """A file that was cut in its first line holds nothing yet, and the next append writes it whole."""
    path = written(tmp_path, header=HEADER[:cut])
    log = Files(tmp_path).open(NAME)
    assert log.read().notes == ()
    assert log.append([{"seq": 0}], [])
    assert path.read_bytes() == HEADER + b'{"seq":0}\n'
    log.close()


def test_a_last_line_without_its_end_is_read_when_it_is_whole(tmp_path: Path) -> None:
    """A record that lacks only the line end, as some editors leave it, is kept, and the next one begins on its own line."""
    path = written(tmp_path, line(0), line(1)[:-1])
    log = Files(tmp_path).open(NAME)
    assert numbers(log.read().transcript) == [0, 1]
    assert log.append([{"seq": 2}], [])
    assert path.read_bytes() == HEADER + line(0) + line(1) + b'{"seq":2}\n'
    log.close()


def test_a_record_that_stands_there_twice_is_read_once(tmp_path: Path) -> None:
    """Where a torn end could not be taken back, what was written again is not read again."""
    written(tmp_path, line(0), line(1), b'{"seq":1,"text":"again"}\n', line(2), line(2))
    kept = Files(tmp_path).read(NAME)
    assert [record["text"] for record in kept.transcript] == ["ü" * 5] * 3


@pytest.mark.parametrize(
    "foreign",
    [
        *(b"hello\nworld\n", b"\x89PNG\r\n\x1a\n" + b"\0" * 100, b"x\n" * 5_000),
        *(b'{"role":"user"}\n{"seq":1}\n', b"[]", b'{"schema":1,"kind":"edits"}\n'),
    ],
)
def test_a_file_that_is_none_of_ours_is_moved_aside(tmp_path: Path, foreign: bytes) -> None:
    """Another program's file is kept under another name, which a note tells, and the transcript begins anew."""
    path = written(tmp_path, header=foreign)
    log = Files(tmp_path).open(NAME)
    kept = log.read()
    assert not kept.transcript
    (note,) = kept.notes
    assert "is no transcript of a conversation; it was moved to transcript.jsonl.unreadable" in note
    assert log.append([{"seq": 0}], [])
    assert path.read_bytes() == HEADER + b'{"seq":0}\n'
    assert path.with_name("transcript.jsonl.unreadable").read_bytes() == foreign
    log.close()


def test_a_damaged_header_does_not_cost_the_conversation(tmp_path: Path) -> None:
    """With a first line that is no JSON any more, the records behind it are read, and a note names line 1."""
    written(tmp_path, line(0), line(1), header=b"{\xff" + HEADER[2:])
    log = Files(tmp_path).open(NAME)
    kept = log.read()
    assert numbers(kept.transcript) == [0, 1]
    assert "line 1 could not be read" in kept.notes[0]
    assert log.append([{"seq": 2}], [])
    assert numbers(log.read().transcript) == [0, 1, 2]
    log.close()


def test_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    """Files of a newer version are neither read nor written, and the error says which version and what to do."""
    path = written(tmp_path, line(0), header=HEADER.replace(b"1", b"7"))
    before = path.read_bytes()
    log = Files(tmp_path).open(NAME)
    for read in (log.read, lambda: Files(tmp_path).read(NAME)):
        with pytest.raises(UnusableInput, match=r"transcript\.jsonl: was written by a newer version .*version 7.*update sostenuto"):
            read()
    assert not log.append([{"seq": 0}], [])
    log.close()
    assert path.read_bytes() == before
    assert not path.with_name("edits.jsonl").exists()


def test_an_older_version_is_upgraded_when_it_is_written(tmp_path: Path) -> None:
    """Records of an older version are read as the new one has them; the file becomes a new one with the first append, not before."""
    path = written(tmp_path, line(0), line(1))
    before = path.read_bytes()

    def opened() -> Lines:
        return Lines(path, home=tmp_path, schema=2, upgrades={1: lambda record: {**record, "new": True}})

    lines = opened()
    records, notes = lines.read(writes=True)
    assert [record["new"] for record in records] == [True, True]
    assert not notes
    assert path.read_bytes() == before
    assert lines.look()
    lines.add([{"seq": 2, "new": True}])
    assert path.read_bytes().startswith(HEADER.replace(b"1", b"2"))
    assert numbers(opened().read(writes=False)[0]) == [0, 1, 2]
    with pytest.raises(UnusableInput, match="files of version 1 are unknown"):
        Lines(written(tmp_path, line(0)), home=tmp_path, schema=2).read(writes=True)


def test_a_line_that_is_too_long_is_left_out(tmp_path: Path) -> None:
    """A line above the limit is not read into memory, whether something follows it or not; the rest is read, and a note says so."""
    long = b'{"seq":1,"text":"' + b"x" * 5_000_000 + b'"}'
    for end, expected in ((b"\n" + line(2), [0, 2]), (b"\n", [0]), (b"", [0])):
        path = written(tmp_path, line(0), long, end)
        handle = os.open(path, os.O_RDONLY)
        found = found_in(handle, kind="transcript", largest=4_000_000)
        os.close(handle)
        assert numbers(found.records) == expected
        assert [(bad.number, bad.why) for bad in found.bad] == [(3, "longer than 4,000,000 bytes")]
        assert found.end == path.stat().st_size


def meets_a_giant(home: Path, size: int) -> None:
    """Read a file with a line of more than half a gigabyte in little memory."""
    import resource

    path = written(home, line(0))
    os.truncate(path, size)  # sparse: it takes no room on the disk
    with path.open("ab") as file:
        file.write(b"\n" + line(1))
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 700_000_000, -1))
    log = Files(home).open(NAME)
    kept = log.read()
    assert numbers(kept.transcript) == [0, 1], kept
    assert "longer than 536,870,912 bytes" in kept.notes[0], kept.notes
    assert log.append([{"seq": 2}], [])


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on memory and files with holes")
@pytest.mark.parametrize("size", [540 * 2**20, pytest.param(2**30, marks=pytest.mark.long)])
def test_a_gigabyte_in_one_line_is_left_out(tmp_path: Path, size: int) -> None:
    """A line above half a gigabyte costs neither the memory for it nor the records around it."""
    assert ended(started(meets_a_giant, tmp_path, size)) == 0
