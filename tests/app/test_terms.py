"""What holds for a run: flags, workflow, agent and files together; prices; figures (beyond-a-run, A.6)."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from sostenuto.agent import Event
from sostenuto.app import Wish
from sostenuto.app._metrics import Metrics, remove_old
from sostenuto.app._pricing import is_free, price
from sostenuto.app._terms import summarizer_of, terms_of
from sostenuto.budget import Limits
from sostenuto.config import Agent, global_file, write_agent, write_json
from sostenuto.errors import UnknownSetting, UnusableInput
from sostenuto.tokens import Reported
from sostenuto.tools import standard_tools


def wish(folder: Path, **changes: Any) -> Wish:
    """A wish in a folder that is home and project."""
    return Wish("Go.", folder, folder, **changes)


def test_the_narrowest_limit_wins(tmp_path: Path) -> None:
    """A flag beats the workflow, that the agent, that the file; what nobody sets narrower comes from the wider source."""
    write_json(global_file(tmp_path), {"maxIterations": 1, "maxTokens": 10, "maxCostUSD": 1, "llm": {"model": "a:b"}})
    write_agent(tmp_path, Agent("x", settings={"maxIterations": 2, "maxTokens": 20, "llm.model": "c:d"}))
    path = tmp_path / "workflows" / "w" / "WORKFLOW.md"
    path.parent.mkdir(parents=True)
    path.write_text("---\nagent: x\nmaxIterations: 3\nmaxDurationMs: 1500\n---\nGo.")
    terms = terms_of(wish(tmp_path, workflow="w", flags={"maxIterations": 4}))
    assert terms.limits == Limits(iterations=4, cost_usd=1, tokens=20, duration_s=1.5)
    assert (terms.agent, terms.model) == ("x", "c:d")
    assert terms_of(wish(tmp_path, workflow="w")).limits.iterations == 3


def test_no_iterations_means_no_limit(tmp_path: Path) -> None:
    """maxIterations 0 is no limit, and maxSubagentDepth 0 is no delegation."""
    terms = terms_of(wish(tmp_path, model="a:b", flags={"maxIterations": 0, "maxSubagentDepth": 0}))
    assert terms.limits.iterations is None
    assert terms.most_deep == 0


def test_without_a_model_nothing_runs(tmp_path: Path) -> None:
    """The line says how to name one."""
    with pytest.raises(UnknownSetting, match=r"sostenuto config set llm\.model"):
        terms_of(wish(tmp_path))


def test_a_provider_may_stand_apart(tmp_path: Path) -> None:
    """llm.provider and llm.model make one name; a model with its provider in front stays as it is."""
    write_json(global_file(tmp_path), {"llm": {"provider": "openai", "model": "gpt-5"}})
    assert terms_of(wish(tmp_path)).model == "openai:gpt-5"
    write_json(global_file(tmp_path), {"llm": {"provider": "openai", "model": "openai:gpt-5"}})
    assert terms_of(wish(tmp_path)).model == "openai:gpt-5"


@pytest.mark.parametrize(
    ("value", "model", "warned"),
    [
        (None, "", ""),
        ("openai:gpt-5", "openai:gpt-5", ""),
        ("openai/gpt-5", "openai:gpt-5", ""),
        ("ollama:qwen3:8b", "ollama:qwen3:8b", ""),
        ("gpt-5", "", "'gpt-5'"),
        ("/gpt-5", "", "'/gpt-5'"),
        (5, "", "int"),
    ],
)
def test_the_summarizer_is_the_model_itself_where_none_can_be_read(value: object, model: str, warned: str) -> None:
    """Not set: its own, silently; a name: that; unreadable or no text: its own, with a warning that names it (A.6)."""
    found, warning = summarizer_of(value)
    assert found == model
    assert (warned in warning) if warned else not warning


def test_a_tool_that_is_not_there_is_named(tmp_path: Path) -> None:
    """An agent whose list has a misspelt tool is answered with the nearest."""
    from sostenuto.app import chosen_tools
    from sostenuto.tools import standard_tools

    tools = standard_tools(tmp_path)
    assert [tool.name for tool in chosen_tools(tools, ["grep", "grep", "shell"])] == ["grep", "shell"]
    assert chosen_tools(tools, None) == tools
    with pytest.raises(UnusableInput, match="did you mean 'read_file'"):
        chosen_tools(tools, ["read_fil"])


def test_prices_are_the_published_ones() -> None:
    """A listed model costs what is published, a model of one's own machine nothing, anything else is unknown."""
    used = Reported(1_000_000, 0)
    assert price("openai:gpt-5.5", used) is not None
    assert price("openai:gpt-5.5", None) is None
    assert price("openai:of-my-dreams", used) is None
    assert price("llamacpp:anything", None) == 0.0
    assert is_free("ollama:qwen3:8b")
    assert not is_free("ollama:gpt-oss:120b-cloud")


def test_old_figures_are_removed(tmp_path: Path) -> None:
    """Files of days before the retention go; newer ones and other files stay."""
    for name in ("2026-10-01.jsonl", "2026-11-15.jsonl", "notes.jsonl", "2026-10-01.txt"):
        (tmp_path / name).write_text("")
    remove_old(tmp_path, today=date(2026, 11, 30), keep_days=30)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["2026-10-01.txt", "2026-11-15.jsonl", "notes.jsonl"]


def test_figures_that_cannot_be_written_are_said_once(tmp_path: Path) -> None:
    """With a file where the folder should be the run goes on, and one line is told."""
    (tmp_path / "telemetry").write_text("")
    told: list[str] = []
    metrics = Metrics(tmp_path, run="r", facts={}, keep_days=1, told=told.append)
    for _ in range(3):
        metrics.take(Event("end", {"cost_usd": 1.0}))
    assert len(told) == 1


def test_the_page_about_running_lists_every_tool_with_its_tier(tmp_path: Path) -> None:
    """The table of docs/running.md has exactly the tools an agent may name, in their order, each with the tier it says of itself."""
    text = (Path(__file__).resolve().parents[2] / "docs" / "running.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| .* \| (read-only|low-risk|high-risk) \|$", text, re.MULTILINE)
    assert rows == [(tool.name, tool.risk) for tool in standard_tools(tmp_path)]
