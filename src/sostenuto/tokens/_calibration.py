"""What has been learned about one model at one endpoint: a ratio, an offset per tool set, and a served window (D2, D3)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sostenuto.tokens._measure import UNIT, Measure

LOWEST_RATIO, HIGHEST_RATIO = 2.0, 6.0
"""The origin's clamp, in weighted characters per token: with weights every script lies inside it (B061)."""
LOWEST_LEARNED, HIGHEST_LEARNED = 1.0, 9.0
"""The clamp of what increments teach. They hold no hidden part, so a ratio outside the origin's clamp is a tokenizer unlike its family's:
another one writes Russian in little more than half of the tokens."""
_MOST_TOOL_SETS = 16
_MOST_TOKENS = 1_000_000_000
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class ToolSet:
    """The offset last known for one set of tools, and the tokens its schemas were counted as."""

    fingerprint: str
    offset: int
    schema: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """Frozen knowledge; `learn` returns the next one.

    Attributes:
        ratio: weighted characters per token; 1 and never changed where the weigher is exact.
        offset: tokens the provider counts beyond the messages (schemas, scaffolding); negative if it counted fewer than we did.
        anchor: tokens of the request `offset` was taken from. A negative offset shrinks with the history, so that a
            small history after a rewrite is not read as smaller than it is.
        reports: trusted reports seen.
        exact: the weigher counts tokens itself.
        tools, schema: fingerprint of the tools in force and the tokens of their schemas.
        known: offsets of other tool sets.
        served: tokens the server really took when it was caught cutting (D3); None if never.
        sent, reported, media: the newest trusted request and what was reported for it.
        pooled_weight, pooled_tokens: increments waiting to be learned from.
        past_weight, past_tokens: what is remembered of the increments learned from before.
        before: what was known before the newest report that rose; taken back when it proves to have been cut.
    """

    ratio: float = 4.0
    offset: int = 0
    anchor: int = 0
    reports: int = 0
    exact: bool = False
    tools: str = ""
    schema: int = 0
    known: tuple[ToolSet, ...] = ()
    served: int | None = None
    sent: Measure | None = None
    reported: int = 0
    media: int = 0
    pooled_weight: int = 0
    pooled_tokens: int = 0
    past_weight: int = 0
    past_tokens: int = 0
    before: Calibration | None = None

    @property
    def overhead(self) -> int:
        """Tokens beyond the messages, never negative (the origin's word for it; 1.3)."""
        return max(0, self.offset)

    def tokens(self, measure: Measure) -> int:
        """Tokens of a sum of messages, rounded up, without the offset."""
        if self.exact:
            return measure.weight + measure.flat
        return math.ceil(measure.weight / (self.ratio * UNIT) - _ROUNDING) + measure.flat

    def total(self, measure: Measure) -> int:
        """Tokens of a request: messages and offset. Equal to the report for the request that was reported last."""
        tokens = self.tokens(measure)
        if self.offset >= 0:
            return tokens + self.offset
        part = min(max(tokens, 0), self.anchor)
        return tokens + (self.offset * part // self.anchor if self.anchor > 0 else 0)

    def with_tools(self, fingerprint: str, *, schema: int) -> Calibration:
        """The same knowledge for a request with other tools.

        Args:
            fingerprint: identifies the tools ("" for none).
            schema: their schemas counted as text, in tokens. A set that was never reported takes the offset in force,
                moved by the difference of the schemas, until the next report (D2); where less than its schemas was ever reported, a
                smaller set takes its share of that: a template need not show a model all that is sent.
        """
        if fingerprint == self.tools:
            return self
        rest = tuple(entry for entry in self.known if entry.fingerprint not in (self.tools, fingerprint))
        known = (*rest, ToolSet(self.tools, self.offset, self.schema))[-_MOST_TOOL_SETS:]
        seen = next((entry for entry in self.known if entry.fingerprint == fingerprint), None)
        offset = seen.offset if seen else self._moved(schema)
        return replace(self, offset=offset, tools=fingerprint, schema=schema, known=known)

    def _moved(self, schema: int) -> int:
        if schema < self.schema and self.offset < self.schema:
            return min(self.offset, self.offset * schema // self.schema)
        return self.offset + schema - self.schema


def fresh(*, seed: float = 4.0, exact: bool = False) -> Calibration:
    """Nothing learned yet: the seed of the family, or exact counting."""
    return Calibration(ratio=1.0 if exact else seed, exact=exact)


def dump(calibrations: Mapping[str, Calibration], /) -> dict[str, Any]:
    """What is worth keeping of several models, as plain values (origin 1.3). Models that learned nothing are left out."""
    learned = {model: item for model, item in calibrations.items() if item.reports or item.served}
    return {"schemaVersion": 1, "models": [_entry(model, item) for model, item in sorted(learned.items())]}


def load(data: object, /) -> dict[str, Calibration]:
    """Reads what `dump` wrote. Anything corrupt, out of range or not finite is skipped entry by entry; never raises."""
    entries = data.get("models") if isinstance(data, Mapping) else None
    found: dict[str, Calibration] = {}
    for entry in entries if isinstance(entries, list) else []:
        model = entry.get("model") if isinstance(entry, Mapping) else None
        item = _calibration(entry) if isinstance(model, str) and model else None
        if item is not None:
            found[str(model)] = item
    return found


def _entry(model: str, item: Calibration) -> dict[str, Any]:
    sets = [{"tools": known.fingerprint, "overhead": known.offset, "schema": known.schema} for known in item.known]
    return {
        "model": model,
        "ratio": item.ratio,
        "overhead": item.offset,
        "anchor": item.anchor,
        "reports": item.reports,
        "exact": item.exact,
        "tools": item.tools,
        "schema": item.schema,
        "served": item.served,
        "others": sets,
    }


def _calibration(entry: Mapping[str, Any]) -> Calibration | None:
    exact = entry.get("exact") is True
    ratio, offset = entry.get("ratio"), _whole(entry.get("overhead", 0))
    if not isinstance(ratio, int | float) or isinstance(ratio, bool) or not math.isfinite(ratio) or offset is None:
        return None
    if not exact and not LOWEST_LEARNED <= ratio <= HIGHEST_LEARNED:
        return None
    others = entry.get("others")
    known = tuple(found for item in others if (found := _tool_set(item))) if isinstance(others, list) else ()
    tools = entry.get("tools")
    return Calibration(
        ratio=1.0 if exact else float(ratio),
        offset=offset,
        anchor=max(0, _whole(entry.get("anchor")) or 0),
        reports=max(1, _whole(entry.get("reports")) or 1),
        exact=exact,
        tools=tools if isinstance(tools, str) else "",
        schema=max(0, _whole(entry.get("schema")) or 0),
        known=known[-_MOST_TOOL_SETS:],
        served=_positive(entry.get("served")),
    )


def _tool_set(item: object) -> ToolSet | None:
    if not isinstance(item, Mapping) or not isinstance(item.get("tools"), str):
        return None
    offset, schema = _whole(item.get("overhead")), _whole(item.get("schema"))
    return None if offset is None or schema is None else ToolSet(item["tools"], offset, schema)


def _whole(value: object) -> int | None:
    is_whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _MOST_TOKENS
    return int(value) if is_whole and isinstance(value, int) else None


def _positive(value: object) -> int | None:
    whole = _whole(value)
    return whole if whole and whole > 0 else None
