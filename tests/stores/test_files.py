"""Conversations as files: what stands in them, what cannot be read, and what it costs."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sostenuto.errors import UnknownSetting
from sostenuto.protocols import Log, Store
from sostenuto.stores._lines import Lines
from sostenuto.stores._log import read_both
from sostenuto.stores.files import Files
from tests.stores.dying import NAME, ended, started
from tests.stores.lines import HEADER, numbers, transcript


def test_a_store_and_its_logs_are_what_the_protocols_ask(tmp_path: Path) -> None:
    """`Files` is a Store and opens Logs, as the type checker sees them too."""
    store: Store = Files(tmp_path)
    log: Log = store.open(NAME)
    assert (log.conversation, log.expects_from) == (NAME, 0)
    log.close()


def test_files_are_lines_of_json_behind_a_header(tmp_path: Path) -> None:
    """The file is the header and one compact line of UTF-8 a record, no byte more; a lone surrogate is escaped."""
    log = Files(tmp_path, agent="writer").open(NAME)
    records: list[dict[str, Any]] = [{"seq": 0, "text": "Grüße\n北京 🎉"}, {"seq": 1, "text": "ü\ud800"}]
    assert log.append(records, [{"seq": 2}])
    log.close()
    folder = tmp_path / "history" / "writer" / NAME
    assert (folder / "transcript.jsonl").read_bytes() == (
        HEADER + '{"seq":0,"text":"Grüße\\n北京 🎉"}\n'.encode() + b'{"seq":1,"text":"\\u00fc\\ud800"}\n'
    )
    assert (folder / "edits.jsonl").read_bytes() == b'{"schema":1,"kind":"edits"}\n{"seq":2}\n'


def test_what_is_there_is_not_written_again(tmp_path: Path) -> None:
    """Records that are handed over again add no byte, whether this handle wrote them or one before it."""
    log = Files(tmp_path).open(NAME)
    given: tuple[list[Any], list[Any]] = ([{"seq": 0}, {"seq": 2}], [{"seq": 1}, {"seq": 3}])
    assert log.append(*given)
    before = {path.name: path.read_bytes() for path in transcript(tmp_path).parent.glob("*.jsonl")}
    assert log.append(*given)
    log.close()
    log = Files(tmp_path).open(NAME)
    assert log.append(*given)
    assert {path.name: path.read_bytes() for path in transcript(tmp_path).parent.glob("*.jsonl")} == before
    log.close()


class Interrupted(Lines):
    """A file whose reader is held up behind it, while a writer goes on."""

    def __init__(self, path: Path, *, home: Path) -> None:
        super().__init__(path, home=home)
        self.home = home

    def read(self, *, writes: bool) -> Any:
        """What is there now; one more turn, with an edit about it, comes right after."""
        read = super().read(writes=writes)
        log = Files(self.home).open(NAME)
        said = log.read().transcript[-1]["seq"] + 2
        assert log.append([{"seq": said}], [{"seq": said + 1, "about": said}])
        log.close()
        return read


def test_a_reader_beside_a_writer_sees_no_edit_of_what_it_does_not_see(tmp_path: Path) -> None:
    """Whatever is written between reading the one file and the other, every edit that is read is about a record that is read."""
    log = Files(tmp_path).open(NAME)
    assert log.append([{"seq": 0}], [{"seq": 1, "about": 0}])
    log.close()
    folder = transcript(tmp_path).parent
    files = (Interrupted(folder / "transcript.jsonl", home=tmp_path), Interrupted(folder / "edits.jsonl", home=tmp_path))
    kept = read_both(files, writes=False)
    assert numbers(kept.edits) == [1]
    assert {record["about"] for record in kept.edits} <= set(numbers(kept.transcript))


@pytest.mark.skipif(sys.platform == "win32", reason="no such rights on Windows")
@pytest.mark.parametrize("mask", [0o000, 0o777])
def test_everything_belongs_to_its_owner_only(tmp_path: Path, mask: int) -> None:
    """Whatever the umask: folders 0700 and files 0600; a file that others could read is closed to them when it is written again."""
    before = os.umask(mask)
    try:
        log = Files(tmp_path / "home").open(NAME)
        assert log.append([{"seq": 0}], [{"seq": 1}])
        assert log.journal({"a": 1})
        log.close()
    finally:
        os.umask(before)
    transcript(tmp_path / "home").chmod(0o644)
    log = Files(tmp_path / "home").open(NAME)
    assert log.append([{"seq": 2}], [])
    log.close()
    paths = [tmp_path / "home", *(tmp_path / "home").rglob("*")]
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths if path.is_dir()} == {0o700}
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths if path.is_file()} == {0o600}


def test_meta_says_when_a_conversation_began_and_was_used(tmp_path: Path) -> None:
    """The first append notes the beginning; later uses keep it, a title and unknown words; a damaged file is moved aside."""
    path = transcript(tmp_path).with_name("meta.json")
    for number in range(3):
        log = Files(tmp_path).open(NAME)
        assert log.append([{"seq": number}], [])
        log.close()
        found = json.loads(path.read_text())
        assert list(found)[:3] == ["schema", "title", "started"]
        assert found["last_used"] >= found["started"]
        if number == 0:
            path.write_text(json.dumps({**found, "title": "Grüße", "mood": "good", "started": "2020-01-01T00:00:00+00:00"}))
        if number == 1:
            assert (found["title"], found["mood"], found["started"]) == ("Grüße", "good", "2020-01-01T00:00:00+00:00")
            path.write_bytes(b"\xff{")
    assert path.with_name("meta.json.unreadable").read_bytes() == b"\xff{"


def test_agents_have_conversations_of_their_own(tmp_path: Path) -> None:
    """The same name under two agents is two conversations; an agent's name must be a name."""
    for agent in ("one", "two"):
        log = Files(tmp_path, agent=agent).open(NAME)
        assert log.append([{"seq": 0, "by": agent}], [])
        log.close()
    assert [Files(tmp_path, agent=agent).read(NAME).transcript[0]["by"] for agent in ("one", "two")] == ["one", "two"]
    with pytest.raises(UnknownSetting, match=r"agent '\.\./one'"):
        Files(tmp_path, agent="../one")


# ---------------------------------------------------------------- what it costs


def counts(home: Path, told: Path) -> None:
    """Append turns to a long conversation and write down how many bytes were read and written for it."""
    log = Files(home).open(NAME)
    log.append([{"seq": number, "text": "x" * 100} for number in range(20_000)], [])
    log.append([], [{"seq": 20_000}])
    log.read()
    moved = {"read": 0, "write": 0}
    real: dict[str, Callable[..., Any]] = {"read": os.read, "write": os.write}

    def counted(name: str) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            answer = real[name](*args)
            moved[name] += len(answer) if name == "read" else answer
            return answer

        return call

    os.read, os.write = counted("read"), counted("write")
    log.append([{"seq": 20_001, "text": "ü" * 10}], [{"seq": 20_002, "edit": None}])
    os.read, os.write = real["read"], real["write"]
    told.write_text(f"{moved['read']} {moved['write']}")


@pytest.mark.skipif(sys.platform == "win32", reason="no fork server on Windows")
def test_an_append_costs_what_it_adds(tmp_path: Path) -> None:
    """Adding to a conversation of 20,000 records reads nothing and writes the two new lines only."""
    assert ended(started(counts, tmp_path / "home", tmp_path / "told")) == 0
    lines = ('{"seq":20001,"text":"üüüüüüüüüü"}\n', '{"seq":20002,"edit":null}\n')
    assert (tmp_path / "told").read_text() == f"0 {sum(len(text.encode()) for text in lines)}"
