"""The scratchpad: drafts by path within their limits, in this process or in files, which are whole whatever happens."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from sostenuto.errors import UnusableInput
from sostenuto.protocols import Drafts
from sostenuto.stores.drafts import FileDrafts
from sostenuto.tools import DraftsInMemory
from sostenuto.work import DraftLimits
from tests.stores.filling import full_disk
from tests.stores.killing import kill_everywhere

HOSTILE = [
    "",
    ".",
    "..",
    "../a",
    "a/../b",
    "/etc/passwd",
    "a//b",
    "a/",
    "/",
    "a\0b",
    "C:\\a",
    "c:a",
    "a\\b",
    "\\\\host\\a",
    "~/.ssh/../a",
    ".hidden",
    "a/.b",
    "con",
    "a/NUL.txt",
    "com1.md",
    "a.",
    "a ",
    "a/b./c",
    "a\nb",
    "a\u202eb",
    "\ud800",
    "a*",
    "a?",
    "x" * 129,
    "x" * 10_000,
    "a/" * 5_000,
    "a/b/c/d/e",
    "é" * 128,
    "日" * 90,
    "‥/..",
    "a\u200b",
]


@pytest.fixture(autouse=True, scope="module")
def _unflushed() -> Iterator[None]:
    """No power is lost here, so nothing waits for the disk."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda handle: None)
        yield


@pytest.fixture(params=["files", "memory"])
def drafts(request: pytest.FixtureRequest, tmp_path: Path) -> Drafts:
    """Both kinds of drafts, empty, within the limits of the issue."""
    return FileDrafts(tmp_path / "scratchpad") if request.param == "files" else DraftsInMemory()


@pytest.fixture(params=["files", "memory"])
def narrow(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[DraftLimits], Drafts]:
    """Opens either kind within limits."""
    return lambda limits: FileDrafts(tmp_path, limits=limits) if request.param == "files" else DraftsInMemory(limits)


def test_a_draft_is_written_extended_listed_and_deleted(drafts: Drafts) -> None:
    """Write and append answer the bytes there are now, and listing is in order."""
    assert drafts.listed() == []
    assert drafts.write("report/outline.md", "één\r\n") == 7
    assert drafts.write("report/outline.md", "two", append=True) == 10
    assert drafts.write("a.md", "x", append=True) == 1
    assert drafts.read("report/outline.md") == "één\r\ntwo"
    assert drafts.listed() == [("a.md", 1), ("report/outline.md", 10)]
    assert drafts.write("a.md", "") == 0
    drafts.delete("report/outline.md")
    assert drafts.listed() == [("a.md", 0)]


def test_a_deleted_draft_leaves_no_empty_folder(tmp_path: Path) -> None:
    """After the last draft of a folder the folder goes too, and what another handle wrote stays."""
    FileDrafts(tmp_path).write("a.md", "x")
    drafts = FileDrafts(tmp_path)
    drafts.write("report/outline.md", "x")
    drafts.delete("report/outline.md")
    assert drafts.read("a.md") == "x"
    assert sorted(os.listdir(tmp_path)) == [".lock", "a.md"]


def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    """Folders have mode 0700 and files 0600, also where they were laxer before."""
    (tmp_path / "scratchpad").mkdir(mode=0o755)
    FileDrafts(tmp_path / "scratchpad").write("a/b.md", "x")
    (tmp_path / "scratchpad" / "a").chmod(0o777)
    FileDrafts(tmp_path / "scratchpad").write("a/b.md", "y")
    modes = [path.stat().st_mode & 0o777 for path in (tmp_path / "scratchpad", *(tmp_path / "scratchpad").rglob("*"))]
    assert sorted(set(modes)) == [0o600, 0o700]


@pytest.mark.parametrize("path", HOSTILE)
def test_a_hostile_path_is_refused(drafts: Drafts, tmp_path: Path, path: str) -> None:
    """Origin 9.1: no path leads out, is hidden, is too deep, too long or a device's; each call says so and nothing is made."""
    for act in (drafts.read, drafts.delete, lambda path: drafts.write(path, "x"), lambda path: drafts.write(path, "x", append=True)):
        with pytest.raises(UnusableInput) as caught:
            act(path)
        assert len(str(caught.value)) < 300
        assert str(caught.value).isprintable()
    assert drafts.listed() == []
    assert os.listdir(tmp_path) == []


@settings(max_examples=150, deadline=None)
@given(st.text(st.characters(exclude_categories=()), max_size=12) | st.text("./\\a ~:\0", max_size=12))
@example("a/b/c/d")
def test_any_path_is_inside_or_refused(path: str) -> None:
    """Whatever the path, it is refused, or its text lies inside the folder, is listed, reads back and can be deleted."""
    with tempfile.TemporaryDirectory() as above:
        folder = Path(above, "deep", "scratchpad")
        drafts = FileDrafts(folder)
        try:
            drafts.write(path, "text")
        except UnusableInput:
            assert os.listdir(above) == []
            return
        assert os.listdir(above) == ["deep"]
        assert os.listdir(Path(above, "deep")) == ["scratchpad"]
        assert drafts.read(path) == "text"
        assert [drafts.read(name) for name, _ in drafts.listed()] == ["text"]
        drafts.delete(path)
        assert drafts.listed() == []


def test_two_spellings_of_a_letter_are_one_path(drafts: Drafts) -> None:
    """A letter with its accent apart or in one names the same draft, as on file systems that make no difference."""
    drafts.write("caf\u00e9", "one")
    drafts.write("cafe\u0301", " two", append=True)
    assert drafts.read("caf\u00e9") == "one two"
    assert len(drafts.listed()) == 1


@pytest.mark.parametrize("path", ["reprot/outline.md", "outline.md", "report/outline", "report/outline.md/x", "report"])
def test_a_missing_path_names_the_nearest(drafts: Drafts, path: str) -> None:
    """A path where no draft is answers with the path that was probably meant, for reading and deleting."""
    for act in (drafts.read, drafts.delete):
        with pytest.raises(UnusableInput, match=f"there is no draft {path}; there are none yet"):
            act(path)
    drafts.write("report/outline.md", "x")
    for act in (drafts.read, drafts.delete):
        with pytest.raises(UnusableInput, match=rf"there is no draft {path}; did you mean report/outline\.md"):
            act(path)


def test_looking_for_a_draft_makes_no_folder(tmp_path: Path) -> None:
    """Reading and deleting where nothing was ever written leaves nothing behind."""
    for act in (FileDrafts(tmp_path / "none").read, FileDrafts(tmp_path / "none").delete):
        with pytest.raises(UnusableInput):
            act("a")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("limits", "path", "append", "figure"),
    [
        (DraftLimits(file_bytes=9), "new", False, "10 bytes and 9 is the most"),
        (DraftLimits(file_bytes=14), "old", True, "15 bytes and 14 is the most"),
        (DraftLimits(files=1), "new", False, "2 drafts and 1 is the most"),
        (DraftLimits(total_bytes=14), "new", False, "15 bytes and 14 is the most"),
        (DraftLimits(total_bytes=14), "old", True, "15 bytes and 14 is the most"),
    ],
)
def test_over_a_limit_nothing_is_written(
    narrow: Callable[[DraftLimits], Drafts], limits: DraftLimits, path: str, append: bool, figure: str
) -> None:
    """A write that would pass a limit fails with the figure, every draft is as it was, and what is within is written."""
    drafts = narrow(limits)
    drafts.write("old", "12345")
    with pytest.raises(UnusableInput, match=f"{figure}.*nothing was written"):
        drafts.write(path, "1234567890", append=append)
    assert drafts.listed() == [("old", 5)]
    assert drafts.write("old", "123456789") == 9


def test_deleting_makes_room(narrow: Callable[[DraftLimits], Drafts]) -> None:
    """A deleted draft counts no more, neither as one nor by its bytes."""
    drafts = narrow(DraftLimits(files=1, total_bytes=10))
    drafts.write("a", "1234567890")
    drafts.delete("a")
    assert drafts.write("b", "1234567890") == 10


def test_links_are_refused_and_never_listed(tmp_path: Path) -> None:
    """A link planted as a text, as a folder or as the scratchpad itself is neither read, written, listed nor deleted through."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    folder = tmp_path / "home" / "scratchpad" / "agent"
    folder.mkdir(parents=True)
    (folder / "text.md").symlink_to(outside / "secret.md")
    (folder / "folder").symlink_to(outside)
    (tmp_path / "home" / "scratchpad" / "linked").symlink_to(outside)
    drafts = FileDrafts(folder, home=tmp_path / "home")
    linked = FileDrafts(tmp_path / "home" / "scratchpad" / "linked", home=tmp_path / "home")
    assert drafts.listed() == linked.listed() == []
    for place, path in ((drafts, "text.md"), (drafts, "folder/secret.md"), (linked, "secret.md")):
        for act in (
            place.read,
            place.delete,
            lambda path, place=place: place.write(path, "x"),
            lambda path, place=place: place.write(path, "x", append=True),
        ):
            with pytest.raises(UnusableInput):
                act(path)
    assert os.listdir(outside) == ["secret.md"]
    assert (outside / "secret.md").read_text() == "secret"


def test_a_folder_is_no_draft_and_a_draft_no_folder(drafts: Drafts) -> None:
    """A path that is a folder cannot be written, and nothing can lie below a draft; both say so and change nothing."""
    drafts.write("a/b", "x")
    with pytest.raises(UnusableInput, match="a is a folder, of a/b"):
        drafts.write("a", "y")
    with pytest.raises(UnusableInput, match="a/b is a draft and cannot be a folder too"):
        drafts.write("a/b/c", "y")
    assert drafts.listed() == [("a/b", 1)]


def test_foreign_bytes_are_left_as_they_are(tmp_path: Path) -> None:
    """A file that is no text is listed, cannot be read or extended, and may be replaced."""
    (tmp_path / "image.png").write_bytes(b"\x89PNG\xff")
    drafts = FileDrafts(tmp_path)
    assert drafts.listed() == [("image.png", 5)]
    for act in (drafts.read, lambda path: drafts.write(path, "x", append=True)):
        with pytest.raises(UnusableInput, match="no text"):
            act("image.png")
    assert (tmp_path / "image.png").read_bytes() == b"\x89PNG\xff"
    assert drafts.write("image.png", "x") == 1


def test_a_place_that_cannot_be_written_is_said_and_recovers(tmp_path: Path) -> None:
    """D34: with something else in the folder's place a write fails in one line; afterwards, and after the folder vanished, it works."""
    folder = tmp_path / "scratchpad"
    folder.write_text("in the way")
    drafts = FileDrafts(folder)
    assert drafts.listed() == []
    with pytest.raises(UnusableInput, match="nothing was written"):
        drafts.write("a", "x")
    folder.unlink()
    assert drafts.write("a", "x") == 1
    folder.rename(tmp_path / "gone")
    assert drafts.listed() == []
    assert drafts.write("a", "xy") == 2


@pytest.mark.parametrize("append", [False, True])
def test_on_a_full_disk_a_write_fails_and_recovers(tmp_path: Path, append: bool) -> None:
    """D34: without room a write fails with the reason, the old text stays, and with room the next one works."""
    drafts = FileDrafts(tmp_path)
    drafts.write("a", "old")
    with full_disk(), pytest.raises(UnusableInput, match=r"no space left on device.*nothing was written"):
        drafts.write("a", "new", append=append)
    assert drafts.read("a") == "old"
    assert drafts.write("a", "newer") == 5


def test_writers_at_the_same_time_append_everything(tmp_path: Path) -> None:
    """Appends of several writers to one text are all in it, none torn by another."""

    def write(writer: int) -> None:
        for number in range(10):
            FileDrafts(tmp_path).write("log", f"{writer}-{number}\n", append=True)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert sorted(FileDrafts(tmp_path).read("log").splitlines()) == sorted(
        f"{writer}-{number}" for writer in range(4) for number in range(10)
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the process that is killed is a fork")
@pytest.mark.parametrize("append", [False, True])
def test_killed_at_any_write_a_text_is_old_or_new(tmp_path: Path, append: bool) -> None:
    """B161: killed before or within any write, no half of it is in the text, and the next write works and leaves no scraps."""
    new = "old and new" if append else " and new"

    def prepare(moment: int) -> Callable[[], object]:
        drafts = FileDrafts(tmp_path / str(moment))
        drafts.write("a/text", "old")
        return lambda: drafts.write("a/text", " and new", append=append)

    def check(moment: int) -> None:
        drafts = FileDrafts(tmp_path / str(moment))
        assert drafts.read("a/text") in ("old", new)
        drafts.write("a/text", "newer")
        assert drafts.listed() == [("a/text", 5)]
        assert os.listdir(tmp_path / str(moment) / "a") == ["text"]

    assert kill_everywhere(prepare, check=check) > 8


class Texts(RuleBasedStateMachine):
    """Both kinds against a dict: a call fails in both, in the same words, exactly where the dict says so, and changes nothing then."""

    LIMITS = DraftLimits(file_bytes=40, files=3, total_bytes=70)
    PATHS = st.sampled_from(["a", "b", "c/d", "c/e", "c", "f/g/h/i"])

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.kinds: list[Drafts] = [FileDrafts(Path(self.folder.name, "agent"), limits=self.LIMITS), DraftsInMemory(self.LIMITS)]
        self.model: dict[str, str] = {}

    @rule(path=PATHS, text=st.text("aé\ud800\n", max_size=30), append=st.booleans())
    def write(self, path: str, text: str, append: bool) -> None:
        after = {**self.model, path: self.model.get(path, "") + text if append else text}
        sizes = {name: len(one.encode("utf-8", "surrogatepass")) for name, one in after.items()}
        fits = len(after) <= 3 and sizes[path] <= 40 and sum(sizes.values()) <= 70
        if fits and not any(one != other and one.startswith(f"{other}/") for one in after for other in after):
            assert [drafts.write(path, text, append=append) for drafts in self.kinds] == [sizes[path]] * 2
            self.model = after
        else:
            assert len({self.refusal(partial(drafts.write, path, text, append=append)) for drafts in self.kinds}) == 1

    @rule(path=PATHS)
    def delete(self, path: str) -> None:
        if path in self.model:
            for drafts in self.kinds:
                drafts.delete(path)
            del self.model[path]
        else:
            assert len({self.refusal(partial(drafts.delete, path)) for drafts in self.kinds}) == 1

    def refusal(self, act: Callable[[], object]) -> str:
        with pytest.raises(UnusableInput) as caught:
            act()
        return str(caught.value)

    @rule()
    def reopen(self) -> None:
        self.kinds[0] = FileDrafts(Path(self.folder.name, "agent"), limits=self.LIMITS)

    @invariant()
    def holds_what_the_model_holds(self) -> None:
        for drafts in self.kinds:
            assert drafts.listed() == [(path, len(self.model[path].encode("utf-8", "surrogatepass"))) for path in sorted(self.model)]
            assert all(drafts.read(path) == text for path, text in self.model.items())

    def teardown(self) -> None:
        self.folder.cleanup()


TestTexts = Texts.TestCase
TestTexts.settings = settings(max_examples=20, stateful_step_count=15, deadline=None)
