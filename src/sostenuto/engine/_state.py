"""The one frozen state of a conversation, replaced whole at the end of every step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sostenuto.engine._emission import Made
from sostenuto.engine._fixed import Front
from sostenuto.ladder import Edit, Event, Facts, History, Memory, View, view_of
from sostenuto.messages import Message
from sostenuto.protocols import Raw
from sostenuto.tokens import Measure


@dataclass(frozen=True, slots=True)
class Request:
    """What to send now.

    Attributes:
        arguments: keyword arguments for the client: ``messages``, and ``system`` where the wire has it apart.
        tokens: of the whole request: messages, system, tools and what was learned beyond them.
        window: tokens the model takes, input and reserve together.
        events: what the ladder did on the way, with keys.
        notices: lines for the person.
        max_output: tokens left for the answer, never more than was asked for; None if nothing was asked for.
        format: the wire format.
        thinking_off: True where thinking must be switched off for this request (D54).
        nudges: messages at the end that live in this request only.
        mended: keys of what reads differently here, or is left out, because the history arrived broken (D20).
    """

    arguments: dict[str, Any]
    tokens: int
    window: int
    events: tuple[Event, ...] = ()
    notices: tuple[str, ...] = ()
    max_output: int | None = None
    format: str = "openai_chat"
    thinking_off: bool = False
    nudges: int = 0
    mended: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sent:
    """The last request's messages: what a caller who keeps them will hand back.

    `expected` compares by content for the newest 16 and by identity first for the rest. `segments` say which ordinals stand
    where: (position, ordinal, count); positions in no segment are ours, and so are those whose ordinal is in `changed`.
    `built` are messages that were put together from a whole unit: (position, its first ordinal, how many). `nudges` is how many
    messages at the end are nudges.
    """

    expected: list[Raw] = field(default_factory=list)
    segments: tuple[tuple[int, int, int], ...] = ()
    nudges: int = 0
    changed: Mapping[int, Raw] = field(default_factory=dict)
    built: tuple[tuple[int, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Branch:
    """What a fork, or a rewrite by the host (`rewritten`), left behind: still recallable, under keys that name the branch."""

    at: int
    raws: tuple[Raw, ...]
    messages: tuple[Message, ...]
    rewritten: bool = False


def branch_key(key: str, number: int) -> str:
    """The address of messages on branch `number`: ``m12-m40~0``."""
    return f"{key}~{number}"


@dataclass(frozen=True, slots=True)
class State:
    """Everything about one conversation between two steps.

    Attributes:
        history: the log, of which the first `length` messages count.
        raws: the caller's native objects by ordinal, as handed over last; `expected` the same by position, for comparing.
        order: ordinals the caller still hands over, None when all; `kept_mode`: the caller hands back what a request held,
            and `own` is what that was the last time, with what stands where in it.
        edits: every edit ever made, active or not; `view` what the active ones amount to.
        crossed: messages before this ordinal were handed over in another wire than the conversation goes on in.
        sent: the last request's messages; `sent_to`: messages that have been in a request.
        made: native forms of changed messages; only a memo.
        request: the last request, returned again when nothing changed since; `asked` is what it was asked with.
        measured: what its messages and system prompt weighed; `media` the part of that for attachments.
        branches: what forks left behind.
        waiting: notices for the next request; `events` the same for events.
        refused: rejections in a row; `learned_window` a maximum an error stated; `facts` those of the last request;
            `front` what it carried in front, also where another process made it.
    """

    history: History
    length: int = 0
    raws: list[Raw] = field(default_factory=list)
    expected: list[Raw] = field(default_factory=list)
    order: tuple[int, ...] | None = None
    kept_mode: bool = False
    own: Sent = field(default_factory=Sent)
    crossed: int = 0
    edits: tuple[Edit, ...] = ()
    view: View = field(default_factory=View)
    memory: Memory = field(default_factory=Memory)
    sent: Sent = field(default_factory=Sent)
    sent_to: int = 0
    made: Made | None = None
    heads: tuple[Raw, ...] = ()
    request: Request | None = None
    asked: tuple[Any, ...] = ()
    measured: Measure = field(default_factory=Measure)
    media: int = 0
    branches: tuple[Branch, ...] = ()
    waiting: tuple[str, ...] = ()
    events: tuple[Event, ...] = ()
    refused: int = 0
    learned_window: int | None = None
    facts: Facts | None = None
    front: Front | None = None


def reviewed(state: State, *, history: History, edits: tuple[Edit, ...]) -> State:
    """The state with its view made anew from these edits over this history; what was only remembered of the old view is forgotten."""
    memory = replace(state.memory, ripe_to=0, ripe_gain=0)
    return replace(state, history=history, edits=edits, view=view_of(edits, history=history), memory=memory, made=None, heads=())
