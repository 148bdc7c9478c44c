"""Agents: small files, written whole, read with care."""

from __future__ import annotations

from pathlib import Path

import pytest

from sostenuto.config import Agent, agent_file, agent_ids, delete_agent, read_agent, write_agent
from sostenuto.errors import UnknownSetting, UnusableInput

REVIEWER = Agent("reviewer", "Reviewer", "Reads code.", {"llm.model": "openai:gpt-5", "maxCostUSD": 2.5})


def test_an_agent_reads_back_as_it_was_written(tmp_path: Path) -> None:
    """Name, description and settings survive, and the file is its owner's alone."""
    write_agent(tmp_path, REVIEWER, new=True)
    assert read_agent(tmp_path, "reviewer") == REVIEWER
    assert agent_file(tmp_path, "reviewer").stat().st_mode & 0o777 == 0o600
    assert agent_ids(tmp_path) == ["reviewer"]
    assert REVIEWER.as_dict()["config"] == {"llm": {"model": "openai:gpt-5"}, "maxCostUSD": 2.5}


def test_an_existing_agent_is_not_made_anew(tmp_path: Path) -> None:
    """Creating an agent that is there is refused, and it stays as it was."""
    write_agent(tmp_path, REVIEWER, new=True)
    with pytest.raises(UnknownSetting, match="exists already"):
        write_agent(tmp_path, Agent("reviewer"), new=True)
    assert read_agent(tmp_path, "reviewer") == REVIEWER


def test_a_half_written_file_is_named_and_nothing_of_it_is_lost(tmp_path: Path) -> None:
    """Reading a file that ends in the middle names it; creating the agent anew moves it aside with all its bytes."""
    path = agent_file(tmp_path, "reviewer")
    path.parent.mkdir()
    path.write_text('{"id": "reviewer", "config": {"llm"')
    with pytest.raises(UnusableInput, match="half-written"):
        read_agent(tmp_path, "reviewer")
    aside = write_agent(tmp_path, REVIEWER, new=True)
    assert aside is not None
    assert aside.read_text() == '{"id": "reviewer", "config": {"llm"'
    assert read_agent(tmp_path, "reviewer") == REVIEWER


def test_an_unknown_agent_is_answered_with_the_nearest(tmp_path: Path) -> None:
    """A misspelt id names the one that was meant; without any, the way to make one."""
    with pytest.raises(UnknownSetting, match="sostenuto agent create reviewr"):
        read_agent(tmp_path, "reviewr")
    write_agent(tmp_path, REVIEWER)
    with pytest.raises(UnknownSetting, match="did you mean 'reviewer'"):
        read_agent(tmp_path, "reviewr")


@pytest.mark.parametrize("wrong", ["", "..", "../x", "A", "a/b", "-x", "x" * 65, "a\0b"])
def test_an_id_is_a_plain_word(tmp_path: Path, wrong: str) -> None:
    """What could leave the folder, or be another file on another system, is no id."""
    with pytest.raises(UnknownSetting, match="an id is"):
        read_agent(tmp_path, wrong)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"ids": "x"}', "unknown field 'ids', did you mean 'id'?"),
        ('{"id": "other"}', "its id is 'other'"),
        ('{"config": {"llm": {"modle": "a:b"}}}', "did you mean 'llm.model'?"),
        ('{"config": []}', "config must be an object"),
        ('{"name": 5}', "name must be a text"),
        ('{"config": {"telemetry": {"enabled": true}}}', "may not stand in an agent"),
    ],
)
def test_a_wrong_field_is_named(tmp_path: Path, content: str, said: str) -> None:
    """Each fault of an agent's file is named with the file."""
    path = agent_file(tmp_path, "x")
    path.parent.mkdir()
    path.write_text(content)
    with pytest.raises(UnusableInput) as caught:
        read_agent(tmp_path, "x")
    assert said in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_deleted_agent_is_gone(tmp_path: Path) -> None:
    """Deleting removes the file; deleting again is refused."""
    write_agent(tmp_path, REVIEWER)
    delete_agent(tmp_path, "reviewer")
    assert agent_ids(tmp_path) == []
    with pytest.raises(UnknownSetting):
        delete_agent(tmp_path, "reviewer")
