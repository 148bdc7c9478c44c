"""spawn_subagent and summarize_context: their schemas, limits and results."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sostenuto.tools import (
    Answer,
    Compact,
    Context,
    Errand,
    Handling,
    Report,
    results_cleared,
    standard_tools,
    subagent_tool,
)
from tests.tools.working import call, carried, doing, named

STARTED = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


def _sent(report: Report, arguments: dict[str, Any], *, handling: Handling | None = None, **more: Any) -> tuple[Answer, list[Errand]]:
    errands: list[Errand] = []

    async def run(errand: Errand, _: Context) -> Report:
        errands.append(errand)
        return report

    return carried([call("spawn_subagent", arguments)], [subagent_tool(run, **more)], handling=handling)[0], errands


def test_the_whole_answer_of_a_sub_agent_is_kept_under_its_id() -> None:
    """The result ends with the id, under which the whole answer is, also where it was not cut (A.4)."""
    handling = Handling()
    answer, (errand,) = _sent(Report("found it", started=STARTED), {"task": "find it"}, handling=handling)
    key = f"subagent-{errand.id}-20260304T050607"
    assert answer.key == key
    assert answer.text.endswith(f'[kept whole as {key}; retrieve_tool_result(tool_call_id="{key}") reads it]')
    assert "found it" in answer.text.partition("</untrusted>")[0]
    assert handling.kept is not None
    kept = handling.kept.kept(key)
    assert kept is not None
    assert kept.text == "found it"


def test_a_long_answer_is_cut_and_still_ends_with_its_id() -> None:
    """Of 37,000 characters the parent gets its budget, and the id stands behind (B157)."""
    answer, _ = _sent(Report("word " * 7_400, started=STARTED), {"task": "x"})
    assert len(answer.text) < 24_500
    assert answer.text.rstrip("]").endswith("reads it")


def test_a_blank_answer_is_not_kept_and_a_failure_is_one() -> None:
    """Nothing said leaves nothing behind; a report of failure fails the call (A.4)."""
    answer, _ = _sent(Report("  ", succeeded=False), {"task": "x"})
    assert (answer.ended, answer.key) == ("failed", "")
    assert "subagent-" not in answer.text.rpartition("</untrusted>")[2].replace("comes from subagent-", "")


def test_iterations_and_depth_are_bounded() -> None:
    """At most 30 steps may be asked for, 30 are given unasked, and the third level hands on no further."""
    _, (errand,) = _sent(Report("x"), {"task": "x"})
    assert errand.iterations == 30
    _, (errand,) = _sent(Report("x"), {"task": "x", "iterations": 5})
    assert errand.iterations == 5
    refused, none = _sent(Report("x"), {"task": "x", "iterations": 31})
    assert (refused.ended, none) == ("refused", [])
    deep, none = _sent(Report("x"), {"task": "x"}, depth=3)
    assert (deep.ended, none) == ("failed", [])
    assert "3 levels of sub-agents and 3 is the most" in deep.text
    assert _sent(Report("x"), {"task": "x"}, depth=0, most_deep=0)[0].ended == "failed"


def test_agents_are_offered_by_name() -> None:
    """A known name is passed on, an unknown one refused with those there are, and without names there is no such argument."""
    _, (errand,) = _sent(Report("x"), {"task": "x", "agent": "tester"}, agents={"tester": "runs tests"})
    assert errand.agent == "tester"
    answer, _ = _sent(Report("x"), {"task": "x", "agent": "nobody"}, agents={"tester": "runs tests"})
    assert 'agent must be one of "tester"' in answer.text
    answer, _ = _sent(Report("x"), {"task": "x", "agent": "tester"})
    assert "there is no agent" in answer.text


def test_summarizing_is_a_wish_for_after_the_batch() -> None:
    """The call changes nothing; its answer carries the wish and what to attend to (D26)."""
    (answer,) = carried([call("summarize_context", {"focus": " the tests "})], standard_tools(Path(".")))
    assert answer.wish == Compact("the tests")


@pytest.mark.parametrize("ids", [["c1"], ["c1", "c2"], []])
def test_tools_are_told_which_results_left_the_context(ids: list[str]) -> None:
    """Each tool that remembers results hears which ones are gone, the others are not bothered (D14)."""
    heard: list[Collection[str]] = []
    remembering = replace(doing("look", lambda _, __: ""), forget=heard.append)
    results_cleared([remembering, doing("other", lambda _, __: "")], ids)
    assert heard == [ids]


def test_every_standard_tool_has_a_schema_a_name_and_words(tmp_path: Path) -> None:
    """Names are taken by every wire, schemas are closed objects, and every argument that matters is described."""
    import re

    tools = standard_tools(tmp_path)
    assert len({tool.name for tool in tools}) == len(tools) == 15
    for tool in tools:
        name, told, schema = tool.definition
        assert re.fullmatch(r"[a-z_]{1,64}", name)
        assert 20 <= len(told) <= 600
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False
        assert set(schema["required"]) <= set(schema["properties"])
    assert named(tools, "shell").risk == "high-risk"
    assert {tool.name for tool in tools if tool.risk == "low-risk"} == {
        "write_file",
        "edit_file",
        "multi_edit",
        "web_fetch",
        "http_request",
    }
