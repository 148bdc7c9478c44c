"""The second way to count OpenAI's encodings: only from a vocabulary that is on the disk (D4)."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

from sostenuto.encoders import tiktoken as second
from sostenuto.encoders.tiktoken import tiktoken_encoder


class Library(ModuleType):
    """Stands for the library: a token is a word, and being asked is remembered."""

    def __init__(self) -> None:
        super().__init__("tiktoken")
        self.asked: list[str] = []

    def get_encoding(self, name: str) -> Library:
        """Would download what it does not find."""
        self.asked.append(name)
        return self

    def encode_ordinary(self, text: str) -> list[str]:
        """The words of a text."""
        return text.split()


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Library:
    """The library in place of the real one, with an empty cache."""
    made = Library()
    monkeypatch.setitem(sys.modules, "tiktoken", made)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    return made


@pytest.mark.parametrize("content", [None, b"", b"cut off"])
def test_without_its_vocabulary_the_library_is_not_asked(library: Library, tmp_path: Path, content: bytes | None) -> None:
    """A missing or damaged file means no encoder, and nothing that could start a download."""
    if content is not None:
        for vocabulary in second._VOCABULARIES.values():
            (tmp_path / vocabulary.file).write_bytes(content)
    assert tiktoken_encoder("o200k") is None
    assert tiktoken_encoder("cl100k") is None
    assert library.asked == []


def test_a_cache_that_is_switched_off_is_no_cache(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty setting tells the library to download each time, so it is not asked."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    assert tiktoken_encoder("o200k") is None
    assert library.asked == []


def test_with_its_vocabulary_it_counts(library: Library, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With the whole file in the cache the library counts, special-token text as ordinary text and lone surrogates replaced."""
    known = second._VOCABULARIES["o200k"]
    (tmp_path / known.file).write_bytes(b"ranks")
    monkeypatch.setitem(second._VOCABULARIES, "o200k", known._replace(sha256=hashlib.sha256(b"ranks").hexdigest()))
    count = tiktoken_encoder("o200k")
    assert count is not None
    assert (count.name, count.exact) == ("exact (o200k)", True)
    assert [count("two words"), count("\ud83d"), count("")] == [2, 1, 0]
    assert library.asked == ["o200k_base"]


def test_other_names_have_no_encoder() -> None:
    """Only the two encodings are offered, and none where the package is missing."""
    assert tiktoken_encoder("claude-3") is None
    assert tiktoken_encoder("anthropic") is None


def test_both_ways_agree() -> None:
    """Where the real library and its vocabulary are there, its counts equal those of the first way."""
    found = tiktoken_encoder("o200k")
    if found is None:
        pytest.skip("tiktoken or its vocabulary is not installed")
    from sostenuto.encoders.openai import openai_encoder

    first = openai_encoder("o200k")
    assert first is not None
    for text in ("The quick brown fox, 12345 times.", "<|endoftext|> Ünïcödé 日本語 한국어", "\ud83d"):
        assert found(text) == first(text)
