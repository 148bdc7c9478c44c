"""A person's own catalogue in the data home."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from sostenuto.catalogues.kept import keep, kept, place
from sostenuto.catalogues.models_dev import read
from sostenuto.errors import UnusableInput
from tests.catalogues.api import ENCODED


@pytest.fixture
def api(tmp_path: Path) -> Path:
    """A models.dev file."""
    path = tmp_path / "api.json"
    path.write_bytes(ENCODED)
    return path


def test_what_is_kept_is_read_back(api: Path, tmp_path: Path) -> None:
    """Entries, snapshot and source come back, and nothing else lies in the folder (A.2)."""
    home = tmp_path / "deep" / "home"
    found = read(api)
    path = keep(home, found)
    assert path == place(home) == home / "cache" / "models.json"
    back = kept(home)
    assert back is not None
    assert set(back.entries) == set(found.entries)
    assert (back.snapshot, back.source, back.skipped) == (found.snapshot, found.source, 0)
    assert list(path.parent.iterdir()) == [path]


def test_it_is_the_owners_alone(api: Path, tmp_path: Path) -> None:
    """Folders that are made have mode 0700, the file 0600."""
    path = keep(tmp_path / "home", read(api))
    assert [stat.S_IMODE(one.stat().st_mode) for one in (path, path.parent, path.parent.parent)] == [0o600, 0o700, 0o700]


def test_the_same_catalogue_is_the_same_bytes(api: Path, tmp_path: Path) -> None:
    """Keeping a catalogue twice leaves the same file."""
    first = keep(tmp_path / "one", read(api)).read_bytes()
    assert keep(tmp_path / "two", read(api)).read_bytes() == first


def test_nothing_kept_is_none(tmp_path: Path) -> None:
    """Without a file, or with a file where the home should be, there is no catalogue."""
    assert kept(tmp_path) is None
    (tmp_path / "file").write_text("x")
    assert kept(tmp_path / "file") is None


def test_a_damaged_one_is_named(tmp_path: Path) -> None:
    """A kept file that is cut off is refused with its path."""
    place(tmp_path).parent.mkdir()
    place(tmp_path).write_text('{"kind": ')
    with pytest.raises(UnusableInput, match=r"models\.json: not JSON"):
        kept(tmp_path)


def test_a_place_that_cannot_be_written_is_named_and_keeps_what_it_has(api: Path, tmp_path: Path) -> None:
    """Where nothing can be written the error names the place and the remedy."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(UnusableInput, match="SOSTENUTO_HOME"):
        keep(tmp_path / "file", read(api))
    assert (tmp_path / "file").read_text() == "x"
    place(tmp_path).mkdir(parents=True)
    with pytest.raises(UnusableInput, match="cannot be written"):
        keep(tmp_path, read(api))
    assert [one.name for one in place(tmp_path).parent.iterdir()] == ["models.json"]
