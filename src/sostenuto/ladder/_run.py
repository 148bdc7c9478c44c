"""The frozen value that `advance` moves: one request on its way through the ladder."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal

from sostenuto.budget import FixedPart, Lines, Thresholds, Usage, is_early, recent_tail, room
from sostenuto.ladder._edit import NOTHING, Cover, Edit, EditKind, Form, View, applied
from sostenuto.ladder._history import History
from sostenuto.ladder._settings import Settings
from sostenuto.messages import Message, key_of
from sostenuto.tokens import Measure

if TYPE_CHECKING:
    from sostenuto.checkpoint import Sections


Phase = Literal["admit", "clear", "compact", "summarize", "enter", "trim", "nudge", "done"]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to the view on the way to one request.

    `rung` is admit, clear, clip, warn, compact, summary (one that was not used), trim, strip, flatten, insert, recover, repair,
    fork, rewritten, absent, undo …; `keys` address every piece that is no longer sent as it was. The `detail` of a compaction names its
    ``trigger`` (threshold, manual or overflow) and ``by``: ``model``, or mechanical and why. `seconds` is how long its summary took, as
    whoever asked for it measured: no part of what makes two events equal.
    """

    rung: str
    tokens_before: int
    tokens_after: int
    reason: str
    keys: tuple[str, ...] = ()
    detail: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class Keep:
    """Need: make sure these pieces can be had again. The outcome is the set of keys that really can (D15, D60)."""

    keys: tuple[str, ...]

    @property
    def id(self) -> str:
        """The same for the same need, so that a repeated run does the work once."""
        return _identity("keep", *self.keys)


@dataclass(frozen=True, slots=True)
class Summarize:
    """Need: have this prompt answered by the summarizer. `limit` is the most tokens the answer may have; the deadline is in seconds."""

    prompt: str
    limit: int
    deadline_s: float

    @property
    def id(self) -> str:
        """The same for the same need."""
        return _identity("summarize", self.prompt)


@dataclass(frozen=True, slots=True)
class Journal:
    """Need: write down a checkpoint before it enters the context (origin 6.7). Failing is not an error."""

    record: Mapping[str, Any]

    @property
    def id(self) -> str:
        """The same for the same need."""
        return _identity("journal", str(sorted(self.record.items())))


Need = Keep | Summarize | Journal


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a need. `kind` names a failure: raised, hung, cut, refused …"""

    value: Any = None
    failed: str = ""
    why: str = ""
    finish: str | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """What is true for this request and does not change on the way.

    Attributes:
        budget: tokens the request may take: the window less the output reserve (D6).
        window: the window itself.
        system: tokens of the system message and `system_measure` its weight; `tools`: of the tool schemas.
        overhead: tokens learned beyond those.
        reserve: tokens kept free for the answer.
        named: the tool that reads pieces back, if the caller handed one over (D41).
        cold: True when the provider's cache has expired, so that a rewrite costs nothing extra (D31).
        forced: the most tokens the request may have after an overflow, None otherwise; `manual`: a person asked to compact.
        strip_media: the endpoint refused the bytes: attachments go, oldest first (B069).
        repair: the endpoint called the history malformed: reasoning goes (D19).
        before: with `manual`, an ordinal before which to compact; `focus`: what to attend to.
        sent: number of messages that were in an earlier request.
        reports: trusted usage reports so far (D51); `exact`: whether counts are exact.
        summarizer_window: tokens; None for the mechanical checkpoint.
        known: what is known of the work outside the conversation, in words of no particular shape (D43).
        bound: thinking is bound to the prefix (D29); `may_flatten`: whether the profile allows flattening (D54).
    """

    budget: int
    window: int
    system: int = 0
    system_measure: Measure = NOTHING
    tools: int = 0
    overhead: int = 0
    reserve: int = 0
    named: str | None = None
    cold: bool = False
    forced: int | None = None
    strip_media: bool = False
    repair: bool = False
    manual: bool = False
    before: int | None = None
    focus: str = ""
    sent: int = 0
    reports: int = 0
    exact: bool = True
    summarizer_window: int | None = None
    instructions: str = ""
    rules: tuple[str, ...] = ()
    known: str = ""
    deadline_s: float | None = None
    bound: bool = False
    may_flatten: bool = True

    @property
    def fixed(self) -> int:
        """Tokens that no rung can free, pins not included."""
        return self.system + self.tools + self.overhead


@dataclass(frozen=True, slots=True)
class Memory:
    """What the ladder remembers from request to request: once-flags and the breaker.

    Attributes:
        warned: the warn notice was shown and no compaction took usage below its line since (D40).
        told: a failed summary was told and no compaction succeeded since (D23).
        stuck: it was told that nothing is old enough.
        poor: compactions in a row that freed less than a tenth; `held`: tokens the view must pass before the next try (D21).
        futile: tokens up to which trimming to the compaction line is known to free too little.
        hung: the summarizer did not answer in time and is not asked again.
        hold: rungs that an undo put on hold, with the tokens the view must pass (D62).
        unfit: it was told that the fixed part alone passes the compaction line (D10).
        nudged: how full the model was last told that its context is, by a nudge that stays (D54).
        thinking_off: thinking had to be switched off in this tool loop and stays off to its end (D54).
        unknown: it was told that the known work could not be asked for, and that was not overcome since (D43).
        ripe_to: first unit not yet looked at for clearing; `ripe_gain` what the looked-at ones would free.
    """

    warned: bool = False
    told: bool = False
    stuck: bool = False
    poor: int = 0
    held: int = 0
    futile: int = 0
    hung: bool = False
    hold: Mapping[str, int] = field(default_factory=dict)
    unfit: bool = False
    nudged: str = ""
    thinking_off: bool = False
    unknown: bool = False
    ripe_to: int = 0
    ripe_gain: int = 0


@dataclass(frozen=True, slots=True)
class Asking:
    """A summary in the making: what is left to read, and what stands so far."""

    upto: int
    chunks: tuple[str, ...]
    number: int = 0
    prior: Sections | None = None
    started_from: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """One request on its way. Frozen; the history behind it is only read."""

    history: History
    settings: Settings
    facts: Facts
    view: View
    memory: Memory
    phase: Phase = "admit"
    next_number: int = 0
    edits: tuple[Edit, ...] = ()
    events: tuple[Event, ...] = ()
    notices: tuple[str, ...] = ()
    nudges: tuple[str, ...] = ()
    asking: Asking | None = None
    pending: Edit | None = None
    compacted: bool = False
    refused: Mapping[str, int] | None = None
    thinking_off: bool = False
    sums: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What was added up for this very run: a changed one starts with none."""
    weighed: list[Measure] = field(default_factory=list, init=False, repr=False, compare=False)
    """What the request of this very run weighs, once it was asked for."""

    def tokens_of(self, measure: Measure) -> int:
        """Tokens of a measure, without the learned overhead."""
        return self.history.ruler.tokens(measure)

    @property
    def measure(self) -> Measure:
        """What the request weighs as it stands: the view and the system prompt."""
        if not self.weighed:
            self.weighed.append(self.view.measure(self.history) + self.facts.system_measure)
        return self.weighed[0]

    @property
    def total(self) -> int:
        """Tokens of the request as it stands: the view, the system prompt, and what was learned beyond them."""
        if "total" not in self.sums:
            self.sums["total"] = self.history.ruler.total(self.measure)
        return self.sums["total"]

    @property
    def ended(self) -> Run:
        """The same run with nothing left to do: what was added up for it still holds."""
        values = list(_VALUES(self))
        values[_PHASE] = "done"
        run = Run(*values)
        run.sums.update(self.sums)
        run.weighed.extend(self.weighed)
        return run

    @property
    def pins(self) -> int:
        """Tokens of everything pinned."""
        if "pins" not in self.sums:
            self.sums["pins"] = sum(self.tokens_of(self.history.unit(number)) for number in self.history.standing)
        return self.sums["pins"]

    @property
    def lines(self) -> Lines:
        """The lines of the rungs in tokens; the trim line is lower until an estimate is trusted (D51)."""
        facts = self.facts
        return _lines(self.settings.thresholds, facts.budget, is_early(reports=facts.reports, exact=facts.exact))

    @property
    def usage(self) -> Usage:
        """How full the budget is with the request as it stands."""
        return Usage(self.total, self.facts.budget, self.lines)

    @property
    def fixed(self) -> FixedPart:
        """What is in every request; the reserve is outside the budget already."""
        return _fixed(system=self.facts.system, tools=self.facts.tools + self.facts.overhead, pins=self.pins)

    @property
    def room(self) -> int:
        """The budget less what is fixed (D49)."""
        return room(self.facts.budget, self.fixed)

    @property
    def tail(self) -> int:
        """Tokens of recent messages a compaction leaves whole (D61); after a refusal, of what the request may then have (D19)."""
        budget = min(self.facts.budget, self.facts.forced or self.facts.budget)
        warn_line = min(self.lines.warn, int(self.settings.thresholds.warn * budget))
        return recent_tail(budget, warn_line=warn_line, fixed=self.facts.fixed + self.pins, share=self.settings.tail_share)

    def edit(
        self,
        kind: EditKind,
        cause: str,
        *,
        forms: Sequence[Form] = (),
        keys: tuple[str, ...] | None = None,
        cover: Cover | None = None,
        flattened: tuple[int, Message] | None = None,
        inserted: tuple[int, Message] | None = None,
    ) -> Edit:
        """A change of this run's view that has read the whole history; its number and tokens come with `with_edit`.

        `keys` address what is no longer sent as it was: by default the pieces of `forms`.
        """
        reach = len(self.history.messages) - 1
        named = tuple(key_of(*place) for place, _ in forms) if keys is None else keys
        guard = self.history.guard(reach)
        return Edit(0, kind, cause, reach, guard, tuple(forms), cover=cover, flattened=flattened, inserted=inserted, keys=named)

    def with_edit(self, edit: Edit) -> Run:
        """The run after one more edit, its token counts filled in."""
        before = self.total
        moved = replace(self, view=applied(self.view, edit, history=self.history))
        numbered = replace(edit, number=self.next_number, tokens_before=before, tokens_after=moved.total)
        return replace(moved, edits=(*self.edits, numbered), next_number=self.next_number + 1)

    def event(self, rung: str, *, before: int, reason: str, keys: tuple[str, ...] = (), detail: Mapping[str, Any] | None = None) -> Run:
        """The run with one more event, `tokens_after` taken from the view as it stands."""
        return replace(self, events=(*self.events, Event(rung, before, self.total, reason, keys, detail or {})))

    def notice(self, text: str) -> Run:
        """The run with one more line for the person."""
        return replace(self, notices=(*self.notices, text))

    def remember(self, **changes: Any) -> Run:
        """The run with its memory changed."""
        return replace(self, memory=replace(self.memory, **changes))


_NAMES = tuple(given.name for given in fields(Run) if given.init)
_VALUES, _PHASE = attrgetter(*_NAMES), _NAMES.index("phase")


@lru_cache(maxsize=64)
def _lines(thresholds: Thresholds, budget: int, early: bool) -> Lines:
    return thresholds.lines(budget, early=early)


@lru_cache(maxsize=64)
def _fixed(*, system: int, tools: int, pins: int) -> FixedPart:
    return FixedPart(system=system, tools=tools, pins=pins)


def _identity(*pieces: str) -> str:
    return hashlib.blake2b("\0".join(pieces).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
