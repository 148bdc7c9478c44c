"""All figures of a replay as one value; each is a function of the rows, and so of ``--requests`` alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sostenuto.replaying._cost import Costs, costs, input_cost_ratio
from sostenuto.replaying._retention import Retention, retention
from sostenuto.replaying._row import MENDED, Row


@dataclass(frozen=True, slots=True)
class EstimatorError:
    """Relative error of the estimates against what providers reported, as shares; `samples` from the third request on."""

    median: float | None = None
    p95: float | None = None
    samples: int = 0

    def as_dict(self) -> dict[str, float | int | None]:
        """By name, rounded to four places; None where nothing was reported."""
        return {
            "median": None if self.median is None else round(self.median, 4),
            "p95": None if self.p95 is None else round(self.p95, 4),
            "samples": self.samples,
        }


@dataclass(frozen=True, slots=True)
class Figures:
    """What ``replay --json`` prints, except the seconds."""

    requests: int
    window: int
    over_window: int
    invalid: int
    rungs: Mapping[str, int]
    costs: Costs
    input_cost_ratio: float
    retention: Retention
    estimator_error: EstimatorError

    def as_dict(self) -> dict[str, object]:
        """The figures under the names of the command line."""
        return {
            "requests": self.requests,
            "window": self.window,
            "over_window": self.over_window,
            "invalid": self.invalid,
            "rungs": dict(self.rungs),
            "tokens_sent": self.costs.sent,
            "tokens_rebilled": self.costs.rebilled,
            "tokens_appended": self.costs.appended,
            "input_cost_ratio": round(self.input_cost_ratio, 4),
            "prefix_breaks": self.costs.breaks,
            "retention": self.retention.as_dict(),
            "estimator_error": self.estimator_error.as_dict(),
        }


def figures(
    rows: Sequence[Row],
    *,
    doing_nothing: Costs,
    weigh: Callable[[object], int],
    problems: Callable[[Row], Sequence[str]],
    estimator_error: EstimatorError = EstimatorError(),
    summarizer: int = 0,
) -> Figures:
    """All figures of one replay.

    `doing_nothing` is what the plain histories would have cost by the same `weigh` (tokens of a native message);
    `problems` judges one request by the table of D57; `summarizer` is the summarizer's input and output in tokens.
    """
    run = costs((row.native for row in rows), weigh=weigh, nudges=[row.nudges for row in rows])
    return Figures(
        requests=len(rows),
        window=rows[-1].window if rows else 0,
        over_window=sum(row.tokens > row.window for row in rows),
        invalid=sum(bool(problems(row)) for row in rows),
        rungs=rungs(rows),
        costs=run,
        input_cost_ratio=input_cost_ratio(run, doing_nothing, summarizer=summarizer),
        retention=retention(rows),
        estimator_error=estimator_error,
    )


def rungs(rows: Sequence[Row]) -> dict[str, int]:
    """How often each rung fired, by name in alphabetical order."""
    return dict(sorted(Counter(event.rung for row in rows for event in row.events if event.rung != MENDED).items()))


def estimator_error(pairs: Sequence[tuple[float, float]], *, skip: int = 2) -> EstimatorError:
    """Error of (estimated, reported) pairs in order; the first `skip` requests are still learning (DESIGN 8).

    Pairs without a report (0 or less) are left out after counting towards `skip`.
    """
    errors = sorted(abs(estimate - reported) / reported for estimate, reported in pairs[skip:] if reported > 0)
    if not errors:
        return EstimatorError()
    return EstimatorError(median=_quantile(errors, 0.5), p95=_quantile(errors, 0.95), samples=len(errors))


def _quantile(ordered: Sequence[float], share: float) -> float:
    """The value below which `share` of the ordered values lie, by the nearest rank."""
    return ordered[min(len(ordered) - 1, max(0, -(-int(share * 1000 * len(ordered)) // 1000) - 1))]
