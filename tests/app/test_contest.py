"""A contender in a process of its own: judged when it runs, a reason when it does not."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from sostenuto.app import Contender, contenders, installed_peers, outcome, recorded_session
from sostenuto.errors import UnusableInput
from sostenuto.judging import Session, session_of


def session(cycles: int = 30) -> Session:
    """A session of read files, several times the budget these tests use."""
    made: list[dict[str, Any]] = [{"role": "user", "content": "Read everything."}]
    for number in range(cycles):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "read_file", "arguments": f'{{"path": "src/{number}.py"}}'}}
        made.append({"role": "assistant", "content": "", "tool_calls": [call]})
        made.append({"role": "tool", "tool_call_id": f"c{number}", "content": f"part_{number:05} " + "word " * 300})
    return session_of("made", [*made, {"role": "assistant", "content": "It was part_00002."}], pins=["Never write."])


def test_our_engine_keeps_what_it_promises() -> None:
    """In a small window everything is in view or given back, and every request fits."""
    found = outcome(session(), Contender("sostenuto", "Sostenuto"), budget=4_000)
    assert found.problem == ""
    verdict = found.verdict
    assert verdict is not None
    assert (verdict.failed, verdict.over, verdict.broken) == (0, 0, 0)
    assert verdict.task.worst == verdict.newest.worst == verdict.pins.worst == verdict.files_read.worst == 1
    assert verdict.gone > 0
    assert (verdict.recoverable, verdict.facts_reachable) == (1.0, 1.0)


def test_an_ill_meant_summary_changes_nothing_that_must_stay() -> None:
    """With a summarizer that refuses, floods and gives orders the task, the planted rule and the files stand."""
    verdict = outcome(session(), Contender("sostenuto", "Sostenuto", "hostile"), budget=4_000).verdict
    assert verdict is not None
    assert verdict.task.worst == verdict.pins.worst == verdict.files_read.worst == 1


def test_doing_nothing_is_too_long_and_is_said_to_be() -> None:
    """The requests above the budget are counted for a strategy that leaves nothing out."""
    verdict = outcome(session(), Contender("nothing", "doing nothing"), budget=4_000).verdict
    assert verdict is not None
    assert verdict.over > 0
    assert verdict.cost == 1


def test_a_library_that_is_not_installed_is_a_row_that_says_so() -> None:
    """The outcome names the package to install instead of a verdict."""
    missing = {"langchain-trim", "strands-sliding"} - set(installed_peers())
    if not missing:
        pytest.skip("every library is installed here")
    found = outcome(session(3), Contender(missing.pop(), "x"), budget=4_000)
    assert found.verdict is None
    assert "pip install" in found.problem


def test_an_interpreter_that_cannot_be_started_is_a_row_that_says_so(tmp_path: Path) -> None:
    """A Python that is not there is told with its name."""
    found = outcome(session(3), Contender("nothing", "x", interpreter=str(tmp_path / "python")), budget=4_000)
    assert "cannot be started" in found.problem


def test_a_process_without_an_answer_is_a_row_that_says_why(tmp_path: Path) -> None:
    """What dies before it answers is told with its exit code and its last words."""
    script = tmp_path / "python"
    script.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('no memory left')\n", encoding="utf-8")
    script.chmod(0o755)
    found = outcome(session(3), Contender("nothing", "x", interpreter=str(script)), budget=4_000)
    assert found.problem == "the process ended with 1: no memory left"


def test_whoever_takes_too_long_is_stopped(tmp_path: Path) -> None:
    """A process that goes on and on ends at the deadline, and the outcome says so."""
    script = tmp_path / "python"
    script.write_text(f"#!{sys.executable}\nwhile True:\n    pass\n", encoding="utf-8")
    script.chmod(0o755)
    found = outcome(session(3), Contender("nothing", "x", interpreter=str(script)), budget=4_000, deadline_s=0.5)
    assert found.problem == "it took longer than 0.5 s"


def test_who_summarizes_runs_once_for_each_summarizer() -> None:
    """Ours runs mechanically and with each script; a peer that asks a summarizer once for each; any other once."""
    found = contenders(["langchain-trim", "deepagents"], summarizers=("null", "hostile"))
    assert [(one.name, one.summarizer) for one in found] == [
        ("sostenuto", ""),
        ("sostenuto", "null"),
        ("sostenuto", "hostile"),
        ("langchain-trim", ""),
        ("deepagents", "null"),
        ("deepagents", "hostile"),
    ]


def test_a_recorded_session_becomes_plain_chat(tmp_path: Path) -> None:
    """Anthropic's blocks become roles, texts, calls and answers; thinking is left out; without a reply there is nothing to judge."""
    path = tmp_path / "s.json"
    path.write_text(
        '[{"role": "user", "content": [{"type": "text", "text": "go"}]},'
        '{"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "s"},'
        '{"type": "tool_use", "id": "t1", "name": "ls", "input": {"path": "a"}}]},'
        '{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "b"}]},'
        '{"role": "assistant", "content": "done"}]',
        encoding="utf-8",
    )
    found = recorded_session(path)
    assert [message["role"] for message in found.messages] == ["user", "assistant", "tool", "assistant"]
    assert found.requests == (1, 3)
    assert "thinking" not in str(found.messages)
    path.write_text('[{"role": "user", "content": "go"}]', encoding="utf-8")
    with pytest.raises(UnusableInput, match="no recorded reply"):
        recorded_session(path)
