"""Limits that errors taught (D8)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.window import Endpoint, Facts, Limit, Limits, resolve

HERE = Endpoint("OpenAI", "gpt-5", "https://one.example/v1/")


def test_a_limit_is_kept_for_its_place_alone() -> None:
    """Another provider, model or address has not learned it; the spelling of the same place does not matter."""
    limits = Limits().learning(HERE, Limit(272_000, date="2026-11-30"))
    assert limits.of(Endpoint("openai", "GPT-5", "https://one.example/v1")) == Limit(272_000, date="2026-11-30")
    for other in (Endpoint("openai", "gpt-5"), HERE._replace(model="gpt-4"), HERE._replace(provider="azure")):
        assert limits.of(other) is None


def test_pinning_another_window_drops_it() -> None:
    """What was learned under one pin, or none, does not hold under another; it does under the same."""
    unpinned = Limits().learning(HERE, Limit(8_192))
    assert unpinned.of(HERE, pinned=32_768) is None
    assert unpinned.of(HERE, pinned=0) == unpinned.of(HERE) == Limit(8_192)
    pinned = Limits().learning(HERE, Limit(8_192, pinned=32_768))
    assert pinned.of(HERE, pinned=32_768) == Limit(8_192, pinned=32_768)
    assert pinned.of(HERE, pinned=16_384) is None
    assert pinned.of(HERE) is None


def test_a_newer_limit_takes_the_place_of_an_older_one() -> None:
    """The last error counts; a value stays what it was; a number below 1 teaches nothing."""
    first = Limits().learning(HERE, Limit(8_192))
    second = first.learning(HERE, Limit(16_384))
    assert (first.of(HERE), second.of(HERE), len(second)) == (Limit(8_192), Limit(16_384), 1)
    assert second.learning(HERE, Limit(0)) is second


def test_a_learned_limit_is_above_a_catalogue_and_below_a_pin() -> None:
    """It becomes the window, with its source and its day, and only lowers what the user stated."""
    learned = Limits().learning(HERE, Limit(200_000, date="2026-11-30")).of(HERE)
    assert learned is not None
    window = resolve(Facts("openai", "gpt-5", learned=learned.tokens, dates={"learned": learned.date}))
    assert (window.tokens, window.source, window.date) == (200_000, "learned", "2026-11-30")
    assert resolve(Facts("openai", "gpt-5", learned=learned.tokens, stated=32_768)).source == "pinned"


PLACES = st.builds(Endpoint, st.text(max_size=5), st.text(max_size=5), st.text(max_size=5))
LIMITS = st.builds(Limit, st.integers(1, 10**7), st.integers(0, 10**7), st.text(max_size=10))


@given(st.dictionaries(PLACES, LIMITS, max_size=5))
def test_what_is_dumped_is_loaded(known: dict[Endpoint, Limit]) -> None:
    """Through JSON and back nothing changes."""
    limits = Limits(known)
    assert dict(Limits.load(json.loads(json.dumps(limits.dump())))) == dict(limits)


FOREIGN: list[Any] = [
    None,
    [],
    {},
    {"schema": 2, "limits": []},
    {"schema": 1, "limits": "x"},
    {"schema": 1, "limits": [1, [1, 2], None]},
    {"schema": 1, "limits": [["a", "b", "c", 0, 0, ""], ["a", "b", "c", True, 0, ""]]},
]


@pytest.mark.parametrize("data", FOREIGN)
def test_foreign_data_teaches_nothing(data: Any) -> None:
    """Whatever is loaded, what does not fit is passed over."""
    assert len(Limits.load(data)) == 0


def test_old_limits_make_room() -> None:
    """However many places are learned, what is kept is bounded and the newest stay."""
    limits = Limits({Endpoint("p", str(number)): Limit(5) for number in range(10_500)}).learning(HERE, Limit(7))
    assert len(limits) == 10_000
    assert limits.of(HERE) == Limit(7)
    assert limits.of(Endpoint("p", "0")) is None
