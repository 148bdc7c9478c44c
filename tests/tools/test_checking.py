"""Arguments that a model got wrong, and what it is told."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.errors import ToolFailed
from sostenuto.tools import Tool, arguments_of
from tests.tools.working import doing

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "maxLength": 20},
        "line": {"type": "integer", "minimum": 1},
        "mode": {"enum": ["r", "w"]},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
        "size": {"anyOf": [{"type": "number"}, {"type": "null"}]},
        "deep": {"type": "object", "properties": {"x": {"type": "boolean"}}, "required": ["x"], "additionalProperties": False},
        "map": {"type": "object", "additionalProperties": {"type": "integer"}},
        "tree": {"$ref": "#/$defs/node"},
        "odd": {"type": "colour", "pattern": "(x+x+)+y"},
    },
    "required": ["path"],
    "additionalProperties": False,
    "$defs": {"node": {"type": "object", "properties": {"child": {"$ref": "#/$defs/node"}, "n": {"type": "integer"}}}},
}


def _tool(schema: dict[str, Any] = SCHEMA) -> Tool:
    return Tool("read", "read", schema, doing("x", lambda _, __: "").run)


def _outcome(tool: Tool, text: str) -> str:
    """``read``, or ``refused`` with the first three words of the reason."""
    try:
        arguments_of(tool, text)
    except ToolFailed as failed:
        return "refused: " + " ".join(str(failed).partition("not right: ")[2].split()[:3])
    return "read"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"path": "a"', "its arguments are not JSON (Expecting ',' delimiter near"),
        ("{'path': 'a'}", "not JSON"),
        ('{"path": NaN}', "NaN is not JSON"),
        ('"path"', 'its arguments are "path", not an object'),
        ("[1]", "its arguments are [1], not an object"),
        ("", "path is missing (a text)"),
        ("{}", "path is missing (a text)"),
        ('{"path": 5}', "path must be a text, not 5"),
        ('{"path": null}', "path must be a text, not null"),
        ('{"path": "a", "line": "7"}', 'line must be a whole number, not "7"'),
        ('{"path": "a", "line": true}', "line must be a whole number, not true"),
        ('{"path": "a", "line": 1.5}', "line must be a whole number, not 1.5"),
        ('{"path": "a", "line": 0}', "line must be at least 1, not 0"),
        ('{"path": "' + "a" * 30 + '"}', "path must be at most 20 characters long, not 30"),
        ('{"path": "a", "pth": 1}', "there is no pth, did you mean path"),
        ('{"path": "a", "zzz": 1}', "there is no zzz;|there is no zzz."),
        ('{"path": "a", "mode": "x"}', 'mode must be one of "r", "w", not "x"'),
        ('{"path": "a", "tags": ["a", 2]}', "tags[1] must be a text, not 2"),
        ('{"path": "a", "tags": ["a", "b", "c"]}', "tags must be at most 2 items long, not 3"),
        ('{"path": "a", "size": "big"}', 'size must be a number or null, not "big"'),
        ('{"path": "a", "deep": {}}', "deep.x is missing (true or false)"),
        ('{"path": "a", "deep": {"x": true, "y": 1}}', "there is no deep.y"),
        ('{"path": "a", "map": {"k": "v"}}', 'map.k must be a whole number, not "v"'),
        ('{"path": "a", "tree": {"child": {"child": {"n": "x"}}}}', 'tree.child.child.n must be a whole number, not "x"'),
        ("[" * 100_000, "nested too deeply"),
        ('{"path": ' + "9" * 5_000 + "}", "not JSON|path must be a text"),
    ],
)
def test_what_is_wrong_is_named_with_its_value(text: str, said: str) -> None:
    """The text names the argument, what it must be and what it is, and what a right call looks like, and stays short."""
    with pytest.raises(ToolFailed) as failed:
        arguments_of(_tool(), text)
    words = str(failed.value)
    assert any(piece in words for piece in said.split("|"))
    assert words.startswith("read was not run")
    assert len(words) < 1_200


def test_right_arguments_are_what_was_given() -> None:
    """Right arguments pass as they are; a whole number written with a point is whole; words of a schema not known demand nothing."""
    given = {"path": "é", "line": 3.0, "mode": "r", "tags": [], "size": None, "deep": {"x": False}, "tree": {"child": {}}, "odd": "x" * 40}
    read = arguments_of(_tool(), json.dumps(given))
    assert read == given
    assert isinstance(read["line"], int)


def test_a_tool_without_arguments_takes_none() -> None:
    """No text, an empty object and unknown arguments of an open schema are fine."""
    assert arguments_of(_tool({"type": "object"}), "") == {}
    assert arguments_of(_tool({}), '{"x": 1}') == {"x": 1}


def test_many_problems_are_listed_in_part() -> None:
    """Six are named and the others counted."""
    with pytest.raises(ToolFailed, match="and 15 more"):
        arguments_of(_tool(), json.dumps({"path": "a", **{f"zz{number}": 1 for number in range(21)}}))


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Whatever a model writes, the answer is a mapping or a sentence."""
    assert _outcome(_tool(), text).startswith(("read", "refused"))


@pytest.mark.parametrize(
    "schema", [{"$ref": "#/nowhere"}, {"$ref": "#/properties/x"}, {"$ref": "http://x"}, {"anyOf": "x"}, {"enum": []}, {"items": 3}]
)
def test_an_odd_schema_breaks_nothing(schema: dict[str, Any]) -> None:
    """Schemas of strangers that refer to nothing, to themselves or are no schemas are read without an error."""
    tool = _tool({"type": "object", "properties": {"x": schema}})
    assert _outcome(tool, '{"x": [1]}') in ("read", "refused: x must be")
