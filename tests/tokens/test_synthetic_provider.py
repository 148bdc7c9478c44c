"""DESIGN 8's bar for estimates: o200k plus 30,000 hidden tokens, any script, every family that is not counted exactly."""

from __future__ import annotations

import pytest

from tests.tokens.synthetic_provider import FAMILIES, SCRIPTS, Provider, session

pytest.importorskip("toktok", reason="the synthetic provider counts with toktok")

MEDIAN, P95, AFTER_RUNG = 0.05, 0.15, 0.10


@pytest.fixture(scope="module")
def provider() -> Provider:
    """One memory of counts for all sessions."""
    return Provider()


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("model", FAMILIES)
def test_estimates_hold_the_bar(model: str, script: str, provider: Provider) -> None:
    """From the third request on the median error is at most 5 %, p95 15 %, and the first estimate after a rung is at most 10 % off."""
    errors = session(model, script=script, seed=5, provider=provider)
    assert errors.after_rungs
    assert errors.median <= MEDIAN
    assert errors.p95 <= P95
    assert errors.worst_after_rung <= AFTER_RUNG
