"""A models.dev catalogue from bytes, whoever brought them: plain or gzip, of a bounded size, with what cannot be used counted."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sostenuto.errors import UnusableInput
from sostenuto.window import Entry, entries

LARGEST = 64 << 20
"""Bytes of a catalogue, packed or not; models.dev has 3 million."""
GZIP = b"\x1f\x8b"
KIND = "sostenuto-catalogue"
_WBITS = 31
_SCHEMES = ("http://", "https://")


@dataclass(frozen=True, slots=True)
class Listing:
    """A catalogue that was read.

    Attributes:
        entries: what can be used.
        skipped: models without a usable window, or that write no text.
        snapshot: the day of its newest entry, or the day it names itself ("" if neither).
        source: where it came from, in words.
    """

    entries: tuple[Entry, ...]
    skipped: int
    snapshot: str
    source: str


def is_address(name: str) -> bool:
    """Whether a name is to be fetched; everything else is a path."""
    return name.lower().startswith(_SCHEMES)


def unpacked(data: bytes, *, name: str) -> bytes:
    """`data`, or what is inside if it is gzip. Raises UnusableInput for too much, or for damage."""
    if data.startswith(GZIP):
        machine = zlib.decompressobj(_WBITS)
        try:
            data = machine.decompress(data, LARGEST + 1)
        except zlib.error as error:
            raise UnusableInput(f"{name}: damaged gzip ({error}); fetch it again") from None
        if len(data) <= LARGEST and not machine.eof:
            raise UnusableInput(f"{name}: the gzip data ends early; fetch it again")
    if len(data) > LARGEST:
        raise UnusableInput(f"{name}: larger than {LARGEST:,} bytes, which is no catalogue; name a models.dev api.json")
    return data


def listing(data: bytes, *, name: str) -> Listing:
    """The catalogue in `data`, a models.dev ``api.json`` or what `sostenuto models --refresh` keeps.

    Raises UnusableInput naming `name`, what is wrong, and the remedy.
    """
    try:
        value = json.loads(unpacked(data, name=name))
    except RecursionError:
        raise UnusableInput(f"{name}: nested too deeply; name a models.dev api.json") from None
    except ValueError as error:
        where = f"line {error.lineno}, column {error.colno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else str(error)
        raise UnusableInput(f"{name}: not JSON ({where}); name a models.dev api.json") from None
    head, providers = _parts(value)
    found = entries(providers)
    if not found:
        raise UnusableInput(
            f"{name}: no model with a window in it; a models.dev api.json looks like "
            '{"openai": {"models": {"gpt-5": {"limit": {"context": 400000}}}}}'
        )
    newest = max(entry.date for entry in found)
    return Listing(found, _models(providers) - len(found), str(head.get("snapshot") or newest)[:10], str(head.get("source") or name))


def _parts(value: Any) -> tuple[Mapping[str, Any], object]:
    """What a kept catalogue says about itself, and the providers."""
    if isinstance(value, Mapping) and value.get("kind") == KIND:
        return value, value.get("providers")
    return {}, value


def _models(providers: object) -> int:
    values = providers.values() if isinstance(providers, Mapping) else ()
    listed = (value.get("models") for value in values if isinstance(value, Mapping))
    return sum(len(models) for models in listed if isinstance(models, Mapping))
