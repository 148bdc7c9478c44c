"""Exact counting for open models (optional)."""

from __future__ import annotations

import pytest

from sostenuto.encoders.splintr import splintr_encoder
from sostenuto.tokens import CountingWeigher

pytest.importorskip("splintr", reason="splintr-rs is not installed")


def weigher(model: str) -> CountingWeigher:
    found = splintr_encoder(model)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("model", "vocabulary"),
    [
        ("llama-3.3-70b", "llama3"),
        ("ollama:llama3.1:8b", "llama3"),
        ("deepseek-r1-distill-llama-70b", "llama3"),
        ("qwen3-8b", "qwen3"),
        ("qwen2.5-coder", "qwen3"),
        ("deepseek-chat", "deepseek_v3"),
        ("gemma-3-27b", "gemma3"),
        ("mistral-large", "mistral_v3"),
        ("mistral:ministral-8b-latest", "mistral_v3"),
        ("kimi-k2", "kimi_k2"),
        ("glm-4.6", "glm4"),
    ],
)
def test_known_models_have_a_vocabulary(model: str, vocabulary: str) -> None:
    """Each of these names finds its vocabulary and counts words, special-token text and lone surrogates."""
    count = weigher(model)
    assert count.name == f"exact ({vocabulary})"
    assert count.exact
    assert 1 <= count("hello world") <= 3
    assert count("<|endoftext|>") > 1
    assert count("\ud83d") > 0
    assert count("") == 0


@pytest.mark.parametrize(
    "model",
    [
        "grok-4",
        "gemini-2.5-pro",
        "qwen3.5-plus",
        "deepseek-v4-flash",
        "mistral-large-2407",
        "ollama:mistral:7b",
        "llama-4-scout",
        "glm-5",
        "",
    ],
)
def test_unknown_models_have_none(model: str) -> None:
    """A name of no known vocabulary, or of one that is not here, has no encoder."""
    assert splintr_encoder(model) is None


def test_b055_what_steers_a_conversation_is_ordinary_text() -> None:
    """B055: a turn's marks count as the characters they are made of, in every vocabulary and beside other text."""
    marks = {
        "gemma-3-27b": "<start_of_turn>",
        "qwen3-8b": "<|im_start|>",
        "llama-3.3-70b": "<|eot_id|>",
        "mistral-large": "[INST]",
        "deepseek-chat": "<｜User｜>",
    }
    for model, mark in marks.items():
        count = weigher(model)
        assert count(mark) >= 3
        assert count(f"words before {mark} words behind") >= count("words before  words behind") + 2


def test_words_that_only_look_special_are_one_token() -> None:
    """HTML tags in Gemma's vocabulary and the thinking marks in Qwen's are one token in any text, with a steering mark beside them too."""
    assert [weigher("gemma-3-27b")(tag) for tag in ("<div>", "</b>", "<table>")] == [1, 1, 1]
    assert weigher("gemma-3-27b")("<div><eos>") == 1 + weigher("gemma-3-27b")("<eos>")
    assert [weigher("qwen3-8b")(mark) for mark in ("<think>", "</think>", "<tool_call>")] == [1, 1, 1]
    assert weigher("qwen3-8b")("<think><|im_end|>") == 1 + weigher("qwen3-8b")("<|im_end|>")
