"""``--set`` takes the engine's numbers by name, and says what is wrong with one it cannot take."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from sostenuto.cli._settings import applied, engine_settings, explained, names, pairs, pins, whole
from sostenuto.errors import UnknownSetting
from sostenuto.ladder import Settings


@dataclass(frozen=True)
class Lines:
    """Nested numbers."""

    warn: float = 0.7
    compact: float = 0.8


@dataclass(frozen=True)
class Numbers:
    """Numbers of every kind, and something that is none."""

    lines: Lines = field(default_factory=Lines)
    gain: float = 0.25
    protected_cycles: int = 5
    result_limit: int | None = None
    tail_share: float = 0.2
    loud: bool = False
    words: str = "no number"


def test_values_reach_their_fields() -> None:
    """Nested fields, short names, percent, none and yes are understood."""
    given = pairs(["compact=75%", "tail=0.3", "protected_cycles=3", "result_limit=4_000", "loud=yes", "pin=x"])
    assert applied(Numbers(), given) == Numbers(lines=Lines(compact=0.75), tail_share=0.3, protected_cycles=3, result_limit=4000, loud=True)
    assert applied(Numbers(), pairs(["result_limit=none"])).result_limit is None


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("compct=0.7", "did you mean 'compact'?"),
        ("zzz=1", "no setting 'zzz'; settings are "),
        ("compact", "expected key=value"),
        ("=1", "expected key=value"),
        ("compact=high", "expected a share"),
        ("compact=-1", "expected a share"),
        ("compact=nan", "expected a share"),
        ("protected_cycles=2.5", "expected a whole number"),
        ("compact=75", "expected a share between 0 and 1"),
        ("loud=maybe", "expected true or false"),
        ("words=x", "no setting 'words'"),
    ],
)
def test_what_cannot_be_taken_is_named(word: str, says: str) -> None:
    """Each wrong word gives one error that names it and the remedy."""
    with pytest.raises(UnknownSetting, match="--set") as caught:
        applied(Numbers(), pairs([word]))
    assert says in str(caught.value)


def test_pins_are_taken_apart_from_settings() -> None:
    """Each pin=TEXT gives one text, which may hold further equals signs; an empty one is refused."""
    assert pins(pairs(["pin=a=b", "compact=0.7", "pin=c"])) == ("a=b", "c")
    with pytest.raises(UnknownSetting, match="empty"):
        pins([("pin", " ")])


def test_names_list_every_key() -> None:
    """What the error lists is what can be set."""
    assert {"compact", "cycles", "loud", "pin", "tail", "tail_share"} <= set(names(Numbers()))
    assert names(Numbers()) == sorted(names(Numbers()))
    for name in names(Numbers()):
        if name != "pin":
            applied(Numbers(), [(name, "1")])


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("32000", 32_000),
        ("32k", 32_000),
        ("1.5M", 1_500_000),
        ("32_000", 32_000),
        ("32,000", 32_000),
        ("1.0", 1),
        ("1.2345k", None),
        ("3,2", None),
        ("", None),
        ("-1", None),
        ("nan", None),
        ("9" * 5_000, None),
        ("1" + "k" * 2, None),
    ],
)
def test_whole_numbers_are_read_as_people_write_them(text: str, number: int | None) -> None:
    """Thousands may be marked or abbreviated; what is no whole number is none, however long it is."""
    assert whole(text) == number


def test_a_line_in_tokens_is_a_share_of_the_window() -> None:
    """B027: the warn and compact lines fire at the tokens that were typed, and past the window they are refused."""
    found = engine_settings(pairs(["compact=6000", "warn=5k"]), window=16_000).thresholds
    assert (found.lines(16_000).compact, found.lines(16_000).warn) == (6_000, 5_000)
    with pytest.raises(UnknownSetting, match="not below the window"):
        engine_settings(pairs(["compact=16000"]), window=16_000)


def test_every_key_is_explained() -> None:
    """Each key that can be set is listed with its default and a meaning, in lines that fit."""
    text = explained(Settings(), width=60)
    assert max(map(len, text.splitlines())) <= 60
    lines = text.splitlines()
    for key in names(Settings()):
        heads = [index for index, line in enumerate(lines) if line.startswith((f"{key},", f"{key} (", f"{key}=")) or f"(or {key})" in line]
        assert heads, key
        assert lines[heads[0] + 1].startswith("    "), key
