"""What was learned about models, in memory and in a file (origin 1.3, A.1)."""

from __future__ import annotations

import json
from pathlib import Path

from sostenuto.manager import Calibrations, ContextManager
from sostenuto.tokens import UNIT, Calibration, Measure, fresh, learn


def _learned(*, reported: int) -> Calibration:
    """What a report of so many tokens for 700 characters teaches."""
    return learn(fresh(seed=3.5), sent=Measure(700 * UNIT, 0), reported=reported)[0]


def test_without_a_file_nothing_is_known(tmp_path: Path) -> None:
    """A missing file is an empty start (A.1)."""
    assert Calibrations.open(tmp_path / "none.json").get("anthropic:a") is None


def test_where_nothing_was_learned_no_file_is_written(tmp_path: Path) -> None:
    """Saving nothing says so and leaves nothing behind (A.1)."""
    assert not Calibrations().save(tmp_path / "c.json")
    assert not list(tmp_path.iterdir())


def test_models_are_apart_and_outlive_the_process(tmp_path: Path) -> None:
    """Ratio and overhead of one model come back from a file with schema and name, and no other model has them (A.1)."""
    known, path = Calibrations(), tmp_path / "c.json"
    known.put("anthropic:a", _learned(reported=175))
    assert known.get("gemini:g") is None
    assert known.save(path)
    written = json.loads(path.read_text())
    assert written["schemaVersion"] == 1
    assert [entry["model"] for entry in written["models"]] == ["anthropic:a"]
    again = Calibrations.open(path)
    kept, before = again.get("anthropic:a"), known.get("anthropic:a")
    assert kept is not None
    assert before is not None
    assert (kept.ratio, kept.overhead) == (before.ratio, before.overhead) == (4.0, 0)
    assert again.get("gemini:g") is None


def test_a_file_that_cannot_be_read_is_moved_aside(tmp_path: Path) -> None:
    """What is no JSON is kept under another name, and nothing is known (A.1)."""
    path = tmp_path / "c.json"
    path.write_text('{"schemaVersion": 1, "models": [')
    assert Calibrations.open(path).get("anthropic:a") is None
    assert [each.name for each in tmp_path.iterdir()] == ["c.json.unreadable"]
    assert path.with_name("c.json.unreadable").read_text().startswith('{"schemaVersion"')


def test_what_was_learned_beside_the_messages_brings_the_line_nearer() -> None:
    """Of two equal histories at 70 % of a window the one whose reports told of 2,000 hidden tokens is compacted, the other is not (A.3)."""
    said = [{"role": role, "content": "word " * 500} for _ in range(7) for role in ("user", "assistant")]
    rungs = []
    for hidden in (0, 2_000):
        context = ContextManager(window=10_000, format="openai_chat", counter="o200k")
        context.record({"prompt_tokens": context.prepare_sync(said[:13]).tokens + hidden})
        request = context.prepare_sync([*said, {"role": "user", "content": "And now?"}])
        rungs.append({event.rung for event in request.events})
    assert "compact" not in rungs[0]
    assert "compact" in rungs[1]
