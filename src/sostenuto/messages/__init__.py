"""What is a conversation? Messages, their parts, and the units that no cut may split."""

from sostenuto.messages._folding import NOTHING, Folding, Repair, is_displaced, trailing_thoughts
from sostenuto.messages._identity import chained, fingerprint, frozen_copy, key_of, parse_key, range_key
from sostenuto.messages._message import Kind, Message, Role
from sostenuto.messages._parts import Call, Media, MediaKind, Opaque, Part, Placed, Result, Source, Text, Thinking
from sostenuto.messages._pins import Pinned, pinned
from sostenuto.messages._unit import Slot, Unit, UnitKind

__all__ = [
    "NOTHING",
    "Call",
    "Folding",
    "Kind",
    "Media",
    "MediaKind",
    "Message",
    "Opaque",
    "Part",
    "Pinned",
    "Placed",
    "Repair",
    "Result",
    "Role",
    "Slot",
    "Source",
    "Text",
    "Thinking",
    "Unit",
    "UnitKind",
    "chained",
    "fingerprint",
    "frozen_copy",
    "is_displaced",
    "key_of",
    "parse_key",
    "pinned",
    "range_key",
    "trailing_thoughts",
]
