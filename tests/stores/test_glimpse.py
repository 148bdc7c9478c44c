"""A look at a transcript without reading it through, and what else of a shelf the commands ask for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.errors import ConversationInUse, UnusableInput
from sostenuto.protocols import Record
from sostenuto.stores._glimpse import glimpse
from sostenuto.stores.files import Files
from sostenuto.stores.shelf import Shelf


def kept(home: Path, records: list[Record], *, name: str = "talk") -> Path:
    """Write these records as a conversation; its transcript."""
    log = Files(home).open(name)
    assert log.append(records, [])
    assert log.journal({"summary": "what happened"})
    log.close()
    return home / "history/default" / name / "transcript.jsonl"


def messages(count: int, *, size: int = 10) -> list[Record]:
    """So many messages behind the line that names their wire."""
    said = [
        {"seq": number + 1, "ordinal": number, "guard": "00", "raw": {"role": "user", "content": "x" * size}} for number in range(count)
    ]
    return [{"seq": 0, "wire": "openai_chat", "from": 0}, *said]


@pytest.mark.parametrize(("count", "size"), [(1, 10), (3, 10), (2_000, 100), (3, 100_000), (2, 400_000)])
def test_messages_are_counted_from_the_end(count: int, size: int, tmp_path: Path) -> None:
    """Whatever the size of the messages, the count is right, and what the beginning holds is there."""
    seen = glimpse(kept(tmp_path, messages(count, size=size)))
    assert seen.messages == count
    assert {"seq": 0, "wire": "openai_chat", "from": 0} in seen.first


def test_a_fork_and_a_torn_end_are_counted_as_they_are_read(tmp_path: Path) -> None:
    """Behind a fork the last message tells; a line without an end was never acknowledged."""
    records = [*messages(5), {"seq": 6, "fork": 2}, {"seq": 7, "ordinal": 2, "guard": "00", "raw": {"role": "user"}}]
    path = kept(tmp_path, records)
    assert glimpse(path).messages == 3
    path.write_bytes(path.read_bytes() + b'{"seq":8,"ordinal":3,"guard":"00","raw":{"ro')
    assert glimpse(path).messages == 3


@given(data=st.binary(max_size=400))
def test_nothing_in_a_file_makes_it_fail(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Any bytes give a glimpse."""
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    path.write_bytes(data)
    assert glimpse(path).messages is not None


def test_what_is_no_file_tells_nothing(tmp_path: Path) -> None:
    """A missing file, a folder and a link tell nothing."""
    (tmp_path / "real").write_text(json.dumps({"seq": 1, "ordinal": 0}) + "\n")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert [glimpse(tmp_path / name).messages for name in ("none", ".", "link")] == [None, None, None]


def test_the_archive_is_read_where_it_is(tmp_path: Path) -> None:
    """A conversation in the archive is read and glimpsed without being taken out; one at hand of that name comes first."""
    kept(tmp_path, messages(3))
    shelf = Shelf(tmp_path)
    assert shelf.archive("default", keep=0) == ["talk"]
    assert len(Files(tmp_path).read("talk").transcript) == 4
    assert shelf.glimpse(shelf.listed("default")[0]).messages == 3
    assert not (tmp_path / "history/default/talk").exists()
    kept(tmp_path, messages(1))
    assert len(Files(tmp_path).read("talk").transcript) == 2


def test_work_goes_and_history_stays(tmp_path: Path) -> None:
    """Clearing removes the work alone; a writer keeps it; where there is none that is said."""
    kept(tmp_path, messages(3))
    files, shelf = Files(tmp_path), Shelf(tmp_path)
    assert [record["summary"] for record in files.journalled("talk")] == ["what happened"]
    log = files.open("talk")
    with pytest.raises(ConversationInUse):
        shelf.clear_work("default", "talk")
    log.close()
    assert shelf.clear_work("default", "talk").files == 1
    assert files.journalled("talk") == []
    assert len(files.read("talk").transcript) == 4
    with pytest.raises(UnusableInput, match="no work"):
        shelf.clear_work("default", "talk")
