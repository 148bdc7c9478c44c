"""Recording a model's exchanges and giving them back."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from sostenuto.errors import ModelFailed, RateLimited, RequestRefused, TooLong, UnusableInput
from sostenuto.protocols import Model, Spoken
from sostenuto.testing import Fault, RecordingModel, ReplayModel, Reply, ScriptedModel, Step, fingerprint

TOOLS = [{"type": "function", "function": {"name": "read"}}]


def _asked(model: Model, words: str, **more: Any) -> Spoken | ModelFailed:
    try:
        return asyncio.run(model.speak({"messages": [{"role": "user", "content": words}]}, **more))
    except ModelFailed as error:
        return error


def _talk(model: Model) -> list[Spoken | ModelFailed]:
    asyncio.run(model.window())
    said = [_asked(model, words, tools=TOOLS, max_output=9) for words in ("a", "b", "b", "c", "d")]
    asyncio.run(model.aclose())
    return said


def test_what_was_recorded_is_given_back(tmp_path: Path) -> None:
    """Replies, calls, usage, failures, the name and the window come back as they were; a repeated request gets its replies in turn."""
    path = tmp_path / "exchanges.jsonl"
    script: list[Step] = [
        Reply("Look.", reasoning="Hm.", calls=[("read", {"path": "ü"})], input=10),
        "First.",
        "Second.",
        Fault("rate_limited", retry_after_s=3),
        Fault("overflow"),
    ]
    model = ScriptedModel(script, name="scripted:it", window=4_096)
    recorded = _talk(RecordingModel(model, path))
    replayed = _talk(again := ReplayModel(path))
    assert replayed[:3] == recorded[:3]
    assert (again.name, again.format, asyncio.run(again.window())) == ("scripted:it", "openai_chat", 4_096)
    limited, long = replayed[3:]
    assert isinstance(limited, RateLimited)
    assert limited.retry_after_s == 3
    assert isinstance(long, TooLong)
    assert (str(long), long.status, long.body) == (str(recorded[4]), 400, recorded[4].body)  # type: ignore[union-attr]
    assert model.is_closed


def test_the_last_reply_is_given_again(tmp_path: Path) -> None:
    """A request that was recorded once may be repeated; who listens hears the reply."""
    path = tmp_path / "exchanges.jsonl"
    _asked(RecordingModel(ScriptedModel(["Once."]), path), "a")
    model, heard = ReplayModel(path), list[str]()
    for _ in range(2):
        said = _asked(model, "a", heard=lambda kind, words: heard.append(words))
        assert isinstance(said, Spoken)
        assert said.text == "Once."
    assert heard == ["Once.", "Once."]


def test_a_request_that_was_not_recorded_is_refused(tmp_path: Path) -> None:
    """Another word, another tool or another output is another request, and the refusal says to record again."""
    path = tmp_path / "exchanges.jsonl"
    _asked(RecordingModel(ScriptedModel(["Once."]), path), "a")
    for more in ({"max_output": 3}, {"tools": TOOLS}, {"thinking": False}):
        assert isinstance(_asked(ReplayModel(path), "a", **more), RequestRefused)
    assert "record it again" in str(_asked(ReplayModel(path), "b"))


def test_the_order_of_fields_makes_no_other_request() -> None:
    """Requests are told apart by what they say, whatever the order of their fields."""
    assert fingerprint({"messages": [{"role": "user", "content": "x"}]}) == fingerprint({"messages": [{"content": "x", "role": "user"}]})
    assert fingerprint({"messages": []}) != fingerprint({"messages": []}, max_output=1)


@pytest.mark.parametrize("line", ["{", "[]", '{"kind": "another"}', ""])
def test_a_line_that_is_no_exchange_is_named(tmp_path: Path, line: str) -> None:
    """A file with a line that is no exchange is refused with file and line."""
    path = tmp_path / "exchanges.jsonl"
    _asked(RecordingModel(ScriptedModel(["Once."]), path), "a")
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(UnusableInput, match=r"exchanges.jsonl:2: this line is no exchange"):
        ReplayModel(path)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """A missing file is told with its name."""
    with pytest.raises(UnusableInput, match=r"nowhere\.jsonl: cannot be read"):
        ReplayModel(tmp_path / "nowhere.jsonl")


def test_half_a_surrogate_pair_is_recorded(tmp_path: Path) -> None:
    """Words with half a surrogate pair are written and come back."""
    path = tmp_path / "exchanges.jsonl"
    _asked(RecordingModel(ScriptedModel(["x\ud83d"]), path), "\ud83d")
    said = _asked(ReplayModel(path), "\ud83d")
    assert isinstance(said, Spoken)
    assert said.text == "x\ud83d"
    assert json.loads(path.read_text().splitlines()[0])["kind"] == "sostenuto-exchanges"
