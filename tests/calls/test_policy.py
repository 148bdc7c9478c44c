"""The table of tools and how it is extended (calls/_policy.py)."""

from __future__ import annotations

import pytest

from sostenuto.calls import DEFAULT, ToolPolicy, Trait, facts
from sostenuto.errors import UnknownSetting
from sostenuto.messages import Call


def test_lookup_ignores_case_and_namespace() -> None:
    """A tool's row is found whatever its case and its server's prefix."""
    assert DEFAULT.trait("MCP__Disk__Read_File") == DEFAULT.trait("read_file")
    assert DEFAULT.trait("nobody knows it") == Trait()


def test_the_whole_name_wins_over_the_short_one() -> None:
    """A row for the prefixed name is preferred to the row of the bare name."""
    policy = DEFAULT.extended({"mcp__vault__read_file": Trait(clear="never")})
    assert policy.trait("mcp__vault__read_file").clear == "never"
    assert policy.trait("mcp__other__read_file").clear == "rederivable"


def test_configured_rows_keep_what_they_do_not_name() -> None:
    """A person's row changes the fields it names and leaves the others as they were."""
    policy = DEFAULT.configured({"Read": "never", "export": {"modifies": True, "paths": "out"}})
    assert policy.trait("read").clear == "never"
    assert policy.trait("read").reads
    assert facts(Call("c", "export", '{"out": "x"}'), None, policy=policy).paths == ("x",)


@pytest.mark.parametrize(
    ("row", "words"),
    [("newer", "rederivable"), ({"clera": "never"}, "clear"), ({"modifies": "yes"}, "true or false"), ({"paths": 3}, "list")],
)
def test_a_wrong_row_is_one_clear_error(row: object, words: str) -> None:
    """An unknown field or value names the setting and what is allowed."""
    with pytest.raises(UnknownSetting, match=r"tool_policy\['x'\]") as caught:
        DEFAULT.configured({"x": row})  # type: ignore[dict-item]
    assert words in str(caught.value)


def test_read_only_hints_fill_gaps_only() -> None:
    """A server's readOnlyHint describes tools without a row and changes no row (DESIGN 5)."""
    tools: list[dict[str, object]] = [
        {"name": "look", "annotations": {"readOnlyHint": True}},
        {"type": "function", "function": {"name": "push", "annotations": {"readOnlyHint": False}}},
        {"name": "read", "annotations": {"readOnlyHint": False}},
        {"name": "mute"},
        {"name": 7, "annotations": {"readOnlyHint": True}},
    ]
    policy = DEFAULT.hinted(tools)
    assert policy.trait("look").clear == "rederivable"
    assert policy.trait("push").modifies
    assert policy.trait("read") == DEFAULT.trait("read")
    assert ToolPolicy().hinted([{}]) == ToolPolicy()
