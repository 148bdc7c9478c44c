"""The window of a run: what a server serves, what was pinned, what errors taught, and the lines of the ladder in it (origin 2)."""

from __future__ import annotations

from dataclasses import dataclass

from sostenuto.app._pricing import is_free
from sostenuto.app._terms import Terms
from sostenuto.budget import thresholds
from sostenuto.catalogues.bundled import bundled
from sostenuto.ladder import Settings
from sostenuto.manager import Calibrations
from sostenuto.protocols import Model
from sostenuto.window import Facts, Window, lookup, parted, resolve, start_warning

OUTPUT_SHARE = 8
MOST_OUTPUT = 4_096
"""A local server writes on to the end of its window where nobody says how much: an eighth of it, at most so many tokens."""


@dataclass(frozen=True, slots=True)
class Served:
    """A model, and the window its server said it serves (None: it did not say)."""

    model: Model
    window: int | None


@dataclass(frozen=True, slots=True)
class Managed:
    """What a context manager is told.

    Attributes:
        window: the window in force.
        stated: to be handed to the manager; None where its own catalogue says the same and more.
        settings: the ladder with the lines that were asked for.
        max_output: tokens to ask for as output; None leaves it to the provider.
        notes: lines for the person.
    """

    window: Window
    stated: int | None
    settings: Settings
    max_output: int | None
    notes: tuple[str, ...]


def managed(served: Served, terms: Terms, calibrations: Calibrations, /) -> Managed:
    """The window and everything that is measured by it."""
    name = served.model.name
    provider, model = parted(name)
    facts = Facts(
        provider=provider,
        model=model,
        pinned=terms.pinned,
        server=served.window,
        learned=calibrations.limit(name, pinned=terms.pinned),
        match=lookup(provider, model, catalogue=bundled()) if model else None,
        ceiling=terms.settings["llm.maxContextTokens"],
    )
    window = resolve(facts)
    lines = thresholds(
        window=window.tokens,
        warn=_set(terms, "context.warnThresholdRatio"),
        compact=_set(terms, "context.compactThresholdRatio"),
    )
    warning = start_warning(facts, window)
    is_catalogue = window.source in ("catalogue", "fallback") and not window.capped
    return Managed(
        window=window,
        stated=None if is_catalogue else window.tokens,
        settings=Settings(thresholds=lines),
        max_output=min(MOST_OUTPUT, max(1, window.tokens // OUTPUT_SHARE)) if is_free(name) else None,
        notes=(*(() if is_catalogue else window.notes), *((warning,) if warning and not is_catalogue else ()), *lines.warnings),
    )


def _set(terms: Terms, key: str) -> object:
    """A wish, where somebody has it: the default is decided with the other line in view."""
    value, source = terms.settings.found(key)
    return None if source == "default" else value
