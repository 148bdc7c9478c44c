"""How a wire's messages fold into units: what it demands of them, from its codec."""

from __future__ import annotations

from sostenuto.messages import Folding
from sostenuto.protocols import Codec


def folding(codec: Codec, *, foreign: int = 0, crossings: tuple[tuple[int, bool], ...] = ()) -> Folding:
    """An empty folding for this wire; messages before the ordinal `foreign` are of another model, those in `crossings` of other wires."""
    return Folding(
        unique_ids=codec.unique_ids,
        legal_id=codec.legal_id,
        strict=codec.strict,
        blank_texts=codec.blank_texts,
        itemised=codec.itemised,
        by_name=codec.by_name,
        one_answer=codec.one_answer,
        foreign=foreign,
        crossings=crossings,
    )
