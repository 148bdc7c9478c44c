"""What the records of a ledger amount to: requests with their state, paths, commands, work under way, values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from sostenuto.checkpoint._ledger import Asked, Deed, Ledger, Record

State = Literal["open", "answered", "cancelled"]


@dataclass(slots=True)
class Touch:
    """A path: first and last ordinal of the calls that named it, and the lines they asked for (empty: the whole file)."""

    first: int
    last: int
    ranges: dict[str, None] = field(default_factory=dict)
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Claims:
    """The content of a ledger. Mappings are in order of last appearance, oldest first; nothing is left out.

    Attributes:
        requests: each with its state, in order.
        modified: paths a call changed.
        read: paths a call read, searched or inspected and none changed.
        attempted: paths only failed calls named; true where the call would have changed them.
        commands: command -> its latest run, when that did not fail.
        failed: command -> its latest run, when that failed.
        running: id -> the call that started the work and left it running.
        values: value -> key of the result it first stood in.
    """

    requests: tuple[tuple[Asked, State], ...]
    modified: dict[str, Touch]
    read: dict[str, Touch]
    attempted: dict[str, bool]
    commands: dict[str, Deed]
    failed: dict[str, Deed]
    running: dict[str, Deed]
    values: dict[str, str]

    @property
    def rules(self) -> dict[str, Asked]:
        """Sentence -> the message that said it last; those of cancelled requests are taken back with them."""
        found: dict[str, Asked] = {}
        for asked, state in self.requests:
            for sentence in asked.rules if state != "cancelled" else ():
                found.pop(sentence, None)
                found[sentence] = asked
        return found

    def asked(self, state: State) -> tuple[Asked, ...]:
        """The requests in `state`, oldest first."""
        return tuple(asked for asked, found in self.requests if found == state)


def claims(ledger: Ledger) -> Claims:
    """What `ledger` says. Costs its length; the last answer is kept with the ledger's records."""
    cached = ledger.log.cache
    if cached is not None and cached[0] == ledger.length and isinstance(cached[1], Claims):
        return cached[1]
    work = _Work()
    for record in ledger.records:
        work.take(record)
    done = work.claims()
    ledger.log.cache = (ledger.length, done)
    return done


class _Work:
    """The running totals of one pass; local to `claims`."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.states: list[State] = []
        self.waiting: list[int] = []  # requests of the current run of user units
        self.after_user = False
        self.open: set[int] = set()
        self.touched: dict[bool, dict[str, Touch]] = {True: {}, False: {}}
        self.attempted: dict[str, bool] = {}
        self.runs: dict[str, Deed] = {}
        self.running: dict[str, Deed] = {}
        self.values: dict[str, str] = {}

    def take(self, record: Record) -> None:
        if record.user:
            self._user(record)
        elif record.answers:
            for i in self.waiting:
                self._set(i, "answered")
            self.waiting = []
        self.after_user = record.user or (self.after_user and not record.deeds and not record.answers)
        for deed in record.deeds:
            self._deed(deed)
        for value, key in record.used:
            self.values[value] = self.values.pop(value, key)
        if record.ended is not None:
            self.running.pop(record.ended, None)

    def _set(self, i: int, state: State) -> None:
        self.states[i] = state
        self.open.discard(i)

    def _user(self, record: Record) -> None:
        if not self.after_user:
            self.waiting = []
        if record.asked is None:
            return
        if record.asked.cancels:
            for i in [*self.open]:
                self._set(i, "cancelled")
            if record.asked.cancels == 2 and self.asked:
                self._set(len(self.asked) - 1, "cancelled")
            self.waiting = []
        self.waiting.append(len(self.asked))
        self.open.add(len(self.asked))
        self.asked.append(record.asked)
        self.states.append("open")

    def _deed(self, deed: Deed) -> None:
        did = deed.facts
        for path in did.paths:
            if did.succeeded:
                self._touch(path, deed)
            else:
                self.attempted[path] = self.attempted.get(path, False) or did.modifies
        if did.command is not None:
            self.runs.pop(did.command, None)
            self.runs[did.command] = deed
        if did.running is not None:
            self.running[did.running] = deed
        if did.finished is not None:
            self.running.pop(did.finished, None)

    def _touch(self, path: str, deed: Deed) -> None:
        kind = self.touched[deed.facts.modifies]
        touch = kind.pop(path, None) or Touch(deed.ordinal, deed.ordinal)
        touch.last = deed.ordinal
        lines = deed.facts.line_range
        if lines is None:
            touch.whole = True
        else:
            touch.ranges[lines] = None
        kind[path] = touch

    def claims(self) -> Claims:
        modified, read = self.touched[True], self.touched[False]
        return Claims(
            requests=tuple(zip(self.asked, self.states, strict=True)),
            modified=modified,
            read={path: touch for path, touch in read.items() if path not in modified},
            attempted={path: wrote for path, wrote in self.attempted.items() if path not in modified and path not in read},
            commands={text: deed for text, deed in self.runs.items() if deed.facts.succeeded},
            failed={text: deed for text, deed in self.runs.items() if not deed.facts.succeeded},
            running=self.running,
            values=self.values,
        )
