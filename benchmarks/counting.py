"""How fast tokens are counted: exactly, against the reference tokenizer where it is there, and estimated."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.histories import Writer, chat
from benchmarks.measured import Measured, cpu_s, typical_s
from sostenuto.encoders.openai import openai_encoder
from sostenuto.tokens import WeightedCharacters

ESTIMATE_BYTES_PER_S = 50e6
TIMES_FASTER = 5.0
SAMPLE = 1_000_000  # characters
PIECE = 4_000  # characters


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
    encoder(texts[0])  # loads the vocabulary
    unread = _sources()
    first = cpu_s(lambda: [encoder(text) for text in unread])
    again = typical_s(lambda: [encoder(text) for text in texts], times=5)
    speed = sum(len(text.encode()) for text in unread) / first / 1e6
    note = f"each text once, as an engine counts; {size / again / 1e6:.0f} MB/s where the same texts are counted again"
    yield Measured("exact counting, o200k", speed, None, "MB/s", note=note)
    reference = _reference()
    if reference is None:
        return
    theirs = cpu_s(lambda: [reference(text) for text in unread])
    same = all(encoder(text) == reference(text) for text in unread)
    note = "each text once; same numbers" if same else "NUMBERS DIFFER"
    yield Measured("exact counting, o200k, times tiktoken", theirs / first, TIMES_FASTER, "x", more_is_better=True, note=note)


def _sources() -> list[str]:
    """The sources of the running Python in pieces of 4,000 characters: code and prose that no encoder has seen yet in this process."""
    found = "".join(path.read_text("utf-8", "replace") for path in sorted(Path(json.__file__).parent.parent.glob("*.py")))
    return [found[start : start + PIECE] for start in range(0, min(len(found), 2 * SAMPLE), PIECE)]


def _reference() -> Callable[[str], int] | None:
    """tiktoken's count, if it is installed and has its vocabulary without asking a network."""
    try:
        import tiktoken  # type: ignore[import-not-found, unused-ignore]

        encoding: Any = tiktoken.get_encoding("o200k_base")
    except Exception:  # not installed, or its vocabulary cannot be had: either way there is nothing to compare with
        return None
    return lambda text: len(encoding.encode_ordinary(text))
