"""What do we ask of the world? One page, values only."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from sostenuto.messages import Call, Message, Part, Result

Raw = dict[str, Any]
"""One native message, exactly as its caller holds it."""

Summarizer = Callable[[str], str | Awaitable[str]]
"""From a prompt to a summary, sync or async."""


Tool = tuple[str, str, dict[str, Any]]
"""A tool as every wire can write it: name, description, JSON schema of its arguments."""


class Codec(Protocol):
    """How one wire writes messages. Stateless; never raises on odd content."""

    @property
    def name(self) -> str:
        """``openai_chat``, ``openai_responses``, ``anthropic`` or ``gemini``."""

    @property
    def field(self) -> str:
        """The argument of a request that holds the messages: ``messages``, ``input`` or ``contents``."""

    @property
    def system_field(self) -> str:
        """The argument that holds the instructions where they stand apart from the messages, else ""."""

    @property
    def itemised(self) -> bool:
        """Whether one turn of the assistant is several native messages in a row (items), which belong together."""

    @property
    def by_name(self) -> bool:
        """Whether calls may lack an id: then results find them by name and order."""

    @property
    def one_answer(self) -> bool:
        """Whether the results of one turn's calls must stand in one message together (D57)."""

    @property
    def unique_ids(self) -> bool:
        """Whether call ids must be unique in a whole conversation (D57)."""

    @property
    def strict(self) -> bool:
        """Whether a user's turn must stand first and last, and neither empty parts nor arguments that are no object are taken (D57)."""

    @property
    def blank_texts(self) -> bool:
        """Whether a text without a letter is taken."""

    def decode(self, raw: Raw, /) -> Message:
        """The message; part indexes are stable."""

    def encode(self, message: Message, /) -> Raw:
        """The minimal native form of a message of our own."""

    def items(self, message: Message, /) -> list[Raw]:
        """A message of ours as native ones: usually one, several where the wire has items; none for a message without words."""

    def rewrite(self, raw: Raw, changes: Mapping[int, Part | None], /) -> Raw | None:
        """A copy in which only the named parts differ; None when nothing is left."""

    def results(self, pieces: Sequence[tuple[Raw | None, int, Result]], /) -> list[Raw]:
        """The native messages that answer one assistant message."""

    def only(self, raw: Raw, keep: Collection[int], /) -> Raw | None:
        """The message with only those parts."""

    def split_system(self, messages: Sequence[Raw], /) -> int:
        """How many leading messages are the system's."""

    def body(self, messages: list[Raw], /, *, system: Any, tools: Any) -> dict[str, Any]:
        """Keyword arguments for the client."""

    def join_nudge(self, messages: list[Raw], text: str, /) -> list[Raw]:
        """The messages with a nudge inside the last one, for wires where roles alternate (D55)."""

    def problems(self, arguments: Mapping[str, Any], /) -> list[str]:
        """What would make a provider refuse the request (D57)."""

    def legal_id(self, call_id: str, /) -> str:
        """The call id in a form this wire takes."""

    def without_id(self, raw: Raw, /) -> Raw:
        """An item without the id that its server knows it by (D57); the message itself on wires without such ids."""

    def tool_definitions(self, tools: Sequence[Tool], /) -> list[Any]:
        """The tools as a request of this wire lists them."""

    def call(self, native: Any, /) -> Call | None:
        """A tool call as a client returns it (a mapping or the client's object); None for anything else."""

    def tool_texts(self, tools: Any, /) -> list[str]:
        """One text per tool schema, for counting."""

    def system_texts(self, system: Any, /) -> list[str]:
        """The texts of a system prompt, for counting."""

    def has_marker(self, raw: Raw, /) -> bool:
        """Whether the message carries a cache marker of its caller."""

    def with_marker(self, raw: Raw, /) -> Raw:
        """The message with a cache marker, where the wire has them."""

    def mark_cache(self, arguments: dict[str, Any], /, *, stable: int) -> dict[str, Any]:
        """The arguments with the provider's cache markers on the stable prefix of `stable` messages."""


Finish = Literal["stop", "calls", "length", "window", "filtered", "other"]
"""Why a model stopped: it was done, it calls tools, the output limit, the window's end, the provider's filter, anything else."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """One reply of a model.

    Attributes:
        messages: the assistant's turn as native messages (items) of the model's wire, to be appended to the history as they are.
        text: its words, joined.
        calls: the tool calls in it, in order.
        finish: why it stopped.
        usage: what the endpoint reported, as it came; None if nothing.
        model: the id that the endpoint says answered.
    """

    messages: tuple[Raw, ...]
    text: str
    calls: tuple[Call, ...] = ()
    finish: Finish = "stop"
    usage: Any = None
    model: str = ""


Heard = Callable[[Literal["text", "reasoning"], str], None]
"""Is told each piece of a reply as it arrives: its kind and its words."""


class Model(Protocol):
    """Who answers. One object for one model; may serve many conversations at once."""

    @property
    def name(self) -> str:
        """``provider:id``."""

    @property
    def format(self) -> str:
        """The wire its requests are written in."""

    async def window(self) -> int | None:
        """Tokens the endpoint says it serves now; None where it does not say. Never raises."""

    async def speak(
        self, arguments: Mapping[str, Any], /, *, tools: Sequence[Any] = (), max_output: int | None = None, thinking: bool = True,
        heard: Heard | None = None,
    ) -> Spoken:  # fmt: skip
        """One reply to a request of `ContextManager` (its ``arguments``); with `heard` it is streamed.

        Raises:
            ModelFailed: one of its kinds; nothing else.
        """

    async def aclose(self) -> None:
        """Let go of connections."""


class Store(Protocol):
    """Where things are kept that must outlive the window."""

    def keep(self, items: Mapping[str, str], /) -> frozenset[str]:
        """Make sure these texts can be had again; returns the keys of those that really can. Never raises."""

    def journal(self, record: Mapping[str, Any], /) -> bool:
        """Write down one compaction; False if it could not be written. Never raises."""
