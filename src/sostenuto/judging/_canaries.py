"""Canaries: sentences of five kinds planted in a conversation, some of them corrected later, and which of them can still be seen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sostenuto.replaying import texts

CanaryKind = Literal["constraint", "fact", "goal", "preference", "rule"]
KINDS: tuple[CanaryKind, ...] = ("constraint", "fact", "goal", "preference", "rule")


@dataclass(frozen=True, slots=True)
class Canary:
    """A sentence that must be kept verbatim. `sign` is the word nobody else uses, for searching.

    `stale` is the sentence it corrected; "" where nothing was corrected.
    """

    kind: CanaryKind
    text: str
    sign: str
    stale: str = ""


@dataclass(frozen=True, slots=True)
class Sighting:
    """What became of the canaries in one request: the share of each kind in view, of all, what is shown as current though stale."""

    kinds: Mapping[CanaryKind, float]
    in_view: float
    stale: int
    recoverable: float | None


def sighted(canaries: Sequence[Canary], messages: Iterable[Any], *, search: Callable[[str], Sequence[str]] | None = None) -> Sighting:
    """Look for the canaries in the messages of one request, and ask `search` for those that are not there."""
    view = "\n".join(texts(message) for message in messages)
    seen = {canary: canary.text in view for canary in canaries}
    kinds = {kind: _share(seen[canary] for canary in canaries if canary.kind == kind) for kind in KINDS}
    found = [seen[canary] or (search is not None and any(canary.text in text for text in search(canary.sign))) for canary in canaries]
    return Sighting(
        kinds=kinds,
        in_view=_share(seen.values()),
        stale=sum(is_shown_as_current(canary, view) for canary in canaries),
        recoverable=None if search is None else _share(found),
    )


def is_shown_as_current(canary: Canary, view: str) -> bool:
    """Whether the corrected sentence is in view and its correction does not stand behind it."""
    old = view.rfind(canary.stale) if canary.stale else -1
    return old >= 0 and view.rfind(canary.text) < old


def _share(values: Iterable[bool]) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else 1.0
