"""``sostenuto config``: show, get, set, validate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sostenuto.cli import main
from sostenuto.config import KEYS


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data home and a project of the test's own."""
    monkeypatch.setenv("SOSTENUTO_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(arguments: list[str], capfd: pytest.CaptureFixture[str], *, code: int = 0) -> tuple[str, str]:
    """Standard output and error of the command."""
    assert main(["config", *arguments]) == code
    return capfd.readouterr()


def test_a_value_is_set_read_and_removed(capfd: pytest.CaptureFixture[str]) -> None:
    """What was set is what get prints, with its source; removed, the default is back."""
    said(["set", "maxIterations", "7"], capfd)
    assert said(["get", "maxIterations"], capfd)[0] == "7\n"
    assert json.loads(said(["get", "maxIterations", "--json"], capfd)[0])["source"].endswith("config.json")
    said(["set", "maxIterations", "--unset"], capfd)
    assert said(["get", "maxIterations"], capfd)[0] == "100\n"
    assert said(["get", "maxCostUSD"], capfd)[0] == ""


def test_the_project_wins(capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    """A value of the project is in ./.sostenuto/config.json and stands before the person's own."""
    said(["set", "llm.model", "a:b"], capfd)
    said(["set", "llm.model", "c:d", "--project"], capfd)
    assert json.loads((folder / ".sostenuto" / "config.json").read_text()) == {"llm": {"model": "c:d"}}
    assert said(["get", "llm.model"], capfd)[0] == "c:d\n"


def test_everything_is_shown_with_its_meaning(capfd: pytest.CaptureFixture[str]) -> None:
    """Each key of the table is listed, and the JSON form is one line."""
    out, _ = said(["show"], capfd)
    assert all(f"{key} = " in out for key in KEYS)
    assert json.loads(said(["show", "--json"], capfd)[0]).keys() == KEYS.keys()


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["get", "maxIteration"], "did you mean 'maxIterations'?"),
        (["set", "numCtx", "4"], "did you mean 'llm.numCtx'?"),
        (["set", "maxTokens", "many"], "maxTokens must be"),
        (["set", "maxTokens"], "a value is missing"),
        (["set", "maxTokens", "5", "--unset"], "--unset"),
        (["set", "approvalPolicy", "high-risk", "--project"], "may not stand in a project's"),
        (["set", "persona", "x"], "may not stand in your own"),
        (["set", "memoryScopes", '["a"]'], "may not stand in your own"),
        (["set", "daemon.dailyCostUSD", "0"], "daemon.dailyCostUSD must be"),
        (["set", "daemon.agents.<id>.dailyTokens", "5"], "write the id of an agent"),
        (["set", "daemon.agents.A B.dailyTokens", "5"], "unknown key"),
        (["set", "daemon.agents.x.dailyToken", "5"], "did you mean 'daemon.agents.<id>.dailyTokens'?"),
        (["set", "scratchpad.maxFiles", "0"], "scratchpad.maxFiles must be"),
        (["set", "llm.ollama.base_url", "nowhere"], "llm.ollama.base_url must be an address"),
        (["set", "llm.ollama.base_url", "http://a.example", "--project"], "may not stand in a project's"),
    ],
)
def test_a_fault_is_wrong_usage(arguments: list[str], fault: str, capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    """Each fault is one line and exit code 2, and nothing is written."""
    assert fault in said(arguments, capfd, code=2)[1]
    assert not (folder / "home").exists()


def test_another_file_takes_the_place_of_ones_own(capfd: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """--config and SOSTENUTO_CONFIG_PATH replace the file in the data home for reading and for writing; the project's still wins."""
    said(["set", "maxIterations", "5"], capfd)
    other = folder / "other.json"
    other.write_text('{"maxTokens": 9}')
    assert said(["get", "maxIterations", "--config", str(other)], capfd)[0] == "100\n"
    assert said(["get", "maxTokens", "--config", str(other)], capfd)[0] == "9\n"
    said(["set", "maxTokens", "8", "--config", str(other)], capfd)
    assert json.loads(other.read_text()) == {"maxTokens": 8}
    said(["set", "maxTokens", "7", "--project"], capfd)
    monkeypatch.setenv("SOSTENUTO_CONFIG_PATH", str(other))
    assert said(["get", "maxTokens"], capfd)[0] == "7\n"
    assert said(["get", "maxIterations"], capfd)[0] == "100\n"


@pytest.mark.parametrize("arguments", [["show"], ["get", "maxTokens"], ["set", "maxTokens", "5"], ["validate"]])
def test_a_named_file_that_is_not_there_is_an_error(arguments: list[str], capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    """Exit code 1, one line that names it, and it is not made."""
    missing = folder / "missing.json"
    out, err = said([*arguments, "--config", str(missing)], capfd, code=1)
    assert (out, err.count("\n")) == ("", 1)
    assert str(missing) in err
    assert not missing.exists()


def test_keys_for_what_is_still_to_come_say_so(capfd: pytest.CaptureFixture[str]) -> None:
    """A cap of an agent's unattended runs is checked and kept, shown under its own name, and said to do nothing yet."""
    key = "daemon.agents.reviewer.dailyCostUSD"
    _, err = said(["set", key, "2.5"], capfd)
    assert f"{key} is not used yet" in err
    out, _ = said(["show"], capfd)
    shown = out[out.index(f"{key} = 2.5") :].splitlines()
    assert "Not used yet. It will count only unattended runs" in shown[2]
    found = json.loads(said(["show", "--json"], capfd)[0])
    assert (found[key]["value"], found[key]["used"], found["maxTokens"]["used"]) == (2.5, False, True)
    assert said(["get", key], capfd)[0] == "2.5\n"


def test_validate_names_the_fault(capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    """Good settings are ok; a wrong file gives exit code 1 with its path, and set does not write over it."""
    assert said(["validate"], capfd)[0] == "ok\n"
    wrong = folder / "home" / "config.json"
    wrong.parent.mkdir()
    wrong.write_text('{"maxTokens": ')
    for arguments in (["validate"], ["validate", str(wrong)], ["set", "maxTokens", "5"]):
        assert str(wrong) in said(arguments, capfd, code=1)[1]
    assert wrong.read_text() == '{"maxTokens": '
    assert "no such file" in said(["validate", "nowhere.json"], capfd, code=1)[1]


def test_show_can_be_narrowed(capfd: pytest.CaptureFixture[str]) -> None:
    """A key is shown alone, a beginning with all that begin so; what begins no key is wrong usage and names the nearest."""
    assert said(["show", "maxTokens"], capfd)[0].startswith("maxTokens = ")
    found = json.loads(said(["show", "llm", "--json"], capfd)[0])
    assert found.keys() == {key for key in KEYS if key.startswith("llm.")}
    assert "did you mean 'maxTokens'?" in said(["show", "maxToken5"], capfd, code=2)[1]


@pytest.mark.parametrize(("value", "tokens"), [("4k", 4_000), ("1.5m", 1_500_000), ("32_000", 32_000), ("8,192", 8_192)])
def test_tokens_are_read_as_window_reads_them(capfd: pytest.CaptureFixture[str], value: str, tokens: int) -> None:
    """Round numbers of tokens are what they are with --window; other numbers are not."""
    said(["set", "llm.maxContextTokens", value], capfd)
    assert said(["get", "llm.maxContextTokens"], capfd)[0] == f"{tokens}\n"
    if value.endswith("k"):
        assert "must be" in said(["set", "maxIterations", value], capfd, code=2)[1]
