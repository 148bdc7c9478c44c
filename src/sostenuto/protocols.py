"""What do we ask of the world? One page, values only."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from sostenuto.messages import Call, Message, Part, Result
from sostenuto.results import Provenance

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


Record = Mapping[str, Any]
"""One JSON-able record of a log. Its ``seq`` is a running number over both lists of a log, from 0; all else is its writer's business."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A conversation as a log holds it.

    Attributes:
        transcript: the records of what was said, in the order they were written.
        edits: the same for what was done to the view.
        notes: lines for the person: what could not be read and was left out or moved aside.
    """

    transcript: Sequence[Record] = ()
    edits: Sequence[Record] = ()
    notes: tuple[str, ...] = ()


class Log(Protocol):
    """One conversation as it is kept, open for one writer (D32, D33)."""

    @property
    def conversation(self) -> str:
        """Its name."""

    @property
    def expects_from(self) -> int:
        """The ``seq`` from which records must be handed over with the next append: one above the highest acknowledged one; 0 once what
        was written is gone.
        """

    def read(self) -> Kept:
        """Everything that was appended, in order; empty for a new conversation.

        Raises:
            UnusableInput: it was written by a newer version; nothing was changed.
        """

    def append(self, transcript: Sequence[Record], edits: Sequence[Record], /) -> bool:
        """Write records at the end: those of the transcript first, then the edits. True once they would survive a loss of power.

        Never raises. After False some of them may have been written: the same records are handed over again later, and one whose
        ``seq`` is already there is not written twice. Nothing is written over a hole: records that begin above `expects_from` are refused.
        """

    def keep(self, items: Mapping[str, str], /) -> frozenset[str]:
        """Make sure these texts can be had again; returns the keys of those that really can. Never raises."""

    def journal(self, record: Record, /) -> bool:
        """Write down one compaction, before its summary is used; False if it could not be written. Never raises."""

    def journalled(self) -> Sequence[Record]:
        """Every compaction that was written down, oldest first; a store may add what it knows, such as the time. Never raises."""

    def close(self) -> None:
        """Let another writer in. Never raises."""


class Store(Protocol):
    """Where conversations are kept that must outlive the process."""

    def open(self, conversation: str, /) -> Log:
        """The log of a conversation, open for writing; it begins with the first append.

        Raises:
            ConversationInUse: somebody else is writing it.
            UnusableInput: the name cannot be one, or the place cannot be used.
        """


@dataclass(frozen=True, slots=True)
class Found:
    """A piece of a conversation that holds what was searched for.

    Attributes:
        key: its address; `source` says who speaks.
        excerpt: its text around the place.
        rank: 0 the words side by side, 1 all as words of their own, 2 all of them, also inside other words, 3 not all of them.
    """

    key: str
    source: str
    excerpt: str
    rank: int


class Finder(Protocol):
    """Finds words among the pieces of one conversation (D39). A cache: nothing is in it that is not elsewhere. No method raises."""

    def synced(self) -> tuple[int, str]:
        """How many pieces it holds, and the mark that was left with the last of them; (0, "") where it is empty or had to be made again."""

    def add(self, pieces: Iterable[tuple[str, str, str]], /, *, mark: str) -> None:
        """Take in pieces (key, source, text), and a mark that says what they were made from: all of it or nothing."""

    def search(self, words: str, /, *, limit: int, offset: int = 0, last: Collection[str] = ()) -> Sequence[Found]:
        """The pieces with these words, the best first, from the `offset`-th on.

        No character of `words` is an operator. All words must be there, upper and lower case and accents alike; only if no piece has
        them all, those with most of them, at least half. Pieces whose key is in `last` come behind all others.
        """

    def clear(self) -> None:
        """Forget everything."""


@dataclass(frozen=True, slots=True)
class KeptResult:
    """A whole result: its text, the tool and the call it answered, and whose words it holds."""

    text: str
    tool: str
    call_id: str
    provenance: Provenance | None = None


class KeptResults(Protocol):
    """Where whole results are kept. No method raises."""

    def keep(self, key: str, result: KeptResult, /) -> bool:
        """Keep a result under a key; False if it could not be kept. The first one under a key stays (origin 4.2)."""

    def kept(self, key: str, /) -> KeptResult | None:
        """The result under a key; None where nothing is, or it had to make room."""

    def listed(self) -> Sequence[str]:
        """Every key under which a result is, the oldest first."""


class Papers(Protocol):
    """The small documents of one conversation's work, such as its state and its todos, by name."""

    def read(self, name: str, /) -> Any:
        """The JSON-able value of a document; None where there is none or it cannot be read. Never raises."""

    def write(self, name: str, value: Any, /) -> bool:
        """Replace a document, whole or not at all; False if it could not be written. Never raises."""


class Drafts(Protocol):
    """Long texts of one agent across conversations (the scratchpad), by paths such as ``report/outline.md``."""

    def listed(self) -> Sequence[tuple[str, int]]:
        """Every path with its bytes, in alphabetical order."""

    def read(self, path: str, /) -> str:
        """The text at a path.

        Raises:
            UnusableInput: there is none, or the path cannot be one; the nearest is named.
        """

    def write(self, path: str, text: str, /, *, append: bool = False) -> int:
        """Write or extend the text at a path; the bytes it has then.

        Raises:
            UnusableInput: the path cannot be one, or a limit would be passed; the figure is named and nothing was written.
        """

    def delete(self, path: str, /) -> None:
        """Remove the text at a path.

        Raises:
            UnusableInput: there is none.
        """
