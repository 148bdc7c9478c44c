"""Workflows: settings in front, and a task that is kept byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.config import Workflow, read_workflow, workflow_file
from sostenuto.errors import UnknownSetting, UnusableInput

FRONT = """---
name: triage
description: 'Sorts what''s new'   # every morning
agent: reviewer
approvalPolicy: read-only
maxIterations: 40
maxCostUSD: 1.5
maxTokens: 200000
maxDurationMs: 600000
---
"""


def kept(folder: Path, text: str) -> Path:
    """A workflow's file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "WORKFLOW.md"
    path.write_bytes(text.encode())
    return path


def test_settings_and_task_are_read(tmp_path: Path) -> None:
    """The lines in front become settings, the body the task."""
    path = kept(tmp_path / "triage", FRONT + "\n# Sort the issues\n\nAll of them.\n")
    found = read_workflow(path)
    assert found == Workflow(
        "triage",
        "\n# Sort the issues\n\nAll of them.\n",
        path,
        "Sorts what's new",
        "reviewer",
        {"approvalPolicy": "read-only", "maxIterations": 40, "maxCostUSD": 1.5, "maxTokens": 200_000, "maxDurationMs": 600_000},
    )


@given(st.text(min_size=1).filter(lambda text: bool(text.strip())))
def test_the_body_is_kept_byte_for_byte(tmp_path_factory: pytest.TempPathFactory, body: str) -> None:
    """Whatever stands below the settings, line ends of any kind included, is the task."""
    try:
        body.encode()
    except UnicodeEncodeError:
        return
    path = kept(tmp_path_factory.mktemp("w") / "x", f"---\nname: x\n---\n{body}")
    assert read_workflow(path).task == body


def test_a_file_without_settings_is_all_task(tmp_path: Path) -> None:
    """Plain Markdown is a workflow called as its folder."""
    assert read_workflow(kept(tmp_path / "plain", "Do it.\n")) == Workflow("plain", "Do it.\n", tmp_path / "plain" / "WORKFLOW.md")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("---\nmaxIteration: 4\n---\nGo.", "line 2: unknown key 'maxIteration', did you mean 'maxIterations'?"),
        ("---\nmax-iterations: 4\n---\nGo.", "did you mean 'maxIterations'?"),
        ("---\nmaxIterations: many\n---\nGo.", "line 2: maxIterations must be"),
        ("---\nname: a\nname: b\n---\nGo.", "line 3: name stands there twice"),
        ("---\n- a\n---\nGo.", "line 2: not understood"),
        ("---\nname: a\n", "never closed"),
        ("---\nname: a\n---\n  \n", "holds no task"),
        ("---\nllm.model: a:b\n---\nGo.", "may not stand in a workflow"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    """Each fault names the file, the line and what would be right."""
    path = kept(tmp_path / "w", text)
    with pytest.raises(UnusableInput) as caught:
        read_workflow(path)
    assert said in str(caught.value)
    assert str(path) in str(caught.value)


def test_the_project_comes_before_the_data_home(tmp_path: Path) -> None:
    """A workflow of the project is taken before one of the same name in the data home, and that before none."""
    home, project = tmp_path / "home", tmp_path / "project"
    in_home = kept(home / "workflows" / "triage", "Home.")
    assert workflow_file("triage", project=project, home=home) == in_home
    in_project = kept(project / "workflows" / "triage", "Project.")
    assert workflow_file("triage", project=project, home=home) == in_project
    assert workflow_file(str(in_home), project=project, home=home) == in_home


def test_an_unknown_workflow_is_answered_with_the_nearest(tmp_path: Path) -> None:
    """A misspelt name names what was meant; without any, where to write one."""
    with pytest.raises(UnknownSetting, match=r"WORKFLOW\.md"):
        workflow_file("triage", project=tmp_path, home=tmp_path)
    kept(tmp_path / "workflows" / "triage", "Go.")
    with pytest.raises(UnknownSetting, match="did you mean 'triage'"):
        workflow_file("tirage", project=tmp_path, home=tmp_path)


@pytest.mark.parametrize("named", ["..", ".", "", "nowhere.md", "../x"])
def test_a_name_cannot_leave_its_folder(tmp_path: Path, named: str) -> None:
    """A name that is a way out of the folder leads nowhere."""
    with pytest.raises(UnknownSetting):
        workflow_file(named, project=tmp_path / "a", home=tmp_path / "b")
