"""What every recording of an OpenAI chat must keep, whatever the file holds."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from hypothesis import strategies as st

from sostenuto.errors import UnusableInput
from sostenuto.recordings.opening import Recording, as_sent, history, open_recording


def problems(shared: Path, recording: Recording) -> list[str]:
    """What the independent validator says of every history up to a reply, in full and as sent."""
    found: list[str] = []
    spec = importlib.util.spec_from_file_location("validate", shared / "checks" / "validate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    check = cast("Callable[[Any], list[str]]", module.openai_chat)
    for exchange in recording.exchanges:
        found += check(history(recording, exchange)) + check(as_sent(recording, exchange))
    return found


def records(recording: Recording) -> int:
    """How many records a recording has accounted for."""
    return recording.used + recording.meta + len(recording.skipped)


def opened_or_refused(path: Path, value: Any) -> Recording | None:
    """The recording behind a JSON document; nothing where it was refused with a clear error."""
    path.write_text(json.dumps(value), encoding="utf-8")
    recording, refusal = _opened(path)
    if recording is None:
        assert path.name in refusal
        assert "\n" not in refusal
        return None
    for exchange in recording.exchanges:
        assert recording.messages[exchange.upto]["role"] == "assistant"
        assert 0 <= exchange.boundary <= exchange.upto
    json.dumps(recording.messages)
    return recording


def _opened(path: Path) -> tuple[Recording | None, str]:
    try:
        return open_recording(path), ""
    except UnusableInput as problem:
        return None, str(problem)


odd = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "text", "type", "role", "content"]), inner, max_size=3)
    ),
    max_leaves=5,
)


@st.composite
def mutated(draw: st.DrawFn, value: Any) -> Any:
    """The value with something odd in the place of up to three of its parts."""
    whole = json.loads(json.dumps(value))
    for _ in range(draw(st.integers(1, 3))):
        whole = draw(_once(whole))
    return whole


@st.composite
def _once(draw: st.DrawFn, value: Any) -> Any:
    if not isinstance(value, dict | list) or not value or draw(st.integers(0, 4)) == 0:
        return draw(odd)
    keys = list(value) if isinstance(value, dict) else range(len(value))
    key = draw(st.sampled_from(list(keys)))
    value[key] = draw(_once(value[key]))
    return value
