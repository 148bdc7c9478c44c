"""What an error said of the window is kept for that model (D8), and the fixed part is looked at first (D10)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sostenuto import Calibrations, ContextManager
from sostenuto.errors import FixedPartTooLarge, UnusableInput

ERROR = {"error": {"code": "context_length_exceeded", "message": "This model's maximum context length is 60000 tokens."}}
MODEL = "openai:gpt-4o"


def talk(words: int) -> list[dict[str, Any]]:
    """Questions and answers of about so many tokens in all."""
    return [
        message
        for number in range(20)
        for message in (
            {"role": "user", "content": f"Question {number}: " + "look at it again " * (words // 160)},
            {"role": "assistant", "content": f"Answer {number}: " + "it is as it was " * (words // 160)},
        )
    ] + [{"role": "user", "content": "And now?"}]


def taught(calibrations: Calibrations, **arguments: Any) -> ContextManager:
    """A manager whose request was refused with a maximum of 60,000 tokens."""
    context = ContextManager(MODEL, calibrations=calibrations, **arguments)
    context.prepare_sync(talk(70_000))
    context.recover(ERROR)
    return context


def test_the_next_conversation_knows_what_an_error_said() -> None:
    """A stated maximum is the window of this conversation and of the next one with this model, with its source; not of another model."""
    calibrations = Calibrations()
    assert (taught(calibrations).window.tokens, ContextManager(MODEL, calibrations=calibrations).window.tokens) == (60_000, 60_000)
    assert ContextManager(MODEL, calibrations=calibrations).window.source == "learned"
    assert ContextManager("openai:gpt-4o-mini", calibrations=calibrations).window.tokens == 128_000
    assert ContextManager(MODEL).window.tokens == 128_000


def test_pinning_another_window_drops_it() -> None:
    """Who pins a window after the error is believed; the same pin as before is still lowered."""
    calibrations = Calibrations()
    taught(calibrations)
    assert ContextManager(MODEL, window=90_000, calibrations=calibrations).window.tokens == 90_000
    pinned = Calibrations()
    taught(pinned, window=90_000)
    assert ContextManager(MODEL, window=90_000, calibrations=pinned).window.tokens == 60_000
    assert ContextManager(MODEL, window=80_000, calibrations=pinned).window.tokens == 80_000
    assert ContextManager(MODEL, calibrations=pinned).window.tokens == 128_000


def test_a_switch_looks_it_up_too() -> None:
    """Going on with a model that an error told about uses what it said."""
    calibrations = Calibrations()
    taught(calibrations)
    context = ContextManager("openai:gpt-5", calibrations=calibrations)
    context.prepare_sync(talk(1_000))
    context.switch(MODEL)
    assert context.window.tokens == 60_000


def test_limits_are_kept_in_the_file(tmp_path: Path) -> None:
    """A file of calibrations holds the limits; one of an earlier version, without them, is read as before."""
    calibrations = Calibrations()
    taught(calibrations)
    assert calibrations.save(tmp_path / "calibration.json")
    assert Calibrations.open(tmp_path / "calibration.json").limit(MODEL, pinned=None) == 60_000
    (tmp_path / "old.json").write_text('{"schemaVersion": 1, "models": []}')
    assert Calibrations.open(tmp_path / "old.json").limit(MODEL, pinned=None) is None
    (tmp_path / "foreign.json").write_text("[]")
    assert Calibrations.open(tmp_path / "foreign.json").limit(MODEL, pinned=None) is None


def test_the_first_request_says_that_the_fixed_part_is_too_large() -> None:
    """A system prompt above the line of compaction is named with its tokens in the first request, once, and nothing loops (D10)."""
    context = ContextManager(MODEL, window=10_000)
    system = {"role": "system", "content": "Obey this rule in every case. " * 1_100}
    first = context.prepare_sync([system, {"role": "user", "content": "Go."}])
    assert any("system" in notice and "tokens" in notice for notice in first.notices)
    second = context.prepare_sync(
        [system, {"role": "user", "content": "Go."}, {"role": "assistant", "content": "Yes."}, {"role": "user", "content": "On."}]
    )
    assert not any("system" in notice for notice in second.notices)
    with pytest.raises(FixedPartTooLarge, match="system"):
        ContextManager(MODEL, window=5_000).prepare_sync([system, {"role": "user", "content": "Go."}])


def test_a_catalogue_of_ones_own_comes_before_the_bundled_one(tmp_path: Path) -> None:
    """A models.dev file names a model the package does not know, and another number for one it does; the others stay known."""
    models = {"newest": {"limit": {"context": 300_000, "output": 8_000}}, "gpt-4o": {"limit": {"context": 64_000, "output": 8_000}}}
    path = tmp_path / "api.json"
    path.write_text(json.dumps({"openai": {"models": models}}), encoding="utf-8")
    assert ContextManager("openai:newest", catalogue=path).window.tokens == 300_000
    assert ContextManager("openai:gpt-4o", catalogue=path).window.tokens == 64_000
    assert ContextManager("openai:gpt-4.1", catalogue=path).window.tokens == ContextManager("openai:gpt-4.1").window.tokens
    context = ContextManager("openai:gpt-4o", catalogue=path)
    assert context.switch("openai:newest").window == 300_000


def test_a_catalogue_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """A missing file raises UnusableInput that names it."""
    with pytest.raises(UnusableInput, match="nowhere"):
        ContextManager("openai:gpt-4o", catalogue=tmp_path / "nowhere.json")


def test_a_restored_conversation_keeps_to_what_an_error_said() -> None:
    """A window that was looked up is lowered by what `calibrations` know when the conversation goes on; a stated one stays stated."""
    calibrations = Calibrations()
    context = ContextManager(MODEL)
    context.prepare_sync(talk(1_000))
    taught(calibrations)
    assert ContextManager.restore(context.snapshot(), calibrations=calibrations).window.tokens == 60_000
    assert ContextManager.restore(context.snapshot()).window.tokens == 128_000
    twice = ContextManager.restore(ContextManager.restore(context.snapshot()).snapshot(), calibrations=calibrations)
    assert twice.window.tokens == 60_000
    stated = ContextManager(MODEL, window=90_000)
    stated.prepare_sync(talk(1_000))
    assert ContextManager.restore(stated.snapshot(), calibrations=calibrations).window.tokens == 90_000


@pytest.mark.parametrize("model", [MODEL, "anthropic:claude-sonnet-4", ""])
def test_a_snapshot_carries_what_was_learned(model: str) -> None:
    """What reports taught is in the snapshot: the restored conversation counts, and sends, as the original would."""
    context, history = ContextManager(model, window=30_000, counter="family"), talk(18_000)
    for length in range(1, 20, 2):
        context.prepare_sync(history[:length])
        context.record({"prompt_tokens": 1_500 + len(str(history[:length])) // 4, "completion_tokens": 5})
    saved = json.loads(json.dumps(context.snapshot()))
    again, unlearned = ContextManager.restore(saved, counter="family"), ContextManager(model, window=30_000, counter="family")
    wanted, got = context.prepare_sync(history), again.prepare_sync(history)
    assert (got.arguments, got.tokens) == (wanted.arguments, wanted.tokens)
    assert got.tokens != unlearned.prepare_sync(history).tokens
    if model:
        known = Calibrations()
        teacher = ContextManager(model, window=30_000, counter="family", calibrations=known)
        teacher.record({"prompt_tokens": 2 * teacher.prepare_sync(history[:9]).tokens, "completion_tokens": 5})
        other = ContextManager.restore(saved, counter="family", calibrations=known)
        assert other._driver.started().state.history.ruler.calibration == known.get(model)
