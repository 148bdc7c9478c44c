"""The full-text index: what it finds and in which order, and that it is a cache which nothing can make fail."""

from __future__ import annotations

import multiprocessing
import os
import random
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.errors import UnknownSetting
from sostenuto.results import wanted
from sostenuto.stores.index import Index, place_of, place_of_results

TEXTS = {
    "m1.0": "connection to the database was refused",
    "m2.0": "connection refused by 10.0.0.7:5432",
    "m3.0": "the word connection alone",
    "m4.0": "Traceback: src/foo_bar.py line 12, error E1234 at 0x7ffd1c",
    "m5.0": "数据库连接失败，请检查网络",
    "m6.0": "サーバーに接続できません",
    "m7.0": "เชื่อมต่อเซิร์ฟเวอร์ไม่ได้",
    "m8.0": "Straße in Zürich, café \U0001f642 => done",
    "m9.0": "class ContextManager: reconnections",
    "m10.0": "",
}


def pieces(texts: dict[str, str] | None = None) -> Iterator[tuple[str, str, str]]:
    """Texts as they are handed to an index."""
    return ((key, f"tool result of call {key}", text) for key, text in (texts or TEXTS).items())


def filled(path: Path | None = None, texts: dict[str, str] | None = None, *, full_text: bool = True) -> Index:
    """An index that holds these texts."""
    index = Index(path, full_text=full_text)
    index.add(pieces(texts), mark="a")
    return index


def keys(index: Index, words: str, *, limit: int = 20, offset: int = 0) -> list[str]:
    """What is found."""
    return [found.key for found in index.search(words, limit=limit, offset=offset)]


@pytest.mark.parametrize("full_text", [True, False])
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("connection refused", ["m1.0", "m2.0"]),
        ("refused connection", ["m1.0", "m2.0"]),
        ("REFUSED", ["m1.0", "m2.0"]),
        ("src/foo_bar.py", ["m4.0"]),
        ("foo_bar", ["m4.0"]),
        ("o_bar.p", ["m4.0"]),
        ("E1234", ["m4.0"]),
        ("0x7ff", ["m4.0"]),
        ("10.0.0.7:5432", ["m2.0"]),
        ("Manager", ["m9.0"]),
        ("数据库", ["m5.0"]),
        ("连接", ["m5.0"]),
        ("接続", ["m6.0"]),
        ("サーバー", ["m6.0"]),
        ("เซิร์ฟเวอร์", ["m7.0"]),
        ("strasse zurich CAFÉ", ["m8.0"]),
        ("\U0001f642", ["m8.0"]),
        ("=>", ["m8.0"]),
        ("connection zebra", ["m1.0", "m2.0", "m3.0"]),
        ("zebra unicorn connection", []),
        ("nothing-of-it", []),
    ],
)
def test_what_people_copy_is_found(words: str, expected: list[str], full_text: bool) -> None:
    """Words, parts of names and paths, numbers and scripts without spaces are found, with and without FTS5."""
    assert sorted(keys(filled(full_text=full_text), words)) == expected


@pytest.mark.parametrize("full_text", [True, False])
def test_the_order_is_side_by_side_then_apart_then_inside(full_text: bool) -> None:
    """Exactly what was asked comes first, then the words side by side, then all of them, then those inside other words."""
    texts = {
        "inside": "xretryx xlimitx",
        "apart": "limit reached, no retry",
        "near": "a retry. Limit",
        "exact": "the retry limit was reached",
        "one": "retry",
    }
    index = filled(texts=texts, full_text=full_text)
    found = index.search("Retry  limit", limit=9)
    assert [(one.key, one.rank) for one in found] == [("exact", 0), ("near", 0), ("apart", 1), ("inside", 2)]
    assert [one.key for one in index.search("retry limit", limit=9, last={"exact", "apart"})] == ["near", "inside", "exact", "apart"]


@pytest.mark.parametrize("full_text", [True, False])
def test_rare_words_and_short_texts_weigh_more(full_text: bool) -> None:
    """Among texts with the word, the one that says it more often in fewer words is first (BM25)."""
    texts = {f"m{number}": f"filler {number} and more of it " * 5 for number in range(30)}
    texts["long"] = "needle " + "hay " * 200
    texts["short"] = "needle needle hay"
    assert keys(filled(texts=texts, full_text=full_text), "needle") == ["short", "long"]


def test_pages_of_finds_rejoin() -> None:
    """Finds by two are the same as all at once, each once."""
    index = filled(texts={f"m{number}": f"alpha beta {'x' * number}" for number in range(23)})
    whole = keys(index, "alpha beta", limit=100)
    paged = [key for offset in range(0, 30, 2) for key in keys(index, "alpha beta", limit=2, offset=offset)]
    assert paged == whole
    assert len(set(whole)) == 23
    assert keys(index, "alpha", limit=10**30) == keys(index, "alpha", limit=100)
    assert keys(index, "alpha", offset=10**30) == keys(index, "alpha", limit=-1) == []


SAMPLED = ["alpha", "beta", "gamma", "al", "é", "foo_bar", "数据", "E12", "x", "NEAR", "a-b", "alphabet", "=>"]
WORDS = st.lists(st.sampled_from(SAMPLED), min_size=1, max_size=5)


@given(st.lists(WORDS.map(" ".join), max_size=8), WORDS.map(" ".join))
def test_an_index_and_a_plain_scan_find_the_same(texts: list[str], words: str) -> None:
    """With and without FTS5 the same pieces are found in the same classes."""
    held = {f"m{number}.0": text for number, text in enumerate(texts)}
    found = []
    for full_text in (True, False):
        index = filled(texts=held or {"m": ""}, full_text=full_text)
        found.append([(one.key, one.rank, one.excerpt) for one in index.search(words, limit=50)])
        index.close()
    assert sorted(found[0]) == sorted(found[1])
    assert [rank for _, rank, _ in found[0]] == sorted(rank for _, rank, _ in found[0])


HOSTILE = [
    '"', '""', "'", "*", "a*", "-a", "NOT", "a NOT b", "NEAR(a b)", "NEAR", "AND", "(", "((a", "a)", "text:", "text : a", "^a", "a + b",
    "\0", "a\0b", "{text}", ";drop table pieces", "\ud800", "\U0001f642\U0001f642", "%", "_", "\\", "a" * 100_000, "ab " * 33_000,
    " " * 100_000, "\n", "", "e\u0301", "\u202e", "a.b" * 3_000,
]  # fmt: skip


@pytest.mark.parametrize("words", HOSTILE, ids=range(len(HOSTILE)))
def test_no_query_is_syntax(words: str) -> None:
    """Operators, quotes, NUL, lone surrogates and 100 kB of text are words; the index still answers afterwards."""
    index = filled()
    index.search(words, limit=5)
    assert index.synced() == (10, "a")
    assert keys(index, "ContextManager") == ["m9.0"]


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=60))
def test_any_text_finds_itself(before: str, words: str, after: str) -> None:
    """Whatever was said is found by its own words, and no text or query makes a search fail."""
    index = filled(texts={"m1.0": f"{before} {words} {after}", "m2.0": "other"})
    found = keys(index, words)
    assert ("m1.0" in found) or not wanted(words).words
    index.close()


def test_an_excerpt_shows_the_place() -> None:
    """From a long text the piece around the find is shown, in the original letters."""
    text = "é" * 9_000 + " Straße: Connection REFUSED here " + "ü" * 9_000
    (found,) = filled(texts={"m1.0": text}).search("strasse: connection refused", limit=1)
    assert "Straße: Connection REFUSED here" in found.excerpt
    assert len(found.excerpt) == 400
    assert found.excerpt in text


def test_a_whole_text_comes_back_by_its_key(tmp_path: Path) -> None:
    """Every character, lone surrogates and NUL too; and by its source the key."""
    text = "a\0b\ud800\r\n" + "x" * 1_000
    index = filled(tmp_path / "i.sqlite", {"m1.0": text})
    assert index.piece("m1.0") == ("tool result of call m1.0", text)
    assert index.piece("m2.0") is None
    assert index.keys_from("tool result of call m1.0") == ["m1.0"]


def test_a_text_longer_than_a_slice_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A very long text is indexed in slices, found once, across their seams too, and comes back whole."""
    monkeypatch.setattr("sostenuto.stores._full_text.SLICE", 10_000)
    text = "".join(f"row{number} " for number in range(5_000))
    index = filled(tmp_path / "i.sqlite", {"m1.0": text})
    assert keys(index, text[9_995:10_010].strip()) == ["m1.0"]
    assert index.piece("m1.0") == ("tool result of call m1.0", text)


# ---------------------------------------------------------------- a cache


def test_it_lasts_and_is_its_owners_alone(tmp_path: Path) -> None:
    """What was added is there for the next process; folder 0700, file 0600, and nothing is left beside it."""
    path = tmp_path / "deep" / "er" / "recall.sqlite"
    index = filled(path)
    index.stamped("s")
    index.close()
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in (path.parent, path.parent.parent)] == [0o700, 0o700]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(path.parent) == ["recall.sqlite"]
    again = Index(path)
    assert (again.synced(), again.stamp) == ((10, "a"), "s")
    assert keys(again, "E1234") == ["m4.0"]
    again.add([("m11.0", "user", "one more E1234")], mark="b")
    assert (again.synced(), again.stamp) == ((11, "b"), "")
    again.clear()
    assert (again.synced(), keys(again, "E1234")) == ((0, ""), [])
    again.close()


def _damage(path: Path, how: str) -> None:
    whole = path.read_bytes()
    if how == "missing":
        path.unlink()
    elif how == "torn":
        path.write_bytes(whole[: len(whole) // 3])
    elif how == "noise":
        path.write_bytes(b"no database at all" * 100)
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "inside":
        path.write_bytes(whole[:4_096] + b"\xff" * (len(whole) - 4_096))
    elif how == "link":
        path.rename(path.with_name("elsewhere"))
        path.symlink_to(path.with_name("elsewhere"))
    else:
        connection = sqlite3.connect(path)
        connection.executescript(
            {
                "foreign": "pragma application_id = 7",
                "schema": "pragma user_version = 99",
                "table": "drop table words",
                "row": "delete from state",
                "letters": "update state set mark = cast(x'ff' as text)",
            }[how]
        )
        connection.close()


@pytest.mark.parametrize("how", ["missing", "torn", "noise", "empty", "inside", "link", "foreign", "schema", "table", "row", "letters"])
def test_what_cannot_be_used_is_made_again(how: str, tmp_path: Path) -> None:
    """A missing, damaged or foreign file, or a link, is an empty index that can be filled, without a word, in the same place."""
    path = tmp_path / "recall.sqlite"
    filled(path).close()
    _damage(path, how)
    index = Index(path)
    index.search("E1234 connection", limit=5)
    if how == "link":
        assert path.with_name("elsewhere").stat().st_size
    assert index.synced() == (0, "")
    index.add(pieces(), mark="b")
    assert keys(index, "E1234") == ["m4.0"]
    index.close()
    assert not path.is_symlink()
    again = Index(path)
    assert again.synced() == (10, "b")
    again.close()


def test_damage_while_it_is_open(tmp_path: Path) -> None:
    """A packed text that does not unpack empties the index; nothing is raised."""
    path = tmp_path / "recall.sqlite"
    index = filled(path)
    other = sqlite3.connect(path)
    other.execute("update pieces set body = x'00'")
    other.commit()
    other.close()
    assert keys(index, "E1234") == []
    assert index.synced() == (0, "")
    index.add(pieces(), mark="b")
    assert keys(index, "E1234") == ["m4.0"]
    index.close()


def test_another_writer_is_not_waited_for(tmp_path: Path) -> None:
    """While another process writes the file, this one goes on in memory, and the file keeps what it had."""
    path = tmp_path / "recall.sqlite"
    index = filled(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("begin immediate")
    index.add([("m11.0", "user", "late")], mark="b")
    assert index.synced() == (0, "")
    index.add(pieces(), mark="b")
    assert keys(index, "E1234") == ["m4.0"]
    index.close()
    other.execute("rollback")
    other.close()
    assert Index(path).synced() == (10, "a")


@pytest.mark.parametrize("place", ["folder", "below a file", "pipe"])
def test_where_nothing_can_be_written(place: str, tmp_path: Path) -> None:
    """A path that is a folder or a pipe, or lies below a file, gives an index in memory, and what lies there stays."""
    (tmp_path / "plain").write_text("")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    index = filled({"below a file": tmp_path / "plain" / "recall.sqlite"}.get(place, tmp_path / place))
    assert index.synced() == (10, "a")
    assert keys(index, "E1234") == ["m4.0"]
    index.clear()
    index.close()
    assert (tmp_path / "plain").read_text() == ""
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert sorted(os.listdir(tmp_path)) == ["folder", "pipe", "plain"]


def test_a_file_that_may_not_grow(tmp_path: Path) -> None:
    """When the disk is full in the middle of an addition, the file keeps what it had and this process goes on in memory."""
    path = tmp_path / "recall.sqlite"
    index = filled(path)
    assert index._connection is not None
    (pages,) = index._connection.execute("pragma page_count").fetchone()
    index._connection.execute(f"pragma max_page_count = {pages + 2}")
    chance = random.Random(7)  # texts that do not pack well, and hold nothing that is searched for
    more = {f"n{number}": "".join(chance.choices("ghijklmnop", k=6_000)) for number in range(20)}
    index.add(pieces(more), mark="b")
    assert index.synced() == (0, "")
    index.add(pieces({**TEXTS, **more}), mark="b")
    assert keys(index, "E1234") == ["m4.0"]
    index.close()
    assert Index(path).synced() == (10, "a")


def _write(path: Path, number: int) -> None:
    index = Index(path)
    for step in range(20):
        index.add([(f"p{number}.{step}", "user", f"written by {number} needle")], mark=f"{number}.{step}")
    index.close()


def test_readers_beside_a_writer(tmp_path: Path) -> None:
    """While another process adds, every search here gives whole pieces, ever more of them."""
    path = tmp_path / "recall.sqlite"
    filled(path).close()
    writer = multiprocessing.get_context("spawn").Process(target=_write, args=(path, 1))
    reader = Index(path)
    writer.start()
    seen = [0]
    while writer.is_alive():
        found = reader.search("needle", limit=100)
        assert all(one.excerpt == "written by 1 needle" for one in found)
        seen.append(len(found))
    writer.join()
    assert writer.exitcode == 0
    assert seen == sorted(seen)
    assert len(reader.search("needle", limit=100)) == 20
    reader.close()
    assert os.listdir(tmp_path) == ["recall.sqlite"]


def test_two_that_add_the_same(tmp_path: Path) -> None:
    """Of two processes that bring one index up to date at the same time one adds, and the other finds it done."""
    path = tmp_path / "recall.sqlite"
    one, other = filled(path), Index(path)
    assert one.synced() == other.synced() == (10, "a")
    for index in (one, other):
        index.add([("m11.0", "user", "late")], mark="b")
    assert one.synced() == other.synced() == (11, "b")
    assert other.piece("m11.0") == ("user", "late")
    one.clear()
    other.add([("m12.0", "user", "later")], mark="c")
    assert other.synced() == (0, "")
    one.close()
    other.close()


def test_where_an_index_lies(tmp_path: Path) -> None:
    """In the cache, the transcript gives the stamp, also in the archive; not through a link; and a name that cannot be one is refused."""
    folder, place = tmp_path / "history" / "default" / "review", tmp_path / "cache" / "recall" / "default" / "review.sqlite"
    assert place_of(tmp_path, agent="default", conversation="review") == (None, "")
    folder.mkdir(parents=True)
    assert place_of(tmp_path, agent="default", conversation="review") == (place, "")
    (folder / "transcript.jsonl").write_text("{}\n")
    path, stamp = place_of(tmp_path, agent="default", conversation="review")
    assert (path, bool(stamp)) == (place, True)
    (folder / "transcript.jsonl").write_text("{}\n{}\n")
    assert place_of(tmp_path, agent="default", conversation="review")[1] != stamp
    (folder.parent / "linked").symlink_to(folder)
    assert place_of(tmp_path, agent="default", conversation="linked")[0] is None
    with pytest.raises(UnknownSetting):
        place_of(tmp_path, agent="default", conversation="../review")
    away = folder.parent / ".archive" / "review"
    away.parent.mkdir()
    stamp = place_of(tmp_path, agent="default", conversation="review")[1]
    folder.rename(away)
    assert place_of(tmp_path, agent="default", conversation="review") == (place, stamp)
    assert place_of_results(tmp_path, agent="default", conversation="review") == place.with_name("review~results.sqlite")
    (tmp_path / "cache").symlink_to(tmp_path / "history")
    assert place_of(tmp_path, agent="default", conversation="review") == (None, stamp)
