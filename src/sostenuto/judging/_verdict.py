"""Everything that is judged about one run, as one value; each figure is a function of the session and the requests alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import accumulate
from typing import Any

from sostenuto.judging._fitting import needs, over, sizes
from sostenuto.judging._pairs import Decode, broken
from sostenuto.judging._probes import forward_use, in_view, probes, reachable
from sostenuto.judging._recovered import recovered
from sostenuto.judging._session import Run, Sent, Session, Weigh, rows
from sostenuto.replaying import Costs, Retention, costs, input_cost_ratio, shares


@dataclass(frozen=True, slots=True)
class Share:
    """A share between 0 and 1: over all requests, and in the worst one."""

    mean: float = 1.0
    worst: float = 1.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """The figures of one run. Shares count a request above its budget, or one that was not made, as showing nothing.

    Attributes:
        requests, failed: how many were asked for, and how many of them the strategy did not make.
        broken: requests whose calls and results do not belong together.
        over, unavoidable: requests above the budget, and those of them whose protected part alone is above it; the second are
            not in the first and lose no credit.
        peak: tokens of the largest request.
        task, newest, pins, users, files_read, files_modified: what was said or named and is still in view, verbatim.
        facts: of the probes, those in view when they were used again; `facts_reachable` adds what the strategy's search gives back.
        forward: of the names the next replies use, those in view.
        recoverable: of the results that left, those given back equal, None without a way of asking; `pointed` those that a
            pointer in the last request names.
        rebilled: tokens after the first changed message that had been sent before, as a share of the tokens sent.
        cost: price against doing nothing over the same requests (D52); `saved` the tokens not sent.
        rewrites: changed prefixes per 100 requests.
        p50_ms, p99_ms: CPU time of one request.
    """

    requests: int
    failed: int
    broken: int
    over: int
    unavoidable: int
    budget: int
    peak: int
    sent: int
    task: Share
    newest: Share
    pins: Share
    users: Share
    files_read: Share
    files_modified: Share
    probes: int
    facts: float
    facts_reachable: float | None
    forward: Share
    gone: int
    recoverable: float | None
    pointed: float | None
    rebilled: float
    cost: float
    saved: float
    rewrites: float
    summaries: int
    summarizer: int
    p50_ms: float
    p99_ms: float
    failures: tuple[str, ...] = field(default=())

    def as_dict(self) -> dict[str, Any]:
        """By name, shares rounded to four places."""
        return {name: _rounded(value) for name, value in asdict(self).items()}


def judged(session: Session, run: Run, *, budget: int, weigh: Weigh, decode: Decode) -> Verdict:
    """The verdict on one run. `weigh` is the ruler for everybody, `decode` reads one native message for pairing.

    Raises ValueError where the run does not have one entry for each request of the session.
    """
    if len(run.requests) != len(session.requests):
        raise ValueError(f"a run of {len(run.requests)} requests cannot be judged for a session of {len(session.requests)}")
    tokens = sizes(run, weigh=weigh)
    avoidable, unavoidable = over(tokens, budget=budget, needed=needs(session, weigh=weigh))
    above = set(avoidable)
    credited = [not sent.failure and at not in above for at, sent in enumerate(run.requests)]
    kept = list(shares(rows(session, run, credited=credited)))
    asked = probes(session)
    seen = [in_view(probe, run, credited=credited) for probe in asked]
    found = recovered(session, run)
    made = [sent for sent in run.requests if not sent.failure]
    price = costs(({"messages": list(sent.messages)} for sent in made), weigh=weigh, nudges=[sent.nudges for sent in made])
    nothing = untouched_costs(session, _made(session, run), weigh=weigh)
    times = sorted(1000 * sent.seconds for sent in made)
    return Verdict(
        requests=len(run.requests),
        failed=len(run.requests) - len(made),
        broken=len(broken(session, run, decode=decode)),
        over=len(avoidable),
        unavoidable=len(unavoidable),
        budget=budget,
        peak=max(tokens, default=0),
        sent=price.sent,
        **_retained(kept, credited=credited),
        probes=len(asked),
        facts=_mean(seen),
        facts_reachable=_reached(session, run, asked=zip(asked, seen, strict=True)),
        forward=_share(forward_use(session, run, credited=credited)),
        gone=found.gone if found else 0,
        recoverable=found.share if found else None,
        pointed=(found.pointed / found.gone if found.gone else 1.0) if found else None,
        rebilled=price.rebilled / price.sent if price.sent else 0.0,
        cost=input_cost_ratio(price, nothing, summarizer=run.summarizer),
        saved=1 - price.sent / nothing.sent if nothing.sent else 0.0,
        rewrites=100 * price.breaks / len(made) if made else 0.0,
        summaries=run.summaries,
        summarizer=run.summarizer,
        p50_ms=_quantile(times, 50),
        p99_ms=_quantile(times, 99),
        failures=tuple(dict.fromkeys(sent.failure for sent in run.requests if sent.failure)),
    )


def untouched(session: Session) -> Run:
    """The run of doing nothing."""
    return Run(tuple(Sent(session.messages[:upto]) for upto in session.requests))


def _made(session: Session, run: Run) -> list[int]:
    return [upto for upto, sent in zip(session.requests, run.requests, strict=True) if not sent.failure]


def untouched_costs(session: Session, requests: Sequence[int], *, weigh: Weigh) -> Costs:
    """What doing nothing costs at these requests, given as how many messages each holds: nothing is ever sent anew."""
    sizes = _prefixes(session, requests, weigh=weigh)
    return Costs(sent=sum(sizes), appended=max(sizes, default=0))


def sizes_untouched(session: Session, *, weigh: Weigh) -> list[int]:
    """Tokens of each request had nothing been left out."""
    return _prefixes(session, session.requests, weigh=weigh)


def _prefixes(session: Session, requests: Sequence[int], *, weigh: Weigh) -> list[int]:
    sums = [0, *accumulate(weigh(message) for message in session.messages)]
    return [sums[upto] for upto in requests]


def _retained(kept: Sequence[Retention], *, credited: Sequence[bool]) -> dict[str, Share]:
    reads: dict[str, Callable[[Retention], float]] = {
        "task": lambda one: one.task,
        "newest": lambda one: one.latest_user,
        "pins": lambda one: one.pins,
        "users": lambda one: one.user_requests,
        "files_read": lambda one: one.files_read,
        "files_modified": lambda one: one.files_modified,
    }
    return {name: _share([read(one) if shown else 0.0 for one, shown in zip(kept, credited, strict=True)]) for name, read in reads.items()}


def _reached(session: Session, run: Run, *, asked: Iterable[tuple[Any, bool]]) -> float | None:
    return None if run.search is None else _mean([seen or reachable(probe, session, run) for probe, seen in asked])


def _share(values: Sequence[float]) -> Share:
    return Share(_mean(values), min(values, default=1.0))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 1.0


def _quantile(ordered: Sequence[float], percent: int) -> float:
    """The value below which `percent` of the ordered values lie, by the nearest rank; 0 without values."""
    return ordered[max(0, -(-percent * len(ordered) // 100) - 1)] if ordered else 0.0


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _rounded(inner) for name, inner in value.items()}
    return round(value, 4) if isinstance(value, float) else value
