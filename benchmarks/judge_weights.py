"""Judge the table of weights of ``sostenuto.tokens``: errors before anything is learned, on texts it was not fitted on.

    python -m benchmarks.judge_weights                     a Markdown table, kinds of text by tokenizers
    python -m benchmarks.judge_weights --sessions FOLDER   the same for the text of every readable recording in a folder
    python -m benchmarks.judge_weights --record            write ``claude_counts.tsv`` (needs ``ctok``)

The bar: over the kinds of `texts.KINDS` and every tokenizer the median error is at most 6 %, the worst at most 20 %.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.texts import KINDS, MORE, texts
from benchmarks.tokenizers import CLAUDE, RECORDED, TOKENIZERS, counter, tokens, versions
from sostenuto import SostenutoError
from sostenuto.messages import Message
from sostenuto.recordings.opening import open_recording
from sostenuto.tokens import fresh, ruler
from sostenuto.tokens._weights import weight

JUDGE_SEEDS = (101, 102)
SESSION_CHARACTERS = 250_000
"""Text of one session that is looked at; the rest is more of the same."""

Errors = dict[str, dict[str, float]]
"""Row -> title of a tokenizer -> relative error, signed."""


def errors() -> Errors:
    """The mean error of every kind of text under every tokenizer that is there."""
    found: dict[str, dict[str, list[float]]] = {}
    for seed in JUDGE_SEEDS:
        for kind, text in texts(seed=seed, kinds=KINDS | MORE).items():
            for title in TOKENIZERS:
                truth = tokens(title, text, kind=kind, seed=seed)
                if truth:
                    found.setdefault(kind, {}).setdefault(title, []).append(_estimate(title, text) / truth - 1)
    return {kind: {title: statistics.mean(values) for title, values in row.items()} for kind, row in found.items()}


def session_errors(folder: Path) -> Errors:
    """The error over the text of each recorded session, with the tokenizers that are installed."""
    counters = {title: count for title in TOKENIZERS if (count := counter(title)) is not None}
    found: Errors = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        pieces = list(_pieces(path))
        if sum(map(len, pieces)) < 1_500:
            continue
        row = found[f"{path.parent.name}/{path.name.split('.')[0][-24:]}"] = {}
        for title, count in counters.items():
            row[title] = sum(_estimate(title, piece) for piece in pieces) / sum(map(count, pieces)) - 1
    return found


def _estimate(title: str, text: str) -> float:
    known = TOKENIZERS[title]
    return weight(text, known.group) / 100 / known.seed


def _pieces(path: Path) -> Iterator[str]:
    """The texts of a recording's messages, as the ruler sees them, up to so many characters."""
    seen: list[str] = []

    class Listener:
        name, exact = "listening", True

        def __call__(self, text: str, /) -> int:
            seen.append(text)
            return 0

    try:
        recording = open_recording(path)
        codec = importlib.import_module(f"sostenuto.formats.{recording.format}").CODEC
        messages: list[Message] = [codec.decode(message) for message in recording.messages]
    except (SostenutoError, ImportError) as problem:
        print(f"{path.name}: {problem}", file=sys.stderr)
        return
    by = ruler("", weigher=Listener(), calibration=fresh(exact=True))
    for message in messages:
        by.measure(message)
    size = 0
    for text in filter(None, seen):
        yield text
        size += len(text)
        if size >= SESSION_CHARACTERS:
            return


def table(found: Errors, *, first: str) -> list[str]:
    """Lines of a Markdown table, with median and worst of every column below."""
    titles = list(dict.fromkeys(title for row in found.values() for title in row))
    lines = [f"| {first} | " + " | ".join(titles) + " |", "| --- |" + " ---: |" * len(titles)]
    lines += [
        f"| {name} | " + " | ".join(f"{row[title]:+.0%}" if title in row else "" for title in titles) + " |" for name, row in found.items()
    ]
    for name, figure in (("**median**", statistics.median), ("**worst**", max)):
        sizes = [[abs(row[title]) for row in found.values() if title in row] for title in titles]
        lines.append(f"| {name} | " + " | ".join(f"{figure(values):.1%}" for values in sizes) + " |")
    everything = [abs(value) for row in found.values() for value in row.values()]
    return [*lines, "", f"All cells: median {statistics.median(everything):.1%}, worst {max(everything):.1%}."]


def record() -> None:
    """Write Claude's counts of the texts to judge, and o200k's to move them by."""
    lines = [
        f"# Claude's counts of the texts of texts.py, made by python -m benchmarks.judge_weights --record with {versions()}.",
        "# kind, seed, o200k, " + ", ".join(CLAUDE),
    ]
    for seed in JUDGE_SEEDS:
        for kind, text in texts(seed=seed, kinds=KINDS | MORE).items():
            counts = [count(text) for title in ("o200k", *CLAUDE) if (count := counter(title)) is not None]
            lines.append("\t".join(map(str, (kind, seed, *counts))))
    RECORDED.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Judge, or record."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.judge_weights", description=__doc__)
    parser.add_argument("--sessions", type=Path, metavar="FOLDER")
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    print(versions(), file=sys.stderr)
    if asked.record:
        if counter(CLAUDE[0]) is None:
            parser.error("ctok is not installed here (it needs Python 3.12 or newer)")
        record()
    elif asked.sessions:
        print("\n".join(table(session_errors(asked.sessions), first="session")))
    else:
        found = errors()
        print("\n".join(table({kind: found[kind] for kind in KINDS}, first="text")))
        print("\n" + "\n".join(table({kind: found[kind] for kind in MORE}, first="other text")))


if __name__ == "__main__":
    main()
