"""Replay and recall from end to end, on a session made here and on one of the shared ones."""

from __future__ import annotations

import gzip
import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sostenuto.cli import main
from sostenuto.replaying import costs, retention, row

SOURCE = Path(__file__).resolve().parents[2] / "src"
SHARED = Path(os.environ.get("SOSTENUTO_SHARED", Path(__file__).resolve().parents[2].parent / "shared"))
RUN = [sys.executable, "-c", "import sys; from sostenuto.cli import main; sys.exit(main())"]
FIELDS = [
    "requests",
    "window",
    "over_window",
    "invalid",
    "rungs",
    "tokens_sent",
    "tokens_rebilled",
    "tokens_appended",
    "input_cost_ratio",
    "prefix_breaks",
    "retention",
    "estimator_error",
    "seconds",
]


def session(cycles: int) -> list[dict[str, Any]]:
    """A session in OpenAI chat format that reads one file after the other and edits every fifth."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Review every file below src/ and fix what is wrong."}]
    for number in range(cycles):
        name = "edit_file" if number % 5 == 4 else "read_file"
        function = {"name": name, "arguments": json.dumps({"path": f"src/part{number}.py"})}
        call = {"id": f"c{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": f"Looking at part {number}.", "tool_calls": [call]})
        text = "\n".join(f"{line}: value_{number}_{line} = {line * 7 + number}" for line in range(60))
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": text})
    return [*messages, {"role": "assistant", "content": "All parts are reviewed."}]


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """The session as a gzipped file."""
    path = tmp_path / "session.json.gz"
    path.write_bytes(gzip.compress(json.dumps(session(40)).encode()))
    return path


def answer(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> Any:
    """The JSON that a command prints; it succeeds, on one line, and says nothing else."""
    code = main(arguments)
    out, err = capfd.readouterr()
    assert (code, err) == (0, "")
    assert out.count("\n") == 1
    return json.loads(out)


def read(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_json_has_every_field_and_the_file_agrees(recorded: Path, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """One line with the fields of the command's contract; every figure of it follows from the requests file."""
    out = tmp_path / "requests.jsonl"
    options = ["--window", "8000", "--set", "pin=never touch vault/", "--requests", str(out), "--json"]
    found = answer(["replay", str(recorded), *options], capfd)
    assert list(found) == FIELDS
    rows = read(out)
    assert found["requests"] == len(rows) == 41
    assert found["window"] == rows[0]["window"] == 8000
    assert found["over_window"] == sum(one["tokens"] > one["window"] for one in rows) == 0
    assert found["invalid"] == 0
    assert sum(found["rungs"].values()) == sum(len(one["events"]) for one in rows) > 0
    assert found["retention"] == retention([row(one) for one in rows]).as_dict()
    assert found["retention"]["task"] == found["retention"]["pins"] == found["retention"]["latest_user"] == 1.0
    recomputed = costs((one["native"] for one in rows), weigh=lambda message: 1, nudges=[one["nudges"] for one in rows])
    assert found["prefix_breaks"] == recomputed.breaks
    assert all({"rung", "tokens_before", "tokens_after", "reason", "keys"} == set(event) for one in rows for event in one["events"])
    assert all("never touch vault/" in json.dumps(one["native"]) for one in rows)


def test_a_window_that_never_fires_changes_nothing(recorded: Path, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Far below the first line every request is the plain history, and costs exactly what doing nothing costs."""
    out = tmp_path / "requests.jsonl"
    found = answer(["replay", str(recorded), "--window", "2000000000", "--requests", str(out), "--json"], capfd)
    assert (found["rungs"], found["input_cost_ratio"], found["prefix_breaks"]) == ({}, 1.0, 0)
    assert read(out)[-1]["native"]["messages"] == session(40)[:-1]


def test_two_runs_and_two_hash_seeds_are_identical(recorded: Path, tmp_path: Path) -> None:
    """The requests file is byte-identical in every run, the JSON too but for the seconds."""
    seen = []
    for seed in ("0", "1"):
        out = tmp_path / f"requests{seed}.jsonl"
        done = subprocess.run(
            [*RUN, "replay", str(recorded), "--window", "8000", "--summarizer", "extractive", "--requests", str(out), "--json"],
            env={**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        seen.append((out.read_bytes(), {**json.loads(done.stdout), "seconds": None}))
    assert seen[0] == seen[1]


def test_every_key_returns_an_original(recorded: Path, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """What a rung took away can be read back by its key from the kept folder, and found by its words."""
    out, folder = tmp_path / "requests.jsonl", tmp_path / "kept"
    answer(["replay", str(recorded), "--window", "8000", "--requests", str(out), "--keep", str(folder), "--json"], capfd)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    keys = list(dict.fromkeys(key for one in read(out) for event in one["events"] for key in event["keys"]))
    assert keys
    originals = {message["content"] for message in session(40)}
    for key in keys[:: max(1, len(keys) // 5)]:
        hit = answer(["recall", "--keep", str(folder), key, "--json"], capfd)
        assert list(hit) == ["key", "text", "tokens", "source", "hits"]
        assert any(original in hit["text"] or hit["text"] in original for original in originals)
    found = answer(["recall", "--keep", str(folder), "value_3_5 = ", "--json"], capfd)
    assert "value_3_5 = 38" in found["text"]
    assert main(["recall", "--keep", str(folder), keys[0]]) == 0
    text, said = capfd.readouterr()
    assert text == answer(["recall", "--keep", str(folder), keys[0], "--json"], capfd)["text"]
    assert said.startswith(f"{keys[0]}  ")


@pytest.mark.parametrize("wanted", ["m99999", "m1.77", "no such words anywhere in it", "nonsense"])
def test_what_is_not_kept_is_said(wanted: str, recorded: Path, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A key or words that name nothing fail with one line."""
    folder = tmp_path / "kept"
    answer(["replay", str(recorded), "--window", "8000", "--keep", str(folder), "--json"], capfd)
    assert main(["recall", "--keep", str(folder), wanted]) == 1
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert wanted.partition(".")[0] in err


def test_a_bad_summarizer_gives_the_mechanical_run(recorded: Path, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """With a summarizer that answers nothing or fails, the requests equal the mechanical run's byte for byte."""
    natives = []
    for name in ("mechanical", "null", f"{sys.executable} -c raise+SystemExit(3)"):
        out = tmp_path / "requests.jsonl"
        answer(["replay", str(recorded), "--window", "8000", "--summarizer", name, "--requests", str(out), "--json"], capfd)
        natives.append([one["native"] for one in read(out)])
    assert natives[0] == natives[1] == natives[2]


def test_the_summary_fits_and_tells(recorded: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Without --json a person reads sentences and a chart, no line wider than 80 columns, nothing on stderr."""
    assert main(["replay", str(recorded), "--window", "8000"]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    assert max(map(len, out.splitlines())) <= 80
    for words in ("All 41 requests fit", "What was done", "request 1 to 41", "input cost", "Nothing was lost"):
        assert words in out


@pytest.mark.parametrize("counter", ["o200k", "family", "recorded"])
@pytest.mark.parametrize("history", ["full", "as-sent"])
def test_every_way_of_counting_and_handing_over_fits(counter: str, history: str, recorded: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """No request is over the window by the counter in force."""
    found = answer(["replay", str(recorded), "--window", "8000", "--counter", counter, "--history", history, "--json"], capfd)
    assert (found["over_window"], found["invalid"]) == (0, 0)


def test_nothing_is_written_that_was_not_named(recorded: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Replay leaves no trace in the data home or the working folder."""
    monkeypatch.setenv("SOSTENUTO_HOME", str(recorded.parent / "home"))
    monkeypatch.chdir(recorded.parent)
    answer(["replay", str(recorded), "--window", "8000", "--json"], capfd)
    assert os.listdir(recorded.parent) == [recorded.name]


SESSIONS: list[tuple[str, Callable[[dict[str, Any]], bool]]] = [
    ("entire-cli/649d11045222-0.jsonl.gz", lambda found: found["estimator_error"]["median"] <= 0.05),
    ("kimi-cli/3a2e672ecd6a-2.jsonl.gz", lambda found: found["estimator_error"]["p95"] <= 0.15),
    ("pi-mono/large-session.jsonl.gz", lambda found: found["retention"]["files_read"] >= 0.98),
]


@pytest.mark.parametrize(("name", "holds"), SESSIONS)
def test_shared_sessions(name: str, holds: Callable[[dict[str, Any]], bool], capfd: pytest.CaptureFixture[str]) -> None:
    """A real session stays inside 32,000 tokens, valid, with task, newest text and modified paths in view."""
    path = SHARED / "transcripts" / name
    if not path.is_file():
        pytest.skip(f"no shared session {name}")
    found = answer(["replay", str(path), "--window", "32000", "--json"], capfd)
    assert (found["over_window"], found["invalid"]) == (0, 0)
    assert found["retention"]["task"] == found["retention"]["latest_user"] == found["retention"]["files_modified"] == 1.0
    assert holds(found)
