"""read_file: numbered lines of any text file, and clear words for what is none."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sostenuto.messages import Call
from sostenuto.results import PAGE_CHARACTERS, Sizing
from sostenuto.tools import Handling, standard_tools
from tests.tools.working import call, carried, one


def _read(root: Path, content: bytes, **more: int) -> str:
    (root / "file").write_bytes(content)
    return one("read_file", {"path": "file", **more}, root=root).text


def test_lines_have_numbers_and_a_short_file_no_note(tmp_path: Path) -> None:
    """Each line stands behind its number and a tab."""
    assert _read(tmp_path, b"one\n\ntwo\n") == "1\tone\n2\t\n3\ttwo"


def test_a_range_of_lines_says_where_it_stands(tmp_path: Path) -> None:
    """A part names its lines, the total, and how to read on; the last part does not."""
    content = "".join(f"line {number}\n" for number in range(1, 101)).encode()
    assert (
        _read(tmp_path, content, start_line=4, end_line=5)
        == "4\tline 4\n5\tline 5\n[lines 4 to 5 of 100 in file; read on with start_line=6]"
    )
    assert _read(tmp_path, content, start_line=100) == "100\tline 100\n[lines 100 to 100 of 100 in file]"
    assert "start_line 101 is past the end" in _read(tmp_path, content, start_line=101)
    assert "end_line 3 lies before start_line 9" in _read(tmp_path, content, start_line=9, end_line=3)


def test_reading_on_gives_every_line_once(tmp_path: Path) -> None:
    """A file of many pages, read from note to note, comes whole and each answer fits a page."""
    content = "".join(f"{number} {'x' * (number % 90)}\n" for number in range(1, 3_001))
    (tmp_path / "file").write_text(content)
    start, lines = 1, []
    while start:
        text = one("read_file", {"path": "file", "start_line": start}, root=tmp_path).text
        assert len(text) <= PAGE_CHARACTERS + 200
        body, _, note = text.rpartition("\n[")
        lines += [line.partition("\t")[2] for line in body.split("\n")]
        start = int(note.partition("start_line=")[2].rstrip("]") or 0)
    assert "".join(f"{line}\n" for line in lines) == content


def test_a_small_window_gets_small_pages(tmp_path: Path) -> None:
    """A tenth of the window bounds what is shown, and the note counts on from there (D41)."""
    (tmp_path / "file").write_text("word word word\n" * 2_000)
    handling = Handling(sizing=Sizing(8_000))
    (answer,) = carried([call("read_file", {"path": "file"})], standard_tools(tmp_path), handling=handling)
    assert len(answer.text) < 3_400
    assert "of 2,000 in file; read on" in answer.text


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (codecs.BOM_UTF8 + "é\n".encode(), "1\té"),
        (codecs.BOM_UTF16_LE + "é漢\nb".encode("utf-16-le"), "1\té漢\n2\tb\n[read as utf-16-le]"),
        (codecs.BOM_UTF16_BE + "é".encode("utf-16-be"), "1\té\n[read as utf-16-be]"),
        ("café – 5 €\r\nb".encode("cp1252"), "1\tcafé – 5 €\n2\tb\n[read as cp1252]"),
        (b"\x81\x8d", "1\t\x81\x8d\n[read as latin-1]"),
        (b"a\r\nb\rc", "1\ta\n2\tb\n3\tc"),
        (b"", "[file is empty]"),
    ],
)
def test_encodings_and_line_ends(content: bytes, shown: str, tmp_path: Path) -> None:
    """Marks at the start, bytes that are no UTF-8 and all line ends are read for what they are."""
    assert _read(tmp_path, content) == shown


def test_a_letter_cut_by_the_sample_is_still_utf_8(tmp_path: Path) -> None:
    """The sample by which an encoding is told may end within a letter."""
    text = "x" * 65_535 + "漢\n"
    assert "read as" not in _read(tmp_path, text.encode(), end_line=1)


def test_binary_and_missing_files_and_folders_are_told_apart(tmp_path: Path) -> None:
    """Each of them fails with what it is and what to do."""
    assert "is binary, not text" in _read(tmp_path, b"\x89PNG\r\n\x1a\n\0\0")
    assert "cannot be read (No such file or directory)" in one("read_file", {"path": "missing"}, root=tmp_path).text
    assert "is a folder; list_files" in one("read_file", {"path": "."}, root=tmp_path).text


def test_one_line_of_millions_is_bounded(tmp_path: Path) -> None:
    """A line of 20 MB without an end is shown in part, with what is missing counted (B153)."""
    text = _read(tmp_path, b"x" * 20_000_000 + b"\nlast\n")
    assert len(text) < 3_000
    assert "(+19,998,000 characters)" in text
    assert text.endswith("2\tlast")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300))
def test_any_bytes_are_answered(tmp_path: Path, content: bytes) -> None:
    """Whatever a file holds, there is an answer and no crash."""
    (tmp_path / "file").write_bytes(content)
    (answer,) = carried([Call("c1", "read_file", '{"path": "file"}')], standard_tools(tmp_path))
    assert answer.ended in ("done", "failed")
