"""How fast tokens are counted: exactly, against the reference tokenizer where it is there, and estimated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.histories import Writer, chat
from benchmarks.measured import Measured, typical_s
from sostenuto.encoders.openai import openai_encoder
from sostenuto.tokens import WeightedCharacters

ESTIMATE_BYTES_PER_S = 50e6
TIMES_FASTER = 5.0
SAMPLE = 1_000_000  # characters


def rows() -> Iterator[Measured]:
    """Every figure about counting."""
    texts = _pieces()
    size = sum(len(text) for text in texts)
    for group in ("o200k", "claude-4.7"):
        weigher = WeightedCharacters(group)
        took = typical_s(lambda weigher=weigher: [weigher(text) for text in texts], times=5)  # type: ignore[misc]
        yield Measured(f"estimate, ASCII ({group})", size / took / 1e6, ESTIMATE_BYTES_PER_S / 1e6, "MB/s", more_is_better=True)
    yield from exact(texts, size)


def _pieces() -> list[str]:
    """Texts of the lengths of tool results, about a million characters."""
    found = [str(message["content"]) for message in chat(1_500, seed=3) if message["role"] == "tool"]
    writer, total = Writer(4), sum(len(text) for text in found)
    return [*found, writer.text(max(1, SAMPLE - total))] if total < SAMPLE else found


def exact(texts: list[str], size: int) -> Iterator[Measured]:
    """Exact counts of OpenAI's newest encoding."""
    encoder = openai_encoder("o200k")
    if encoder is None:
        yield Measured("exact counting, o200k", 0.0, None, "MB/s", note="toktok is not installed")
        return
    encoder(texts[0])
    took = typical_s(lambda: [encoder(text) for text in texts], times=5)
    reference = _reference()
    if reference is None:
        note = "tiktoken or its vocabulary is not installed here: nothing to compare with"
        yield Measured("exact counting, o200k", size / took / 1e6, None, "MB/s", note=note)
        return
    theirs = typical_s(lambda: [reference(text) for text in texts], times=3)
    same = all(encoder(text) == reference(text) for text in texts)
    note = "same numbers" if same else "NUMBERS DIFFER"
    yield Measured("exact counting, o200k, times tiktoken", theirs / took, TIMES_FASTER, "x", more_is_better=True, note=note)


def _reference() -> Callable[[str], int] | None:
    """tiktoken's count, if it is installed and has its vocabulary without asking a network."""
    try:
        import tiktoken  # type: ignore[import-not-found, unused-ignore]

        encoding: Any = tiktoken.get_encoding("o200k_base")
    except Exception:  # not installed, or its vocabulary cannot be had: either way there is nothing to compare with
        return None
    return lambda text: len(encoding.encode_ordinary(text))
