"""The data home as a whole: sizes, purging, and a copy without secrets."""

from __future__ import annotations

import json
import os
import tarfile
from pathlib import Path

import pytest

from sostenuto.app import amounts, copy_data, purge, searched
from sostenuto.errors import UnknownSetting, UnusableInput
from tests.app.kept import reviewed

SECRET = "sk-abcdefghijklmnopqrstuvwx"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A data home with a conversation, settings, a draft, a cache, and a link out of it."""
    place = tmp_path / "home"
    reviewed(place, task=f"Review it with {SECRET}.")
    (place / "config.json").write_text(json.dumps({"llm": {"ollama": {"base_url": "http://me:hunter2hunter2@host:1"}}}))
    (place / "scratchpad/default").mkdir(parents=True)
    (place / "scratchpad/default/notes.md").write_text(f"the key is {SECRET}\n")
    (place / "scratchpad/default/odd.bin").write_bytes(b"\xff\x00\xfe")
    (place / "cache").mkdir()
    (place / "cache/models.json").write_text("{}")
    (tmp_path / "outside").write_text("not ours")
    os.symlink(tmp_path / "outside", place / "scratchpad/default/link")
    return place


def test_sizes_are_by_kind(home: Path) -> None:
    """Every kind is there in bytes and files, what is empty as nothing."""
    found = amounts(home)
    assert list(found) == ["history", "archive", "work", "tool-results", "scratchpad", "telemetry", "cache"]
    assert found["history"].bytes > 50_000
    assert found["scratchpad"].files == 2
    assert (found["telemetry"].bytes, found["telemetry"].files) == (0, 0)


def test_purging_removes_a_kind(home: Path) -> None:
    """All of a kind goes with 0 days, nothing that is younger than the days asked for."""
    assert purge(home, "cache", older_than_days=1).files == 0
    assert purge(home, "cache", older_than_days=0).files == 1
    assert amounts(home)["cache"].files == 0
    assert purge(home, "history", older_than_days=0).bytes > 50_000
    assert amounts(home)["history"].files == 0


@pytest.mark.parametrize(("kind", "days"), [("../x", 1.0), ("history", -1.0), ("history", float("nan")), ("memory", 1.0)])
def test_a_kind_or_a_time_that_is_none_is_refused(kind: str, days: float, home: Path) -> None:
    """Nothing is removed for it."""
    before = amounts(home)
    with pytest.raises(UnknownSetting):
        purge(home, kind, older_than_days=days)
    assert amounts(home) == before


def test_a_copy_holds_everything_but_secrets_links_and_the_cache(home: Path, tmp_path: Path) -> None:
    """The archive is its owner's only, every conversation is in it and can be read, no key or password is, and nothing from outside."""
    target = tmp_path / "copy.tar.gz"
    assert list(searched(home, SECRET, agent="default"))  # leaves an index behind
    copied = copy_data(home, target)
    assert target.stat().st_mode & 0o777 == 0o600
    with tarfile.open(target) as archive:
        held = {member.name: (archive.extractfile(member) or target.open("rb")).read() for member in archive.getmembers()}
    assert len(held) == copied.files
    names = set(held)
    assert {"sostenuto/history/default/review/transcript.jsonl", "sostenuto/config.json", "sostenuto/scratchpad/default/odd.bin"} <= names
    assert not any("cache" in name or "link" in name or "lease" in name or "sqlite" in name for name in names)
    assert not any(SECRET.encode() in data or b"hunter2" in data for data in held.values())
    assert held["sostenuto/scratchpad/default/odd.bin"] == b"\xff\x00\xfe"
    assert copied.redacted >= 3
    there = tmp_path / "there/history/default/review"
    there.mkdir(parents=True)
    for name in ("transcript.jsonl", "edits.jsonl"):
        (there / name).write_bytes(held[f"sostenuto/history/default/review/{name}"])
    from sostenuto.app import inspected

    assert len(inspected(tmp_path / "there", agent="default", conversation="review").said) == 89


def test_a_copy_inside_the_data_home_does_not_hold_itself(home: Path) -> None:
    """Two copies in a row into the data home: the second has no file more than the first but the first's own name is left out."""
    target = home / "copy.tar.gz"
    assert copy_data(home, target).files == copy_data(home, target).files
    assert not list(home.glob(".copy*"))


def test_nothing_to_copy_and_a_home_that_is_none_are_errors(tmp_path: Path) -> None:
    """No archive is left behind for a data home that is empty, not there, or a file."""
    (tmp_path / "file").write_text("")
    (tmp_path / "empty").mkdir()
    for home in (tmp_path / "file", tmp_path / "empty", tmp_path / "none"):
        with pytest.raises(UnusableInput):
            copy_data(home, tmp_path / "copy.tar.gz")
    assert not list(tmp_path.glob("*copy*"))
    with pytest.raises(UnusableInput, match="cannot be read"):
        amounts(tmp_path / "file")
