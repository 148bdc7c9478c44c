"""What a report is made of: a finished run of requests, and how its messages are read and counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sostenuto.budget import Lines
from sostenuto.messages import Message
from sostenuto.replaying import Costs, Figures, Row
from sostenuto.tokens import Ruler


class Reads(Protocol):
    """The part of a wire format that is asked here."""

    def decode(self, raw: Any, /) -> Message: ...
    def split_system(self, messages: Sequence[Any], /) -> int: ...


@dataclass(frozen=True, slots=True)
class Story:
    """A finished run. Sizes are in tokens; texts may be anything: they are data, and secrets in them are not printed.

    Attributes:
        title: what was replayed, for people.
        rows: the requests.
        histories: what was handed over for each of them, in the same order.
        figures: the figures of the run; `doing_nothing` the costs of sending every history as it was; `summarized` the input and
            output of the summarizer.
        unedited: tokens of each request had nothing been rewritten.
        codec: reads a native message; `by`: counts it.
        written: texts that the engine wrote itself, its checkpoints and what follows them.
        lines: the lines of the rungs.
        settings: what the run was made with, as (name, value) in words.
        asides: further sentences for people.
        kept_in: the folder of ``--keep``, None where nothing was kept.
        recalled: what names a kept conversation to ``sostenuto recall``; "" where it is a replay that is read back.
        version: of the package, "" if not known.
    """

    title: str
    rows: Sequence[Row]
    histories: Iterable[Sequence[Any]]
    figures: Figures
    doing_nothing: Costs
    unedited: Sequence[int]
    codec: Reads
    by: Ruler
    lines: Lines
    written: frozenset[str] = frozenset()
    settings: Sequence[tuple[str, str]] = ()
    asides: Sequence[str] = ()
    summarized: int = 0
    kept_in: str | None = None
    recalled: str = ""
    version: str = ""
