"""Our engine and other libraries on the same sessions, with the same budgets, by the same ruler."""

from __future__ import annotations

import os
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks import sessions
from sostenuto.app import Contender, Outcome, contenders, installed_peers, outcome, recorded_session
from sostenuto.errors import SostenutoError
from sostenuto.judging import Session, Verdict, session_of

GENERATED: Final = (("small", 1, 16_000), ("medium", 2, 32_000), ("long", 3, 16_000))
"""Size, seed and budget in tokens of the sessions this project makes itself."""
RECORDED: Final = (
    ("entire-cli/5e5207b424e2-0.jsonl.gz", 60_000),
    ("entire-cli/649d11045222-0.jsonl.gz", 60_000),
    ("entire-cli/9b04c3d92e38-4.jsonl.gz", 32_000),
    ("kimi-cli/3a2e672ecd6a-2.jsonl.gz", 16_000),
    ("pi-mono/large-session.jsonl.gz", 60_000),
)
"""Recorded sessions that are used where the folder of shared recordings is at hand, with their budgets."""
DEADLINE_S: Final = 240.0
MOST_FAILED: Final = 0.1
"""Share of requests not made above which a cost says nothing: what was not sent cost nothing."""


@dataclass(frozen=True, slots=True)
class Task:
    """One run: a session, its budget, and who runs."""

    session: Session
    budget: int
    contender: Contender


@dataclass(frozen=True, slots=True)
class Column:
    """A figure of the table. `worst` picks the worst of several."""

    title: str
    read: Callable[[Verdict], float | None]
    shown: Callable[[float], str]
    worst: Callable[[Sequence[float]], float]


def _cost(verdict: Verdict) -> float | None:
    return verdict.cost if verdict.failed <= MOST_FAILED * verdict.requests else None


def _percent(value: float) -> str:
    return f"{100 * value:.0f}"


COLUMNS: Final = (
    Column("not made", lambda v: v.failed / v.requests, _percent, max),
    Column("too long", lambda v: v.over / v.requests, _percent, max),
    Column("broken pairs", lambda v: v.broken / v.requests, _percent, max),
    Column("task", lambda v: v.task.mean, _percent, min),
    Column("newest", lambda v: v.newest.mean, _percent, min),
    Column("planted rule", lambda v: v.pins.mean, _percent, min),
    Column("person's words", lambda v: v.users.mean, _percent, min),
    Column("changed files", lambda v: v.files_modified.mean, _percent, min),
    Column("read files", lambda v: v.files_read.mean, _percent, min),
    Column("facts in view", lambda v: v.facts, _percent, min),
    Column("next names", lambda v: v.forward.mean, _percent, min),
    Column("paid again", lambda v: v.rebilled, lambda value: f"{100 * value:.1f}", max),
    Column("cost", _cost, lambda value: f"{value:.2f}", max),
    Column("rewrites", lambda v: v.rewrites, lambda value: f"{value:.1f}", max),
    Column("p50 ms", lambda v: v.p50_ms, lambda value: f"{value:.1f}", max),
    Column("p99 ms", lambda v: v.p99_ms, lambda value: f"{value:.0f}", max),
)
"""Shares are percent of the requests; costs are against doing nothing, which is 1, "-" where too many requests were not made."""


def tasks(shared: Path | None, interpreters: Mapping[str, str]) -> list[Task]:
    """Every run that is to be made. With every scripted summarizer on the shorter generated sessions, else with the null one."""
    present = installed_peers(interpreters)
    found: list[Task] = []
    for size, seed, budget in GENERATED:
        made = session_of(f"generated {size}, seed {seed}", sessions.session(size, seed=seed), pins=[sessions.PIN])
        scripts = ("null",) if size == "long" else ("null", "extractive", "hostile")
        every = contenders(present, summarizers=scripts, interpreters=interpreters)
        found += [Task(made, budget, one) for one in every]
    for name, budget in RECORDED if shared is not None else ():
        assert shared is not None
        try:
            read = recorded_session(shared / "transcripts" / name, name=name.split(".")[0], pins=[sessions.PIN])
        except SostenutoError as error:
            print(f"left out: {error}", file=sys.stderr)
            continue
        found += [Task(read, budget, one) for one in contenders(present, interpreters=interpreters)]
    return found


def outcomes(wanted: Sequence[Task]) -> Iterator[tuple[Task, Outcome]]:
    """Each run's outcome, in order; two at a time where the machine has two processors."""
    with ThreadPoolExecutor(max_workers=min(2, os.cpu_count() or 1)) as pool:
        made = pool.map(lambda task: outcome(task.session, task.contender, budget=task.budget, deadline_s=DEADLINE_S), wanted)
        yield from zip(wanted, made, strict=True)


def grouped(made: Sequence[tuple[Task, Outcome]]) -> dict[str, list[tuple[Task, Outcome]]]:
    """The outcomes by who ran."""
    groups: dict[str, list[tuple[Task, Outcome]]] = {}
    for task, one in made:
        groups.setdefault(task.contender.label, []).append((task, one))
    return groups


def markdown(made: Sequence[tuple[Task, Outcome]]) -> str:
    """A table over all sessions, the median and the worst of each figure, then one table for each session."""
    out = [_head("strategy", ["version", "runs"]), *(_over_all(label, group) for label, group in grouped(made).items()), ""]
    by_session: dict[tuple[str, int], list[tuple[Task, Outcome]]] = {}
    for task, one in made:
        by_session.setdefault((task.session.name, task.budget), []).append((task, one))
    for (name, budget), group in by_session.items():
        requests = len(group[0][0].session.requests)
        out += [f"### {name}: {requests} requests, {budget:,} tokens", "", _head("strategy", []), *(_alone(one) for _, one in group), ""]
    problems = sorted({f"- {one.contender.label}, {one.session}: {text}" for _, one in made for text in _problems(one)})
    return "\n".join([*out, *(["What went wrong:", "", *problems] if problems else [])]) + "\n"


def _head(first: str, more: list[str]) -> str:
    titles = [first, *more, *(column.title for column in COLUMNS)]
    return f"| {' | '.join(titles)} |\n| --- {'| ---: ' * (len(titles) - 1)}|"


def _over_all(label: str, group: Sequence[tuple[Task, Outcome]]) -> str:
    verdicts = [one.verdict for _, one in group if one.verdict is not None]
    version = next((one.version for _, one in group if one.version), "")
    cells = [label, version, f"{len(verdicts)}/{len(group)}"]
    for column in COLUMNS if verdicts else ():
        values = [value for verdict in verdicts if (value := column.read(verdict)) is not None]
        if not values:
            cells.append("-")
            continue
        median, worst = column.shown(statistics.median(values)), column.shown(column.worst(values))
        cells.append(median if median == worst else f"{median} / {worst}")
    return f"| {' | '.join(cells)} |"


def _alone(one: Outcome) -> str:
    if one.verdict is None:
        return f"| {one.contender.label} | {one.problem} |"
    values = [(column, column.read(one.verdict)) for column in COLUMNS]
    return f"| {one.contender.label} | {' | '.join('-' if value is None else column.shown(value) for column, value in values)} |"


def _problems(one: Outcome) -> Iterator[str]:
    yield from (text for text in (one.problem, one.remark) if text)
    yield from one.verdict.failures[:1] if one.verdict is not None else ()


def entries(made: Sequence[tuple[Task, Outcome]], entry: Callable[[Outcome], dict[str, Any]]) -> list[dict[str, Any]]:
    """Every outcome as plain values."""
    return [
        {"session": task.session.name, "requests": len(task.session.requests), "budget": task.budget, **entry(one)} for task, one in made
    ]
