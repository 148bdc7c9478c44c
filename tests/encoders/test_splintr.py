"""Exact counting for open models (optional)."""

from __future__ import annotations

import pytest

from sostenuto.encoders.splintr import splintr_encoder

pytest.importorskip("splintr", reason="splintr-rs is not installed")


@pytest.mark.parametrize("model", ["llama-3.3-70b", "qwen3-8b", "deepseek-chat", "gemma-3-27b", "mistral-large", "kimi-k2", "glm-4.6"])
def test_known_models_have_a_vocabulary(model: str) -> None:
    """Each of these names finds its vocabulary and counts words, special-token text and lone surrogates."""
    weigher = splintr_encoder(model)
    assert weigher is not None
    assert weigher.exact
    assert 1 <= weigher("hello world") <= 3
    assert weigher("<|endoftext|>") > 1
    assert weigher("\ud83d") > 0
    assert weigher("") == 0


def test_unknown_models_have_none() -> None:
    """A name of no known vocabulary has no encoder."""
    assert splintr_encoder("grok-4") is None
