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
    said(["delete", "reviewer", "--yes"], capfd)
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


def test_an_unknown_tool_is_refused_when_it_is_set(capfd: pytest.CaptureFixture[str], home: Path) -> None:
    """create and edit name the nearest tool and write nothing."""
    assert "did you mean 'read_file'?" in said(["create", "x", "--set", 'tools=["read_fil"]'], capfd, code=1)[1]
    assert not (home / "agents" / "x.json").exists()
    said(["create", "x", "--set", 'tools=["read_file"]'], capfd)
    assert "did you mean 'shell'?" in said(["edit", "x", "--set", 'tools=["shel"]'], capfd, code=1)[1]
    assert json.loads(said(["show", "x", "--json"], capfd)[0])["config"] == {"tools": ["read_file"]}


def test_an_unknown_provider_is_warned_about(capfd: pytest.CaptureFixture[str]) -> None:
    """The nearest provider is named, and the agent is made all the same; a known one, an address and a bare id are no matter."""
    assert "the provider 'locl' is not known; did you mean 'local'?" in said(["create", "x", "--model", "locl:x"], capfd)[1]
    for number, model in enumerate(("ollama:x", "groq:x", "http://127.0.0.1:8080/v1", "gpt-5")):
        assert "not known" not in said(["create", f"y{number}", "--model", model], capfd)[1]


def test_delete_asks(capfd: pytest.CaptureFixture[str], home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody can be asked nothing goes without --yes; an agent that is not there is said to be none."""
    said(["create", "x"], capfd)
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    assert "add --yes" in said(["delete", "x"], capfd, code=2)[1]
    assert (home / "agents" / "x.json").exists()
    said(["delete", "x", "--yes"], capfd)
    assert not (home / "agents" / "x.json").exists()
    assert "add --yes" not in said(["delete", "x"], capfd, code=2)[1]


def test_tokens_may_be_round(capfd: pytest.CaptureFixture[str]) -> None:
    """A ceiling of 60k is 60,000 tokens."""
    said(["create", "x", "--set", "llm.maxContextTokens=60k"], capfd)
    assert json.loads(said(["show", "x", "--json"], capfd)[0])["config"] == {"llm": {"maxContextTokens": 60_000}}
