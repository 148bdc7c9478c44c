"""``sostenuto doctor``: what works and what does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sostenuto.app import small_model_installs
from sostenuto.cli import main
from sostenuto.testing import FakeServer

SECRET = "sk-very-secret"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data home of the test's own, one key, and no local server at its usual address."""
    monkeypatch.setenv("SOSTENUTO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    for name in ("LLAMACPP_BASE_URL", "LMSTUDIO_BASE_URL", "SGLANG_BASE_URL", "VLLM_BASE_URL", "OLLAMA_HOST"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/v1")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


def test_everything_is_told_with_a_remedy(capfd: pytest.CaptureFixture[str]) -> None:
    """Nothing is wrong, so the exit code is 0; each thing that is not there has a remedy, and the key is never shown."""
    assert main(["doctor", "--json"]) == 0
    out, err = capfd.readouterr()
    found = {each["about"]: each for each in json.loads(out)["findings"]}
    assert found["Python"]["state"] == "ok"
    assert found["key for anthropic"]["text"] == "ANTHROPIC_API_KEY is set"
    assert found["llamacpp"]["state"] == "absent"
    assert found["settings"]["remedy"]
    assert SECRET not in out + err


def test_a_server_that_listens_is_told_with_its_window(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A local server at the address of the environment is found, and so is the window it serves."""
    with FakeServer("llamacpp", window=4_096) as server:
        monkeypatch.setenv("LLAMACPP_BASE_URL", server.base_url)
        assert main(["doctor"]) == 0
    assert "serves a window of 4,096" in " ".join(capfd.readouterr().out.split())


def test_what_is_wrong_is_exit_code_1(capfd: pytest.CaptureFixture[str], home: Path) -> None:
    """Damaged settings and agents are named, and the exit code says so."""
    (home / "agents").mkdir(parents=True)
    (home / "agents" / "bad.json").write_text("{")
    (home / "config.json").write_text('{"maxToken": 1}')
    assert main(["doctor"]) == 1
    out = " ".join(capfd.readouterr().out.split())
    assert "!! settings" in out
    assert "!! agent bad" in out


def test_settings_say_where_ollama_is(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The address of a file that is named with --config is looked at, before that of the environment; a missing file is a fault."""
    with FakeServer("ollama") as server:
        (tmp_path / "other.json").write_text(json.dumps({"llm": {"ollama": {"base_url": server.base_url}}}))
        assert main(["doctor", "--json", "--config", str(tmp_path / "other.json")]) == 0
        found = {each["about"]: each for each in json.loads(capfd.readouterr().out)["findings"]}
        assert found["ollama"]["text"].startswith(f"listens at {server.base_url}")
    assert main(["doctor", "--config", str(tmp_path / "missing.json")]) == 1
    assert "missing.json" in "".join(capfd.readouterr().out.split())


def test_a_model_that_a_run_would_refuse_is_wrong(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The model that is set and has no key is a fault that names the variable; with the key it is not."""
    assert main(["config", "set", "llm.model", "openai:fake"]) == 0
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert main(["doctor"]) == 1
    assert "!! settings model openai:fake, but a run would fail: openai:fake needs a key; set OPENAI_API_KEY" in _words(capfd)
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    assert main(["doctor"]) == 0
    assert "ok settings model openai:fake" in _words(capfd)


def test_the_small_model_is_a_thing_of_its_own(capfd: pytest.CaptureFixture[str]) -> None:
    """What runs a model and the small model are told apart, and what is missing has its own command."""
    assert main(["doctor", "--json"]) == 0
    found = {each["about"]: each for each in json.loads(capfd.readouterr().out)["findings"]}
    missing = [command for command in small_model_installs() if command.startswith("pip install")]
    assert found["small model"]["state"] == ("absent" if missing else "ok")
    assert found["small model"]["remedy"] == ", then ".join(missing)


def _words(capfd: pytest.CaptureFixture[str]) -> str:
    return " ".join(capfd.readouterr().out.split())
