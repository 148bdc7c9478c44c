"""Every provider of ours does what a `Model` must, before the fake server of its kind."""

from __future__ import annotations

import pytest

from sostenuto.testing import MODEL_CHECKS, ModelCheck
from tests.providers.staging import before

KINDS = ("anthropic", "llamacpp", "lmstudio", "ollama", "openai", "sglang", "vllm")


@pytest.mark.parametrize("check", MODEL_CHECKS, ids=lambda check: check.name)
@pytest.mark.parametrize("kind", KINDS)
def test_a_provider_does_what_a_model_must(kind: str, check: ModelCheck) -> None:
    """Each check of the public suite passes on each provider."""
    check.run(before(kind))


@pytest.mark.parametrize("check", [check for check in MODEL_CHECKS if "as it comes" in check.name], ids=lambda check: check.name)
@pytest.mark.parametrize("kind", ["anthropic", "llamacpp", "ollama"])
def test_a_stream_may_be_cut_anywhere(kind: str, check: ModelCheck) -> None:
    """What is heard as it comes is the same where every piece of the stream is three bytes long, which cuts letters in two."""
    check.run(before(kind, piece=3))
