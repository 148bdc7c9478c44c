"""Fit the table of weights of ``sostenuto.tokens`` against real tokenizers, and judge the table that is there.

    python -m benchmarks.fit_weights            print a table to paste into ``tokens/_weights.py``
    python -m benchmarks.fit_weights --judge    errors of the present table, before any calibration and after one

How it is fitted. Each of the kinds of ``texts.py`` is made with several seeds. Tokens are counted by the tokenizers of the
``splintr-rs`` package; for the two Claude groups, which have no public tokenizer, by published measurements of characters per
token on the same kinds, moved by how much our sample differs from theirs under o200k. The ratio is held at the family's
seed, a Latin letter at 1 (a blank too, except for Claude 4.7), every other weight is at least its floor, and the sum
of squared relative errors over kinds and tokenizers is made small by coordinate descent, with a gentle pull towards a plausible
first guess. On the way cells with large errors are given more weight, too few tokens a little more than too many. English prose
counts half: with letters fixed nothing may be bent to repair it.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Sequence
from typing import NamedTuple

from splintr import AnyTokenizer, Tokenizer

from benchmarks.texts import texts
from sostenuto.tokens import Group
from sostenuto.tokens._weights import FEATURES, GROUPS, TABLE, features

FIT_SEEDS, JUDGE_SEEDS = (1, 2, 3), (101, 102)
SOURCES: dict[Group, dict[str, float]] = {  # group -> tokenizer -> the seed of its family
    "o200k": {"o200k_base": 4.0, "llama3": 3.6, "deepseek_v3": 3.8, "kimi_k2": 3.5},
    "cl100k": {"cl100k_base": 4.0},
    "digits": {"qwen3": 3.5, "gemma3": 4.0, "mistral_v3": 3.8},
}
CLAUDE_SEED = 3.5
PUBLISHED: dict[str, tuple[float, float, float]] = {  # characters per token: o200k, Claude 3 to 4.6, Claude 4.8 and 5
    "English docs": (4.58, 4.16, 2.82),
    "Python": (4.21, 3.39, 2.67),
    "TypeScript": (4.25, 3.27, 2.51),
    "git diff": (3.78, 2.91, 2.17),
    "minified JS": (3.19, 2.59, 2.16),
    "JSON logs": (2.21, 2.09, 1.78),
    "ls -lR": (2.08, 1.80, 1.57),
    "CSV of numbers": (1.73, 1.73, 1.59),
    "hex": (1.75, 1.71, 1.53),
    "base64": (1.47, 1.15, 1.05),
    "Chinese": (1.44, 0.96, 0.96),
    "Japanese, mixed": (2.07, 1.67, 1.51),
    "Korean, mixed": (2.38, 1.52, 1.36),
    "emoji + scripts": (2.61, 1.51, 1.47),
}
GUESS = dict(zip(FEATURES, (
    100, 100, 10, 30, 130, 100, 150, 80, 300, 60, 60, 100, 300, 100, 180, 160, 180, 200, 250, 300, 150, 220, 250, 320, 250, 600,
), strict=True))  # fmt: skip
FLOORS = {"letter": 100, "accented": 100, "blank": 2, "marks": 50, "seam": 20}  # text of marks alone must not weigh nothing
CEILING = 2_000
KIND_WEIGHT = {"English docs": 0.5, "agent prose": 0.5}
TURNS, BALANCED_AT = 400, (150, 200, 250, 300, 350)
LARGE_ERROR, MOST_SHARE, UNDER_SHARE = 0.2, 6.0, 1.15
PULL = 0.0002  # how strongly a weight is held to its first guess, beside errors of a few percent


class Cell(NamedTuple):
    """One kind under one tokenizer: counts of features, and the weighted units its tokens are worth."""

    kind: str
    tokenizer: str
    counts: tuple[int, ...]
    units: float


def cells(group: Group, *, seeds: Sequence[int]) -> list[Cell]:
    """What the group's weights should reach, for samples of every kind."""
    made: list[Cell] = []
    for seed in seeds:
        for kind, text in texts(seed=seed).items():
            made += [
                Cell(kind, name, features(text), tokens * ratio * 100) for name, ratio, tokens in _counted(group, kind=kind, text=text)
            ]
    return made


def _counted(group: Group, *, kind: str, text: str) -> list[tuple[str, float, float]]:
    if group in SOURCES:
        return [(name, ratio, float(tokens_of(name)(text))) for name, ratio in SOURCES[group].items()]
    if kind not in PUBLISHED:
        return []
    o200k, claude_3, claude_48 = PUBLISHED[kind]
    theirs = claude_3 if group == "claude-3" else claude_48
    return [(group, CLAUDE_SEED, tokens_of("o200k_base")(text) * o200k / theirs)]


_LOADED: dict[str, AnyTokenizer] = {}


def tokens_of(name: str) -> Callable[[str], int]:
    """A counter of the named vocabulary; special-token text is ordinary text."""
    tokenizer = _LOADED.setdefault(name, Tokenizer.from_pretrained(name))
    return lambda text: len(tokenizer.encode_ordinary(text))


def fitted(group: Group) -> list[int]:
    """The column of a group."""
    data = cells(group, seeds=FIT_SEEDS)
    fixed = {"letter"} if group == "claude-4.7" else {"letter", "space"}
    column = [float(GUESS[name]) for name in FEATURES]
    rows = [([count / cell.units for count in cell.counts], KIND_WEIGHT.get(cell.kind, 1.0)) for cell in data]
    errors = [sum(w * x for w, x in zip(column, row, strict=True)) - 1 for row, _ in rows]
    for turn in range(TURNS):
        if turn in BALANCED_AT:
            rows = [(row, _share(cell, error)) for (row, _), cell, error in zip(rows, data, errors, strict=True)]
        for place, name in enumerate(FEATURES):
            if name in fixed:
                continue
            pull = PULL * len(rows) / GUESS[name] ** 2
            slope = sum(share * row[place] * error for (row, share), error in zip(rows, errors, strict=True))
            slope += pull * (column[place] - GUESS[name])
            bend = sum(share * row[place] ** 2 for row, share in rows) + pull
            new = min(max(column[place] - slope / bend, FLOORS.get(name, 0)), CEILING)
            step, column[place] = new - column[place], new
            errors = [error + step * row[place] for (row, _), error in zip(rows, errors, strict=True)]
    return [round(value) for value in column]


def _share(cell: Cell, error: float) -> float:
    """How much a cell counts: large errors more than small ones, too few tokens more than too many."""
    return KIND_WEIGHT.get(cell.kind, 1.0) * min(1 + (error / LARGE_ERROR) ** 2, MOST_SHARE) * (UNDER_SHARE if error < 0 else 1.0)


def judge(columns: dict[Group, list[int]]) -> None:
    """Print the error of every kind under every tokenizer: raw, and after one ratio was learned from all kinds together."""
    everything: list[float] = []
    for group in GROUPS:
        data = cells(group, seeds=JUDGE_SEEDS)
        for name in dict.fromkeys(cell.tokenizer for cell in data):
            mine = [cell for cell in data if cell.tokenizer == name]
            raw = {cell.kind: _total(columns[group], cell) / cell.units - 1 for cell in mine}
            scale = statistics.median(1 + error for error in raw.values())
            rest = [abs((1 + error) / scale - 1) for error in raw.values()]
            sizes = [abs(error) for error in raw.values()]
            everything += sizes
            print(f"{group:>10} {name:<12} median {_percent(statistics.median(sizes))} worst {_percent(max(sizes))}", end="   ")
            print(f"calibrated: median {_percent(statistics.median(rest))} worst {_percent(max(rest))}")
            print("            " + "  ".join(f"{kind} {error:+.0%}" for kind, error in raw.items()))
    print(f"all cells: median {_percent(statistics.median(everything))}, worst {_percent(max(everything))}")


def _total(column: list[int], cell: Cell) -> float:
    return float(sum(weight * count for weight, count in zip(column, cell.counts, strict=True)))


def _percent(share: float) -> str:
    return f"{share:6.1%}"


def main() -> None:
    """Fit and print, or judge."""
    parser = argparse.ArgumentParser(description="Fit or judge the weights of sostenuto.tokens.")
    parser.add_argument("--judge", action="store_true", help="judge the present table instead of fitting one")
    if parser.parse_args().judge:
        columns = {group: [TABLE[name][place] for name in FEATURES] for place, group in enumerate(GROUPS)}
    else:
        columns = {group: fitted(group) for group in GROUPS}
        for place, name in enumerate(FEATURES):
            print(f'    "{name}": ({", ".join(str(columns[group][place]) for group in GROUPS)}),')
    judge(columns)


if __name__ == "__main__":
    main()
