"""A person's own session through our engine and every peer that is installed: what each would lose, and what it would cost."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sostenuto.app._contender import OWN
from sostenuto.app._contest import DEADLINE_S, Contender, Outcome, outcome, ruler_name
from sostenuto.app._naming import DEFAULT_MODEL
from sostenuto.app._plain_chat import recorded_session
from sostenuto.app._rulers import published_weigher
from sostenuto.errors import UnknownSetting, UnusableInput
from sostenuto.judging import Session, sizes_untouched, weighing
from sostenuto.peers.known import PEERS, Peer, installed
from sostenuto.recordings.opening import open_recording

if TYPE_CHECKING:
    from sostenuto.judging import Verdict

STANDS_IN = "extractive"
"""The scripted summarizer that stands for a model where a strategy asks one."""
MESSAGES_A_SECOND = 40
"""By so many messages for each second the deadline grows beyond its default."""

Watch = Callable[[Iterable[Outcome], int], Iterator[Outcome]]
"""Looks at the outcomes as they come; is told how many there will be."""


@dataclass(frozen=True, slots=True)
class Verified:
    """What was found about a session.

    Attributes:
        messages, requests: how many there are; `tokens` of the longest request by the ruler, had nothing been left out.
        window: tokens in which everybody was judged; `over` how many requests doing nothing would send above it.
        ruler: how was counted.
        outcomes: one for each contender, ours first.
        missing: libraries that are known here but not installed, as their packages are called.
    """

    messages: int
    requests: int
    tokens: int
    window: int
    over: int
    ruler: str
    outcomes: tuple[Outcome, ...]
    missing: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """What ``verify --json`` prints."""
        return {
            "messages": self.messages,
            "requests": self.requests,
            "tokens": self.tokens,
            "window": self.window,
            "over_doing_nothing": self.over,
            "ruler": self.ruler,
            "strategies": [entry(one) for one in self.outcomes],
            "not_installed": list(self.missing),
        }


def verify(
    path: Path,
    *,
    window: int | None = None,
    peers: Sequence[str] = (),
    format: str = "auto",
    skip_broken_lines: bool = False,
    watch: Watch = lambda outcomes, total: iter(outcomes),
) -> Verified:
    """Judge a recorded session. `peers` are names of `PEERS`; none means every one that is installed here. `skip_broken_lines` as
    `open_recording`.

    Raises:
        UnknownSetting: a peer of that name is not known.
        UnusableInput: as `open_recording`, or where the file holds no reply, or where a peer that was named is not installed.
    """
    chosen = _chosen(peers)
    found = recorded_session(path, format=format, skip_broken_lines=skip_broken_lines)
    budget = window or _window(path, format=format, skip_broken_lines=skip_broken_lines)
    contenders = [Contender(OWN, "Sostenuto")]
    contenders += [Contender(peer.name, peer.title, STANDS_IN if peer.summarizes else "") for peer in chosen]
    made = tuple(watch(_outcomes(found, contenders, budget=budget), len(contenders)))
    untouched = sizes_untouched(found, weigh=weighing(published_weigher()))
    return Verified(
        messages=len(found.messages),
        requests=len(found.requests),
        tokens=untouched[-1],
        window=budget,
        over=sum(size > budget for size in untouched),
        ruler=ruler_name(),
        outcomes=made,
        missing=tuple(dict.fromkeys(peer.distribution for peer in PEERS if installed(peer) is None)),
    )


def entry(one: Outcome) -> dict[str, Any]:
    """An outcome as plain values."""
    verdict: Verdict | None = one.verdict
    return {
        "name": one.contender.name,
        "title": one.contender.title,
        "summarizer": one.contender.summarizer,
        "version": one.version,
        "problem": one.problem,
        "remark": one.remark,
        "verdict": verdict.as_dict() if verdict is not None else None,
    }


def peer_names() -> list[str]:
    """Every name that can be given as a peer."""
    return [peer.name for peer in PEERS if peer.distribution]


def _chosen(names: Sequence[str]) -> list[Peer]:
    known = {peer.name: peer for peer in PEERS if peer.distribution}
    for name in names:
        if name not in known:
            near = "".join(f"did you mean {one!r}? " for one in get_close_matches(name, known, n=1))
            raise UnknownSetting(f"--peer {name!r} is not known; {near}use {', '.join(known)}")
    absent = dict.fromkeys(known[name].distribution for name in names if installed(known[name]) is None)
    if absent:
        raise UnusableInput(
            f"--peer: {', '.join(absent)} {'is' if len(absent) == 1 else 'are'} not installed here; pip install {' '.join(absent)}"
        )
    if names:
        return [known[name] for name in dict.fromkeys(names)]
    return [peer for peer in known.values() if installed(peer) is not None]


def _window(path: Path, *, format: str, skip_broken_lines: bool) -> int:
    from sostenuto.manager import ContextManager

    recording = open_recording(path, format=format, skip_broken_lines=skip_broken_lines)
    return ContextManager(model=recording.model or DEFAULT_MODEL).window.tokens


def _outcomes(found: Session, contenders: Sequence[Contender], *, budget: int) -> Iterator[Outcome]:
    """The outcomes in order; two processes at a time where the machine has two processors."""
    deadline_s = DEADLINE_S + len(found.messages) / MESSAGES_A_SECOND
    with ThreadPoolExecutor(max_workers=min(2, os.cpu_count() or 1)) as pool:
        yield from pool.map(lambda one: outcome(found, one, budget=budget, deadline_s=deadline_s), contenders)
