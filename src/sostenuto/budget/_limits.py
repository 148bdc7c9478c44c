"""How much one run may take, how much it has taken, and what is said on the way there (origin 7.2, 7.3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Final, Literal

from sostenuto.errors import UnknownSetting

LimitName = Literal["iterations", "cost", "tokens", "duration"]


@dataclass(frozen=True, slots=True)
class LimitNumbers:
    """The numbers of a run's limits that are not set by anybody, in percent of a limit."""

    iterations: int = 100  # of a run that a person or a program started
    subagent_iterations: int = 30  # a piece of work handed on is smaller than the whole
    subagent_depth: int = 3
    nudged_iterations: tuple[int, ...] = (70, 90)  # the model cannot act on half an iteration budget
    nudged: tuple[int, ...] = (50, 80, 90)  # the other limits grow unevenly, so the model hears of them sooner
    told_iterations: tuple[int, ...] = (50, 70, 90)
    critical: int = 90


LIMIT_NUMBERS: Final = LimitNumbers()


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that one run may take; None means no limit.

    Attributes:
        iterations: requests of the run itself.
        cost_usd: dollars, everything that was handed on included.
        tokens: prompt and completion of the run itself.
        duration_s: seconds of wall clock, a deadline.

    Raises:
        UnknownSetting: one of them is not a positive number.
    """

    iterations: int | None = LIMIT_NUMBERS.iterations
    cost_usd: float | None = None
    tokens: int | None = None
    duration_s: float | None = None

    def __post_init__(self) -> None:
        for one in fields(self):
            value: object = getattr(self, one.name)
            whole = one.name in ("iterations", "tokens")
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int if whole else int | float) or not value > 0:
                kind = "whole number" if whole else "number"
                raise UnknownSetting(f"the limit {one.name}={value!r} must be a positive {kind}, or None for no limit")


@dataclass(frozen=True, slots=True)
class Spent:
    """What a run has taken so far.

    Attributes:
        iterations: those begun.
        cost_usd: dollars of its own calls, as far as they are known; `delegated_usd` those of everything handed on.
        cost_known: every call so far, delegated ones included, had a usage and a price.
        input, output, cached: tokens of its own calls; `cached` is the part of `input` that a provider's cache held.
        duration_s: seconds since the start.
    """

    iterations: int = 0
    cost_usd: float = 0.0
    delegated_usd: float = 0.0
    cost_known: bool = True
    input: int = 0
    output: int = 0
    cached: int = 0
    duration_s: float = 0.0

    @property
    def total_usd(self) -> float:
        """Own and delegated dollars that are known."""
        return self.cost_usd + self.delegated_usd

    @property
    def tokens(self) -> int:
        """Own prompt and completion."""
        return self.input + self.output


@dataclass(frozen=True, slots=True)
class Reading:
    """One limit and how much of it is gone, in its unit."""

    name: LimitName
    used: float
    limit: float

    @property
    def percent(self) -> int:
        """Full percents, from exact numbers: a limit is reached at 100, not a rounding before it."""
        return int(self.used * 100 / self.limit + 1e-9)

    @property
    def figures(self) -> str:
        """``$0.42 of $1.00``, ``42 of 60 iterations`` and so on."""
        match self.name:
            case "cost":
                return f"${self.used:.2f} of ${self.limit:.2f}"
            case "duration":
                return f"{_spoken_time(self.used)} of {_spoken_time(self.limit)}"
            case _:
                return f"{int(self.used):,} of {int(self.limit):,} {self.name}"


def readings(limits: Limits, spent: Spent, /) -> tuple[Reading, ...]:
    """The limits that are set and can be read: a cost that is not wholly known is not compared with anything (origin 7.3)."""
    return tuple(_readings(limits, spent))


def _readings(limits: Limits, spent: Spent) -> Iterator[Reading]:
    if limits.iterations is not None:
        yield Reading("iterations", spent.iterations, limits.iterations)
    if limits.cost_usd is not None and spent.cost_known:
        yield Reading("cost", spent.total_usd, limits.cost_usd)
    if limits.tokens is not None:
        yield Reading("tokens", spent.tokens, limits.tokens)
    if limits.duration_s is not None:
        yield Reading("duration", spent.duration_s, limits.duration_s)


def limit_reached(limits: Limits, spent: Spent, /) -> Reading | None:
    """The limit that ends the run before its next iteration: cost, tokens, duration, then iterations; None while it may go on."""
    found = {one.name: one for one in readings(limits, spent) if one.used >= one.limit}
    order: tuple[LimitName, ...] = ("cost", "tokens", "duration", "iterations")
    return next((found[name] for name in order if name in found), None)


def limit_nudges(limits: Limits, spent: Spent, /) -> tuple[str, ...]:
    """What the model is told in the request that is about to be sent, one line for each limit that is near (origin 7.2)."""
    return tuple(line for one in readings(limits, spent) if (line := _nudge(one)))


def limit_notices(limits: Limits, spent: Spent, /, *, told: frozenset[str] = frozenset()) -> tuple[tuple[str, ...], frozenset[str]]:
    """What a person is told now and was not yet, and everything told so far. Of several lines crossed at once only the last is said.

    Args:
        told: the second value of the last call.
    """
    lines: list[str] = []
    known = set(told)
    for one in readings(limits, spent):
        marks = LIMIT_NUMBERS.told_iterations if one.name == "iterations" else LIMIT_NUMBERS.nudged
        crossed = [mark for mark in marks if one.percent >= mark]
        fresh = [mark for mark in crossed if f"{one.name}:{mark}" not in known]
        known.update(f"{one.name}:{mark}" for mark in crossed)
        if fresh and one.used < one.limit:
            lines.append(f"{one.percent} % of the {_called(one)} limit is used ({one.figures}); the run stops there, {_how_on(one)}.")
    return tuple(lines), frozenset(known)


def ended_by(reading: Reading, /) -> str:
    """The line for a person when a limit ended a run."""
    return f"Stopped at the {_called(reading)} limit ({reading.figures}); what was done is kept, {_how_on(reading)}."


def left_for_child(limits: Limits, spent: Spent, /, *, iterations: int | None = LIMIT_NUMBERS.subagent_iterations) -> Limits | None:
    """What a piece of work handed on may take: iterations of its own, and what is left of the rest; None where nothing is left.

    Dollars are passed down only while they are known (origin 7.3).
    """
    cost = limits.cost_usd - spent.total_usd if limits.cost_usd is not None and spent.cost_known else None
    tokens = limits.tokens - spent.tokens if limits.tokens is not None else None
    seconds = limits.duration_s - spent.duration_s if limits.duration_s is not None else None
    if any(rest is not None and rest <= 0 for rest in (cost, tokens, seconds)):
        return None
    return Limits(iterations=iterations, cost_usd=cost, tokens=tokens, duration_s=seconds)


def _nudge(one: Reading) -> str:
    marks = LIMIT_NUMBERS.nudged_iterations if one.name == "iterations" else LIMIT_NUMBERS.nudged
    if one.percent < marks[0]:
        return ""
    tag = {"iterations": "ITERATION", "cost": "COST", "tokens": "TOKEN", "duration": "TIME"}[one.name]
    if one.percent >= LIMIT_NUMBERS.critical:
        return f"[{tag} CRITICAL: {one.figures} are used ({one.percent} %). Finish now: write down the result, open nothing new.]"
    if one.name == "iterations" or one.percent >= marks[1]:
        return f"[{tag} WARNING: {one.figures} are used ({one.percent} %). Bring open work together and come to the result.]"
    return f"[{tag} NOTICE: {one.figures} are used ({one.percent} %). Keep what is left for what the task needs most.]"


def _called(one: Reading) -> str:
    return {"iterations": "iteration", "cost": "cost", "tokens": "token", "duration": "time"}[one.name]


def _how_on(one: Reading) -> str:
    key = {"iterations": "maxIterations", "cost": "maxCostUSD", "tokens": "maxTokens", "duration": "maxDurationMs"}[one.name]
    return f"raise {key} to go further"


def _spoken_time(seconds: float) -> str:
    return f"{seconds / 60:.1f} min" if seconds >= 60 else f"{seconds:.0f} s"
