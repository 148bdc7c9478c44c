"""The tokenizers the weights of ``sostenuto.tokens`` are fitted and judged against: which, from where, and what they count.

Nothing is downloaded: the vocabularies come with the packages. ``splintr-rs`` holds the open models' and OpenAI's, ``ctok`` (Python
3.12 and newer) a reconstruction of Claude's counts. Where ``ctok`` is not installed, Claude's counts of the texts to judge come from
``claude_counts.tsv``, which ``python -m benchmarks.judge_weights --record`` writes.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from functools import cache
from importlib import import_module, metadata
from pathlib import Path
from typing import NamedTuple

from sostenuto.tokens import Group

Count = Callable[[str], int]
RECORDED = Path(__file__).with_name("claude_counts.tsv")


class Known(NamedTuple):
    """A tokenizer: its column of weights, the seed of its family, and its name in the package that has it."""

    group: Group
    seed: float
    package: str
    name: str


TOKENIZERS: dict[str, Known] = {
    "o200k": Known("o200k", 4.0, "splintr-rs", "o200k_base"),
    "cl100k": Known("cl100k", 4.0, "splintr-rs", "cl100k_base"),
    "Llama 3": Known("llama", 3.6, "splintr-rs", "llama3"),
    "Qwen 3": Known("qwen", 3.5, "splintr-rs", "qwen3"),
    "DeepSeek V3": Known("deepseek", 3.8, "splintr-rs", "deepseek_v3"),
    "Gemma 3": Known("gemma", 4.0, "splintr-rs", "gemma3"),
    "Mistral": Known("mistral", 3.8, "splintr-rs", "mistral_v3"),
    "Kimi K2": Known("kimi", 3.5, "splintr-rs", "kimi_k2"),
    "GLM 4": Known("glm", 3.5, "splintr-rs", "glm4"),
    "Claude 3": Known("claude-3", 3.5, "ctok", "3.0"),
    "Claude 4.7+": Known("claude-4.7", 3.5, "ctok", "4.8"),
}
CLAUDE = tuple(title for title, known in TOKENIZERS.items() if known.package == "ctok")


@cache
def counter(title: str) -> Count | None:
    """Counts the tokens of a text, special-token text as ordinary text; None where the package is not installed."""
    known = TOKENIZERS[title]
    try:
        if known.package == "ctok":
            return _claude(known.name)
        encode = import_module("splintr").Tokenizer.from_pretrained(known.name).encode_ordinary
    except ImportError:
        return None
    return lambda text: len(encode(_clean(text)))


def _claude(version: str) -> Count:
    """Without the frame of a message, which is what one letter costs beyond its one token."""
    count = import_module("ctok").token_count
    frame = count("a", version) - 1
    return lambda text: int(count(_clean(text), version)) - frame if text else 0


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


@cache
def recorded() -> dict[tuple[str, int], dict[str, int]]:
    """(kind, seed) -> o200k's and Claude's counts of that text, as they were recorded."""
    lines = [line.split("\t") for line in RECORDED.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return {(kind, int(seed)): dict(zip(("o200k", *CLAUDE), map(int, counts), strict=True)) for kind, seed, *counts in lines}


def tokens(title: str, text: str, *, kind: str, seed: int) -> float | None:
    """Tokens of a text, by the tokenizer or, for Claude without ``ctok``, by what was recorded.

    A recorded count is moved by o200k's count of the text, since other versions of Python bring slightly other texts. None where
    neither is there.
    """
    count = counter(title)
    if count is not None:
        return count(text)
    known, reference = recorded().get((kind, seed)) if title in CLAUDE else None, counter("o200k")
    return known[title] * reference(text) / known["o200k"] if known and reference else None


def versions() -> str:
    """What is installed, for the record."""
    found = [f"Python {platform.python_version()}"]
    for package in ("splintr-rs", "ctok"):
        try:
            found.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            found.append(f"no {package}")
    return ", ".join(found)
