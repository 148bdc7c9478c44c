"""ContextManager's machinery: it holds the one state, drives the ladder, and commits once at the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sostenuto.engine._attachments import attached
from sostenuto.engine._breaks import changed_in_front, priced
from sostenuto.engine._emission import OPENING, TURN, Emission, opened, turns, with_nudges
from sostenuto.engine._fixed import Front, Instructions, Toolbox, instructions, toolbox
from sostenuto.engine._folds import folding
from sostenuto.engine._foreign import refuse_other_wires
from sostenuto.engine._growing import grown, rebuilt
from sostenuto.engine._knowing import with_known
from sostenuto.engine._markers import carried
from sostenuto.engine._matching import guarded, match, twins
from sostenuto.engine._mended import mended
from sostenuto.engine._plan import Asked, Draft, Plan, Written
from sostenuto.engine._state import Request, Sent, State, reviewed
from sostenuto.engine._telling import nudged, remaining, repairs, server_side, silent
from sostenuto.errors import ContextOverflow, FixedPartTooLarge
from sostenuto.ladder import Facts, History, Run, absent, nudge_tokens, view_of
from sostenuto.messages import Message, fingerprint
from sostenuto.protocols import Codec, Raw
from sostenuto.tokens import Measure, Ruler, learn, usage_of
from sostenuto.window import Window

if TYPE_CHECKING:
    from sostenuto.engine._snapshot import Codecs

_ABSURD = 10
"""A report of more than ten windows is a fault of whoever reported it, never a measurement."""


class Engine:
    """Holds one conversation. Nothing here waits or does I/O: `begin` gives a run to drive, `finish` commits it."""

    def __init__(self, plan: Plan, *, ruler: Ruler) -> None:
        self.plan = plan
        self.state = State(History(ruler, folding(plan.codec)))
        self._toolbox = Toolbox()
        self._ruler = ruler
        self._instructions: Instructions | None = None
        self.preface: Message | None = None
        """Stands in front of everything until the next compaction, and is no part of the conversation (the preamble of a resume)."""

    # ------------------------------------------------------------------ one request

    def begin(self, asked: Asked) -> Request | Draft:
        """Take in what was handed over. The same as last time, with nothing recorded since, gives the very same request (D63)."""
        codec, state = self.plan.codec, self.state
        self._ruler = state.history.ruler
        lead = codec.split_system(asked.messages)
        handed = asked.messages[lead:] if lead else asked.messages
        found = match(handed, state, decode=codec.decode)
        nothing_new = found.kind == "extension" and found.taken == len(handed) and not found.fresh
        if asked.is_plain and nothing_new and state.request and state.asked == _question(asked, lead):
            return state.request
        growth = grown(state, handed, found, codec=codec, is_pinned=self.plan.is_pinned)
        state = self._with_tools(growth.state, asked)
        facts = self._facts(state, asked, lead)
        settings = self._toolbox.settings(self.plan.settings)
        run = Run(state.history, settings, facts, state.view, state.memory, next_number=len(state.edits))
        run = with_known(run, self.plan.work, rewritten=growth.dropped_before is not None)
        if growth.dropped_before is not None:
            run = absent(run, growth.dropped_before)
        return Draft(state, asked, lead, facts, run)

    def finish(self, draft: Draft, run: Run) -> Request:
        """Commit a run that is done and return its request.

        Raises:
            FixedPartTooLarge: if nothing that may be left out is left.
            ContextOverflow: after a refusal, if the request would not be smaller than the refused one (D19).
        """
        if run.refused is not None:
            raise FixedPartTooLarge(run.refused, window=run.facts.window)
        if run.total > run.facts.budget:
            # the last look: nothing may leave over the window, whatever a rung believed it could free (invariant 2)
            raise FixedPartTooLarge(remaining(run), window=run.facts.window)
        state = self._edited(draft.state, run)
        written = self._written(state, draft, run)
        measured = run.measure
        tokens = run.total + nudge_tokens(run, run.nudges)
        self._check_smaller(draft.asked, run, tokens)
        front = changed_in_front(self.state, _question(draft.asked, draft.lead), tokens=tokens)
        request = Request(
            written.arguments,
            tokens,
            run.facts.window,
            (*state.events, *front, *repairs(state, self.state.sent_to), *priced(run, sent_to=self.state.sent_to)),
            (*state.waiting, *server_side(state, self.state.sent_to), *silent(state), *run.notices),
            self._output(draft.asked, tokens),
            self.plan.codec.name,
            run.thinking_off,
            written.nudges,
            mended(state),
        )
        if any(edit.cover is not None for edit in run.edits):
            self.preface = None  # the checkpoint says it from the next request on
        self.state = replace(
            state,
            memory=run.memory,
            sent=self._sent(state, written),
            made=written.emission.made,
            sent_to=state.length,
            heads=written.heads,
            request=request,
            # what was only counted on is no measurement: a report of such a request teaches nothing
            asked=() if draft.asked.as_last else _question(draft.asked, draft.lead),
            measured=measured + nudged(run),
            media=attached(state, before=self.state, edited=bool(run.edits)),
            waiting=(),
            events=(),
            facts=draft.facts,
            front=state.front if draft.asked.as_last else self._front(state, draft.asked),
        )
        return request

    def _check_smaller(self, asked: Asked, run: Run, tokens: int) -> None:
        refused = self.state.request if asked.forced is not None else None
        if refused is not None and (not run.edits or (tokens >= refused.tokens and not asked.strip_media)):
            raise ContextOverflow(f"the provider refused a request of about {refused.tokens:,} tokens; nothing smaller can be made of it")

    def _written(self, state: State, draft: Draft, run: Run) -> Written:
        """The arguments of the request: instructions, the view, nudges, cache markers."""
        codec = self.plan.codec
        if self.plan.cache == "keep" and state.view.cover is not None:
            state = replace(state, heads=carried(state, codec=codec, system=draft.asked.system, tools=draft.asked.tools))
        out, emission, heads = self.emitted(state)
        behind = (OPENING,) if turns(state.history, codec)[1] and not run.nudges else ()
        out, nudges = with_nudges(out, run.nudges or behind, codec, alternating=self.plan.alternating)
        # an instruction without a word is refused by endpoints, and says nothing (D20)
        lead = [raw for raw in draft.asked.messages[: draft.lead] if codec.decode(raw).parts]
        arguments = codec.body([*lead, *out], system=draft.asked.system, tools=draft.asked.tools)
        if self.plan.cache == "auto":
            arguments = codec.mark_cache(arguments, stable=len(lead) + len(out) - nudges)
        # as they leave, markers included: that is what a caller who keeps them hands back
        left = arguments[codec.field][len(arguments[codec.field]) - len(out) :]
        return Written(arguments, left, nudges, emission, heads)

    def _sent(self, state: State, written: Written) -> Sent:
        made = written.emission.made
        copies = twins(state.raws, state.expected) if state.order is None and len(state.raws) == len(state.expected) else {}
        expected = guarded(written.left, self.state.sent.expected, twins=copies)
        placed = written.emission
        return Sent(expected, tuple(placed.segments), written.nudges, made.swapped if made else {}, tuple(placed.built))

    def abandon(self) -> None:
        """A step failed or was cancelled: what it had added to the log is taken out again, as if it had never been called."""
        history, length = self.state.history, self.state.length
        if len(history.messages) != length:
            pinned = {ordinal for ordinal in history.pinned if ordinal < length}
            fresh = rebuilt(history, history.messages[:length], pinned=pinned)
            self.state = replace(self.state, history=fresh, made=None)
        self.state.history.ruler = self._ruler

    def told_next(self, text: str) -> None:
        """A line for the person that goes with the next request."""
        self.state = replace(self.state, waiting=(*self.state.waiting, text))

    def note(self, asked: Asked) -> bool:
        """Take in messages that plainly go on from what is known, without a request; False where they do not (the next `begin` sees)."""
        lead = self.plan.codec.split_system(asked.messages)
        handed = asked.messages[lead:] if lead else asked.messages
        found = match(handed, self.state, decode=self.plan.codec.decode)
        if found.kind != "extension":
            return False
        if found.taken < len(handed):
            growth = grown(self.state, handed, found, codec=self.plan.codec, is_pinned=self.plan.is_pinned)
            self.state = replace(growth.state, request=None)
        return True

    def load(self, snapshot: Mapping[str, Any], *, codecs: Codecs, calibrated: bool = True) -> None:
        """Go on from a snapshot; what the last request held is built again, for a caller who kept it.

        `calibrated`: what the conversation had learned about its model still holds; `codecs` are those of other wires by their names.

        Raises:
            UnusableInput: it is not a snapshot, or of a newer schema.
        """
        from sostenuto.engine._snapshot import calibration, loaded

        ruler, known = self.state.history.ruler, calibration(snapshot) if calibrated else None
        if known is not None and known.exact == ruler.calibration.exact:
            self.state.history.ruler = replace(ruler, calibration=known)
        state = loaded(snapshot, self.state.history, self.plan.codec, codecs=codecs)
        out, emission, _ = self.emitted(state)
        last, nudges = state.sent.expected, state.sent.nudges
        kept = out if nudges else out[: len(out) - len(last)]
        sent = Sent(guarded([*kept, *last]), tuple(emission.segments), nudges, built=tuple(emission.built))
        if state.front is not None:
            held = state.history.ruler
            state.history.ruler = replace(held, calibration=state.front.calibration(held))
        self.state = replace(state, sent=sent)

    def _edited(self, state: State, run: Run) -> State:
        if not run.edits:
            return state if run.view is state.view else replace(state, view=run.view)
        covers = any(edit.cover or edit.flattened or edit.inserted for edit in run.edits)
        heads = () if covers else state.heads
        return replace(state, edits=(*state.edits, *run.edits), view=run.view, heads=heads)

    def emitted(self, state: State, *, prefaced: bool = True) -> tuple[list[Raw], Emission, tuple[Raw, ...]]:
        """The messages of the view as this wire writes them, how they were made, and the checkpoint's own."""
        emission = Emission(state.history, state.view, state.raws, self.plan.codec, made=state.made, crossed=state.crossed)
        if self.preface is not None and prefaced:
            emission.out += self.plan.codec.items(self.preface)
        heads = emission.head(state.heads)
        emission.body(state.view.start)
        out = opened(emission.out, self.plan.codec)
        shift = len(out) - len(emission.out)
        if shift:
            emission.segments = [(position + shift, ordinal, count) for position, ordinal, count in emission.segments]
            emission.built = [(position + shift, ordinal, count) for position, ordinal, count in emission.built]
        return out, emission, heads

    # ------------------------------------------------------------------ facts

    def _with_tools(self, state: State, asked: Asked) -> State:
        """The calibration for the tools of this request: their counted schemas until a report tells more (D2)."""
        ruler = state.history.ruler
        if asked.as_last:
            return state
        box = self._toolbox = toolbox(asked.tools, self._toolbox, codec=self.plan.codec)
        if box.print != ruler.calibration.tools:
            state.history.ruler = replace(ruler, calibration=ruler.calibration.with_tools(box.print, schema=box.schema(ruler)))
        return state

    def facts(self) -> Facts:
        """What is true for the conversation now; before the first request of a process as it was for the last one of another."""
        return self.state.facts or self._facts(self.state, Asked([], as_last=True), 0)

    def _front(self, state: State, asked: Asked) -> Front:
        """What a request carries in front, to be counted with by whoever goes on."""
        ruler, system = state.history.ruler, self._instructions.measure if self._instructions is not None else Measure()
        tools, schema = ruler.calibration.tools, ruler.calibration.schema
        return Front(system, ruler.mark, ruler.tokens(system), tools, schema, self._toolbox.named or "", asked.max_output)

    def _facts(self, state: State, asked: Asked, lead: int) -> Facts:
        ruler, calibration = state.history.ruler, state.history.ruler.calibration
        front = state.front if asked.as_last else None
        if front is not None:
            system = front.measure(ruler)
        else:
            given = instructions(asked.system, asked.messages[:lead], self._instructions, codec=self.plan.codec, ruler=ruler)
            self._instructions, system = given, given.measure
        if self.preface is not None:
            system += ruler.measure(self.preface)
        for needed in turns(state.history, self.plan.codec):
            system += ruler.measure(TURN) if needed else Measure()
        window = self._window(state)
        reserve = self.plan.window.reserve(asked.max_output if front is None else front.max_output)
        idle = asked.idle_s is not None and asked.idle_s > self.plan.cache_lifetime_s
        return Facts(
            budget=max(1, min(window, self._together(window) - reserve)),
            window=window,
            system=ruler.tokens(system),
            system_measure=system,
            tools=calibration.schema,
            overhead=max(0, calibration.offset - calibration.schema),
            reserve=reserve,
            named=self._toolbox.named if front is None else front.named or None,
            cold=idle,
            forced=asked.forced,
            strip_media=asked.strip_media,
            repair=asked.repair,
            manual=asked.manual,
            before=asked.before,
            focus=asked.focus,
            sent=state.sent_to,
            reports=calibration.reports,
            exact=calibration.exact,
            summarizer_window=self.plan.summarizer_window,
            instructions=self.plan.instructions,
            rules=self.plan.rules,
            deadline_s=self.plan.deadline_s,
            bound=self.plan.bound,
            may_flatten=self.plan.may_flatten,
        )

    @property
    def window(self) -> Window:
        """The window in force: what was known of it, lowered by what errors and silent cuts taught."""
        tokens = self._window(self.state)
        return (
            self.plan.window
            if tokens == self.plan.window.tokens
            else replace(self.plan.window, tokens=tokens, total=tokens, source="learned")
        )

    def _window(self, state: State) -> int:
        """Input tokens the model takes: what is known of it, lowered by what an error or a silent cut taught (D3, D8)."""
        taught = [limit for limit in (state.learned_window, state.history.ruler.calibration.served) if limit]
        return min([self.plan.window.tokens, *taught])

    def _together(self, window: int) -> int:
        """Tokens of input and output together, where `window` of them are input."""
        return window if window < self.plan.window.tokens else self.plan.window.total

    def _output(self, asked: Asked, tokens: int) -> int | None:
        """What may be asked for as output: never more than is left, however much was requested (D6, B085)."""
        if not asked.max_output:
            return None
        wanted = min(asked.max_output, self.plan.window.output_limit or asked.max_output)
        return max(1, min(wanted, self._together(self._window(self.state)) - tokens))

    # ------------------------------------------------------------------ changes from outside

    def pin(self, print_: bytes) -> None:
        """Pin a message that is already in the log."""
        history = self.state.history
        found = {ordinal for ordinal, message in enumerate(history.messages) if fingerprint(message) == print_}
        if found - history.pinned:
            self._rebuild(history.ruler, pinned=history.pinned | found)

    def recode(self, codec: Codec) -> None:
        """The messages turn out to be of another wire: everything is read again; ordinals, edits and pins stay.

        Raises:
            UnknownFormat: an earlier message cannot be of that wire; nothing changed then.
        """
        old, raws = self.state.history, self.state.raws[: self.state.length]
        for ordinal, raw in enumerate(raws):
            refuse_other_wires(raw, ordinal, codec=codec)
        self.plan = replace(self.plan, codec=codec)
        fresh = History(old.ruler, folding(codec))
        for ordinal, raw in enumerate(raws):
            fresh.add(codec.decode(raw), pinned=ordinal in old.pinned)
        self.state = replace(reviewed(self.state, history=fresh, edits=self.state.edits), request=None, crossed=0)
        self._instructions, self._toolbox = None, Toolbox()

    def _rebuild(self, ruler: Ruler, *, pinned: set[int]) -> None:
        old = self.state.history
        old.ruler = ruler
        fresh = rebuilt(old, old.messages, pinned=pinned)
        view = view_of(self.state.edits, history=fresh)
        memory = replace(self.state.memory, ripe_to=0, ripe_gain=0)
        self.state = replace(self.state, history=fresh, view=view, memory=memory, learned_window=None, request=None)

    # ------------------------------------------------------------------ what came back

    def record(self, reply_or_usage: object) -> str | None:
        """Learn from reported usage (D2, D3). Returns the line of an alarm, if there was one."""
        state, found = self.state, usage_of(reply_or_usage)
        self.state = state = replace(state, refused=0, request=None)
        if found is None or state.asked == ():
            return None
        if found.input > _ABSURD * max(self.plan.window.tokens, state.measured.weight):
            self.told_next(f"A reported prompt of {found.input:,} tokens is not believed: the window has {self.plan.window.tokens:,}.")
            return None
        ruler = state.history.ruler
        calibration, alarm = learn(
            ruler.calibration, sent=state.measured, reported=found.input, window=self.plan.window.tokens, media=state.media
        )
        state.history.ruler = replace(ruler, calibration=calibration)
        if alarm is not None:
            self.state = replace(self.state, waiting=(*state.waiting, alarm.text))
            return alarm.text
        return None

    def overflowed(self, *, stated: int | None) -> int:
        """The tokens a refused request must be cut to; remembers a stated maximum.

        Raises:
            ContextOverflow: if the request before this one was refused too.
        """
        request = self.state.request
        if self.state.refused or request is None:
            raise ContextOverflow("the provider refused the request twice; nothing smaller can be sent")
        estimate = request.tokens
        target = int(self.plan.settings.recovery * estimate)
        if stated:
            target = min(estimate - 1, stated)
            self.state = replace(self.state, learned_window=stated)
        self.state = replace(self.state, refused=1)
        return max(1, target)


def _question(asked: Asked, lead: int) -> tuple[Any, ...]:
    """Everything but the messages that a request depends on; comparable."""
    return (asked.messages[:lead], asked.system, asked.tools, asked.max_output)
