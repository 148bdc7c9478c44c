"""Going on with another model: what that means for the conversation, told before or as it is done."""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Sequence
from dataclasses import replace

from sostenuto import engine as machinery
from sostenuto.engine import Asked, Draft, Engine, Loss, Switched, profile_of
from sostenuto.errors import FixedPartTooLarge
from sostenuto.ladder import Run
from sostenuto.manager._driving import Driver, Wishes, rehearsed
from sostenuto.manager._wiring import codec_named


def switched(driver: Driver, wishes: Wishes, *, dry_run: bool) -> Switched:
    """Change the model to that of `wishes`, or with `dry_run` only say what it would mean."""
    before, said = driver.wishes, f"{wishes.model}: window {wishes.window.tokens:,} tokens ({wishes.window.source})"
    if driver.engine is None:
        if not dry_run:
            driver.wishes = wishes
        return Switched(wishes.window.tokens, 0, "\n".join([f"{said}.", *wishes.window.notes]), applied=not dry_run)
    old, asked = driver.engine, driver.last
    plan = replace(
        old.plan,
        codec=codec_named(wishes.format) if wishes.format else old.plan.codec,
        window=wishes.window,
        bound=wishes.profile.prefix_bound_thinking,
        may_flatten=wishes.profile.may_flatten,
        alternating=wishes.profile.alternating_roles,
        cache_lifetime_s=wishes.profile.cache_lifetime_s,
    )
    foreign = _is_foreign(before.model, wishes.model)
    other = machinery.switched(old, plan, ruler=driver.ruler_for(wishes), foreign=foreign)
    is_other_wire = plan.codec.name != old.plan.codec.name
    if is_other_wire and asked is not None:
        asked = _asked_there(asked, old, other)
    told = _losses(old, other, is_other_wire=is_other_wire)
    tokens = other.state.history.ruler.tokens(other.state.view.measure(other.state.history))
    run = _next(other, asked)
    if not dry_run:
        driver.wishes, driver.engine, driver.last = wishes, other, asked
    return Switched(
        wishes.window.tokens,
        tokens,
        "\n".join([f"{said}; the history takes about {tokens:,}: {_verdict(run)}.", *wishes.window.notes, *_lines(told)]),
        tokens_after=run.total if run is not None else tokens,
        rungs=tuple(event.rung for event in run.events) if run is not None else (),
        losses=told,
        messages=machinery.continued(other.state) if is_other_wire else None,
        system=asked.system if is_other_wire and asked is not None else None,
        applied=not dry_run,
        fits=_fits(run),
    )


def _is_foreign(old: str, new: str) -> bool:
    """Whether reasoning sealed for the old model means nothing to the new one: another provider's, or bound to its very prefix."""
    providers = {model.partition(":")[0].lower() for model in (old, new)}
    bound = any(profile_of(model).prefix_bound_thinking for model in (old, new))
    return old != new and (len(providers) > 1 or bound)


def _losses(old: Engine, other: Engine, *, is_other_wire: bool) -> tuple[Loss, ...]:
    if is_other_wire:
        return machinery.losses(old.state.history, other.state.history, codec=other.plan.codec)
    known = set(old.state.history.folding.repairs)
    return machinery.repaired(repair for repair in other.state.history.folding.repairs if repair not in known)


def _asked_there(asked: Asked, old: Engine, other: Engine) -> Asked:
    """What was asked last as it would be asked in the other wire: the messages to go on with, instructions as one text, tools alike."""
    system = machinery.instruction_text(asked.messages, old.plan.codec, system=asked.system)
    definitions, _ = machinery.defined(asked.tools)
    tools = other.plan.codec.tool_definitions(definitions) if definitions else None
    return replace(asked, messages=machinery.continued(other.state), system=system, tools=tools)


def _next(other: Engine, asked: Asked | None) -> Run | None:
    """What the next request would go through; None where nothing was asked yet."""
    if asked is None:
        return None
    draft = other.begin(asked)
    if not isinstance(draft, Draft):
        return None
    return rehearsed(draft)


def _verdict(run: Run | None) -> str:
    if run is None:
        return "nothing was sent yet"
    if not _fits(run):
        return f"it cannot be made to fit: {_refused(run)}"
    if not run.edits:
        return "it fits as it is"
    rungs = ", ".join(dict.fromkeys(event.rung for event in run.events))
    return f"with the next request older messages are cleared or summarised ({rungs}), which takes it to {run.total:,} tokens"


def _fits(run: Run | None) -> bool:
    """Whether the next request can leave: no rung gave up, and what is left is inside the window."""
    return run is None or (run.refused is None and run.total <= run.facts.budget)


def _refused(run: Run) -> str:
    """What takes the room, in the words of the error that the next `prepare` would raise."""
    parts = run.refused if run.refused is not None else machinery.remaining(run)
    return str(FixedPartTooLarge(parts, window=run.facts.window)).partition(": ")[2]


def _lines(told: Sequence[Loss]) -> list[str]:
    return [f"{count} x {what}" for what, count in Counts(loss.what for loss in told).items()]
