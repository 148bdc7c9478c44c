"""The ledger: a fold over the transcript that needs no model and forgets nothing (D22, D53).

A `Ledger` is a value: a shared, append-only list of records (one per unit) and how many of them are its own. Folding costs the size of
the new units; only a fold from a value that is no longer the newest copies. What the records amount to is worked out by `claims`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from sostenuto.calls import DEFAULT, Facts, ToolPolicy, announced_end, facts
from sostenuto.checkpoint import _values
from sostenuto.checkpoint._numbers import NUMBERS
from sostenuto.checkpoint._rules import is_only_rules, rules
from sostenuto.checkpoint._wording import is_ours
from sostenuto.messages import Call, Media, Placed, Slot, Text, Unit

_RECORD_BITS, _INDEX_BITS = 44, 16

_CANCEL_OPEN = re.compile(
    r"\s*(?:please,?\s+|no,?\s+|wait,?\s+|ok(?:ay)?,?\s+|actually,?\s+|stop[.,!]?\s+){0,2}"
    r"(?:cancel|abort|scrap|forget|never ?mind|do not (?:continue|proceed|go on)|don't (?:continue|proceed|go on)|取消|算了|停止"
    r"|(?:stop|drop)(?=\s*(?:[.,;:!]|$|that\b|this\b|it\b|everything\b|doing\b|working\b|all\b|the (?:task|work|job)\b)))",
    re.I,
)
_CANCEL_LAST = re.compile(
    r"\s*(?:please,?\s+|no,?\s+|wait,?\s+|ok(?:ay)?,?\s+|actually,?\s+|stop[.,!]?\s+){0,2}"
    r"(?:never ?mind|forget (?:that|it|about)|(?:cancel|abort|drop|scrap)\s+(?:(?:that|this|the|my)\s+)?(?:last |previous |first )?"
    r"(?:task|work|job|plan|request)\b)",
    re.I,
)
_HOST_OPENINGS = (
    *("[Request interrupted by user", "<local-command-stdout>", "<local-command-stderr>", "<local-command-caveat>", "<system-reminder>"),
    *("<task-notification>", "<bash-stdout>", "<bash-stderr>", "<environment_context>"),
)
"""What hosts put under the user's role without a person having written it."""


@dataclass(frozen=True, slots=True)
class Deed:
    """One call: where it stands, which tool, what it did; `error` is the line a failure left."""

    key: str
    ordinal: int
    name: str
    facts: Facts
    error: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """The words of the user's role in one unit. `cancels` is 1 where they take back what is open, 2 where also what was answered last.

    `rules` are the sentences in them that hold from then on; `is_rule` is true where there is nothing else.
    """

    key: str
    ordinal: int
    text: str
    cancels: int = 0
    rules: tuple[str, ...] = ()
    is_rule: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """What one unit adds. `used` holds (value, key of the result it came from) for values this unit used."""

    first: int
    last: int
    user: bool = False
    asked: Asked | None = None
    answers: bool = False
    deeds: tuple[Deed, ...] = ()
    used: tuple[tuple[str, str], ...] = ()
    ended: str | None = None


class _Log:
    """Records and the index of candidate values; append-only, shared by the ledgers that grew from it."""

    __slots__ = ("cache", "candidates", "records")

    def __init__(self, records: list[Record], candidates: dict[str, int]) -> None:
        self.records, self.candidates = records, candidates
        self.cache: tuple[int, object] | None = None

    def branch(self, length: int) -> _Log:
        kept = {token: code for token, code in self.candidates.items() if code >> _RECORD_BITS < length} if length else {}
        return _Log(self.records[:length], kept)


@dataclass(frozen=True, slots=True, eq=False)
class Ledger:
    """What happened in the first `length` units. Equal when the records are; made by `fold` only."""

    length: int = 0
    log: _Log = field(default_factory=lambda: _Log([], {}), repr=False)

    @property
    def records(self) -> Iterator[Record]:
        """One record per unit, oldest first."""
        return islice(self.log.records, self.length)

    @property
    def extent(self) -> tuple[int, int] | None:
        """Smallest and largest ordinal of the covered units, None when empty."""
        owned = list(self.records)
        return (min(r.first for r in owned), max(r.last for r in owned)) if owned else None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ledger):
            return NotImplemented
        return self.length == other.length and (self.log is other.log or list(self.records) == list(other.records))

    def __hash__(self) -> int:
        return hash((self.length, self.log.records[self.length - 1].last if self.length else -1))


EMPTY = Ledger()
"""The ledger of nothing."""


def fold(ledger: Ledger, units: Iterable[Unit], *, policy: ToolPolicy = DEFAULT) -> Ledger:
    """`ledger` with `units` taken in, in order; ``fold(fold(e, a), b) == fold(e, a + b)``. Costs the size of `units`."""
    log = ledger.log if ledger.length and len(ledger.log.records) == ledger.length else ledger.log.branch(ledger.length)
    for unit in units:
        log.records.append(_record(unit, log, policy=policy))
    return Ledger(len(log.records), log)


def _record(unit: Unit, log: _Log, *, policy: ToolPolicy) -> Record:
    if unit.kind == "user":
        return _user_record(unit)
    if unit.kind == "system":
        return Record(unit.first, unit.last)
    words = [p.part.text for p in unit.parts if isinstance(p.part, Text)]
    used = _promoted([*words, *(p.part.arguments for p in unit.parts if isinstance(p.part, Call))], log)
    deeds = tuple(_deed(slot, policy=policy) for slot in unit.slots)
    for slot in unit.slots:
        if slot.result is not None and slot.result_part is not None:
            _remember(slot.result, slot.result_part.text, log=log)
    answers = unit.kind == "text" and any(word.strip() for word in words)
    return Record(unit.first, unit.last, answers=answers, deeds=deeds, used=used)


def _user_record(unit: Unit) -> Record:
    placed = [p for p in unit.parts if isinstance(p.part, Text | Media)]
    words = [p.part.text for p in placed if isinstance(p.part, Text) and p.part.text.strip()]
    text = "\n".join([*words, *(f"[{p.part.kind}: {p.part.label or 'attached'}]" for p in placed if isinstance(p.part, Media))])
    ended = announced_end(text)
    if ended or not text.strip() or is_ours(text) or text.lstrip().startswith(_HOST_OPENINGS):
        return Record(unit.first, unit.last, user=True, ended=ended)
    key = placed[0].key if len(placed) == 1 else f"m{unit.first}"
    cancels = 2 if _CANCEL_LAST.match(text) else 1 if _CANCEL_OPEN.match(text) else 0
    said = rules("\n".join(words))
    asked = Asked(key, unit.first, text, cancels, said, is_only_rules(text, said))
    return Record(unit.first, unit.last, user=True, asked=asked)


def _deed(slot: Slot, *, policy: ToolPolicy) -> Deed:
    call, result = slot.call_part, slot.result_part
    did = facts(call, result, policy=policy)
    error = _values.last_error(result.text) if result is not None and not did.succeeded else ""
    return Deed(slot.call.key, slot.call.ordinal, call.name, did, error)


def _promoted(texts: Iterable[str], log: _Log) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    if log.candidates:
        for text in texts:
            for token in (*_values.tokens(text), *_values.quoted(text)):
                code = log.candidates.get(token)
                if code is not None:
                    found[token] = _key(code)
    return tuple(found.items())


def _remember(placed: Placed, text: str, *, log: _Log) -> None:
    code = len(log.records) << _RECORD_BITS | placed.ordinal << _INDEX_BITS | min(placed.index, 0xFFFF)
    for source in (_values.error_lines(text), islice(_values.tokens(text), NUMBERS.candidates)):
        for token in source:
            log.candidates.setdefault(token, code)


def _key(code: int) -> str:
    return f"m{code >> _INDEX_BITS & (1 << _RECORD_BITS - _INDEX_BITS) - 1}.{code & 0xFFFF}"
