"""Fit the table of weights of ``sostenuto.tokens`` against real tokenizers.

    python -m benchmarks.fit_weights            print a table to paste into ``tokens/_weights.py``
    python -m benchmarks.judge_weights          errors of the table that is there, before any calibration

It wants ``splintr-rs`` and, on Python 3.12 or newer, ``ctok`` (see ``tokenizers.py``); a column whose tokenizer is not installed is
printed as it is. The versions go to standard error. No network is used.

How it is fitted. Every kind of text of ``texts.py`` is made with four seeds from its half for fitting. For each tokenizer the ratio is
held at its family's seed and a Latin letter at 1. The first blank of a run is held at 1 too where the tokenizer's English lies within 15 %
of that seed, and found like the rest where it does not: there only the gaps between words can carry the difference. Every other
weight is at least its floor, and the sum of squared relative errors is made small by coordinate descent, with a gentle pull
towards a plausible first guess. In twelve rounds the texts with large errors are given more weight.
"""

from __future__ import annotations

import argparse
import sys
from typing import NamedTuple

from benchmarks.texts import KINDS, MORE, texts
from benchmarks.tokenizers import TOKENIZERS, counter, versions
from sostenuto.tokens._weights import FEATURES, GROUPS, TABLE, features

FIT_SEEDS = (1, 2, 3, 4)
BLANK_IS_ONE = ("o200k", "cl100k", "Gemma 3", "Mistral")
GUESS = {
    "letter": 100, "space": 60, "blank": 40, "deep": 10, "line": 20, "indent": 20, "digit": 150, "number": 100, "apart": 20, "mark": 100,
    "marks": 20, "quote": 20, "escape": 50, "closing": 20, "opening": 20, "control": 300, "turn": 20, "capitals": 20, "tangle": 300,
    "seam": 20, "cluster": 20, "accented": 180, "cyrillic": 150, "greek": 200, "semitic": 250, "indic": 300, "sign": 250, "signs": 120,
    "stop": 250, "other": 220, "kana": 250, "han": 300, "hangul": 300, "astral": 600,
}  # fmt: skip
FLOORS = {  # text of one class alone must not weigh nothing
    "space": 20, "blank": 10, "deep": 2, "mark": 20, "marks": 20, "accented": 100, "sign": 100, "signs": 50,
}  # fmt: skip
CEILINGS = {"deep": 16}  # a thousand blanks are a few tokens
CEILING = 1_500
ROUNDS, SWEEPS = 12, 600
USUAL_ERROR, LEAST_SHARE, MOST_SHARE = 0.06, 0.3, 9.0
PULL, PULLED_AT_LEAST = 0.00005, 50.0  # how strongly a weight is held to its first guess, beside errors of a few percent


class Row(NamedTuple):
    """A text under one tokenizer: how often each feature occurs for each unit its tokens are worth."""

    counts: list[float]


def rows(title: str) -> list[Row]:
    """What the tokenizer's weights should make one of."""
    known, count = TOKENIZERS[title], counter(title)
    assert count is not None
    made = []
    for seed in FIT_SEEDS:
        for text in texts(seed=seed, half="fit", kinds=KINDS | MORE).values():
            units = count(text) * known.seed * 100
            made.append(Row([found / units for found in features(text)]))
    return made


def fitted(title: str) -> list[int]:
    """The column of weights for a tokenizer."""
    data = rows(title)
    held = {"letter", "space"} if title in BLANK_IS_ONE else {"letter"}
    free = [place for place, name in enumerate(FEATURES) if name not in held]
    column = [100.0 if name in held else float(GUESS[name]) for name in FEATURES]
    shares = [1.0] * len(data)
    for _ in range(ROUNDS):
        _descend(column, data, free=free, shares=shares)
        errors = [abs(sum(map(float.__mul__, column, row.counts)) - 1) for row in data]
        shares = [
            0.5 * share + 0.5 * (LEAST_SHARE + min((error / USUAL_ERROR) ** 2, MOST_SHARE))
            for share, error in zip(shares, errors, strict=True)
        ]
    return [round(weight) for weight in column]


def _descend(column: list[float], data: list[Row], *, free: list[int], shares: list[float]) -> None:
    """Make the sum of squared errors, each with its share, small by moving one weight at a time."""
    size = range(len(FEATURES))
    products = [[sum(s * r.counts[a] * r.counts[b] for s, r in zip(shares, data, strict=True)) for b in size] for a in size]
    wanted = [sum(s * r.counts[a] for s, r in zip(shares, data, strict=True)) for a in size]
    pulls = [PULL * len(data) / max(float(GUESS[name]), PULLED_AT_LEAST) ** 2 for name in FEATURES]
    for _ in range(SWEEPS):
        for place in free:
            name = FEATURES[place]
            slope = sum(map(float.__mul__, products[place], column)) - wanted[place] + pulls[place] * (column[place] - GUESS[name])
            moved = column[place] - slope / (products[place][place] + pulls[place])
            column[place] = min(max(moved, float(FLOORS.get(name, 0))), float(CEILINGS.get(name, CEILING)))


def main() -> None:
    """Fit and print."""
    argparse.ArgumentParser(prog="python -m benchmarks.fit_weights", description=__doc__).parse_args()
    print(versions(), file=sys.stderr)
    titles = {known.group: title for title, known in TOKENIZERS.items()}
    columns = []
    for place, group in enumerate(GROUPS):
        title = titles[group]
        is_there = counter(title) is not None
        print(f"{title}: {'fitting' if is_there else 'not installed, column kept'}", file=sys.stderr)
        columns.append(fitted(title) if is_there else [TABLE[name][place] for name in FEATURES])
    for name, weights in zip(FEATURES, zip(*columns, strict=True), strict=True):
        print(f'    "{name}": ({", ".join(map(str, weights))}),')


if __name__ == "__main__":
    main()
