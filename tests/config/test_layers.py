"""Settings of several sources: the narrowest wins, and what is wrong is named with the nearest real key (origin 13)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sostenuto.config import KEYS, Layer, configured, fault_of, global_file, layer_of, parsed, project_file, with_setting, write_setting
from sostenuto.errors import UnknownSetting, UnusableInput


def written(path: Path, value: Any) -> Path:
    """A file with this JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def test_without_files_the_defaults_hold(tmp_path: Path) -> None:
    """Where nobody sets anything every key has its default, and says so."""
    settings = configured(home=tmp_path, project=tmp_path)
    assert (settings["maxIterations"], settings["maxSubagentIterations"], settings["maxSubagentDepth"]) == (100, 30, 3)
    assert settings.found("maxCostUSD") == (None, "default")


def test_the_files_are_merged_key_by_key(tmp_path: Path) -> None:
    """A project's file changes the keys it has, the person's own file the others; lists are replaced, not joined."""
    home, project = tmp_path / "home", tmp_path / "project"
    written(global_file(home), {"llm": {"model": "a:b", "numCtx": 8192}, "maxTokens": 10, "allowedCommands": ["git", "ls"]})
    written(project_file(project), {"llm": {"model": "c:d"}, "maxTokens": 20})
    settings = configured(home=home, project=project)
    assert settings.found("llm.model") == ("c:d", str(project_file(project)))
    assert settings["llm.numCtx"] == 8192
    assert settings["maxTokens"] == 20
    assert settings["allowedCommands"] == ["git", "ls"]


def test_the_narrowest_source_wins(tmp_path: Path) -> None:
    """A flag beats a workflow, that an agent, that the project, that the person's own file."""
    written(global_file(tmp_path), {"maxIterations": 1})
    written(project_file(tmp_path), {"maxIterations": 2})
    layers = [Layer("agent", {"maxIterations": 3}), Layer("workflow", {"maxIterations": 4}), Layer("flag", {"maxIterations": 5})]
    seen = [configured(home=tmp_path, project=tmp_path, narrower=layers[:count])["maxIterations"] for count in range(4)]
    assert seen == [2, 3, 4, 5]


def test_null_means_not_set(tmp_path: Path) -> None:
    """A key that is null is as if it were not there."""
    written(global_file(tmp_path), {"maxIterations": None, "llm": None})
    assert configured(home=tmp_path, project=tmp_path)["maxIterations"] == 100


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"maxIteration": 5}, "did you mean 'maxIterations'?"),
        ({"llm": {"maxContextToken": 5}}, "did you mean 'llm.maxContextTokens'?"),
        ({"maxContextTokens": 5}, "did you mean 'llm.maxContextTokens'?"),
        ({"llm": {"numCtx": "8k"}}, 'llm.numCtx must be a whole number of tokens, 1 or more, not "8k"'),
        ({"maxIterations": 1.5}, "maxIterations must be a whole number"),
        ({"maxIterations": True}, "maxIterations must be a whole number"),
        ({"llm": "openai:gpt-5"}, "llm."),
        ({"telemetry": {"enabled": "yes"}}, "telemetry.enabled must be true or false"),
        ("{\"llm\": {\"model\": \"a:b\"", "line 1: not JSON (it ends in the middle: half-written?)"),
        ("", "half-written"),
        ("[1]", "holds a list"),
        ("{\n\n  maxTokens: 5}", "line 3: not JSON"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(tmp_path: Path, content: Any, said: str) -> None:
    """Unknown keys, wrong values and broken files stop with the path of the file, what was expected, and the nearest key."""
    path = written(global_file(tmp_path), content)
    with pytest.raises(UnusableInput) as caught:
        configured(home=tmp_path, project=tmp_path)
    assert str(path) in str(caught.value)
    assert said in str(caught.value)


def test_every_fault_of_a_file_is_named_at_once(tmp_path: Path) -> None:
    """Two faults are both in the one line."""
    written(global_file(tmp_path), {"maxToken": 1, "maxCostUSD": -1})
    with pytest.raises(UnusableInput, match=r"maxToken.*maxCostUSD must be"):
        configured(home=tmp_path, project=tmp_path)


def test_a_project_cannot_widen_what_may_run(tmp_path: Path) -> None:
    """A folder that was cloned may not set what runs without asking."""
    written(project_file(tmp_path), {"approvalPolicy": "high-risk"})
    with pytest.raises(UnusableInput, match="may not stand in a project's"):
        configured(home=tmp_path, project=tmp_path)
    assert fault_of("allowedCommands", ["rm"], place="project")


def test_a_file_that_is_no_text_or_too_large_is_named(tmp_path: Path) -> None:
    """Bytes that are no UTF-8, and a file of two megabytes, are refused by name."""
    path = global_file(tmp_path)
    path.write_bytes(b"\xff\xfe{")
    with pytest.raises(UnusableInput, match="not UTF-8"):
        configured(home=tmp_path, project=tmp_path)
    path.write_text(" " * 2_000_000)
    with pytest.raises(UnusableInput, match="larger than"):
        configured(home=tmp_path, project=tmp_path)


def test_endless_nesting_is_an_error_like_any_other(tmp_path: Path) -> None:
    """A hundred thousand opening brackets are refused in one line."""
    path = written(global_file(tmp_path), "[" * 100_000)
    with pytest.raises(UnusableInput, match=str(path.name)):
        configured(home=tmp_path, project=tmp_path)


def test_setting_one_key_leaves_the_others(tmp_path: Path) -> None:
    """A key is set and removed in a file without touching what else is in it; the file is its owner's alone."""
    path = written(global_file(tmp_path), {"llm": {"model": "a:b"}})
    write_setting(path, "llm.numCtx", value=4096)
    assert layer_of(path, place="global").values == {"llm.model": "a:b", "llm.numCtx": 4096}
    assert path.stat().st_mode & 0o777 == 0o600
    write_setting(path, "llm.model", value=None)
    write_setting(path, "llm.numCtx", value=None)
    assert json.loads(path.read_text()) == {}


def test_nested_keys_are_set_without_changing_the_original() -> None:
    """The object that was given stays as it was."""
    before: dict[str, Any] = {"llm": {"model": "a:b"}}
    assert with_setting(before, "llm.model", value="c:d") == {"llm": {"model": "c:d"}}
    assert before == {"llm": {"model": "a:b"}}


def test_what_a_person_types_is_read_as_what_fits() -> None:
    """Numbers, truth values and lists are read as JSON, a text stays a text; what fits nowhere is refused."""
    assert parsed("maxCostUSD", "2.50", place="global") == 2.5
    assert parsed("telemetry.enabled", "false", place="global") is False
    assert parsed("allowedCommands", '["git status"]', place="global") == ["git status"]
    assert parsed("llm.model", "4", place="global") == "4"
    with pytest.raises(UnknownSetting, match="maxTokens must be"):
        parsed("maxTokens", "many", place="global")


def test_every_key_has_a_default_of_its_kind() -> None:
    """The default of each key is nothing, or what the key itself would accept; each says what it means."""
    for key, known in KEYS.items():
        assert known.default is None or known.kind.holds(known.default), key
        assert known.meaning.endswith(".")
