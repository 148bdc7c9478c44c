"""What a manager is made of: the window, the way of counting and the pins, from what its caller said."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from os import PathLike, fspath
from typing import Any, Literal

from sostenuto.catalogues.bundled import bundled
from sostenuto.encoders.openai import openai_encoder
from sostenuto.errors import UnknownSetting
from sostenuto.ladder import Settings
from sostenuto.manager._calibrations import Calibrations
from sostenuto.messages import Message, Text
from sostenuto.protocols import Codec, Raw
from sostenuto.tokens import Calibration, Ruler, Weigher, WeightedCharacters, family, remembering, ruler
from sostenuto.window import Facts as WindowFacts
from sostenuto.window import Table, Window, lookup, parted, resolve, start_warning

FORMATS = ("anthropic", "gemini", "openai_chat", "openai_responses")
Pin = Callable[[Raw], bool] | Iterable[str] | None
Counter = Literal["o200k", "cl100k", "family"] | Weigher | None


@lru_cache(maxsize=len(FORMATS))
def codec_named(name: str) -> Codec:
    """The codec of one of `FORMATS`; the others are not loaded."""
    found: Codec = import_module(f"sostenuto.formats.{name}").CODEC
    return found


def pinning(pin: Pin, rules: Sequence[str]) -> Callable[[Raw, Message], bool]:
    """One question for a predicate, a list of texts, and messages that hold a standing rule."""
    if pin is not None and not callable(pin) and (isinstance(pin, str) or not isinstance(pin, Iterable)):
        raise UnknownSetting(f"pin {pin!r} is not known; use a function of a message, or a list of texts")
    texts = frozenset() if pin is None or callable(pin) else frozenset(pin)
    predicate = _guarded(pin) if callable(pin) else None

    def is_pinned(raw: Raw, message: Message) -> bool:
        if predicate is not None and predicate(raw):
            return True
        if not texts and not rules:
            return False
        said = "\n".join(part.text for part in message.parts if isinstance(part, Text))
        return said in texts or (message.role in ("user", "system") and any(rule and rule in said for rule in rules))

    return is_pinned


def _guarded(pin: Callable[[Raw], bool]) -> Callable[[Raw], bool]:
    """A caller's predicate whose failure is told as his."""

    def is_pinned(raw: Raw) -> bool:
        try:
            return bool(pin(raw))
        except Exception as error:
            raise UnknownSetting(
                f"the pin function failed on a message: {type(error).__name__}: {error}; it must take any message"
            ) from error

    return is_pinned


def configured(settings: Settings, tool_policy: Mapping[str, Any] | None) -> Settings:
    """The settings with what their caller says of his tools."""
    return replace(settings, policy=settings.policy.configured(tool_policy)) if tool_policy else settings


def window_of(
    model: str, *, stated: int | None, calibrations: Calibrations | None = None, catalogue: str | PathLike[str] | None = None
) -> Window:
    """The window of a model, or the stated one; lowered to what an error taught, if `calibrations` knows of one (D8).

    Raises:
        UnknownSetting: the stated one is not a positive whole number.
        UnusableInput: the `catalogue` cannot be read.
    """
    given: object = stated
    if given is not None and (isinstance(given, bool) or not isinstance(given, int) or given < 1):
        raise UnknownSetting(f"window {stated!r} is not a positive number of tokens")
    provider, name = parted(model)
    listed = _own(fspath(catalogue)) if catalogue else bundled()
    match = lookup(provider, name, catalogue=listed) if name else None
    learned = calibrations.limit(model, pinned=stated) if calibrations else None
    facts = WindowFacts(provider=provider, model=name, stated=stated, learned=learned, match=match)
    found = resolve(facts)
    if found.source == "fallback" and name and not facts.is_local:  # a name on a local server may be any, so likeness says nothing
        found = resolve(replace(facts, near=_near(provider, name, listed)))
    warning = start_warning(facts, found)
    return replace(found, notes=(*found.notes, warning)) if warning else found


@lru_cache(maxsize=64)
def _near(provider: str, name: str, listed: Table) -> tuple[str, ...]:
    """The two names most like an unknown one; searched for once in a process, because it takes tens of milliseconds."""
    from sostenuto.window import nearest

    return nearest(provider, name, catalogue=listed, limit=2)


@lru_cache(maxsize=4)
def _own(path: str) -> Table:
    """A caller's catalogue in front of the bundled one; read once in a process."""
    from sostenuto.catalogues.models_dev import read

    found = read(path)
    return Table.of(found.entries, snapshot=found.snapshot).before(bundled())


def check_counter(counter: object) -> None:
    """Raises `UnknownSetting` for a name that is no way of counting."""
    if not callable(counter) and counter not in (None, "o200k", "cl100k", "family"):
        raise UnknownSetting(f'counter {counter!r} is not known; use "o200k", "cl100k", "family" or a weigher')


def ruler_of(model: str, counter: Counter, calibration: Calibration | None = None) -> Ruler:
    """The way of counting for a model: exact where an encoder is installed, else weighted characters of its family."""
    if counter is not None and not isinstance(counter, str):
        return ruler(model, weigher=counter, calibration=calibration)
    check_counter(counter)
    wanted = counter if counter in ("o200k", "cl100k") else family(model).group if counter is None and _is_openai(model) else None
    weigher = _encoder(wanted) if wanted else None
    if weigher is None and wanted:
        weigher = WeightedCharacters("cl100k" if wanted == "cl100k" else "o200k")
    return ruler(model, weigher=weigher, calibration=calibration)


def _is_openai(model: str) -> bool:
    return family(model).name in ("o200k", "cl100k")


@lru_cache(maxsize=4)
def _encoder(name: str) -> Weigher | None:
    found: Weigher | None = openai_encoder(name)
    if found is None:
        from sostenuto.encoders.tiktoken import tiktoken_encoder  # looks for a file: its imports cost more than all else at the start

        found = tiktoken_encoder(name)
    # one memory of counts for all conversations of this process
    return remembering(found) if found is not None else None
