"""Exact counting with an installed tokenizer (D4, origin A.1)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.encoders.openai import openai_encoder
from sostenuto.encoders.splintr import splintr_encoder
from sostenuto.messages import Call, Message
from sostenuto.tokens import ruler

toktok: Any = pytest.importorskip("toktok", reason="toktok-rs is not installed")


@pytest.mark.parametrize("encoding", ["o200k", "cl100k"])
def test_counts_equal_the_reference(encoding: str) -> None:
    """Both encodings count as the reference does, on words, code and other scripts (A.1)."""
    weigher = openai_encoder(encoding)
    assert weigher is not None
    texts = ["hello world", "def f(x):\n    return x ** 2\n", "这是一个测试", "<|endoftext|> is text", "🎉" * 20]
    assert [weigher(text) for text in texts] == toktok.batch_count(texts, f"{encoding}_base")
    assert weigher.exact
    assert weigher("") == 0


def test_two_encoders_agree() -> None:
    """Another library's o200k, read independently, gives the same numbers."""
    splintr: Any = pytest.importorskip("splintr", reason="splintr-rs is not installed")
    reference = splintr.Tokenizer.from_pretrained("o200k_base")
    weigher = openai_encoder("o200k")
    assert weigher is not None
    for text in ("The quick brown fox, 12345 times.", '{"a": [1, 2.5, null]}', "Ünïcödé 日本語 한국어"):
        assert weigher(text) == len(reference.encode_ordinary(text))


def test_calls_are_counted_by_the_encoder() -> None:
    """The JSON of a call is counted exactly, not by characters (A.1)."""
    weigher = openai_encoder("o200k")
    assert weigher is not None
    known = ruler("openai:gpt-5", weigher=weigher)
    text = '{"id":"c1","type":"function","function":{"name":"read","arguments":{"path": "a.py"}}}'
    assert known.measure(Message("assistant", (Call("c1", "read", '{"path": "a.py"}'),))).weight == weigher(text)


@given(st.text(st.characters(codec=None), max_size=60))
def test_any_string_is_counted(text: str) -> None:
    """Lone surrogates and odd characters never raise."""
    weigher = openai_encoder("o200k")
    assert weigher is not None
    assert weigher(text) >= (1 if text else 0)


def test_an_unknown_encoding_has_no_encoder() -> None:
    """Only the two encodings are offered."""
    assert openai_encoder("claude-3") is None


def test_without_the_library_there_is_no_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the package is missing the caller gets None and falls back to weighted characters."""
    monkeypatch.setitem(sys.modules, "toktok", None)
    monkeypatch.setitem(sys.modules, "splintr", None)
    assert openai_encoder("o200k") is None
    assert splintr_encoder("qwen3-8b") is None


def test_a_faulty_library_still_gives_a_number() -> None:
    """A fault inside the extension, on loading or on counting, is answered with a cautious figure."""
    from sostenuto.encoders.openai import OpenAIEncoder

    def broken(*_: object) -> int:
        raise ValueError

    def unloadable() -> Callable[[str], int]:
        raise OSError

    assert OpenAIEncoder("o200k", lambda: broken)("twelve chars") == 5
    assert OpenAIEncoder("o200k", unloadable)("twelve chars") == 5


def test_a_library_without_the_direct_way_counts_by_its_public_one() -> None:
    """Where the direct count is missing, or gives another number, the public one is asked."""
    from sostenuto.encoders.openai import _counter

    class Public:
        """The public face alone."""

        def batch_count(self, texts: list[str], name: str, *, threads: int) -> list[int]:
            """Eight tokens for anything."""
            del name, threads
            return [8 for _ in texts]

    class Differing(Public):
        """With a direct way that honours special tokens, say."""

        def _encoding(self, name: str) -> object:
            """Counts otherwise."""

            class Tokenizer:
                """One token for anything."""

                def count(self, text: str) -> int:
                    """One."""
                    return min(1, len(text) + len(name))

            return Tokenizer()

    assert _counter(Public(), "o200k_base")("text") == 8
    assert _counter(Differing(), "o200k_base")("text") == 8
