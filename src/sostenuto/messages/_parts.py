"""The pieces a message is made of. All are frozen values; a piece that is not understood is kept as `Opaque`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

MediaKind = Literal["image", "pdf", "audio", "video", "file"]


@dataclass(frozen=True, slots=True)
class Text:
    """Words of the message's author."""

    text: str


class Source(NamedTuple):
    """Where an attachment's bytes are, as any wire can be told: base64 `data` of a `media_type`, or a `url`."""

    media_type: str
    data: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Media:
    """An attachment. `size` is in bytes (0 unknown); `digest` identifies the bytes; `label` says what it is in words.

    `detail` is how closely an image is to be looked at, where its wire says so ("" where not).

    `source` refers to the caller's own bytes, for writing the attachment in another wire; None where only its provider has them.
    It takes no part in comparing.
    """

    kind: MediaKind
    digest: str
    size: int = 0
    width: int = 0
    height: int = 0
    pages: int = 0
    seconds: float = 0.0
    label: str = ""
    detail: str = ""
    source: Source | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Thinking:
    """Reasoning. `sealed` is the signature or the encrypted payload ("" if none); kept byte-equal or dropped whole (D29).

    `redacted` is true where the provider gave no readable text at all.
    """

    text: str
    sealed: str = ""
    redacted: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call. `arguments` is JSON text: as the wire wrote it, or dumped (``ensure_ascii=False``) where the wire has an object.

    `free` is true where the wire takes any text (a custom tool's input): then nothing demands JSON.
    """

    id: str
    name: str
    arguments: str
    free: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool answered. `succeeded` is None where nothing says so; `text` joins text blocks with newlines."""

    call_id: str
    text: str
    succeeded: bool | None = None
    media: tuple[Media, ...] = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class Opaque:
    """A block of a kind we do not act on (server tools, future kinds): passes through untouched, counted as `text`."""

    kind: str
    text: str


Part = Text | Media | Thinking | Call | Result | Opaque


@dataclass(frozen=True, slots=True)
class Placed:
    """A part with its address: `ordinal` of the message in its conversation, `index` of the part in the message."""

    ordinal: int
    index: int
    part: Part

    @property
    def key(self) -> str:
        """The address people and models see, for example ``m12.0`` (D47)."""
        return f"m{self.ordinal}.{self.index}"
