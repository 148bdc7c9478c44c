"""What a caller hands over is looked at once, at the door: a wrong value is named there, with what would be right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sostenuto.engine import Profile
from sostenuto.errors import UnknownFormat, UnknownSetting, UnusableInput
from sostenuto.ladder import Settings
from sostenuto.manager._wiring import FORMATS

_SHOWN = 60


def checked(
    *,
    model: object,
    summarizer: object,
    instructions: object,
    profile: object,
    rules: object,
    cache: object,
    settings: object,
    format: object,
    on_event: object,
    work: object,
) -> None:
    """Raises `UnknownSetting` or `UnknownFormat` for the first argument that cannot be used."""
    named(model, format)
    if summarizer != "mechanical" and not callable(summarizer):
        raise UnknownSetting(f'summarizer {_shown(summarizer)} is neither "mechanical" nor a function from text to text')
    if cache not in ("keep", "auto"):
        raise UnknownSetting(f'cache {_shown(cache)} is not known; use "keep" or "auto"')
    _of(str | None, "instructions", instructions, "a text")
    _of(Profile | None, "profile", profile, "a Profile")
    _of(Settings | None, "settings", settings, "a Settings, for example Settings(gain=0.1)")
    if isinstance(rules, str) or not isinstance(rules, Sequence) or not all(isinstance(rule, str) for rule in rules):
        raise UnknownSetting(f"rules {_shown(rules)} must be a list of texts, for example rules=['never touch vault/']")
    if isinstance(settings, Settings):
        _numbers(settings)
    if on_event is not None and not callable(on_event):
        raise UnknownSetting(f"on_event {_shown(on_event)} must be a function of an event")
    if work is not None and not callable(work):
        raise UnknownSetting(f"work {_shown(work)} must be a function that says what is known of the work, or None")


def named(model: object, format: object) -> None:
    """Raises `UnknownSetting` or `UnknownFormat` for a model or a wire format that cannot be used."""
    _of(str, "model", model, 'a "provider:id" text')
    if format is not None and format not in FORMATS:
        raise UnknownFormat(f"format {_shown(format)} is not known; use one of {', '.join(FORMATS)}")


def asked(messages: object, max_output: object, idle_s: object) -> None:
    """Raises `UnusableInput` for what no request can be made of."""
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Sequence):
        raise UnusableInput(f"messages must be a list of messages, not {type(messages).__name__}")
    if max_output is not None and (isinstance(max_output, bool) or not isinstance(max_output, int) or max_output < 0):
        raise UnusableInput(f"max_output {_shown(max_output)} is not a number of tokens, 0 or more")
    if idle_s is not None and (isinstance(idle_s, bool) or not isinstance(idle_s, int | float) or not idle_s >= 0):
        raise UnusableInput(f"idle_s {_shown(idle_s)} is not a number of seconds, 0 or more")


def _of(kind: Any, name: str, value: object, wanted: str) -> None:
    if not isinstance(value, kind):
        raise UnknownSetting(f"{name} {_shown(value)} is not {wanted}")


def _numbers(settings: Settings) -> None:
    for name in settings.__slots__:
        value = getattr(settings, name)
        if name in ("thresholds", "policy") or value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
            raise UnknownSetting(f"Settings({name}={_shown(value)}) must be a number, 0 or more")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
