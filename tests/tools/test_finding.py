"""list_files, find_files and grep: what is there, by folder, by name and by what it holds."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.errors import ToolFailed
from sostenuto.tools import Answer
from sostenuto.tools._find_files import matches
from sostenuto.tools._grep import grep
from tests.tools.working import call, carried, one

WIDE = "wide.txt:1:main wide"
RIPGREP = shutil.which("rg")
ENGINES = [
    None,
    pytest.param(RIPGREP, marks=pytest.mark.skipif(RIPGREP is None, reason="ripgrep is not installed: rg is not on the path")),
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small project with hidden, binary, generated and oddly named files."""
    for name, content in {
        "src/app.py": "import os\n\ndef main():\n    return os.name\n",
        "src/deep/test_app.py": "def test_main():\n    assert main()\n",
        "src/app.txt": "main\r\nother\r\n",
        ".hidden": "main hidden\n",
        "node_modules/x/main.js": "main\n",
        "a b:c.py": "main = 1\n",
        "empty": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content.encode())
    (tmp_path / "binary").write_bytes(b"main\0main\n")
    (tmp_path / "wide.txt").write_bytes("\ufeffmain wide\n".encode("utf-16-le"))
    (tmp_path / "old.txt").write_bytes("main é\n".encode("latin-1"))
    return tmp_path


def _grep(root: Path, arguments: Mapping[str, Any], ripgrep: str | None = None) -> Answer:
    return carried([call("grep", arguments)], [grep(root, ripgrep=ripgrep)])[0]


@pytest.mark.parametrize("ripgrep", ENGINES)
@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ({"pattern": r"def \w+"}, ["src/app.py:3:def main():", "src/deep/test_app.py:1:def test_main():"]),
        ({"pattern": "main", "glob": "*.py", "path": "src/deep"}, ["test_app.py:1:def test_main():", "test_app.py:2:    assert main()"]),
        ({"pattern": "MAIN$", "ignore_case": True, "path": "src/app.txt"}, ["No line holds 'MAIN$'."]),
        ({"pattern": "main", "path": "src/app.txt"}, ["app.txt:1:main"]),
        ({"pattern": "main(", "literal": True, "files_only": True}, ["src/app.py: 1", "src/deep/test_app.py: 2"]),
        ({"pattern": "^main"}, [".hidden:1:main hidden", "a b:c.py:1:main = 1", "old.txt:1:main \ufffd", "src/app.txt:1:main", WIDE]),
        ({"pattern": "^", "path": "src/deep/test_app.py"}, ["test_app.py:1:def test_main():", "test_app.py:2:    assert main()"]),
        ({"pattern": "--files"}, ["No line holds '--files'."]),
        ({"pattern": "(?<=def )main"}, ["src/app.py:3:def main():"]),
        ({"pattern": "nowhere"}, ["No line holds 'nowhere'."]),
    ],
)  # fmt: skip
def test_lines_are_found_alike_with_ripgrep_and_without(
    arguments: dict[str, Any], lines: list[str], ripgrep: str | None, project: Path
) -> None:
    """Either program gives the same answer, by path, with line numbers and paths relative to where was looked."""
    assert _grep(project, arguments, ripgrep).text.split("\n") == lines


@pytest.mark.parametrize("ripgrep", ENGINES)
def test_a_wrong_pattern_is_told(ripgrep: str | None, project: Path) -> None:
    """What is no expression fails with what is wrong with it; a line break cannot be looked for; nothing there is said."""
    assert "is no regular expression" in _grep(project, {"pattern": "(a"}, ripgrep).text
    assert "holds a line break" in _grep(project, {"pattern": "a\nb"}, ripgrep).text
    assert "missing is not there" in _grep(project, {"pattern": "a", "path": "missing"}, ripgrep).text


@pytest.mark.parametrize("ripgrep", ENGINES)
def test_many_and_long_lines_are_capped(ripgrep: str | None, tmp_path: Path) -> None:
    """Of many lines two hundred are shown and the others counted; of a long one its start; far too many end the search."""
    (tmp_path / "long").write_text("hit" + "x" * 1_000_000 + "\n")
    assert "(+999,603 characters)" in _grep(tmp_path, {"pattern": "hit"}, ripgrep).text
    (tmp_path / "long").write_text("hit\n" * 500)
    text = _grep(tmp_path, {"pattern": "hit"}, ripgrep).text
    assert text.count("long:") == 200
    assert "300 more; look for something narrower" in text
    (tmp_path / "long").write_text("hit\n" * 2_000_000)
    assert "there are more, the search was ended early" in _grep(tmp_path, {"pattern": "hit"}, ripgrep).text


def test_a_pattern_without_end_is_stopped_and_holds_up_nothing(tmp_path: Path) -> None:
    """A pattern that would take for ever is ended with its call, while the program that asked goes on."""
    from dataclasses import replace

    (tmp_path / "a").write_text("x" * 5_000)
    (answer,) = carried([call("grep", {"pattern": "(x+x+)+y"})], [replace(grep(tmp_path), timeout_s=0.3)])
    assert answer.ended == "timed out"
    assert answer.seconds < 10


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.py", ["a b:c.py", "src/app.py", "src/deep/test_app.py"]),
        ("src/*.py", ["src/app.py"]),
        ("src/**/*.py", ["src/app.py", "src/deep/test_app.py"]),
        ("**/test_*", ["src/deep/test_app.py"]),
        ("app.[pt]*", ["src/app.py", "src/app.txt"]),
        ("APP.py", ["No file matches 'APP.py'."]),
        ("main.js", ["No file matches 'main.js'."]),
    ],
)
def test_files_are_found_by_name(pattern: str, found: list[str], project: Path) -> None:
    """Stars stay within a name, two of them go over folders, and what programs made is passed over."""
    assert one("find_files", {"pattern": pattern}, root=project).text.split("\n") == found


def test_a_folder_is_listed_with_sizes_and_depth(project: Path) -> None:
    """Folders end in a stroke, files show their bytes, generated folders are named but not entered."""
    listed = one("list_files", {"path": "src"}, root=project).text
    assert listed == "app.py  42\napp.txt  13\ndeep/"
    deeper = one("list_files", {"depth": 3}, root=project).text
    assert "src/deep/test_app.py  35" in deeper
    assert "node_modules/" in deeper
    assert "main.js" not in deeper
    assert "is a file; read_file" in one("list_files", {"path": "empty"}, root=project).text
    assert "is not there" in one("list_files", {"path": "nothing"}, root=project).text


def test_a_folder_of_thousands_is_capped(tmp_path: Path) -> None:
    """The first five hundred entries are shown, and the listing says that there are others."""
    for number in range(520):
        (tmp_path / f"file{number:04}").touch()
    assert one("list_files", {}, root=tmp_path).text.endswith("[the first 500 entries; name a folder below for others]")
    assert "[20 more;" in one("find_files", {"pattern": "file*"}, root=tmp_path).text
    empty = tmp_path / "none"
    empty.mkdir()
    assert one("list_files", {"path": "none"}, root=tmp_path).text == "[none is empty]"


@given(st.lists(st.sampled_from("ab"), max_size=8), st.lists(st.sampled_from(["a", "b", "*", "**"]), max_size=8))
def test_a_pattern_of_names_matches_what_the_definition_says(names: list[str], wanted: list[str]) -> None:
    """The quick matcher agrees with the plain recursive definition."""

    def by_definition(left: list[str], right: list[str]) -> bool:
        if not right:
            return not left
        if right[0] == "**":
            return by_definition(left, right[1:]) or (bool(left) and by_definition(left[1:], right))
        return bool(left) and right[0] in ("*", left[0]) and by_definition(left[1:], right[1:])

    assert matches(names, wanted) == by_definition(names, wanted)


def test_a_hostile_pattern_of_names_takes_no_time() -> None:
    """Many stars over a deep path are decided at once."""
    assert not matches(["a"] * 200, ["**", "a"] * 60 + ["b"])


def test_a_search_program_that_is_missing_is_told(tmp_path: Path) -> None:
    """A ripgrep that cannot be started is an answer in words."""

    async def go() -> Any:
        from sostenuto.tools import Context

        return await grep(tmp_path, ripgrep=str(tmp_path / "no-such-program")).run({"pattern": "x"}, Context())

    with pytest.raises(ToolFailed, match="cannot be started"):
        asyncio.run(go())
