"""The data home as a whole: what lies in it is listed, put away, taken out, measured and removed, and what is in use is not touched."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sostenuto.errors import ConversationInUse, UnknownSetting, UnusableInput
from sostenuto.protocols import KeptResult
from sostenuto.stores.drafts import FileDrafts
from sostenuto.stores.files import Files
from sostenuto.stores.papers import FilePapers
from sostenuto.stores.results import FileResults
from sostenuto.stores.shelf import KEPT_LIVE, Shelf
from tests.stores.killing import kill_everywhere

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
DAY_S = 86_400.0


@pytest.fixture(autouse=True, scope="module")
def _unflushed() -> Iterator[None]:
    """No power is lost here, so nothing waits for the disk."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda handle: None)
        yield


def _shelf(home: Path) -> Shelf:
    return Shelf(home, clock=NOW.timestamp)


def _conversation(home: Path, name: str, *, agent: str = "default", days: float = 0, title: str = "") -> Path:
    """A conversation with history and work that was last used so many days ago."""
    moment = NOW.timestamp() - days * DAY_S
    used = datetime.fromtimestamp(moment, UTC).isoformat()
    history, work = home / "history" / agent / name, home / "work" / agent / name
    history.mkdir(parents=True)
    (history / "transcript.jsonl").write_text('{"schema":1,"kind":"transcript"}\n{"seq":0}\n')
    (history / "meta.json").write_text(json.dumps({"schema": 1, "title": title, "started": "2026-01-02T03:04:05+00:00", "last_used": used}))
    assert FilePapers(work, home=home).write("state", {"goal": name})
    assert FileResults(work, home=home).keep("call_1", KeptResult("x" * 100, "read_file", "call_1"))
    for path in (*history.rglob("*"), *work.rglob("*")):
        os.utime(path, (moment, moment))
    return history


def _names(shelf: Shelf, *, agent: str | None = None) -> list[str]:
    return [one.conversation for one in shelf.listed(agent)]


def _paths(home: Path) -> set[str]:
    return {path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file() and path.name not in (".lock", "lease.json")}


def test_an_empty_home_has_nothing(tmp_path: Path) -> None:
    """Where no data home is there are no conversations, sizes are 0 (origin A.8), and nothing is made by looking."""
    shelf = _shelf(tmp_path / "none")
    assert shelf.listed() == []
    assert {(size.bytes, size.files) for size in shelf.sizes().values()} == {(0, 0)}
    assert shelf.archive("default") == []
    assert not shelf.restored("default", "one")
    assert shelf.purge("history", 0).files == 0
    assert not (tmp_path / "none").exists()


def test_a_conversation_is_listed_with_what_is_known_of_it(tmp_path: Path) -> None:
    """Title, times and bytes come from the folders; the conversation used last stands first, over all agents or of one."""
    _conversation(tmp_path, "old", days=3, title="Größe")
    _conversation(tmp_path, "new", agent="other", days=1)
    one, other = _shelf(tmp_path).listed()
    assert (one.agent, one.conversation) == ("other", "new")
    assert (other.agent, other.conversation, other.title, other.trouble) == ("default", "old", "Größe", "")
    assert other.started == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert other.last_used == datetime(2026, 11, 27, 12, tzinfo=UTC)
    assert other.history_bytes == sum(path.stat().st_size for path in (tmp_path / "history" / "default" / "old").iterdir())
    assert other.work_bytes == (tmp_path / "work" / "default" / "old" / "state.json").stat().st_size
    assert other.results_bytes > 100
    assert _names(_shelf(tmp_path), agent="other") == ["new"]
    assert _names(_shelf(tmp_path), agent="../other") == []


def test_what_the_log_writes_is_listed(tmp_path: Path) -> None:
    """A conversation written by the log of this package is listed with the time it was begun and used, open or closed."""
    log = Files(tmp_path).open("one")
    assert log.append([{"seq": 0}], [])
    (found,) = Shelf(tmp_path).listed()
    assert (found.conversation, found.trouble, found.is_archived) == ("one", "", False)
    assert found.started is not None
    assert found.last_used is not None
    assert abs((found.last_used - datetime.now(UTC)).total_seconds()) < 60
    log.close()
    assert _names(Shelf(tmp_path)) == ["one"]


def test_a_run_killed_before_its_first_message_is_listed(tmp_path: Path) -> None:
    """Origin A.8: work without any history is a conversation too, dated by its files, and can be deleted."""
    assert FilePapers(tmp_path / "work" / "default" / "killed").write("state", {})
    (found,) = Shelf(tmp_path).listed()
    assert (found.conversation, found.history_bytes) == ("killed", 0)
    assert found.last_used is not None
    assert Shelf(tmp_path).delete("default", "killed").files > 0
    assert Shelf(tmp_path).listed() == []
    assert _paths(tmp_path) == set()


@pytest.mark.parametrize("meta", [b"", b"{", b"[]", b"\xff", b'{"schema": 2}', b"[" * 100_000])
def test_an_unreadable_meta_is_told_and_file_times_serve(tmp_path: Path, meta: bytes) -> None:
    """What is told about a conversation may be spoiled or of a newer version: it is listed all the same, by the time of its files."""
    (_conversation(tmp_path, "one", days=2) / "meta.json").write_bytes(meta)
    (found,) = _shelf(tmp_path).listed()
    assert "meta.json" in found.trouble
    assert found.title == ""
    assert found.last_used == datetime(2026, 11, 28, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "meta", ['{"schema": 1, "title": 7, "started": [], "last_used": "soon"}', '{"started": "9999-12-31T23:59:59-23:59"}']
)
def test_odd_values_in_meta_count_as_not_there(tmp_path: Path, meta: str) -> None:
    """A title that is no text and times that are none are passed over."""
    (_conversation(tmp_path, "one", days=2) / "meta.json").write_text(meta)
    (found,) = _shelf(tmp_path).listed()
    assert found.title == ""
    assert found.last_used == datetime(2026, 11, 28, 12, tzinfo=UTC)


def test_hostile_names_and_links_are_never_followed(tmp_path: Path) -> None:
    """Names that cannot be ours are passed over; a link is listed as one, and neither listing nor purging reaches what it points at."""
    outside = tmp_path / "outside"
    _conversation(outside, "secret", days=900)
    home = tmp_path / "home"
    _conversation(home, "mine", days=900)
    for name in (".hidden", "a b", "con", "x" * 201, "ключ"):
        (home / "history" / "default" / name).mkdir()
        (home / "history" / name).mkdir()
    (home / "history" / "default" / "file").write_text("no folder")
    (home / "history" / "default" / "linked").symlink_to(outside / "history" / "default" / "secret")
    (home / "work" / "default" / "linked").symlink_to(outside / "work" / "default" / "secret")
    (home / "history" / "agent").symlink_to(outside / "history" / "default")
    (home / "cache").symlink_to(outside)
    shelf, before = _shelf(home), _paths(outside)
    found = {one.conversation: one for one in shelf.listed()}
    assert sorted(found) == ["linked", "mine"]
    assert "symbolic link" in found["linked"].trouble
    assert (found["linked"].history_bytes, found["linked"].work_bytes) == (0, 0)
    assert shelf.sizes()["cache"].files == 0
    with pytest.raises(UnusableInput):
        shelf.delete("default", "linked")
    for kind in shelf.sizes():
        shelf.purge(kind, 0)
    assert _names(shelf) == ["linked"]
    assert _paths(outside) == before


@pytest.mark.parametrize("name", ["../default", "", "a/b", "con", ".archive", ".", "x" * 10_000, "nul\0"])
def test_a_hostile_name_is_refused(tmp_path: Path, name: str) -> None:
    """Finding, deleting, archiving and restoring refuse a name that cannot be one, and remove nothing."""
    _conversation(tmp_path, "one")
    shelf, before = _shelf(tmp_path), _paths(tmp_path)
    for act in (
        lambda: shelf.delete("default", name),
        lambda: shelf.delete(name, "one"),
        lambda: shelf.restored("default", name),
        lambda: shelf.found("default", name),
        lambda: shelf.found(name, "one"),
    ):
        with pytest.raises(UnknownSetting):
            act()
    with pytest.raises(UnknownSetting):
        shelf.archive(name, keep=0)
    assert _paths(tmp_path) == before


def test_the_newest_stay_at_hand_and_the_others_are_put_away(tmp_path: Path) -> None:
    """The newest `keep` of an agent stay, older ones move to the archive whole, their work stays, and they are listed as archived."""
    for days in range(5):
        _conversation(tmp_path, f"c{days}", days=days)
    _conversation(tmp_path, "other", agent="other", days=9)
    shelf = _shelf(tmp_path)
    assert shelf.archive("default", keep=3) == ["c3", "c4"]
    assert shelf.archive("default", keep=3) == []
    assert [(one.conversation, one.is_archived) for one in shelf.listed("default")] == [
        ("c0", False), ("c1", False), ("c2", False), ("c3", True), ("c4", True),
    ]  # fmt: skip
    assert (tmp_path / "history" / "default" / ".archive" / "c3" / "transcript.jsonl").is_file()
    assert (tmp_path / "work" / "default" / "c3" / "state.json").is_file()
    assert _names(shelf, agent="other") == ["other"]
    assert KEPT_LIVE == 100


def test_an_archived_conversation_comes_back(tmp_path: Path) -> None:
    """Taken out of the archive a conversation is what it was; where one of the name is at hand, or none archived, nothing happens."""
    _conversation(tmp_path, "one", days=1)
    shelf, before = _shelf(tmp_path), _paths(tmp_path)
    assert not shelf.restored("default", "one")
    assert shelf.archive("default", keep=0) == ["one"]
    _conversation(tmp_path / "again", "one")
    (tmp_path / "again" / "history" / "default" / "one").rename(tmp_path / "history" / "default" / "one")
    assert not shelf.restored("default", "one")
    assert shelf.archive("default", keep=0) == []
    assert len(shelf.listed()) == 2
    (tmp_path / "history" / "default" / "one").rename(tmp_path / "again" / "back")
    assert shelf.restored("default", "one")
    assert {path for path in _paths(tmp_path) if not path.startswith("again/")} == before


def test_one_conversation_is_found_by_its_name(tmp_path: Path) -> None:
    """By name one is found wherever it lies, as it is listed; of two of a name the one at hand, and none of another agent."""
    shelf = _shelf(tmp_path)
    assert shelf.found("default", "one") is None
    _conversation(tmp_path, "one", days=1)
    assert shelf.archive("default", keep=0) == ["one"]
    assert [shelf.found("default", "one")] == shelf.listed()
    _conversation(tmp_path / "again", "one", days=2)
    (tmp_path / "again" / "history" / "default" / "one").rename(tmp_path / "history" / "default" / "one")
    at_hand = shelf.found("default", "one")
    assert at_hand is not None
    assert not at_hand.is_archived
    assert at_hand in shelf.listed()
    assert FilePapers(tmp_path / "work" / "default" / "bare").write("state", {})
    assert shelf.found("default", "bare") in shelf.listed()
    assert shelf.found("other", "one") is None


def test_one_in_use_is_neither_archived_nor_deleted(tmp_path: Path) -> None:
    """D33: while a conversation is open it stays at hand and its deletion says who has it; once closed both work."""
    log = Files(tmp_path).open("one")
    assert log.append([{"seq": 0}], [])
    shelf = Shelf(tmp_path)
    assert shelf.archive("default", keep=0) == []
    with pytest.raises(ConversationInUse, match="written by"):
        shelf.delete("default", "one")
    assert shelf.purge("history", 0).files == 0
    assert log.append([{"seq": 1}], [])
    log.close()
    assert shelf.archive("default", keep=0) == ["one"]
    assert shelf.restored("default", "one")
    assert len(Files(tmp_path).read("one").transcript) == 2


def test_deleting_takes_history_and_work_of_one_conversation(tmp_path: Path) -> None:
    """Origin A.8: one conversation goes with all of its work, archived or not; others stay; a second time there is none."""
    for name in ("one", "two", "three"):
        _conversation(tmp_path, name, days=len(name))
    shelf = _shelf(tmp_path)
    assert shelf.archive("default", keep=2) == ["three"]
    others = {path for path in _paths(tmp_path) if "/two/" in path}
    for name in ("one", "three"):
        gone = shelf.delete("default", name)
        assert gone.files >= 5
        with pytest.raises(UnusableInput, match="no conversation"):
            shelf.delete("default", name)
    assert _names(shelf) == ["two"]
    assert _paths(tmp_path) == others


def test_sizes_are_by_kind(tmp_path: Path) -> None:
    """Every file is counted once, under the kind it belongs to."""
    _conversation(tmp_path, "one", days=1)
    _conversation(tmp_path, "two")
    assert _shelf(tmp_path).archive("default", keep=1) == ["one"]
    FileDrafts(tmp_path / "scratchpad" / "default").write("a/b", "12345")
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "models.json").write_text("{}")
    sizes = _shelf(tmp_path).sizes()
    assert list(sizes) == ["history", "work", "tool-results", "scratchpad", "cache", "telemetry", "archive"]
    assert (sizes["cache"].bytes, sizes["cache"].files, sizes["telemetry"].files) == (2, 1, 0)
    assert sizes["scratchpad"].bytes == 5
    assert sizes["history"].bytes == sizes["archive"].bytes > 0
    everything = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert sum(size.files for size in sizes.values()) == len(everything)
    assert sum(size.bytes for size in sizes.values()) == sum(path.stat().st_size for path in everything)


@pytest.mark.parametrize("kind", ["history", "work", "tool-results", "scratchpad", "cache", "telemetry", "archive"])
def test_purging_takes_what_is_old_of_one_kind(tmp_path: Path, kind: str) -> None:
    """Only what was not written for so many days goes, only of the kind that was named, and 0 days is all of it."""
    for days in (10, 1):
        _conversation(tmp_path, f"live{days}", days=days)
        _conversation(tmp_path, f"away{days}", days=days)
        (tmp_path / "history" / "default" / ".archive").mkdir(exist_ok=True)
        (tmp_path / "history" / "default" / f"away{days}").rename(tmp_path / "history" / "default" / ".archive" / f"away{days}")
        for folder in ("scratchpad/default/deep", "cache", "telemetry"):
            (tmp_path / folder).mkdir(parents=True, exist_ok=True)
            (tmp_path / folder / f"file{days}").write_text("x")
            os.utime(tmp_path / folder / f"file{days}", (NOW.timestamp() - days * DAY_S,) * 2)
    shelf = _shelf(tmp_path)
    sizes, before = shelf.sizes(), _paths(tmp_path)
    assert shelf.purge(kind, 30).files == 0
    assert _paths(tmp_path) == before
    gone = shelf.purge(kind, 5)
    lost = before - _paths(tmp_path)
    assert lost
    assert all("10" in path for path in lost)
    assert gone.files > 0
    shelf.purge(kind, 0)
    after = shelf.sizes()
    assert (after[kind].bytes, sizes[kind].bytes > 0) == (0, True)
    touched = {kind, "work", "tool-results"} if kind in ("history", "archive") else {kind}
    assert {name for name in sizes if after[name] != sizes[name]} <= touched


@pytest.mark.parametrize(
    ("kind", "days"), [("memory", 1), ("", 1), ("../history", 1), ("cache", -1), ("cache", float("nan")), ("cache", float("inf"))]
)
def test_an_unknown_kind_or_time_is_refused(tmp_path: Path, kind: str, days: float) -> None:
    """A kind that is none names those that are, and a number of days below 0 or without an end is refused."""
    with pytest.raises(UnknownSetting):
        _shelf(tmp_path).purge(kind, days)


def test_a_result_that_was_purged_reads_as_none_and_may_be_kept_again(tmp_path: Path) -> None:
    """What is purged beside an open folder of results is none there, and room and keys are free again."""
    results = FileResults(tmp_path / "work" / "default" / "one", cap_bytes=400)
    assert results.keep("call", KeptResult("x" * 100, "read_file", "call"))
    assert Shelf(tmp_path).purge("tool-results", 0).files == 2
    assert results.kept("call") is None
    assert results.keep("call", KeptResult("y" * 100, "read_file", "call"))
    assert results.kept("call") == KeptResult("y" * 100, "read_file", "call")


def test_a_home_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """D34: where the archive cannot be made nothing is moved and one line says why; once it can, it works."""
    _conversation(tmp_path, "one")
    (tmp_path / "history" / "default" / ".archive").write_text("in the way")
    shelf = _shelf(tmp_path)
    with pytest.raises(UnusableInput, match="cannot be archived"):
        shelf.archive("default", keep=0)
    assert _names(shelf) == ["one"]
    (tmp_path / "history" / "default" / ".archive").unlink()
    assert shelf.archive("default", keep=0) == ["one"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the process that is killed is a fork")
def test_killed_at_any_moment_a_deletion_can_be_repeated(tmp_path: Path) -> None:
    """Killed before or within any step, a history that is still listed is whole, no work outlives it, and deleting again ends it."""

    def prepare(moment: int) -> Callable[[], object]:
        home = tmp_path / str(moment)
        _conversation(home, "one")
        return lambda: Shelf(home).delete("default", "one")

    def check(moment: int) -> None:
        home = tmp_path / str(moment)
        found = Shelf(home).listed()
        if any(one.history_bytes for one in found):
            assert len(Files(home).read("one").transcript) == 1
        else:
            assert not (home / "work" / "default" / "one").exists()
        if found:
            Shelf(home).delete("default", "one")
        Shelf(home).archive("default")
        assert Shelf(home).listed() == []
        assert _paths(home) == set()

    assert kill_everywhere(prepare, check=check) > 10


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the process that is killed is a fork")
def test_killed_at_any_moment_a_conversation_is_at_hand_or_in_the_archive(tmp_path: Path) -> None:
    """Killed before or within any step of putting away, a conversation is whole in exactly one of the two places."""

    def prepare(moment: int) -> Callable[[], object]:
        home = tmp_path / str(moment)
        _conversation(home, "one")
        return lambda: Shelf(home).archive("default", keep=0)

    def check(moment: int) -> None:
        home = tmp_path / str(moment)
        assert _names(Shelf(home)) == ["one"]
        Shelf(home).restored("default", "one")
        assert len(Files(home).read("one").transcript) == 1

    assert kill_everywhere(prepare, check=check) > 3
