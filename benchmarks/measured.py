"""One line of the table: what was measured, against which budget."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Measured:
    """A figure and its budget, both in `unit`. `ratio` is measured over budget, or budget over measured where more is better."""

    what: str
    measured: float
    budget: float | None
    unit: str
    more_is_better: bool = False
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """At most 1 when the budget holds; None where there is no budget."""
        if self.budget is None or not self.measured or not self.budget:
            return None
        return self.budget / self.measured if self.more_is_better else self.measured / self.budget

    @property
    def entry(self) -> dict[str, Any]:
        """The figure as plain values."""
        return {**asdict(self), "ratio": self.ratio}


def cpu_s(work: Callable[[], object]) -> float:
    """Seconds of this process's CPU that one call takes."""
    before = time.process_time()
    work()
    return time.process_time() - before


def typical_s(work: Callable[[], object], *, times: int) -> float:
    """The median of several calls."""
    return statistics.median(cpu_s(work) for _ in range(times))


def settle() -> None:
    """Start a measurement with a clean heap: the collector's work belongs to whoever made the garbage."""
    gc.collect()


def markdown(rows: list[Measured]) -> str:
    """The table."""
    out = ["| what | measured | budget | measured / budget | |", "| --- | ---: | ---: | ---: | --- |"]
    for row in rows:
        budget = "" if row.budget is None else f"{_figure(row.budget)} {row.unit}"
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        out.append(f"| {row.what} | {_figure(row.measured)} {row.unit} | {budget} | {ratio} | {row.note} |")
    return "\n".join(out) + "\n"


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
