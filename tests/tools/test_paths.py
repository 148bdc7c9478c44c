"""Paths that a model wrote: hostile ones are refused in clear words, those that lead outside are high risk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sostenuto.errors import ToolFailed
from sostenuto.tools import Policy, standard_tools
from sostenuto.tools._paths import allowed_place, placed, shown_path
from tests.tools.working import carried, named, numbered, one

READING = Policy("read-only")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("", "is empty"),
        ("   ", "is empty"),
        ("a\0b", "invisible character U+0000"),
        ("a\nb", "invisible character U+000A"),
        ("a\u202eb", "invisible character U+202E"),
        ("\ufeffa", "invisible character U+FEFF"),
        ("\ud800", "invisible character U+D800"),
        ("~/secrets", "starts with ~"),
        ("~root", "starts with ~"),
        ("..\u2215etc", "DIVISION SLASH"),
        ("a\uff0fb", "FULLWIDTH SOLIDUS"),
        ("\uff0e\uff0e/x", "FULLWIDTH FULL STOP"),
        ("\u2025/x", "TWO DOT LEADER"),
        ("a" * 10_000, "10,000 characters"),
        ("b/" + "a" * 300, "a name of 300 characters"),
        ("漢" * 100, "a name of 100 characters"),
        ("CON", "a device of Windows"),
        ("a/nul.txt", "a device of Windows"),
        ("a\\com1:x", "a device of Windows"),
        ("LPT9", "a device of Windows"),
        ("AUX .txt", "a device of Windows"),
    ],
)
def test_a_hostile_path_is_refused_in_clear_words(path: str, said: str, tmp_path: Path) -> None:
    """No file is touched, and the text says what is wrong with the path, shortened and in plain letters."""
    with pytest.raises(ToolFailed, match="the path ") as failed:
        placed(path, root=tmp_path)
    assert said in str(failed.value)
    assert len(str(failed.value)) < 400
    assert "\n" not in str(failed.value)


@pytest.mark.parametrize(
    "path", ["console.py", "a/nully", "com.py", "com10", "naïve/漢字.txt", "a…b", "👩\u200d💻.txt", "a b", ".", "-rf", "a~b", "$HOME"]
)
def test_an_unusual_path_is_taken_as_it_is(path: str, tmp_path: Path) -> None:
    """Nothing is expanded, and ordinary names that come near to forbidden ones are fine."""
    assert placed(path, root=tmp_path).inside


@pytest.mark.parametrize("path", ["..", "../x", "a/../../x", "/etc/passwd", "./a/b/../../../x"])
def test_what_leads_out_is_outside(path: str, tmp_path: Path) -> None:
    """Dots and absolute paths lead where they lead, and that is not inside."""
    assert not placed(path, root=tmp_path).inside


def test_a_neighbour_with_a_longer_name_is_outside(tmp_path: Path) -> None:
    """A folder whose name only begins like the working directory's is not in it."""
    root = tmp_path / "work"
    root.mkdir()
    (tmp_path / "work-secrets").mkdir()
    assert not placed("../work-secrets", root=root).inside
    assert placed("../work/x", root=root).inside


@pytest.fixture
def linked(tmp_path: Path) -> Path:
    """A working directory with links to a file and a folder outside, to itself, and in a circle."""
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "secret.txt").write_text("secret")
    (root / "plain.txt").write_text("plain")
    (root / "file").symlink_to(outside / "secret.txt")
    (root / "folder").symlink_to(outside)
    (root / "within").symlink_to(root / "plain.txt")
    (root / "circle").symlink_to(root / "circle")
    (root / "dangling").symlink_to(outside / "new.txt")
    return root


@pytest.mark.parametrize("path", ["file", "folder/secret.txt", "folder", "dangling", "folder/new/deep.txt"])
def test_a_link_that_leads_out_is_outside(path: str, linked: Path) -> None:
    """Links are followed before anything is decided, also where nothing is at their end yet."""
    place = placed(path, root=linked)
    assert not place.inside
    with pytest.raises(ToolFailed, match="outside the working directory"):
        allowed_place(path, root=linked, granted=frozenset())
    assert allowed_place(path, root=linked, granted=frozenset([place.grant])) == place


def test_a_link_within_is_inside_and_a_circle_leads_nowhere(linked: Path) -> None:
    """A link to a neighbour is harmless; one to itself is an error in words."""
    assert placed("within", root=linked).inside
    assert one("read_file", {"path": "within"}, root=linked).text == "1\tplain"
    answer = one("read_file", {"path": "circle"}, root=linked)
    assert not answer.succeeded


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read_file", {"path": "file"}),
        ("list_files", {"path": "folder"}),
        ("grep", {"pattern": "secret", "path": "folder"}),
        ("find_files", {"pattern": "*", "path": "folder"}),
        ("write_file", {"path": "folder/x", "content": "x"}),
        ("write_file", {"path": "dangling", "content": "x"}),
        ("edit_file", {"path": "file", "old_text": "secret", "new_text": "x"}),
        ("multi_edit", {"path": "file", "edits": [{"old_text": "secret", "new_text": "x"}]}),
    ],
)
def test_no_tool_goes_through_a_link_unasked(name: str, arguments: dict[str, object], linked: Path) -> None:
    """Below high risk every tool refuses, names where the link leads, and leaves what is there as it is."""
    answer = one(name, arguments, root=linked, policy=Policy("low-risk"))
    assert answer.ended == "refused"
    assert "through a link" in answer.text
    assert "outside the working directory" in answer.text
    assert sorted(path.name for path in (linked.parent / "outside").iterdir()) == ["secret.txt"]
    assert (linked.parent / "outside" / "secret.txt").read_text() == "secret"


def test_a_listing_or_search_does_not_follow_links_on_its_own(linked: Path) -> None:
    """Links within a folder are shown, not entered."""
    listed = one("list_files", {"depth": 3}, root=linked).text
    assert f"folder -> {linked.parent / 'outside'}" in listed
    assert "secret" not in listed.replace("outside/secret.txt", "")
    assert one("grep", {"pattern": "secret"}, root=linked).text.startswith("No line holds")


def test_what_was_allowed_outside_comes_in_a_frame(linked: Path) -> None:
    """Words of a file outside are marked as such, with the path they come from."""
    answer = one("read_file", {"path": "file"}, root=linked)
    assert answer.text.startswith(
        f'<untrusted source="{linked.parent / "outside" / "secret.txt"}" kind="local-file">\n1\tsecret\n</untrusted>'
    )
    assert answer.provenance is not None


def test_a_link_laid_after_the_look_is_not_followed(linked: Path) -> None:
    """A path that was inside when it was assessed and leads out when it is used is refused then."""
    tools = standard_tools(linked)
    (linked / "swapped").mkdir()
    reading = named(tools, "read_file")
    assert reading.assess is not None
    (linked / "swapped").rmdir()
    (linked / "swapped").symlink_to(linked.parent / "outside")
    from sostenuto.tools import Context

    with pytest.raises(ToolFailed, match="that was not allowed"):
        reading.run({"path": "swapped/secret.txt"}, Context())


def test_writing_into_the_repository_folder_is_high_risk(tmp_path: Path) -> None:
    """Files in .git can become commands: reading them is fine, writing them is not, however it is spelled."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text("[core]")
    calls = numbered(
        ("read_file", {"path": ".git/config"}),
        ("write_file", {"path": ".git/hooks/pre-commit", "content": "x"}),
        ("write_file", {"path": "a/../.GIT/hooks/x", "content": "x"}),
        ("write_file", {"path": ".gitignore", "content": "x"}),
    )
    answers = carried(calls, standard_tools(tmp_path), policy=Policy("low-risk"))
    assert [answer.ended for answer in answers] == ["done", "refused", "refused", "done"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_pipes_and_devices_are_not_opened(tmp_path: Path) -> None:
    """A named pipe, which would hold up whoever opens it, and a device without end are refused."""
    os.mkfifo(tmp_path / "pipe")
    assert "no regular file" in one("read_file", {"path": "pipe"}, root=tmp_path).text
    assert "no regular file" in one("read_file", {"path": "/dev/zero"}, root=tmp_path).text
    assert "no regular file" in one("edit_file", {"path": "pipe", "old_text": "a", "new_text": "b"}, root=tmp_path).text


def test_paths_are_shown_as_the_model_would_write_them(tmp_path: Path) -> None:
    """Inside relative to the working directory, outside in full."""
    assert shown_path(tmp_path.resolve() / "a" / "b", root=tmp_path) == "a/b"
    assert shown_path(tmp_path.resolve(), root=tmp_path) == "."
    assert shown_path(Path("/etc/motd"), root=tmp_path) == "/etc/motd"
