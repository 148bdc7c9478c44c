"""What always fits: every piece has a floor, and the room that is left is poured in D18's order, once (D16-D18, D50)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sostenuto.budget import paths_budget, water_level
from sostenuto.ladder._checkpoints import checkpoint_cover, covered_keys, digest_cover, folded
from sostenuto.ladder._clip import clip_read
from sostenuto.ladder._edit import LEVELS, Form, Place
from sostenuto.ladder._forms import cleared, clipped
from sostenuto.ladder._numbers import NUMBERS
from sostenuto.ladder._run import Run
from sostenuto.ladder._thinking import waits
from sostenuto.ladder._zones import leaves_nothing, standing, tail_start
from sostenuto.messages import Call, Part, Result, Text, Unit, key_of


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece that may not be left out: what it takes now and the least it can take."""

    place: Place
    full: int
    floor: int


@dataclass(frozen=True, slots=True)
class Demand:
    """Everything that must be in the request, in the order in which room is given out (D50)."""

    rest: int
    users: tuple[Piece, ...]
    results: tuple[Piece, ...]
    calls: tuple[Piece, ...]
    checkpoint: int

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """All that can be cut."""
        return (*self.users, *self.results, *self.calls)

    @property
    def least(self) -> int:
        """Tokens with every piece at its floor."""
        return self.rest + self.checkpoint + sum(piece.floor for piece in self.pieces)

    @property
    def whole(self) -> int:
        """Tokens with every piece as it is."""
        return self.rest + self.checkpoint + sum(piece.full for piece in self.pieces)


def trim(run: Run) -> Run:
    """The floor of the ladder: a request over the trim line is made to fit, or refused with the figures (origin 5, D50)."""
    hard, soft = run.lines.trim, run.lines.compact
    if run.facts.forced is not None:
        hard, soft = min(hard, run.facts.forced), min(soft, run.facts.forced)
    if run.total > soft and run.compacted:
        run = clip_read(run, line=soft)
    if run.compacted and run.total > run.lines.clear:
        run = _task_clipped(run)
    usage = run.total
    if usage > hard:
        return replace(_roomy(fitted(run, hard=hard, soft=soft), run), phase="nudge")
    failing = (run.memory.held or run.memory.stuck) and run.history.newest() > run.view.start
    if usage <= max(soft, run.memory.futile) or not failing or waits(run):
        return replace(run, phase="nudge")
    tried = _roomy(fitted(run, hard=hard, soft=soft), run)
    if usage - tried.total < run.settings.poor_gain * usage:
        # a unit or two dropped with every request would break the cache each time: wait for growth, or for the trim line
        tried = run.remember(futile=int(usage * (1 + run.settings.growth)))
    return replace(tried, phase="nudge")


def _task_clipped(run: Run) -> Run:
    """A first user message over its share of the room gives way when a compaction leaves little room around it (D21, D50)."""
    forms: list[Form] = []
    for number in run.history.users[:1]:
        if number >= run.view.start:
            break
        for form, piece in _cuttable(run, run.history.units[number], level=0, newest=False):
            if isinstance(form, Text) and run.view.levels.get(piece.place, 0) < LEVELS["clear"]:
                forms += _cut(run, piece, piece.floor)
    if not forms:
        return run
    before, after = run.total, _rewritten(run, forms)
    keys = tuple(key_of(*place) for place, _ in forms)
    return after.event("clip", before=before, reason="the first message is too large to compact around", keys=keys)


def _roomy(run: Run, before: Run) -> Run:
    """Units that leave one by one around a huge first message would break the cache with every request."""
    return _task_clipped(run) if run.view.start > before.view.start and run.total > run.lines.clear else run


def fitted(run: Run, *, hard: int, soft: int) -> Run:
    """The run with a request of at most `hard` tokens; older units are kept only while it stays under `soft`."""
    fixed, budget = run.facts.fixed, run.facts.budget
    upto = _covered_to(run, _oldest_kept(run, soft=soft))
    demand = _demand(run, upto, level=0)
    for level in (1, 2):
        if fixed + demand.least <= hard:
            break
        upto = _covered_to(run, run.history.newest())
        demand = _demand(run, upto, level=level)
    if fixed + demand.least > hard:
        if fixed + demand.least <= budget:
            hard = budget
        elif run.facts.forced is None and run.total <= budget:
            return run  # over the line, but inside the window as it stands: a checkpoint in place of so little would only add to it
        else:
            return replace(run, refused=_components(run, demand))
    # whole while all of it fits (D18); if pieces must be cut, then so far that the next request does not have to cut again (D48)
    aim = hard if fixed + demand.whole <= hard or fixed + demand.least > soft else soft
    return _told(_poured(run, upto, demand=demand, hard=aim), run)


def _covered_to(run: Run, upto: int) -> int:
    """Where the kept part begins, if a checkpoint of what lies before it stands for anything."""
    return run.view.start if leaves_nothing(run, upto) else upto


def _oldest_kept(run: Run, *, soft: int) -> int:
    """Where the kept part begins: whole units, newest first, while a full checkpoint and everything unread still fit."""
    if run.total <= soft:
        return run.view.start
    paths = paths_budget(run.facts.budget, share=run.settings.path_share)
    around = sum(run.tokens_of(run.view.unit(run.history, number)) for number in standing(run.history, upto=run.history.newest()))
    head = max(run.tokens_of(run.view.head), around + paths + NUMBERS.checkpoint_frame)
    return tail_start(run, budget=soft - run.facts.fixed - head)


def _demand(run: Run, upto: int, *, level: int) -> Demand:
    """What must stay when units before `upto` go. `level` 0: calls whole, results 200 each; 1: results one line; 2: arguments cut too."""
    history, newest = run.history, run.history.newest()
    users: list[Piece] = []
    results: list[Piece] = []
    calls: list[Piece] = []
    rest = 0
    task = set(history.users[:1] + history.users[-1:])
    for number in (*standing(history, upto=upto), *range(upto, len(history.units))):
        rest += run.tokens_of(run.view.unit(history, number))
        if (number < newest and number not in task) or number in history.standing or number in run.view.flattened:
            continue
        said = users if history.units[number].kind == "user" else calls
        for form, piece in _cuttable(run, history.units[number], level=level, newest=number >= newest):
            (said if isinstance(form, Text) else results if isinstance(form, Result) else calls).append(piece)
            rest -= piece.full
    users.sort(key=lambda piece: (-piece.place[0], piece.place[1]))
    checkpoint = run.settings.digest + NUMBERS.checkpoint_frame if upto > 0 else 0
    return Demand(rest, tuple(users), tuple(results), tuple(calls), checkpoint)


def _cuttable(run: Run, unit: Unit, *, level: int, newest: bool) -> Iterator[tuple[Part, Piece]]:
    """The pieces of a protected unit that may be cut at this level, each with its form in the view."""
    history, settings = run.history, run.settings
    for part in unit.parts:
        place = (part.ordinal, part.index)
        form = run.view.forms[place] if place in run.view.forms else history.mended_part(*place)
        full = run.tokens_of(history.piece(form))
        if isinstance(form, Text) and unit.kind == "user":
            stays = level == 0 and full <= settings.user_share * run.room
            floor = full if stays else settings.user_floor + NUMBERS.note
        elif isinstance(form, Text) and newest and level == 2:
            floor = settings.user_floor + NUMBERS.note
        elif isinstance(form, Result) and newest:
            floor = settings.result_floor + NUMBERS.note if level == 0 else NUMBERS.line
        elif isinstance(form, Call) and newest and level == 2:
            size = NUMBERS.call_floor - NUMBERS.cut_frame
            least = clipped(form, key=part.key, size=size, ruler=history.ruler, named=run.facts.named)
            floor = max(NUMBERS.call_floor, run.tokens_of(history.piece(least)))
        else:
            continue
        yield form, Piece(place, full, min(full, floor))


def _poured(run: Run, upto: int, *, demand: Demand, hard: int) -> Run:
    """Give out what the floors leave: newest user, first user, newest results, then the checkpoint."""
    left = hard - run.facts.fixed - demand.least
    # the covered paths keep their bound (D22): what is over its own floor gives way to them
    kept = min(max(0, left), _paths_told(run, upto))
    left -= kept
    forms: list[Form] = []
    for piece in demand.users:
        given = min(piece.full, piece.floor + left)
        left -= given - piece.floor
        forms += _cut(run, piece, given)
    cap = water_level([piece.full for piece in demand.results], total=left + sum(piece.floor for piece in demand.results))
    for piece in demand.results:
        given = min(piece.full, max(cap, piece.floor))
        left -= given - piece.floor
        forms += _cut(run, piece, given)
    for piece in demand.calls:
        given = min(piece.full, piece.floor + max(0, left))
        left -= given - piece.floor
        forms += _cut(run, piece, given)
    return _checkpointed(_rewritten(run, forms), upto, allowed=demand.checkpoint + kept + max(0, left), hard=hard)


def _paths_told(run: Run, upto: int) -> int:
    """Tokens the smallest checkpoint before `upto` that prints its paths takes beyond a digest."""
    if upto == 0:
        return 0
    cover = checkpoint_cover(run, upto, ledger=folded(run, upto), prose=None, share=NUMBERS.shrinking[-1])
    return max(0, run.history.ruler.text(cover.text) - run.settings.digest)


def _cut(run: Run, piece: Piece, given: int) -> list[Form]:
    """The piece cut to the tokens it is given; nothing where it stays whole."""
    if given >= piece.full:
        return []
    history, key = run.history, key_of(*piece.place)
    original = history.mended_part(*piece.place)
    part = run.view.forms.get(piece.place) or original
    assert original is not None
    least = NUMBERS.call_floor - NUMBERS.cut_frame if isinstance(part, Call) else NUMBERS.least_piece
    size = max(least, given - NUMBERS.cut_frame)
    form = clipped(original, key=key, size=size, ruler=history.ruler, named=run.facts.named)
    # what a cut piece takes is known only once it is cut: the note in it, and the escapes of JSON, may take a little more
    for _ in range(NUMBERS.cut_tries):
        over = run.tokens_of(history.piece(form)) - given
        if over <= 0 or size == least:
            break
        size = max(least, size - over)
        form = clipped(original, key=key, size=size, ruler=history.ruler, named=run.facts.named)
    if isinstance(part, Result) and (given <= NUMBERS.line or run.tokens_of(history.piece(form)) > given):
        full = run.tokens_of(history.part(*piece.place))
        form = cleared(part, tool=_tool_of(run, piece.place), key=key, tokens=full, named=run.facts.named)
    return [(piece.place, form)]


def _tool_of(run: Run, place: Place) -> str:
    """The name of the tool that a result of the newest units came from."""
    for unit in reversed(run.history.units):
        for slot in unit.slots:
            if slot.result and (slot.result.ordinal, slot.result.index) == place:
                return slot.call_part.name
        if unit.last < place[0]:
            break
    return ""


def _rewritten(run: Run, forms: list[Form]) -> Run:
    """Clips of whole pieces are clips; a piece that was clipped in an earlier request rises to cleared (D48)."""
    first = [form for form in forms if run.view.levels.get(form[0], 0) == 0 or form[0][0] >= run.facts.sent]
    again = [form for form in forms if form not in first]
    if first:
        run = run.with_edit(run.edit("clip", "trim", forms=first))
    if again:
        run = run.with_edit(run.edit("clear", "trim", forms=again))
    return run


def _checkpointed(run: Run, upto: int, *, allowed: int, hard: int) -> Run:
    """Drop the units before `upto`: a mechanical checkpoint of at most `allowed` tokens stands for them (D17)."""
    if upto == 0 or (upto == run.view.start and run.total <= hard):
        return run
    ledger, keys = folded(run, upto), covered_keys(run, upto)
    prose = run.view.cover.prose if run.view.cover else None
    least = NUMBERS.shrinking[-1]
    # everything else shrinks before the paths do (D22)
    for share, paths in (*((share, 1.0) for share in NUMBERS.shrinking), *((least, paths) for paths in NUMBERS.shrinking[1:])):
        told = prose if share > NUMBERS.prose_least else None
        cover = checkpoint_cover(run, upto, ledger=ledger, prose=told, share=share, paths=paths)
        if run.history.ruler.text(cover.text) + NUMBERS.checkpoint_frame <= allowed:
            return run.with_edit(run.edit("drop", "trim", cover=cover, keys=keys))
    return run.with_edit(run.edit("drop", "trim", cover=digest_cover(run, upto, ledger=ledger), keys=keys))


def _told(run: Run, before: Run) -> Run:
    """Each time messages leave without a summary: how many, how many tokens, and where they are (D45)."""
    made = [edit for edit in run.edits if edit.cause == "trim"]
    if not made:
        return run
    keys = tuple(key for edit in made for key in edit.keys)
    dropped = next((edit for edit in made if edit.cover), None)
    detail = {"folded": dropped.cover.losses} if dropped and dropped.cover else {}
    reason = f"over the line at {before.usage.percent} % of the budget"
    run = run.event("trim", before=before.total, reason=reason, keys=keys, detail=detail)
    run = run.remember(ripe_to=run.view.start, ripe_gain=0)
    gone = before.total - run.total
    if dropped is None:
        listed = ", ".join(keys[:5])
        return run.notice(f"Cut to fit: about {gone:,} tokens of large messages left the context; they stay readable under {listed}.")
    return run.notice(
        f"Trimmed without a summary: {_messages(run, before.view.start):,} messages, about {gone:,} tokens, left the context; "
        f"they stay readable under {', '.join(dropped.keys)}."
    )


def _messages(run: Run, start: int) -> int:
    """Messages that gave way since the view began at unit `start`."""
    units, stay = run.history.units, set(run.view.standing)
    gone = {place.ordinal for number in range(start, run.view.start) if number not in stay for place in units[number].parts}
    return len(gone)


def _components(run: Run, demand: Demand) -> dict[str, int]:
    """What does not fit, each with its tokens, for `FixedPartTooLarge`."""
    listed = {
        "system": run.facts.system,
        "tools": run.facts.tools,
        "learned overhead": run.facts.overhead,
        "pinned messages": run.pins,
        "output reserve": run.facts.reserve,
        "user messages (least)": sum(piece.floor for piece in demand.users),
        "newest results (least)": sum(piece.floor for piece in demand.results),
        "newest calls and words (least)": demand.rest - run.pins + sum(piece.floor for piece in demand.calls),
        "checkpoint (least)": demand.checkpoint,
    }
    return {name: tokens for name, tokens in listed.items() if tokens > 0}
