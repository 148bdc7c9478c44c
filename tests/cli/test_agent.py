"""``sostenuto agent``: create, list, show, edit, delete."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from sostenuto.cli import main


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data home of the test's own."""
    monkeypatch.setenv("SOSTENUTO_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def said(arguments: list[str], capfd: pytest.CaptureFixture[str], *, code: int = 0) -> tuple[str, str]:
    """Standard output and error of the command."""
    assert main(["agent", *arguments]) == code
    return capfd.readouterr()


def test_an_agent_is_made_shown_changed_and_deleted(capfd: pytest.CaptureFixture[str]) -> None:
    """The way of an agent from its making to its end, as JSON in between."""
    said(["create", "reviewer", "--model", "openai:gpt-5", "--set", "maxCostUSD=2"], capfd)
    shown = json.loads(said(["show", "reviewer", "--json"], capfd)[0])
    assert shown["config"] == {"llm": {"model": "openai:gpt-5"}, "maxCostUSD": 2}
    said(["edit", "reviewer", "--set", "maxCostUSD=", "--name", "The reviewer"], capfd)
    shown = json.loads(said(["show", "reviewer"], capfd)[0])
    assert (shown["name"], shown["config"]) == ("The reviewer", {"llm": {"model": "openai:gpt-5"}})
    assert said(["list"], capfd)[0] == "reviewer: openai:gpt-5\n"
    said(["delete", "reviewer"], capfd)
    assert json.loads(said(["list", "--json"], capfd)[0]) == []


def test_a_ceiling_above_the_window_has_no_effect_and_is_said(capfd: pytest.CaptureFixture[str]) -> None:
    """A ceiling of two million tokens on a model that takes fewer is kept, and its having no effect is told."""
    said(["create", "x", "--model", "openai:gpt-5"], capfd)
    _, err = said(["edit", "x", "--set", "llm.maxContextTokens=2000000"], capfd)
    assert "no effect" in err
    _, err = said(["edit", "x", "--set", "llm.maxContextTokens=60000"], capfd)
    assert "no effect" not in err
    _, err = said(["create", "y", "--model", "gpt-5", "--set", "llm.provider=openai", "--set", "llm.maxContextTokens=2000000"], capfd)
    assert "no effect: openai:gpt-5 takes" in err
    _, err = said(["create", "z", "--model", "ollama:a", "--set", "llm.numCtx=8192", "--set", "llm.maxContextTokens=9000"], capfd)
    assert "no effect: llm.numCtx is 8,192" in err
    assert main(["config", "set", "llm.model", "openai:gpt-5"]) == 0
    _, err = said(["create", "w", "--set", "llm.maxContextTokens=2000000"], capfd)
    assert "no effect: openai:gpt-5 takes" in err


def test_edit_asks_for_the_ceiling(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an option the model and the ceiling are asked for; an empty ceiling removes it, a wrong one changes nothing."""
    said(["create", "x", "--model", "a:b", "--set", "llm.maxContextTokens=60000"], capfd)
    monkeypatch.setattr(sys, "stdin", io.StringIO("c:d\n\n"))
    said(["edit", "x"], capfd)
    assert json.loads(said(["show", "x"], capfd)[0])["config"] == {"llm": {"model": "c:d"}}
    monkeypatch.setattr(sys, "stdin", io.StringIO("\nmany\n"))
    assert "llm.maxContextTokens must be" in said(["edit", "x"], capfd, code=2)[1]
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert "nobody is there to be asked" in said(["edit", "x"], capfd, code=2)[1]


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["create", "A B"], "an id is"),
        (["create", "x", "--set", "maxCostUSD"], "write KEY=VALUE"),
        (["create", "x", "--set", "maxCostUDS=1"], "did you mean 'maxCostUSD'"),
        (["create", "x", "--set", "maxCostUSD=much"], "maxCostUSD must be"),
        (["create", "x", "--set", "reasoning=much"], "reasoning must be one of off, low, medium, high"),
        (["create", "x", "--set", "memoryScopes=here"], "memoryScopes must be a list of texts"),
        (["create", "x", "--set", "daemon.dailyTokens=5"], "daemon.dailyTokens may not stand in an agent"),
        (["show", "nobody"], "there is no agent"),
    ],
)
def test_a_fault_changes_nothing(arguments: list[str], fault: str, capfd: pytest.CaptureFixture[str], home: Path) -> None:
    """Each fault is one line and exit code 2, and no file is made."""
    assert fault in said(arguments, capfd, code=2)[1]
    assert not (home / "agents").exists()


def test_a_damaged_agent_is_listed_with_what_is_wrong(capfd: pytest.CaptureFixture[str], home: Path) -> None:
    """One half-written file does not hide the other agents."""
    said(["create", "good", "--model", "a:b"], capfd)
    (home / "agents" / "bad.json").write_text("{")
    out, _ = said(["list"], capfd)
    assert "good: a:b" in out
    assert "half-written" in out
