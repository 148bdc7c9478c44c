"""The bounded print of a ledger: what does not fit becomes one line with a count and a key (algorithms 5, D53)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sostenuto.checkpoint._claims import Claims, claims
from sostenuto.checkpoint._items import Claim, ledger_claims, path_claims
from sostenuto.checkpoint._ledger import Ledger
from sostenuto.checkpoint._numbers import NUMBERS

Count = Callable[[str], int]
"""Tokens of a text by the counter in force."""


@dataclass(frozen=True, slots=True)
class Fold:
    """`count` items of `claim` that are not printed in full; `key` lists them all."""

    claim: str
    count: int
    key: str


@dataclass(frozen=True, slots=True)
class Rendering:
    """Section name -> the lines code wrote for it, and what was folded (the loss report)."""

    sections: Mapping[str, str]
    folds: tuple[Fold, ...]


@dataclass(slots=True)
class _Print:
    """What is printed of one claim: for each shown item the form chosen."""

    claim: Claim
    shown: list[int]  # index of the form, by item in pouring order
    cost: int

    def lines(self, *, recall_named: bool) -> list[str]:
        claim = self.claim
        if not claim.items:
            return []
        chosen = sorted((item.place, item.forms[form]) for item, form in zip(claim.items, self.shown, strict=False))
        lines = [claim.title, *(text for _, text in chosen)] if chosen else []
        hidden = len(claim.items) - len(self.shown)
        return [*lines, claim.overflow(hidden, recall_named=recall_named)] if hidden else lines

    def fold(self) -> Fold | None:
        folded = len(self.claim.items) - len(self.shown)
        folded += sum(bool(form) or item.clipped for item, form in zip(self.claim.items, self.shown, strict=False))
        return Fold(self.claim.name, folded, self.claim.key) if folded else None


def render(ledger: Ledger, *, budget: int, path_budget: int, count: Count, recall_named: bool = True) -> Rendering:
    """The claims of `ledger` in the order of D53, by section.

    Paths take at most `path_budget` tokens, everything else at most `budget`, each by `count`. With room for one line per claim whatever
    is not printed lies under a printed key; below that nothing is printed of that budget and every item is in `folds`. A function of its
    arguments alone. `recall_named` says whether the model has a tool for the keys (D41); without one only counts are printed.
    """
    content = claims(ledger)
    paths = _fitted(_paths(content, path_budget, count=count), budget=path_budget, count=count, recall_named=recall_named)
    rest = _fitted(ledger_claims(content), budget=budget, count=count, recall_named=recall_named)
    sections: dict[str, list[str]] = {}
    for done in (*paths, *rest):
        sections.setdefault(done.claim.section, []).extend(done.lines(recall_named=recall_named))
    folds = tuple(fold for done in (*paths, *rest) if (fold := done.fold()) is not None)
    return Rendering({name: "\n".join(lines) for name, lines in sections.items() if lines}, folds)


def _paths(content: Claims, budget: int, *, count: Count) -> tuple[Claim, ...]:
    ranged = path_claims(content, ranges=True)
    text = "\n".join(line for claim in ranged for line in (claim.title, *(item.forms[0] for item in claim.items)))
    # a path costs at least a token: a list that cannot fit is not counted
    fits = sum(len(claim.items) for claim in ranged) <= budget and count(text) <= budget
    return ranged if fits else path_claims(content, ranges=False)


def _fitted(wanted: tuple[Claim, ...], *, budget: int, count: Count, recall_named: bool) -> list[_Print]:
    """The print of `wanted` that `count` really puts within `budget`: counts of lines need not add up exactly, so the whole is counted."""
    target = budget
    for _ in range(NUMBERS.fittings):
        printed = _poured(wanted, budget=target, count=count, recall_named=recall_named)
        text = "\n".join(line for done in printed for line in done.lines(recall_named=recall_named))
        size = count(text) if text else 0
        if size <= budget:
            return printed
        target -= max(1, size - budget, target // 20)
    return [_Print(claim.silent(), [], 0) for claim in wanted]


def _poured(wanted: tuple[Claim, ...], *, budget: int, count: Count, recall_named: bool) -> list[_Print]:
    over = [count(claim.overflow(len(claim.items), recall_named=recall_named) + "\n") for claim in wanted]
    free = budget - sum(over)
    if free < 0:
        return [_Print(claim.silent(), [], 0) for claim in wanted]
    whole = sum(claim.share for claim in wanted) or 1.0
    printed = [
        _claim(claim, limit=least + int(free * claim.share / whole), reserve=least, count=count)
        for claim, least in zip(wanted, over, strict=True)
    ]
    left = budget - sum(done.cost for done in printed)
    for i, done in enumerate(printed):
        again = _claim(done.claim, limit=done.cost + left, reserve=over[i], count=count)
        if again.cost > done.cost:
            left -= again.cost - done.cost
            printed[i] = again
    return printed


def _claim(claim: Claim, *, limit: int, reserve: int, count: Count) -> _Print:
    """As many items as fit in their shortest form, first first; then longer forms as far as `limit` goes."""
    used = count(claim.title + "\n")
    shown: list[int] = []
    sizes: list[int] = []
    for n, item in enumerate(claim.items, 1):
        size = count(item.forms[-1] + "\n")
        if used + size > limit - (reserve if n < len(claim.items) else 0):
            break
        used += size
        shown.append(len(item.forms) - 1)
        sizes.append(size)
    if not shown:
        return _Print(claim, [], reserve)
    used += reserve if len(shown) < len(claim.items) else 0
    for n, size in enumerate(sizes):
        for form in range(shown[n]):
            longer = count(claim.items[n].forms[form] + "\n")
            if used - size + longer <= limit:
                used += longer - size
                shown[n] = form
                break
    return _Print(claim, shown, used)
