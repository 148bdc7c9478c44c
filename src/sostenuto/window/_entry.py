"""What is published about a model: its limits in tokens and its prices, and the models.dev shape they are read from."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

LONGEST_NAME: Final = 200
"""Characters of a provider's or a model's name; a longer one, or one with a control character, is no name."""
_MOST_TOKENS: Final = 10**12
_MOST_DOLLARS: Final = 10**6
_OVER_200K: Final = 200_000


class Price(NamedTuple):
    """Dollars per million tokens, for requests of more than `above` tokens of context; None where nothing is published."""

    above: int
    input: float | None
    output: float | None
    cache_read: float | None = None
    cache_write: float | None = None


class Entry(NamedTuple):
    """What is published about a model, in tokens; `input` and `output` are 0 where no separate limit is published.

    `prices` go up in size: the first holds from the first token on; none where no price is published. `date` is that of the
    facts, or of the snapshot they were in.
    """

    provider: str
    model: str
    context: int
    input: int
    output: int
    date: str
    prices: tuple[Price, ...] = ()

    @property
    def takes(self) -> int:
        """The input limit: the separate one if there is one, else the whole context (D6)."""
        return self.input or self.context

    @property
    def name(self) -> str:
        """``provider:id``."""
        return f"{self.provider}:{self.model}"

    def price(self, tokens: int, /) -> Price | None:
        """The prices for a request of so many tokens; None where none is published."""
        return next((price for price in reversed(self.prices) if tokens > price.above), self.prices[0] if self.prices else None)


class Match(NamedTuple):
    """A found entry; `is_exact` is false where only the name was alike, and the smallest plausible number was taken. `why` in words."""

    entry: Entry
    is_exact: bool
    why: str = ""


def entries(catalogue: object, /) -> tuple[Entry, ...]:
    """Reads a catalogue in the models.dev shape (provider -> models -> id -> limit, cost); what does not fit is skipped. Never raises."""
    found: list[Entry] = []
    for provider, value in catalogue.items() if isinstance(catalogue, Mapping) else ():
        models = value.get("models") if isinstance(value, Mapping) else None
        for model, facts in models.items() if isinstance(models, Mapping) else ():
            entry = _entry(str(provider), str(model), facts)
            if entry is not None:
                found.append(entry)
    return tuple(found)


def shaped(found: Iterable[Entry], /) -> dict[str, Any]:
    """The same entries in the models.dev shape: `entries` reads them back."""
    providers: dict[str, Any] = {}
    for entry in found:
        models = providers.setdefault(entry.provider, {"models": {}})["models"]
        limits = {"context": entry.context, "input": entry.input, "output": entry.output}
        models[entry.model] = {
            "limit": {name: tokens for name, tokens in limits.items() if tokens},
            **({"cost": _cost(entry.prices)} if entry.prices else {}),
            **({"last_updated": entry.date} if entry.date else {}),
        }
    return providers


def is_name(text: str, /) -> bool:
    """A provider's or a model's name that can stand in a line of a table."""
    return 0 < len(text) <= LONGEST_NAME and text.isprintable() and not text.isspace()


def _entry(provider: str, model: str, facts: object) -> Entry | None:
    limit = facts.get("limit") if isinstance(facts, Mapping) else None
    if not isinstance(facts, Mapping) or not isinstance(limit, Mapping) or not (is_name(provider) and is_name(model)):
        return None
    if not _writes_text(facts.get("modalities")):
        return None
    context, most_in, most_out = (_number(limit.get(name)) for name in ("context", "input", "output"))
    if not context and not most_in:
        return None
    # an "input limit" above the context is a slip of whoever wrote it: the smaller number is the one that is safe
    separate = most_in if not context or most_in < context else 0
    return Entry(provider, model, context or most_in, separate, most_out, _date(facts), _prices(facts.get("cost")))


def _writes_text(modalities: object) -> bool:
    """A model that writes text, or of which nothing is said: pictures and voices have no conversation to keep."""
    written = modalities.get("output") if isinstance(modalities, Mapping) else None
    return not isinstance(written, list) or not written or "text" in written


def _date(facts: Mapping[Any, Any]) -> str:
    """The day of the newest fact, where one is named and looks like one."""
    for name in ("last_updated", "release_date"):
        value = facts.get(name)
        if isinstance(value, str) and 4 <= len(value) <= 10 and value.replace("-", "").isdecimal():
            return value
    return ""


def _prices(cost: object) -> tuple[Price, ...]:
    if not isinstance(cost, Mapping):
        return ()
    found = [_price(0, cost)]
    tiers = cost.get("tiers")
    for tier in tiers if isinstance(tiers, list) else ():
        size = tier.get("tier") if isinstance(tier, Mapping) else None
        if isinstance(size, Mapping) and size.get("type", "context") == "context" and _number(size.get("size")):
            found.append(_price(_number(size.get("size")), tier))
    over = cost.get("context_over_200k")
    if len(found) == 1 and isinstance(over, Mapping):
        found.append(_price(_OVER_200K, over))
    by_size = {price.above: price for price in found if price[1:] != (None,) * 4}
    return tuple(by_size[size] for size in sorted(by_size)) if 0 in by_size else ()


def _price(above: int, cost: Mapping[Any, Any]) -> Price:
    given = [_dollars(cost.get(name)) for name in ("input", "output", "cache_read", "cache_write")]
    return Price(above, *given)


def _cost(prices: tuple[Price, ...]) -> dict[str, Any]:
    base, *tiers = [(price.above, {k: v for k, v in zip(Price._fields[1:], price[1:], strict=True) if v is not None}) for price in prices]
    cost: dict[str, Any] = dict(base[1])
    if tiers:
        cost["tiers"] = [{**values, "tier": {"type": "context", "size": above}} for above, values in tiers]
    return cost


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MOST_TOKENS else 0


def _dollars(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or not 0 <= value <= _MOST_DOLLARS:
        return None
    return float(f"{value:.6g}")
