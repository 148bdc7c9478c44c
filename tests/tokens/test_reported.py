"""Every provider's usage shape gives one report (B023, B071)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.tokens import Reported, usage_of


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 100, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 60}}, Reported(100, 5, 60)),
        ({"input_tokens": 5_000, "cache_read_input_tokens": 120_000, "output_tokens": 9}, Reported(125_000, 9, 120_000)),
        ({"input_tokens": 10, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 30}, Reported(60, 0, 20, 30)),
        (
            {"promptTokenCount": 80, "candidatesTokenCount": 7, "cachedContentTokenCount": 40, "thoughtsTokenCount": 3},
            Reported(80, 10, 40, reasoning=3),
        ),
        (
            {
                "input_tokens": 90,
                "input_tokens_details": {"cached_tokens": 50},
                "output_tokens": 8,
                "output_tokens_details": {"reasoning_tokens": 6},
            },
            Reported(90, 8, 50, reasoning=6),
        ),
        ({"inputTokens": 12, "outputTokens": 3, "cacheReadInputTokens": 100}, Reported(112, 3, 100)),
        ({"prompt_eval_count": 26, "eval_count": 4}, Reported(26, 4)),
        ({"input_tokens": 9, "iterations": [{"input_tokens": 900}, {"input_tokens": 300, "output_tokens": 2}]}, Reported(300, 2)),
    ],
)
def test_shapes_of_usage(usage: dict[str, Any], expected: Reported) -> None:
    """B071: each provider's usage reads as what took room in the window, cached or not, alone and inside a reply, mapping or object."""
    assert usage_of(usage) == expected
    assert usage_of({"id": "x", "usage": usage}) == expected
    assert usage_of(SimpleNamespace(usage=SimpleNamespace(**usage))) == expected
    assert usage_of({"usageMetadata": usage}) == expected
    assert usage_of({"response": {"usage": usage}}) == expected


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        {"prompt_tokens": 0},
        {"usage": None},
        {"input_tokens": "many"},
        {"input_tokens": -4},
        7,
        "x",
        True,
        {"prompt_tokens": 0, "cache_read_input_tokens": 0},
    ],
)
def test_b023_nothing_usable_is_none(usage: object) -> None:
    """B023: missing, zero and odd numbers are no report."""
    assert usage_of(usage) is None


def test_an_object_that_raises_is_no_report() -> None:
    """A reply whose attributes raise does not fail a run."""

    class Broken:
        @property
        def usage(self) -> object:
            raise RuntimeError

    assert usage_of(Broken()) is None


@given(
    st.recursive(
        st.one_of(st.none(), st.integers(), st.text(), st.floats()),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(
                st.sampled_from(["usage", "input_tokens", "prompt_tokens", "iterations", "prompt_tokens_details"]), inner, max_size=4
            ),
        ),
    )
)
def test_a_report_is_positive_or_none(value: object) -> None:
    """Whatever is handed over, there is no report or one above zero whose cached part is inside it."""
    found = usage_of(value)
    assert found is None or (found.input > 0 and 0 <= found.cached <= found.input)
