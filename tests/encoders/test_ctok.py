"""Counting as the reconstruction of Claude's tokenizers does (optional)."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from sostenuto.encoders.ctok import ctok_encoder


class Library(ModuleType):
    """Stands for the library: seven tokens of frame, and one for each letter."""

    def __init__(self) -> None:
        super().__init__("ctok")
        self.versions: list[str] = []

    def token_count(self, text: str, version: str) -> int:
        """A message of this text."""
        self.versions.append(version)
        return 7 + len(text)


@pytest.mark.parametrize(
    ("model", "version"),
    [
        ("anthropic:claude-3-5-sonnet", "3.0"),
        ("anthropic:claude-opus-4-6", "3.0"),
        ("anthropic:claude-opus-4-7", "4.8"),
        ("claude-sonnet-5", "4.8"),
    ],
)
def test_a_claude_model_is_counted_without_the_frame(model: str, version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The version follows from the model's name, and what a message costs beyond its text is left to the ruler."""
    library = Library()
    monkeypatch.setitem(sys.modules, "ctok", library)
    count = ctok_encoder(model)
    assert count is not None
    assert [count("four"), count("\ud83d"), count("")] == [4, 1, 0]
    assert set(library.versions) == {version}
    assert count.name == f"exact (ctok {version})"


def test_other_models_and_a_missing_library_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only Claude's models are counted this way, and only where the package is installed."""
    assert ctok_encoder("openai:gpt-5") is None
    assert ctok_encoder("") is None
    monkeypatch.setitem(sys.modules, "ctok", None)
    assert ctok_encoder("anthropic:claude-opus-4-7") is None
