"""Facts a later step used again, and the names the next steps need: are they still in view?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sostenuto.judging._session import Raw, Run, Session
from sostenuto.replaying import texts

PROBES: Final = 20
"""Facts asked for in each session, those with the longest way between first mention and use."""
APART: Final = 6
"""Messages that must lie between a fact and its use: nearer ones are in view whatever a strategy does."""
AHEAD: Final = 10
"""Replies whose names are looked for in the request before them."""
LONGEST_WORD: Final = 200

_WORD: Final = re.compile(r"[A-Za-z0-9_/][A-Za-z0-9_./:@#?=&%+~-]{4,}")
_ERROR: Final = re.compile(r"\b[A-Za-z_.]{0,40}(?:Error|Exception|FAILED|panic): [^\n]{8,120}")
_CAMEL: Final = re.compile(r"[a-z0-9][A-Z]")
_DIGITS: Final = re.compile(r"\d{4}")


@dataclass(frozen=True, slots=True)
class Probe:
    """A fact: its text, the message that brought it, and the number of the request whose reply used it again."""

    text: str
    born: int
    request: int


def names(text: str) -> set[str]:
    """Identifiers, paths, URLs and long numbers in a text: words no summary can paraphrase."""
    found = (word.group().rstrip(".:/-?") for word in _WORD.finditer(text))
    return {word for word in found if 4 < len(word) <= LONGEST_WORD and _is_exact(word)}


def facts(text: str) -> set[str]:
    """`names`, and lines that report an error."""
    return names(text) | {line.group().strip() for line in _ERROR.finditer(text)}


def probes(session: Session) -> list[Probe]:
    """Facts that one message alone had brought before a reply used them again, the farthest first, at most `PROBES`.

    The system's messages and planted ones bring none: they never leave.
    """
    born: dict[str, int] = {}
    spent: set[str] = set()
    found: list[Probe] = []
    number = {upto: index for index, upto in enumerate(session.requests)}
    for at, message in enumerate(session.messages):
        for fact in sorted(facts(texts(message)) - spent):
            if fact not in born:
                born[fact] = at
                continue
            spent.add(fact)
            if at in number and at - born[fact] > APART and _brings(session, born[fact]):
                found.append(Probe(fact, born[fact], number[at]))
    found.sort(key=lambda probe: (probe.born - session.requests[probe.request], probe.text))
    return found[:PROBES]


def in_view(probe: Probe, run: Run, *, credited: Sequence[bool]) -> bool:
    """Whether the request whose reply used the fact still showed it."""
    return credited[probe.request] and any(probe.text in texts(message) for message in run.requests[probe.request].messages)


def reachable(probe: Probe, session: Session, run: Run) -> bool:
    """Whether the strategy's own search gives back the message that brought the fact; asked of the finished run."""
    whole = texts(session.messages[probe.born])
    return run.search is not None and any(probe.text in body and body in whole for body in run.search(probe.text))


def forward_use(session: Session, run: Run, *, credited: Sequence[bool]) -> list[float]:
    """For each request: of the names its next `AHEAD` replies use and that had been mentioned before, the share in view.

    A request whose replies need nothing from before counts 1.
    """
    held = _Names()
    each = [held.of(message) for message in session.messages]
    replies = [_used(each, upto) for upto in session.requests]
    mentioned: set[str] = set()
    visible: Counter[str] = Counter()
    shown: Counter[int] = Counter()
    by_id: dict[int, Raw] = {}
    shares: list[float] = []
    before = 0
    for index, upto in enumerate(session.requests):
        mentioned.update(*each[before:upto])
        before = upto
        now = Counter(id(message) for message in run.requests[index].messages)
        by_id.update((id(message), message) for message in run.requests[index].messages)
        for gone in (shown - now).elements():
            visible.subtract(held.of(by_id[gone]))
        for fresh in (now - shown).elements():
            visible.update(held.of(by_id[fresh]))
        shown = now
        wanted = set().union(*replies[index : index + AHEAD]) & mentioned
        kept = sum(visible[name] > 0 for name in wanted) if credited[index] else 0
        shares.append(kept / len(wanted) if wanted else 1.0)
    return shares


class _Names:
    """The names of each message, looked for once per object."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, frozenset[str]]] = {}

    def of(self, message: Raw) -> frozenset[str]:
        found = self._known.get(id(message))
        if found is None:
            found = self._known[id(message)] = (message, frozenset(names(texts(message))))
        return found[1]


def _used(each: Sequence[Iterable[str]], at: int) -> set[str]:
    return set(each[at]) if at < len(each) else set()


def _brings(session: Session, at: int) -> bool:
    return session.messages[at].get("role") in ("tool", "user", "assistant") and texts(session.messages[at]) not in session.pins


def _is_exact(word: str) -> bool:
    return "_" in word or "/" in word or _CAMEL.search(word) is not None or _DIGITS.search(word) is not None
