"""``sostenuto run`` with a model that is known by the address of its server, and with a server that is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from sostenuto.cli import main
from sostenuto.testing import FakeServer


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data home, and a working directory."""
    monkeypatch.setenv("SOSTENUTO_HOME", str(tmp_path / "home"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path


@pytest.mark.parametrize("ending", ["", "/v1", "/v1/", "/v1/models", "/v1/chat/completions"])
def test_an_address_is_a_model_where_one_is_served(capfd: pytest.CaptureFixture[str], ending: str) -> None:
    """--model with the address of a server takes the one model it lists, says which, and sends no key."""
    with FakeServer("llamacpp", ["Hi."], window=16_384) as server:
        assert main(["run", "Go.", "--model", f"{server.address}{ending}"]) == 0
        out, err = capfd.readouterr()
        assert out == "Hi.\n"
        assert f"{server.base_url} serves llamacpp:tiny-random" in err


def test_an_address_is_sent_no_key(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies in the environment for a kind of server is not sent to an address that merely says it is of that kind."""
    for name in ("OPENAI_API_KEY", "VLLM_API_KEY", "SERVER_API_KEY"):
        monkeypatch.setenv(name, "sk-secret")
    with FakeServer("vllm", ["Hi."], window=16_384) as server:
        assert main(["run", "Go.", "--model", server.base_url]) == 0
        assert not any("sk-secret" in str(request.headers) for request in server.received)
    assert capfd.readouterr().out == "Hi.\n"


def test_an_address_where_nobody_is_says_what_to_type(capfd: pytest.CaptureFixture[str]) -> None:
    """Nobody at the address: exit code 1, and the variables and the name that would do."""
    assert main(["run", "Go.", "--model", "http://127.0.0.1:9/v1"]) == 1
    assert "OPENAI_BASE_URL=http://127.0.0.1:9/v1 sostenuto run --model openai:NAME" in capfd.readouterr().err


def test_a_project_may_not_say_where_requests_go(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """An address as the model of a project's file is refused before anything is asked; one of the person's own is not."""
    path = folder / "work" / ".sostenuto" / "config.json"
    path.parent.mkdir()
    path.write_text('{"llm": {"model": "http://127.0.0.1:9/v1"}}')
    assert main(["run", "Go."]) == 1
    assert "a project may not set" in capfd.readouterr().err
    path.unlink()
    assert main(["config", "set", "llm.model", "http://127.0.0.1:9/v1"]) == 0
    assert main(["run", "Go."]) == 1
    assert "lists no model" in capfd.readouterr().err


def test_advice_about_a_window_waits_for_an_answer(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody listens there is the error, then the command that goes on, and nothing else; where somebody answers, the advice."""
    assert main(["config", "set", "maxRetries", "0"]) == 0
    capfd.readouterr()
    monkeypatch.setenv("LLAMACPP_BASE_URL", "http://127.0.0.1:9/v1")
    assert main(["run", "Go.", "--model", "llamacpp:smol", "--conversation", "c"]) == 1
    lines = capfd.readouterr().err.splitlines()
    assert [line.split(maxsplit=2)[1] for line in lines] == ["nobody", "kept;"]
    with FakeServer("llamacpp", ["Hi."], looks=False) as server:
        monkeypatch.setenv("LLAMACPP_BASE_URL", server.base_url)
        assert main(["run", "Go.", "--model", "llamacpp:smol"]) == 0
    err = capfd.readouterr().err
    assert "set the window to the number it really loads (llm.numCtx for a run" in err
    assert "Did you mean" not in err
