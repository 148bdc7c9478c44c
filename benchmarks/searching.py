"""Recall in words over a long history: building the index, its size, and how long a search takes with and without it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.histories import Raw, chat
from benchmarks.measured import Measured, cpu_s, settle, typical_s
from sostenuto.results import scanned, wanted
from sostenuto.stores.index import Index

BUDGET_MS = 100.0
TIMES_THE_TEXT = 1.5
RARE = "connection refused by 10.0.0.7:5432"


def rows(size: int) -> Iterator[Measured]:
    """The index over a chat of so many messages, of which one says what is looked for."""
    history = chat(size)
    history[size // 2] = {"role": "user", "content": f"It says: {RARE} 数据库连接失败 in src/foo_bar.py"}
    pieces = list(_pieces(history))
    text = sum(len(piece[2].encode()) for piece in pieces)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "recall.sqlite")
        index = Index(path)
        settle()
        took = cpu_s(lambda: index.add(pieces, mark="all"))
        index.close()
        yield Measured(f"index of {size:,} messages, built", took, None, "s", note=f"{text / took / 1e6:.0f} MB/s, {len(pieces):,} pieces")
        note = f"{path.stat().st_size / 1e6:,.0f} MB for {text / 1e6:,.0f} MB of text, which it holds"
        yield Measured("the same, its file", path.stat().st_size / text, TIMES_THE_TEXT, "x the text", note=note)
        yield from _searches(Index(path), history, size)
    query = wanted(RARE)
    took = cpu_s(lambda: scanned(((key, text) for key, _, text in pieces), query))
    yield Measured(f"search in {size:,} messages without an index", 1_000 * took, None, "ms", note="all of it is read")


def _searches(index: Index, history: list[Raw], size: int) -> Iterator[Measured]:
    result = next(str(message["content"]) for message in history[size // 3 :] if message["role"] == "tool")
    asked = {
        "an exact line": RARE,
        "part of a path": "oo_bar.p",
        "Han": "连接失败",
        "part of a hash": result[3:10],
        "a word in every second message": "cursor",
        "four such words": "def class assert test",
        "words no message has together": "cursor zebra",
    }
    for name, words in asked.items():
        took = typical_s(lambda words=words: index.search(words, limit=20), times=5)  # type: ignore[misc]
        found = len(index.search(words, limit=20))
        yield Measured(f"search in {size:,} messages: {name}", 1_000 * took, BUDGET_MS, "ms", note=f"{found} finds of 20")
    index.close()


def _pieces(history: list[Raw]) -> Iterator[tuple[str, str, str]]:
    for ordinal, message in enumerate(history):
        texts = [message.get("content") or "", *(call["function"]["arguments"] for call in message.get("tool_calls", ()))]
        yield from ((f"m{ordinal}.{index}", str(message["role"]), text) for index, text in enumerate(filter(None, texts)))
