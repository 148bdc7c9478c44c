"""Every request of every history: valid, inside its window, complete, and nothing lost (DESIGN 7, invariants 1 to 5, 9, 11)."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.engine import Profile
from sostenuto.errors import FixedPartTooLarge
from sostenuto.manager import ContextManager
from sostenuto.messages import Result, pinned
from sostenuto.protocols import Raw
from tests.engine.conversing import CODECS, FORMATS, boundaries, manager
from tests.engine.witness import Witness
from tests.strategies.histories import histories

WINDOWS = st.sampled_from((300, 500, 900, 1_500, 3_000, 6_000, 20_000))
STEPS = st.sampled_from((4, 8, 16))
Draw = Any
Case = tuple[str, list[Raw], int]


@st.composite
def cases(draw: Draw, *, broken: bool) -> Case:
    """A format, a history and a window."""
    name = draw(st.sampled_from(FORMATS))
    return name, draw(histories(format=name, broken=broken, steps=draw(STEPS), open_end=broken)), draw(WINDOWS)


def watched(case: Case, lengths: list[int], *, sound: bool, **wishes: Any) -> None:
    """Run a history through a manager, one request per length, with a witness."""
    name, history, window = case
    context = manager(window, format=name, **wishes)
    witness = Witness(context, format=name, sound=sound)
    for length in lengths:
        try:
            request = context.prepare_sync(history[:length])
        except FixedPartTooLarge:
            return
        witness.see(history[:length], request)
        assert context.prepare_sync(list(history[:length])) is request


@given(cases(broken=False))
def test_sound_histories(case: Case) -> None:
    """A sound history gives valid, fitting, complete requests in any window, and its prefix stays."""
    watched(case, boundaries(case[1], format=case[0]), sound=True)


@given(cases(broken=True))
def test_broken_histories(case: Case) -> None:
    """A history with faults, asked for at any length, gives valid, fitting, complete requests (D20)."""
    watched(case, list(range(1, len(case[1]) + 1)), sound=False)


@given(cases(broken=False))
def test_thinking_bound_to_its_prefix(case: Case) -> None:
    """Where signed thinking is bound to its prefix the requests are as valid, fitting and complete (D29, D54)."""
    watched(case, boundaries(case[1], format=case[0]), sound=False, profile=Profile(prefix_bound_thinking=True))


@given(cases(broken=False))
def test_below_the_first_rung(case: Case) -> None:
    """In a window that is never half full every message leaves as the very object it came in as."""
    name, history, _ = case
    context = manager(10_000_000, format=name)
    for length in boundaries(history, format=name):
        out = context.prepare_sync(history[:length]).arguments[CODECS[name].field]
        assert len(out) == length
        assert all(one is other for one, other in zip(out, history, strict=False))


def end_to_end(context: ContextManager, history: list[Raw], lengths: list[int], *, how: str) -> list[Any]:
    """Arguments of each request, the caller handing over its history in one of several ways."""
    out: list[Any] = []
    kept: list[Raw] = []
    done = 0
    for length in lengths:
        if how == "kept":
            handed = [*kept, *history[done:length]]
        elif how == "reparsed":
            handed = json.loads(json.dumps(history[:length]))
        elif how == "copied":
            handed = copy.deepcopy(history[:length])
        else:
            handed = history[:length]
        try:
            request = context.prepare_sync(handed)
        except FixedPartTooLarge as refusal:
            return [*out, refusal.components]
        kept, done = list(request.arguments[CODECS[request.format].field]), length
        out.append(request.arguments)
    return out


@given(cases(broken=False))
def test_resend_or_keep(case: Case) -> None:
    """Handing over the whole history, parsing it anew each time, or keeping what was returned: equal requests (invariant 11)."""
    name, history, window = case
    lengths = boundaries(history, format=name)
    whole = end_to_end(manager(window, format=name), history, lengths, how="raw")
    assert end_to_end(manager(window, format=name), history, lengths, how="reparsed") == whole
    assert end_to_end(manager(window, format=name), history, lengths, how="kept") == whole


@given(cases(broken=False), st.data())
def test_pins_stay(case: Case, data: st.DataObject) -> None:
    """A pinned message is the caller's own object in every request."""
    name, history, window = case
    at = data.draw(st.integers(0, len(history) - 1))
    said = CODECS[name].decode(history[at])
    if said.role != "user" or any(isinstance(part, Result) for part in said.parts):
        return
    history = [pinned(raw) if number == at else raw for number, raw in enumerate(history)]
    context = manager(window, format=name)
    for length in boundaries(history, format=name):
        try:
            out = context.prepare_sync(history[:length]).arguments[CODECS[name].field]
        except FixedPartTooLarge:
            return
        assert length <= at or any(raw is history[at] for raw in out)


@given(cases(broken=False), st.text(min_size=1, max_size=20))
def test_system_stays(case: Case, system: str) -> None:
    """The system prompt is in every request as it was passed."""
    name, history, window = case
    context = manager(window, format=name)
    for length in boundaries(history, format=name):
        try:
            arguments = context.prepare_sync(history[:length], system=system).arguments
        except FixedPartTooLarge:
            return
        if CODECS[name].system_field:
            assert arguments[CODECS[name].system_field] == system
        else:
            assert {"role": "system", "content": system} in arguments[CODECS[name].field]


@pytest.mark.long
@given(cases(broken=True))
def test_broken_resend_or_keep(case: Case) -> None:
    """A broken history parsed anew each time gives the same requests."""
    name, history, window = case
    lengths = list(range(1, len(history) + 1))
    whole = end_to_end(manager(window, format=name), history, lengths, how="raw")
    assert end_to_end(manager(window, format=name), history, lengths, how="copied") == whole
