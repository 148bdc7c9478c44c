"""What always fits: every piece has a floor, and the room that is left is poured in D18's order, once (D16-D18, D50)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sostenuto.ladder._admit import water_level
from sostenuto.ladder._checkpoints import checkpoint_cover, digest_cover
from sostenuto.ladder._compact import clip_read, covered_keys, folded
from sostenuto.ladder._edit import Edit, Place
from sostenuto.ladder._forms import clipped, one_line
from sostenuto.ladder._run import Run
from sostenuto.ladder._thinking import waits
from sostenuto.ladder._zones import standing, trim_line
from sostenuto.messages import Call, Part, Result, Text, key_of

LINE_TOKENS = 64
"""About what one line in place of a result takes, framing included."""

CALL_FLOOR = 160
"""What a call keeps when its arguments must be cut inside their strings, framing included."""

CUT_FRAME = 16
"""Framing around the text of a cut piece: its message, its id."""

LEAST_PIECE = 8
"""Nothing is cut to fewer tokens of its own text."""

CUT_TRIES = 4
"""A second look is nearly always enough; the number only bounds the work."""

CHECKPOINT_FRAME = 160
"""Continuation and framing that come with any checkpoint."""

NOTE_TOKENS = 48
"""The note between head and tail of a cut piece."""


@dataclass(frozen=True, slots=True)
class Item:
    """A piece that may not be left out: what it takes now and the least it can take."""

    place: Place
    full: int
    floor: int


@dataclass(frozen=True, slots=True)
class Claims:
    """Everything that must be in the request, in the order in which room is given out (D50)."""

    rest: int
    users: tuple[Item, ...]
    results: tuple[Item, ...]
    calls: tuple[Item, ...]
    checkpoint: int

    def floors(self) -> int:
        """The least all of it can take."""
        return self.rest + self.checkpoint + sum(item.floor for item in (*self.users, *self.results, *self.calls))


def trim(run: Run) -> Run:
    """The floor of the ladder: a request over the trim line is made to fit, or refused with the figures (origin 5, D50)."""
    usage = run.total
    hard, soft = trim_line(run), run.line("compact")
    if run.facts.forced is not None:
        hard, soft = min(hard, run.facts.forced), min(soft, run.facts.forced)
    if usage > soft and run.compacted:
        run = clip_read(run, line=soft)
        usage = run.total
    if usage > hard:
        return replace(fitted(run, hard=hard, soft=soft), phase="nudge")
    failing = (run.memory.held or run.memory.stuck) and run.history.newest() > run.view.start
    if usage <= max(soft, run.memory.futile) or not failing or waits(run):
        return replace(run, phase="nudge")
    tried = fitted(run, hard=hard, soft=soft)
    if usage - tried.total < run.settings.poor_gain * usage:
        # a unit or two dropped with every request would break the cache each time: wait for growth, or for the trim line
        tried = run.remember(futile=int(usage * (1 + run.settings.growth)))
    return replace(tried, phase="nudge")


def fitted(run: Run, *, hard: int, soft: int) -> Run:
    """The run with a request of at most `hard` tokens; older units are kept only while it stays under `soft`."""
    upto = _oldest_kept(run, soft=soft)
    claims = _claims(run, upto, hard=hard, level=0)
    for level in (1, 2):
        if run.facts.fixed + claims.floors() <= hard:
            break
        upto = run.history.newest()
        claims = _claims(run, upto, hard=hard, level=level)
    if run.facts.fixed + claims.floors() > hard:
        if run.facts.fixed + claims.floors() <= run.facts.budget:
            hard = run.facts.budget
        elif run.facts.forced is None and run.total <= run.facts.budget:
            return run  # over the line, but inside the window as it stands: a checkpoint in place of so little would only add to it
        else:
            return replace(run, refused=_components(run, claims))
    before = run.total
    start = run.view.start
    run = _poured(run, upto, claims=claims, hard=_poured_to(run, claims, hard=hard, soft=soft))
    return _told(run, before, start=start)


def _poured_to(run: Run, claims: Claims, *, hard: int, soft: int) -> int:
    """Whole while they fit (D18). If pieces must be cut, then so far that the next request does not have to cut again (D48)."""
    whole = run.facts.fixed + claims.rest + claims.checkpoint + sum(item.full for item in (*claims.users, *claims.results, *claims.calls))
    return hard if whole <= hard or run.facts.fixed + claims.floors() > soft else soft


def _oldest_kept(run: Run, *, soft: int) -> int:
    """Where the kept part begins: whole units, newest first, while a full checkpoint and everything unread still fit."""
    history, newest = run.history, run.history.newest()
    if run.total <= soft:
        return run.view.start
    head = run.tokens_of(run.view.head)
    whole = run.facts.fixed + max(head, _standing_tokens(run, newest) + int(run.settings.path_share * run.facts.budget) + CHECKPOINT_FRAME)
    used = whole + sum(run.tokens_of(run.view.unit(history, number)) for number in range(newest, len(history.units)))
    number = newest
    while number > run.view.start:
        tokens = run.tokens_of(run.view.unit(history, number - 1))
        if used + tokens > soft:
            break
        used += tokens
        number -= 1
    return number


def _standing_tokens(run: Run, upto: int) -> int:
    return sum(run.tokens_of(run.view.unit(run.history, number)) for number in standing(run.history, upto=upto))


def _claims(run: Run, upto: int, *, hard: int, level: int) -> Claims:
    """What must stay when units before `upto` go. `level` 0: calls whole, results 200 each; 1: results one line; 2: arguments cut too."""
    history, newest = run.history, run.history.newest()
    room = run.room
    users: list[Item] = []
    results: list[Item] = []
    calls: list[Item] = []
    rest = 0
    kept = [*standing(history, upto=upto), *range(upto, len(history.units))]
    task = set(history.users[:1] + history.users[-1:])
    for number in kept:
        unit = history.units[number]
        protected = number >= newest or number in task
        rest += run.tokens_of(run.view.unit(history, number))
        if not protected or number in history.standing or number in run.view.flattened:
            continue
        for place in unit.parts:
            key = (place.ordinal, place.index)
            form = run.view.forms[key] if key in run.view.forms else history.mended_part(*key)
            full = run.tokens_of(history.piece(form))
            item: Item | None = None
            if isinstance(form, Text) and unit.kind == "user":
                floor = full if level == 0 and full <= run.settings.user_share * room else run.settings.user_floor + NOTE_TOKENS
                item = Item(key, full, min(full, floor))
                users.append(item)
            elif isinstance(form, Result) and number >= newest:
                floor = run.settings.result_floor + NOTE_TOKENS if level == 0 else LINE_TOKENS
                item = Item(key, full, min(full, floor))
                results.append(item)
            elif isinstance(form, Call) and level == 2 and number >= newest:
                least = clipped(form, key=place.key, size=CALL_FLOOR - CUT_FRAME, ruler=history.ruler, named=run.facts.named)
                item = Item(key, full, min(full, max(CALL_FLOOR, run.tokens_of(history.piece(least)))))
                calls.append(item)
            if item:
                rest -= full
    users.sort(key=lambda item: (-item.place[0], item.place[1]))
    checkpoint = run.settings.digest + CHECKPOINT_FRAME if upto > 0 else 0
    return Claims(rest, tuple(users), tuple(results), tuple(calls), checkpoint)


def _poured(run: Run, upto: int, *, claims: Claims, hard: int) -> Run:
    """Give out what the floors leave: newest user, first user, newest results, then the checkpoint."""
    left = hard - run.facts.fixed - claims.floors()
    forms: list[tuple[Place, Part | None]] = []
    for item in claims.users:
        given = min(item.full, item.floor + left)
        left -= given - item.floor
        forms += _cut(run, item, given)
    spare = sum(item.floor for item in claims.results) + left
    cap = water_level([item.full for item in claims.results], total=spare) if claims.results else 0
    for item in claims.results:
        given = min(item.full, max(cap, item.floor))
        left -= given - item.floor
        forms += _cut(run, item, given)
    for item in claims.calls:
        given = min(item.full, item.floor + max(0, left))
        left -= given - item.floor
        forms += _cut(run, item, given)
    run = _rewritten(run, forms)
    return _checkpointed(run, upto, allowed=claims.checkpoint + max(0, left), hard=hard)


def _cut(run: Run, item: Item, given: int) -> list[tuple[Place, Part | None]]:
    if given >= item.full:
        return []
    key = key_of(*item.place)
    part = run.view.forms.get(item.place) or run.history.mended_part(*item.place)
    assert part is not None
    original = run.history.mended_part(*item.place)
    assert original is not None
    least = CALL_FLOOR - CUT_FRAME if isinstance(part, Call) else LEAST_PIECE
    size = max(least, given - CUT_FRAME)
    form = clipped(original, key=key, size=size, ruler=run.history.ruler, named=run.facts.named)
    # what a cut piece takes is known only once it is cut: the note in it, and the escapes of JSON, may take a little more
    for _ in range(CUT_TRIES):
        over = run.tokens_of(run.history.piece(form)) - given
        if over <= 0 or size == least:
            break
        size = max(least, size - over)
        form = clipped(original, key=key, size=size, ruler=run.history.ruler, named=run.facts.named)
    if isinstance(part, Result) and (given <= LINE_TOKENS or run.tokens_of(run.history.piece(form)) > given):
        tool = _tool_of(run, item.place)
        full = run.tokens_of(run.history.part(*item.place))
        form = one_line(part, tool=tool, key=key, tokens=full, named=run.facts.named)
    return [(item.place, form)]


def _tool_of(run: Run, place: Place) -> str:
    for number in reversed(range(len(run.history.units))):
        for slot in run.history.units[number].slots:
            if slot.result and (slot.result.ordinal, slot.result.index) == place:
                return slot.call_part.name
        if run.history.units[number].last < place[0]:
            break
    return ""


def _rewritten(run: Run, forms: list[tuple[Place, Part | None]]) -> Run:
    """Clips of whole pieces are clips; a piece that was clipped in an earlier request rises to cleared (D48)."""
    reach = len(run.history.messages) - 1
    first = [(place, form) for place, form in forms if run.view.levels.get(place, 0) == 0 or place[0] >= run.facts.sent]
    again = [(place, form) for place, form in forms if (place, form) not in first]
    if first:
        keys = tuple(key_of(*place) for place, _ in first)
        run = run.with_edit(Edit(0, "clip", "trim", reach, run.history.guard(reach), forms=tuple(first), keys=keys))
    if again:
        keys = tuple(key_of(*place) for place, _ in again)
        run = run.with_edit(Edit(0, "clear", "trim", reach, run.history.guard(reach), forms=tuple(again), keys=keys))
    return run


def _checkpointed(run: Run, upto: int, *, allowed: int, hard: int) -> Run:
    """Drop the units before `upto`: a mechanical checkpoint of at most `allowed` tokens stands for them (D17)."""
    if upto == 0 or (upto == run.view.start and run.total <= hard):
        return run
    ledger = folded(run, upto)
    reach = len(run.history.messages) - 1
    prose = run.view.cover.prose if run.view.cover else None
    for share in (1.0, 0.5, 0.25, 0.1):
        cover = checkpoint_cover(run, upto, ledger=ledger, prose=prose if share > 0.25 else None, share=share)
        edit = Edit(0, "drop", "trim", reach, run.history.guard(reach), cover=cover, keys=covered_keys(run, upto))
        if run.history.ruler.text(cover.text) + CHECKPOINT_FRAME <= allowed:
            return run.with_edit(edit)
    return run.with_edit(replace(edit, cover=digest_cover(run, upto, ledger=ledger)))


def _told(run: Run, before: int, *, start: int) -> Run:
    """Each time messages leave without a summary: how many, how many tokens, and where they are (D45)."""
    made = [edit for edit in run.edits if edit.cause == "trim"]
    if not made:
        return run
    keys = tuple(key for edit in made for key in edit.keys)
    dropped = next((edit for edit in made if edit.cover), None)
    run = run.event("trim", before=before, reason=f"over the line at {before * 100 // max(1, run.facts.budget)} % of the budget", keys=keys)
    run = run.remember(ripe_to=run.view.start, ripe_gain=0)
    gone = before - run.total
    if dropped and dropped.cover:
        count = _messages(run, start)
        return run.notice(
            f"Trimmed without a summary: {count:,} messages, about {gone:,} tokens, left the context; "
            f"they stay readable under {', '.join(dropped.keys)}."
        )
    return run.notice(
        f"Cut to fit: about {gone:,} tokens of large messages left the context; they stay readable under {', '.join(keys[:5])}."
    )


def _messages(run: Run, start: int) -> int:
    """Messages that gave way since the view began at unit `start`."""
    units, stay = run.history.units, set(run.view.standing)
    gone = {place.ordinal for number in range(start, run.view.start) if number not in stay for place in units[number].parts}
    return len(gone)


def _components(run: Run, claims: Claims) -> dict[str, int]:
    """What does not fit, each with its tokens, for `FixedPartTooLarge`."""
    listed = {
        "system": run.facts.system,
        "tools": run.facts.tools,
        "learned overhead": run.facts.overhead,
        "pinned messages": run.pins,
        "output reserve": run.facts.reserve,
        "user messages (least)": sum(item.floor for item in claims.users),
        "newest results (least)": sum(item.floor for item in claims.results),
        "newest calls and words (least)": claims.rest - run.pins + sum(item.floor for item in claims.calls),
        "checkpoint (least)": claims.checkpoint,
    }
    return {name: tokens for name, tokens in listed.items() if tokens > 0}
