"""The small documents of a conversation's work: the value that was written last, whole, or what was there before."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from sostenuto.stores.papers import LARGEST, FilePapers
from tests.stores.filling import full_disk
from tests.stores.killing import kill_everywhere

HOSTILE = ["../state", "a/b", "", ".", "..", "nul\0", "CON", "x" * 10_000, "стaте", "/etc/passwd", ".hidden", "a\\b", "lpt1.x"]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda one: st.lists(one) | st.dictionaries(st.text(), one), max_leaves=5
)


@pytest.fixture(autouse=True, scope="module")
def _unflushed() -> Iterator[None]:
    """No power is lost here, so nothing waits for the disk; what is flushed, and when, is asked in the tests of the journal."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda handle: None)
        yield


def test_there_is_nothing_before_a_write(tmp_path: Path) -> None:
    """Origin A.8: a document that was never written reads as none, and nothing is noted."""
    papers = FilePapers(tmp_path / "work")
    assert papers.read("state") is None
    assert papers.notes() == ()
    assert not (tmp_path / "work").exists()


def test_a_document_is_pretty_json_of_its_owners_only(tmp_path: Path) -> None:
    """Origin 8.1: ``state.json`` is JSON over several lines that a person can read, with mode 0600 in a folder of 0700."""
    folder = tmp_path / "work"
    folder.mkdir(mode=0o777)
    assert FilePapers(folder).write("state", {"goal": "Größe"})
    assert (folder / "state.json").read_text(encoding="utf-8") == '{\n  "schema": 1,\n  "value": {\n    "goal": "Größe"\n  }\n}\n'
    assert (folder.stat().st_mode & 0o777, (folder / "state.json").stat().st_mode & 0o777) == (0o700, 0o600)


def test_documents_are_per_conversation(tmp_path: Path) -> None:
    """Origin A.8: what is written in one folder is not read in another."""
    one, other = FilePapers(tmp_path / "one"), FilePapers(tmp_path / "other")
    assert one.write("todos", [{"content": "first"}])
    assert other.read("todos") is None
    assert FilePapers(tmp_path / "one").read("todos") == [{"content": "first"}]


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"null", b'{"goal": "x"}', b"\xff", b"[" * 100_000, b'{"schema": 1}', b'{"schema": "1", "value": 1}']
)
def test_a_corrupt_document_reads_as_none_and_is_moved_aside(tmp_path: Path, data: bytes) -> None:
    """Origin A.8: a corrupt file is none; the next write keeps it under another name and says so."""
    (tmp_path / "state.json").write_bytes(data)
    papers = FilePapers(tmp_path)
    assert papers.read("state") is None
    assert len(papers.notes()) == 1
    assert papers.write("state", {"goal": "new"})
    assert papers.read("state") == {"goal": "new"}
    aside = [path for path in tmp_path.iterdir() if path.name not in ("state.json", ".lock")]
    assert [path.read_bytes() for path in aside] == [data]
    assert [aside[0].name in line for line in papers.notes()] == [True]


def test_a_newer_version_is_refused_without_damage(tmp_path: Path) -> None:
    """A document of a newer version is none, cannot be written over, keeps every byte, and the line says why."""
    (tmp_path / "state.json").write_text('{"schema": 2, "packed": "?"}')
    papers = FilePapers(tmp_path)
    assert papers.read("state") is None
    assert not papers.write("state", {})
    assert (tmp_path / "state.json").read_text() == '{"schema": 2, "packed": "?"}'
    assert "newer version (schema 2)" in papers.notes()[0]
    assert papers.write("todos", [])


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_refused(tmp_path: Path, name: str) -> None:
    """A name that cannot be a file's everywhere is neither read nor written, and nothing is made outside the folder or in it."""
    papers = FilePapers(tmp_path / "work")
    assert papers.read(name) is None
    assert not papers.write(name, 1)
    assert len(papers.notes()) == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("value", [{1, 2}, object(), {(1,): 2}, "x" * LARGEST])
def test_what_cannot_be_read_back_is_not_written(tmp_path: Path, value: Any) -> None:
    """A value that is no JSON, or is larger than a document may be, is False and leaves the old value."""
    papers = FilePapers(tmp_path)
    assert papers.write("state", "old")
    assert not papers.write("state", value)
    assert papers.read("state") == "old"
    assert papers.notes()


def test_a_place_that_cannot_be_written_is_false_once_noted_and_recovers(tmp_path: Path) -> None:
    """D34: with something else in the folder's place write is False, there is one line however often, and later writes work."""
    folder = tmp_path / "work"
    folder.write_text("in the way")
    papers = FilePapers(folder)
    assert [papers.write("state", 1) for _ in range(3)] == [False] * 3
    assert len(papers.notes()) == 1
    folder.unlink()
    assert papers.write("state", 2)
    assert papers.notes() == ()
    assert papers.read("state") == 2


def test_on_a_full_disk_write_is_false_and_recovers(tmp_path: Path) -> None:
    """D34: without room write is False, the old value stays, no scraps are left, and with room the next write works."""
    papers = FilePapers(tmp_path)
    assert papers.write("state", "old")
    with full_disk():
        assert not papers.write("state", "new")
    assert "no space left" in papers.notes()[0]
    assert papers.read("state") == "old"
    assert sorted(os.listdir(tmp_path)) == [".lock", "state.json"]
    assert papers.write("state", "newer")
    assert papers.notes() == ()


def test_a_vanished_folder_is_made_again(tmp_path: Path) -> None:
    """D34: what lay in a removed folder is none, and the next write makes it anew."""
    papers = FilePapers(tmp_path / "work")
    assert papers.write("state", 1)
    (tmp_path / "work").rename(tmp_path / "gone")
    assert papers.read("state") is None
    assert papers.write("state", 2)
    assert papers.read("state") == 2


def test_a_planted_link_is_not_followed(tmp_path: Path) -> None:
    """A link in a document's place is moved aside, one in the folder's place refuses the write; what it points at is untouched."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "state.json").write_text('{"schema": 1, "value": "secret"}')
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "state.json").symlink_to(outside / "state.json")
    (tmp_path / "linked").symlink_to(outside)
    assert FilePapers(tmp_path / "work").read("state") is None
    assert FilePapers(tmp_path / "work").write("state", "mine")
    assert not (tmp_path / "work" / "state.json").is_symlink()
    assert FilePapers(tmp_path / "linked").read("state") is None
    assert not FilePapers(tmp_path / "linked").write("state", "mine")
    assert json.loads((outside / "state.json").read_text())["value"] == "secret"


def test_several_writers_leave_one_whole_document(tmp_path: Path) -> None:
    """Writers at the same time wait for each other: every write is True and the file is one of their values."""

    def write(number: int) -> bool:
        return all(FilePapers(tmp_path).write("state", [number] * 100) for _ in range(10))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(write, range(4)))
    assert FilePapers(tmp_path).read("state") in [[number] * 100 for number in range(4)]
    assert sorted(os.listdir(tmp_path)) == [".lock", "state.json"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the process that is killed is a fork")
@pytest.mark.parametrize("is_corrupt", [False, True])
def test_killed_at_any_write_the_document_is_old_or_new(tmp_path: Path, is_corrupt: bool) -> None:
    """B161: killed before or within any write, a document is the old value or the new one, and the next write leaves no scraps."""

    def prepare(moment: int) -> Callable[[], object]:
        papers = FilePapers(tmp_path / str(moment))
        assert papers.write("state", "old")
        if is_corrupt:
            (tmp_path / str(moment) / "state.json").write_text("{")
        return lambda: papers.write("state", "new")

    def check(moment: int) -> None:
        papers = FilePapers(tmp_path / str(moment))
        assert papers.read("state") in ((None, "new") if is_corrupt else ("old", "new"))
        assert papers.write("state", "newer")
        assert papers.read("state") == "newer"
        left = {"state.json", ".lock"} | ({"state.json.unreadable"} if is_corrupt else set())
        assert set(os.listdir(tmp_path / str(moment))) == left

    assert kill_everywhere(prepare, check=check) > 8


class Documents(RuleBasedStateMachine):
    """Papers against a dict: writing, reading, opening anew, and a document that is spoiled in between."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.papers = FilePapers(Path(self.folder.name, "work"))
        self.model: dict[str, Any] = {}

    @rule(name=st.sampled_from(["state", "todos"]), value=VALUES)
    def write(self, name: str, value: Any) -> None:
        assert self.papers.write(name, value)
        self.model[name] = json.loads(json.dumps(value))

    @rule(name=st.sampled_from(HOSTILE), value=VALUES)
    def write_hostile(self, name: str, value: Any) -> None:
        assert not self.papers.write(name, value)

    @rule()
    def reopen(self) -> None:
        self.papers = FilePapers(Path(self.folder.name, "work"))

    @rule(name=st.sampled_from(["state", "todos"]), data=st.binary(max_size=8))
    def spoil(self, name: str, data: bytes) -> None:
        if name in self.model:
            Path(self.folder.name, "work", f"{name}.json").write_bytes(data)
            del self.model[name]

    @invariant()
    def reads_as_the_model(self) -> None:
        for name in ("state", "todos"):
            assert self.papers.read(name) == self.model.get(name)

    def teardown(self) -> None:
        self.folder.cleanup()


TestDocuments = Documents.TestCase
TestDocuments.settings = settings(max_examples=12, stateful_step_count=12, deadline=None)
