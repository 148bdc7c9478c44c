"""``sostenuto`` alone: greets on a terminal, finds what works, offers an agent, and never hangs (issue Run, 7)."""

from __future__ import annotations

import json
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest

from sostenuto.app._surroundings import KEY_VARIABLES
from sostenuto.app._welcome import FIRST_MODELS, is_near
from sostenuto.catalogues.bundled import bundled
from sostenuto.cli import main
from sostenuto.testing import FakeServer
from tests.cli.terminals import Terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")

SECRET = "sk-very-secret"
ASKED = "Make an agent?"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data home, no key, and no local server at its usual address."""
    monkeypatch.setenv("SOSTENUTO_HOME", str(tmp_path / "home"))
    for _, names in KEY_VARIABLES:
        for name in names:
            monkeypatch.delenv(name, raising=False)
    for name in ("LLAMACPP_BASE_URL", "LMSTUDIO_BASE_URL", "SGLANG_BASE_URL", "VLLM_BASE_URL", "OLLAMA_HOST"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/v1")
    monkeypatch.delenv("SOSTENUTO_CONFIG_PATH", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of something that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"


def test_elsewhere_the_help_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    """Without a terminal the help text and exit code 2 are what they always were."""
    assert main([]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert "Usage: sostenuto" in err


def test_a_server_is_found_and_an_agent_made_with_it(home: Path) -> None:
    """The model of a local server is named; its number and a name make the same file as agent create, and the next commands name it."""
    with (
        FakeServer("ollama", model="qwen3:8b") as server,
        Terminal(environment={"OLLAMA_HOST": server.base_url}) as terminal,
    ):
        terminal.until(ASKED)
        assert "1 ollama:qwen3:8b" in terminal.plain
        terminal.type("7\n")
        terminal.until(ASKED, times=2)
        assert "there is no model 7" in terminal.plain
        terminal.type("1\n")
        terminal.until("Its name")
        terminal.type("\n")
        assert terminal.ended() == 0
    assert json.loads((home / "agents" / "assistant.json").read_text())["config"] == {"llm": {"model": "ollama:qwen3:8b"}}
    assert "sostenuto run --agent assistant" in terminal.plain
    assert len([line for line in terminal.plain.partition("Next\n")[2].splitlines() if line.startswith("  sostenuto ")]) == 3


def test_a_name_that_cannot_be_is_asked_again(home: Path) -> None:
    """A model typed in full is taken, an id with a space is told, and Enter at the question ends it without an agent."""
    with Terminal(environment={"OPENAI_API_KEY": SECRET}) as terminal:
        terminal.until(ASKED)
        terminal.type("openai:gpt-5\n")
        terminal.until("Its name")
        terminal.type("A B\n")
        terminal.until(ASKED, times=2)
        terminal.type("\n")
        assert terminal.ended() == 0
    assert "an id is" in terminal.plain
    assert not (home / "agents").exists()
    assert "sostenuto demo" in terminal.plain


def test_a_key_is_found_and_never_shown() -> None:
    """The variable is named, and a model to begin with; the key is nowhere on the screen; Ctrl+C leaves with 130."""
    with Terminal(environment={"OPENAI_API_KEY": SECRET}) as terminal:
        terminal.until("for none: ")
        terminal.type("\x03\n")  # the line end wakes a read that began in the very moment of the signal
        assert terminal.ended() == 130
    assert "openai:gpt-5-mini" in terminal.plain
    assert "OPENAI_API_KEY is set" in terminal.plain
    assert SECRET not in terminal.screen


def test_what_is_set_up_is_told_and_nothing_is_asked() -> None:
    """With an agent and a model for every run both are named, and the commands to type use the agent."""
    assert main(["agent", "create", "reviewer", "--model", "openai:gpt-5"]) == 0
    assert main(["config", "set", "llm.model", "ollama:qwen3:8b"]) == 0
    with Terminal(environment={"OPENAI_API_KEY": SECRET}) as terminal:
        assert terminal.ended() == 0
    assert ASKED not in terminal.plain
    assert "agent reviewer: openai:gpt-5" in terminal.plain
    assert "every run: ollama:qwen3:8b" in terminal.plain
    assert "sostenuto run --agent reviewer" in terminal.plain


def test_what_cannot_be_read_is_told_with_its_remedy(home: Path) -> None:
    """Damaged settings and a damaged agent are named, and the greeting is there all the same."""
    (home / "agents").mkdir(parents=True)
    (home / "agents" / "bad.json").write_text("{")
    (home / "config.json").write_text('{"maxToken": 1}')
    with Terminal() as terminal:
        assert terminal.ended() == 0
    said = " ".join(terminal.plain.split())
    assert "did you mean 'maxTokens'?" in said
    assert "sostenuto agent create bad" in said
    assert "No model can be reached from here yet" in said


def test_servers_that_never_answer_do_not_hold_it_up(silent: str) -> None:
    """With every local server silent the greeting is there within two seconds, and names none of them."""
    names = ("LLAMACPP_BASE_URL", "LMSTUDIO_BASE_URL", "SGLANG_BASE_URL", "VLLM_BASE_URL", "OLLAMA_HOST")
    begun = monotonic()
    with Terminal(environment=dict.fromkeys(names, silent)) as terminal:
        assert terminal.ended() == 0
    assert monotonic() - begun < 5  # two, and room for a machine that does other things
    assert "listens at" not in terminal.plain


def test_what_answers_nonsense_is_no_server() -> None:
    """Something else at the address, whatever it says, is left out."""
    answers = [b"hello\r\n\r\n", b"HTTP/1.0 200 OK\r\n\r\n" + b"[" * 500_000, b"HTTP/1.0 404 No\r\n\r\n{}", b"x" * 200_000]
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            for answer in answers:
                connection, _ = listening.accept()
                with connection:
                    connection.recv(65_536)
                    connection.sendall(answer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        for _ in answers:
            with Terminal(environment={"OLLAMA_HOST": address}) as terminal:
                assert terminal.ended() == 0
            assert "listens at" not in terminal.plain
        thread.join(10)


def test_every_provider_has_a_model_to_begin_with() -> None:
    """Each provider whose key is looked for has one, and the bundled catalogue knows it."""
    assert FIRST_MODELS.keys() == {provider for provider, _ in KEY_VARIABLES}
    assert all(bundled().exact(provider, model) is not None for provider, model in FIRST_MODELS.items())


@pytest.mark.parametrize(
    ("address", "near"),
    [
        ("http://127.0.0.1:11434", True),
        ("http://localhost/v1", True),
        ("http://[::1]:1", True),
        ("http://models.example", False),
        ("http://[", False),
    ],
)
def test_only_the_loopback_interface_is_asked(address: str, near: bool) -> None:
    """An address that would have to be looked up, or is none, is not near."""
    assert is_near(address) is near
