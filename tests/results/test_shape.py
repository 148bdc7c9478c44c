"""What a result may lose without losing anything."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import pytest

from sostenuto.results import shaped, text_of


@pytest.mark.parametrize(
    ("tool", "value", "left"),
    [
        ("grep", {"pattern": "x", "matches": [1], "searchPath": "src", "backend": "rg"}, {"matches": [1], "searchPath": "src"}),
        ("read_file", {"content": "a", "encoding": "utf-8", "totalLines": 1}, {"content": "a", "totalLines": 1}),
        ("execute_edit_file", {"path": "a", "diff": "d", "fullDiff": "dd"}, {"path": "a", "diff": "d"}),
        ("mcp__files__ls", [{"path": "a", "name": "a", "type": "file"}], [{"path": "a", "type": "file"}]),
        ("execute_command", {"command": "ls", "success": True, "exitCode": 0, "stdout": "a"}, {"exitCode": 0, "stdout": "a"}),
        (
            "http_request",
            {"request": {"url": "u"}, "response": {"status": 200, "elapsedMs": 3, "body": "b"}},
            {"response": {"status": 200, "body": "b"}},
        ),
        ("web_search", {"query": "q", "results": [{"title": "t", "source": "s"}]}, {"results": [{"title": "t"}]}),
        ("read_pdf", {"content": "text", "tables": [[1]], "fileType": "pdf"}, {"content": "text"}),
        ("grep", {"error": "no", "result": {"pattern": "x", "files": []}}, {"error": "no", "result": {"files": []}}),
        ("my_own", {"pattern": "x", "command": "y"}, {"pattern": "x", "command": "y"}),
    ],
)
def test_echoes_of_the_call_go_and_all_else_stays(tool: str, value: Any, left: Any) -> None:
    """Per tool exactly the named fields go, at every depth, and the tool's own value is as it was."""
    before = copy.deepcopy(value)
    assert shaped(value, tool=tool) == left
    assert value == before


def test_where_nothing_goes_the_same_object_comes_back() -> None:
    """A value without echoes is not copied."""
    value = {"matches": [{"line": 1}]}
    assert shaped(value, tool="grep") is value
    assert shaped("text", tool="grep") == "text"


@dataclass
class _Point:
    x: int
    at: PurePosixPath


def test_any_value_has_a_text() -> None:
    """Texts are themselves, nothing is nothing, and what JSON does not know is written in what it does."""
    assert text_of("é") == "é"
    assert text_of(None) == ""
    assert json.loads(text_of({"p": _Point(1, PurePosixPath("a/b")), "s": {2, 1}, "b": b"x"})) == {
        "p": {"x": 1, "at": "a/b"},
        "s": [1, 2],
        "b": "x",
    }


def test_a_value_that_holds_itself_has_a_text_too() -> None:
    """A circle is no error."""
    circle: list[Any] = []
    circle.append(circle)
    assert text_of(circle) == "[[...]]"
