"""What to ask for after a provider refused the last request (D9, D19)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sostenuto import engine as machinery

if TYPE_CHECKING:
    from sostenuto.engine import Asked
    from sostenuto.manager._driving import Driver


def recovery(driver: Driver, error: object, *, maximum: int | None) -> Asked:
    """The question that makes the smaller request; what the refusal states is remembered.

    Raises:
        UnusableInput: the error says something else than that the request was too long, or nothing was prepared yet.
        ContextOverflow: the request before was refused too.
    """
    engine, last, wishes = driver.started(), driver.prepared(), driver.wishes
    sent, settings, window = engine.state.request, engine.plan.settings, engine.window.tokens
    estimate = sent.tokens if sent is not None else 0
    fill = (estimate + (sent.max_output or 0 if sent is not None else 0)) / max(1, window)
    found = machinery.evidence(error, maximum=maximum, fill=fill, window=window)
    target = engine.overflowed(stated=found.limit if found.kind == "tokens" else None)
    if found.kind == "tokens" and found.limit:
        wishes.calibrations.put_limit(wishes.model, found.limit, pinned=wishes.stated)
    if found.kind == "malformed" and machinery.reasoning(engine.state):
        return replace(last, repair=True)
    if found.kind == "bytes":
        return replace(last, strip_media=True, forced=target)
    least, line = engine.window.lowest_reserve(last.max_output or found.output), settings.thresholds.compact
    output = machinery.lowered_output(found, asked=last.max_output, estimate=estimate, least=least, line=line)
    if output is not None:
        engine.told_next(f"The provider refused the output asked for beside this input; it is lowered to {output:,} tokens.")
        last, found = replace(last, max_output=output), replace(found, output=output)
        if found.spare is not None and found.spare >= output:
            return last
    return replace(last, forced=machinery.fitting(found, estimate=estimate, otherwise=settings.recovery))
