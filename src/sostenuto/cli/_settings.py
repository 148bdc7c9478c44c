"""``--set key=value``: from typed words to the fields of a frozen settings value, with a suggestion for a wrong name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeVar

from sostenuto.errors import UnknownSetting

if TYPE_CHECKING:
    import sostenuto.ladder

Settings = TypeVar("Settings")

SHORT = {"tail": "tail_share", "ledger": "ledger_share", "paths": "path_share", "cycles": "protected_cycles"}
"""Short names for people; the long ones work too."""
PIN = "pin"
"""The one key that is no setting: it plants a pinned user message (D56)."""


def pairs(words: Iterable[str]) -> list[tuple[str, str]]:
    """``key=value`` words taken apart. Raises UnknownSetting for a word without ``=``."""
    found = []
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key.strip():
            raise UnknownSetting(f"--set {word!r}: expected key=value, for example --set compact=0.75")
        found.append((key.strip(), value))
    return found


def pins(given: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The texts to plant as pinned messages. Raises UnknownSetting for an empty one."""
    texts = tuple(value for key, value in given if key == PIN)
    if any(not text.strip() for text in texts):
        raise UnknownSetting("--set pin=: the pinned text is empty; give the words to keep, for example --set pin='never touch vault/'")
    return texts


def engine_settings(given: Iterable[tuple[str, str]]) -> sostenuto.ladder.Settings:
    """The engine's settings with the given values; lines that depend on each other move along (a warn line under 60 % moves clear).

    Raises UnknownSetting for an unknown key, an impossible value, or lines in the wrong order.
    """
    from sostenuto.budget import thresholds
    from sostenuto.ladder import Settings

    given = list(given)
    wished = applied(Settings(), given)
    lines = {key: getattr(wished.thresholds, key) for key, _ in given if key in ("warn", "compact")}
    resolved = thresholds(window=1_000_000, **lines)
    if resolved.warnings:
        raise UnknownSetting(f"--set: {resolved.warnings[0].split(';')[0]}; give another share")
    settings = applied(replace(Settings(), thresholds=resolved), given)
    found = settings.thresholds
    for lower, upper in (("clear", "compact"), ("warn", "compact"), ("compact", "trim")):
        if getattr(found, lower) > getattr(found, upper):
            raise UnknownSetting(
                f"--set: {lower} ({getattr(found, lower):g}) lies above {upper} ({getattr(found, upper):g}); give {upper} a larger share"
            )
    return settings


def applied(settings: Settings, given: Iterable[tuple[str, str]]) -> Settings:
    """`settings` with the given values; fields of nested settings values are named like the others.

    Raises UnknownSetting naming the key, the value and what would be right.
    """
    for key, value in given:
        if key != PIN:
            settings = _with(settings, key=key, value=value)
    return settings


def names(settings: object) -> list[str]:
    """Every key `applied` takes for these settings, sorted, short forms included."""
    slots = _slots(settings)
    return sorted({*slots, PIN, *(short for short, long in SHORT.items() if long in slots)})


def _with(settings: Settings, *, key: str, value: str) -> Settings:
    slots = _slots(settings)
    name = SHORT.get(key, key)
    if name not in slots:
        raise UnknownSetting(f"--set {key}={value}: no setting {key!r}{_nearest(key, settings)}; settings are {', '.join(names(settings))}")
    owner, current = slots[name]
    new = _value(key, value, current=current)
    try:
        if owner is None:
            return replace(settings, **{name: new})  # type: ignore[type-var]
        return replace(settings, **{owner: replace(getattr(settings, owner), **{name: new})})  # type: ignore[type-var]
    except (ValueError, TypeError) as error:
        raise UnknownSetting(f"--set {key}={value}: {error}") from None


def _slots(settings: object) -> dict[str, tuple[str | None, object]]:
    """Field -> (name of the nested settings value that owns it, current value); only numbers can be set in words."""
    found: dict[str, tuple[str | None, object]] = {}
    for name, value in _fields(settings).items():
        if is_dataclass(value):
            nested = _fields(value)
            found.update({inner: (name, now) for inner, now in nested.items() if _is_number(now)})
        elif _is_number(value):
            found[name] = (None, value)
    return found


def _fields(value: Any) -> Mapping[str, Any]:
    return {item.name: getattr(value, item.name) for item in fields(value) if not item.name.startswith("_")}


def _is_number(value: object) -> bool:
    return value is None or isinstance(value, int | float)


def _value(key: str, text: str, *, current: object) -> int | float | bool | None:
    word = text.strip().lower()
    if isinstance(current, bool):
        if word in ("true", "yes", "on", "1", "false", "no", "off", "0"):
            return word in ("true", "yes", "on", "1")
        raise UnknownSetting(f"--set {key}={text}: expected true or false (now {str(current).lower()})")
    if current is None and word in ("none", "off"):
        return None
    try:
        number = float(word.replace("_", "").rstrip("%")) / (100 if word.endswith("%") else 1)
    except ValueError:
        number = float("nan")
    if not 0 <= number < 1e12:
        raise UnknownSetting(f"--set {key}={text}: expected a number of zero or more (now {current})")
    if isinstance(current, float):
        if number > 1:
            raise UnknownSetting(f"--set {key}={text}: expected a share between 0 and 1, or a percentage like 75% (now {current})")
        return number
    if number != int(number):
        raise UnknownSetting(f"--set {key}={text}: expected a whole number (now {current})")
    return int(number)


def _nearest(key: str, settings: object) -> str:
    near = get_close_matches(key, names(settings), n=1, cutoff=0.5)
    return f", did you mean {near[0]!r}?" if near else ""
