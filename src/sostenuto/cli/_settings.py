"""``--set key=value``: from typed words to the fields of a frozen settings value, with a suggestion for a wrong name."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sostenuto.errors import UnknownSetting

if TYPE_CHECKING:
    import sostenuto.ladder

Settings = TypeVar("Settings")

SHORT = {"tail": "tail_share", "ledger": "ledger_share", "paths": "path_share", "cycles": "protected_cycles"}
"""Short names for people; the long ones work too."""
IN_TOKENS, SMALLEST_LINE = ("warn", "compact"), 1_000
"""Lines that may be given in tokens, and from which number on they are (B027)."""
NUMBER = re.compile(r"(?P<whole>\d{1,3}(?:,\d{3})+|\d[\d_]*)(?:\.(?P<fraction>\d+))?(?P<unit>[kKmM]?)")
MOST_DIGITS = 12
MEANING = re.compile(r"^ {4,8}(\w+(?:, \w+)*): (.+(?:\n {9,}\S.*)*)", re.MULTILINE)
REFERENCE = re.compile(r" \((?:[BD]\d+|(?:origin|algorithms) [\d.]+)(?:, (?:[BD]\d+|(?:origin|algorithms) [\d.]+))*\)")
"""Where a number comes from: for who reads the source, not for who sets it."""
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


def engine_settings(given: Iterable[tuple[str, str]], *, window: int) -> sostenuto.ladder.Settings:
    """The engine's settings with the given values; lines that depend on each other move along (a warn line under 60 % moves clear).

    `window` is in tokens: the warn and compact lines may be given as tokens of it (B027). Raises UnknownSetting for an unknown
    key, an impossible value, or lines in the wrong order.
    """
    from sostenuto.budget import thresholds
    from sostenuto.ladder import Settings

    given = [(key, _as_share(key, value, window=window)) for key, value in given]
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


def _as_share(key: str, value: str, *, window: int) -> str:
    """A line that was given in tokens as a share of the window; anything else as it is."""
    tokens = whole(value) if key in IN_TOKENS else None
    if tokens is None or tokens < SMALLEST_LINE:
        return value
    if tokens >= window:
        raise UnknownSetting(f"--set {key}={value}: not below the window of {window:,} tokens; give fewer tokens or a larger window")
    return repr(tokens / window)


def whole(text: str) -> int | None:
    """The whole number that is meant by 32000, 32_000, 32,000, 32k or 1.5m (k is 1,000, m 1,000,000); None if none is."""
    found = NUMBER.fullmatch(text.strip())
    if found is None:
        return None
    digits, fraction, unit = re.sub("[_,]", "", found["whole"]), found["fraction"] or "", found["unit"].lower()
    places = {"": 0, "k": 3, "m": 6}[unit]
    if len(digits) + places > MOST_DIGITS or fraction[places:].strip("0"):
        return None
    return int(digits + fraction[:places].ljust(places, "0"))


class Tokens(click.ParamType[int]):
    """A number of tokens as `whole` reads it, of `least` or more."""

    name = "tokens"

    def __init__(self, *, least: int) -> None:
        self._least = least

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number. Raises click.BadParameter where there is none."""
        found = value if isinstance(value, int) else whole(str(value))
        if found is None or found < self._least:
            self.fail(f"{value!r} is not a number of tokens from {self._least} on; write 32000, 32k or 1m", param, ctx)
        return found


def applied(settings: Settings, given: Iterable[tuple[str, str]]) -> Settings:
    """`settings` with the given values; fields of nested settings values are named like the others.

    Raises UnknownSetting naming the key, the value and what would be right.
    """
    for key, value in given:
        if key != PIN:
            settings = _with(settings, key=key, value=value)
    return settings


def explained(settings: object, *, width: int) -> str:
    """What every key of ``--set`` means and what it is now, in lines of at most `width` columns."""
    short = {long: name for name, long in SHORT.items()}
    lines = [f"{PIN}=TEXT", *_indented("plants TEXT as a pinned message behind the first user message; may be repeated", width=width)]
    for name, (_, now) in _slots(settings).items():
        other = f" (or {short[name]})" if name in short else ""
        lines += [f"{name}{other}, now {_shown(now)}", *_indented(_meaning(name, settings), width=width)]
    tokens = " and ".join(IN_TOKENS)
    ending = f"Shares are written 0.75 or 75%; {tokens} also take tokens, such as 6000 or 6k."
    return "\n".join([*lines, "", *textwrap.wrap(ending, width)])


def _indented(text: str, *, width: int) -> list[str]:
    return textwrap.wrap(text, width, initial_indent="    ", subsequent_indent="    ")


def _meaning(name: str, settings: object) -> str:
    """What the docstring of the settings, or of the nested value that owns the field, says of it."""
    for owner in (settings, *(value for value in _fields(settings).values() if is_dataclass(value))):
        for found, text in MEANING.findall(inspect.getdoc(type(owner)) or ""):
            if name in found.split(", "):
                return REFERENCE.sub("", " ".join(text.split()))
    return ""


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
    new = _read(key, value, current=current, meaning=_meaning(name, settings))
    try:
        if owner is None:
            return replace(settings, **{name: new})  # type: ignore[type-var]
        return replace(settings, **{owner: replace(getattr(settings, owner), **{name: new})})  # type: ignore[type-var]
    except (ValueError, TypeError) as error:
        raise UnknownSetting(f"--set {key}={value}: {error}") from None


def _read(key: str, text: str, *, current: object, meaning: str) -> int | float | bool | None:
    """The value. Raises UnknownSetting with what is expected, what is in force, and what the key means."""
    try:
        return _value(text, current=current)
    except ValueError as error:
        told = f"; {key} is: {meaning}" if meaning else ""
        raise UnknownSetting(f"--set {key}={text}: expected {error} (now {_shown(current)}){told}") from None


def _shown(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "none", True: "true", False: "false"}[value]
    return f"{value:g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


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


def _value(text: str, *, current: object) -> int | float | bool | None:
    """The value in words. Raises ValueError with what would be right."""
    word = text.strip().lower()
    if isinstance(current, bool):
        if word in ("true", "yes", "on", "1", "false", "no", "off", "0"):
            return word in ("true", "yes", "on", "1")
        raise ValueError("true or false")
    if current is None and word in ("none", "off"):
        return None
    if isinstance(current, float):
        return _share(word)
    number = whole(word)
    if number is None:
        raise ValueError("a whole number of zero or more, such as 4000 or 4k" + (", or none" if current is None else ""))
    return number


def _share(word: str) -> float:
    try:
        number = float(word.rstrip("%")) / (100 if word.endswith("%") else 1)
    except ValueError:
        number = float("nan")
    if not 0 <= number <= 1:
        raise ValueError("a share between 0 and 1, or a percentage like 75%")
    return number


def _nearest(key: str, settings: object) -> str:
    near = get_close_matches(key, names(settings), n=1, cutoff=0.5)
    return f", did you mean {near[0]!r}?" if near else ""
