"""The journal: what one record of a compaction holds, and reading back what anybody wrote (origin 8.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sostenuto.work._lines import one_line
from sostenuto.work._numbers import NUMBERS


@dataclass(frozen=True, slots=True)
class Recorded:
    """One compaction.

    Attributes:
        recorded_at: when it was written down, ISO 8601; "" where nobody knows.
        tokens_before, tokens_after: of the whole request, by the engine's counter (D40).
        messages_before, messages_after: of the view.
        summary: the checkpoint as it entered the context, secrets taken out.
        mechanical: this step was written without a model (D23); sections of earlier summaries may stand in it all the same.
        tainted: whoever wrote it may have read the words of strangers.
    """

    recorded_at: str
    summary: str
    tokens_before: int = 0
    tokens_after: int = 0
    messages_before: int = 0
    messages_after: int = 0
    mechanical: bool = False
    tainted: bool = False


_FIGURES = ("tokensBefore", "tokensAfter", "messagesBefore", "messagesAfter")


def recorded(record: Mapping[str, Any], *, now: datetime, tainted: bool = False) -> Recorded:
    """The ladder's record of a compaction (`sostenuto.ladder.Journal`), which holds no secrets, with its time."""
    found = record_in(record) or Recorded("", "")
    return replace(found, recorded_at=now.isoformat(timespec="seconds"), tainted=tainted or found.tainted)


def record_value(record: Recorded) -> dict[str, Any]:
    """The record as a JSON value."""
    figures = (record.tokens_before, record.tokens_after, record.messages_before, record.messages_after)
    return {
        "recordedAt": record.recorded_at,
        **dict(zip(_FIGURES, figures, strict=True)),
        "summary": record.summary,
        "mechanical": record.mechanical,
        **({"tainted": True} if record.tainted else {}),
    }


def record_in(value: object) -> Recorded | None:
    """The record in a JSON value, whoever wrote it; None where there is no summary in it. Never raises."""
    summary = value.get("summary") if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping) or not isinstance(summary, str) or not summary.strip():
        return None
    moment = value.get("recordedAt")
    tokens_before, tokens_after, messages_before, messages_after = (_figure(value.get(name)) for name in _FIGURES)
    return Recorded(
        one_line(moment[: NUMBERS.moment]) if isinstance(moment, str) else "",
        summary,
        tokens_before,
        tokens_after,
        messages_before,
        messages_after,
        value.get("mechanical") is True,
        value.get("tainted") is True,
    )


def _figure(value: object) -> int:
    return max(0, value) if isinstance(value, int) and not isinstance(value, bool) else 0
