"""``sostenuto tokens``: the estimate beside the exact count."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from sostenuto.cli import main

TEXT = "Hello, wide world! The deploy of 2026-11-30 failed: {'code': 137}.\n" * 20


def shown(path: Path, model: str, capfd: pytest.CaptureFixture[str]) -> tuple[dict[str, object], str]:
    """What is printed for a file, as JSON and as text."""
    assert main(["tokens", str(path), "--model", model, "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert main(["tokens", str(path), "--model", model]) == 0
    return found, capfd.readouterr().out


@pytest.fixture
def words(tmp_path: Path) -> Path:
    """A file of words."""
    path = tmp_path / "words.txt"
    path.write_text(TEXT)
    return path


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    """A recorded session with a call and its result."""
    call = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path": "a.py"}'}}
    messages = [
        {"role": "user", "content": "Why does the deploy fail?"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": TEXT},
    ]
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(messages))
    return path


def test_an_exact_count_has_the_estimate_beside_it(words: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Both numbers and their difference in percent are in the JSON and in the text."""
    pytest.importorskip("toktok", reason="toktok-rs is not installed")
    found, text = shown(words, "openai:gpt-5", capfd)
    tokens, estimate, off = found["tokens"], found["estimate"], found["difference_percent"]
    assert isinstance(tokens, int)
    assert isinstance(estimate, int)
    assert isinstance(off, float)
    assert found["exact"] is True
    assert off == round(100 * (estimate / tokens - 1), 1) != 0
    assert f"{tokens:,} tokens" in text
    assert f"estimated without a tokenizer: {estimate:,} tokens, {abs(off)} % {'more' if off > 0 else 'less'}" in text


def test_an_estimate_stands_alone(words: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Where no tokenizer is known there is one number and no difference."""
    found, text = shown(words, "xai:grok-4", capfd)
    assert (found["exact"], found["difference_percent"]) == (False, None)
    assert found["estimate"] == found["tokens"]
    assert text.startswith("about ")
    assert "without a tokenizer" not in text


@pytest.mark.parametrize("model", ["groq:llama-3.3-70b", "alibaba:qwen3-coder", "deepseek:deepseek-chat", "mistral:mistral-large-latest"])
def test_open_models_are_compared_too(model: str, talk: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A recorded session is counted both ways, and the components sum up to the exact count."""
    pytest.importorskip("splintr", reason="splintr-rs is not installed")
    found, text = shown(talk, model, capfd)
    assert found["exact"] is True
    assert isinstance(found["components"], dict)
    assert sum(found["components"].values()) == found["tokens"]
    assert isinstance(found["difference_percent"], float)
    assert "estimated without a tokenizer" in text


def test_an_empty_file_has_nothing_to_compare(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """No tokens, no difference."""
    path = tmp_path / "none.txt"
    path.write_text("")
    found, _ = shown(path, "openai:gpt-5", capfd)
    assert (found["tokens"], found["estimate"], found["difference_percent"]) == (0, 0, None)


def test_a_reconstruction_is_called_one(words: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A count through ctok says that it is a reconstruction."""
    library = ModuleType("ctok")
    library.token_count = lambda text, version: 6 + len(text.split())  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ctok", library)
    found, text = shown(words, "anthropic:claude-opus-4-7", capfd)
    assert found["tokens"] == len(TEXT.split())
    assert "as ctok reconstructs" in " ".join(text.split())
