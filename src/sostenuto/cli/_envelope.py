"""The one line that ``sostenuto run --json`` prints (origin 11.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sostenuto.cli._parked import parked_fields

if TYPE_CHECKING:
    from sostenuto.agent import Outcome
    from sostenuto.app import Ran

INTERRUPTED: Final = "interrupted"
"""State of a run that a person ended: what it says last is no answer, so it is not ok."""
_FLAGS: Final = {
    "cost": "costCapped",
    "tokens": "tokenCapped",
    "duration": "durationCapped",
    "iterations": "iterationLimited",
    "stalled": "stalled",
    "interrupted": "interrupted",
    "cut off": "answerIncomplete",
    "empty": "answerEmpty",
}
"""How a run that did not end by itself says so; the flags of the others are absent."""


def envelope(ran: Ran, *, conversation: str, is_ephemeral: bool) -> dict[str, Any]:
    """What a run left, for a program."""
    outcome = ran.outcome
    base: dict[str, Any] = {"model": ran.model, **({"conversation": conversation} if conversation else {})}
    if outcome.error is not None:
        return {**failure(str(outcome.error)), **_spent(outcome), **base}
    if outcome.parked is not None:
        return {**parked_fields(outcome.parked), **_spent(outcome), **base, **({"unsaved": ran.unsaved} if ran.unsaved else {})}
    flag = _FLAGS.get(outcome.ended)
    was_interrupted = outcome.ended == "interrupted"
    return {
        "ok": not was_interrupted,
        **({"state": INTERRUPTED} if was_interrupted else {}),
        "answer": outcome.text.strip(),
        **_spent(outcome),
        "toolCalls": [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in outcome.calls],
        **({"messages": outcome.history} if is_ephemeral else {}),
        **({flag: True} if flag else {}),
        **base,
        **({"unsaved": ran.unsaved} if ran.unsaved else {}),
    }


def failure(text: str, /) -> dict[str, Any]:
    """What a run that failed before it began says."""
    return {"ok": False, "error": text, "costUSD": 0}


def _spent(outcome: Outcome) -> dict[str, Any]:
    spent = outcome.spent
    usage = {"promptTokens": spent.input, "completionTokens": spent.output, "totalTokens": spent.tokens}
    return {
        "costUSD": round(spent.total_usd, 9),
        "costKnown": spent.cost_known,
        "tokenUsage": {**usage, **({"cacheReadTokens": spent.cached} if spent.cached else {})},  # absent, never a 0 that looks reported
        "iterations": spent.iterations,
    }
