"""``sostenuto convert``: a recorded session in another wire, every loss named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sostenuto.cli import main
from sostenuto.formats import anthropic, gemini, openai_chat, openai_responses
from sostenuto.protocols import Codec

CODECS: dict[str, Codec] = {
    "anthropic": anthropic.CODEC,
    "gemini": gemini.CODEC,
    "openai_chat": openai_chat.CODEC,
    "openai_responses": openai_responses.CODEC,
}
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAAA="


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """An Anthropic conversation with instructions, reasoning, parallel calls, a picture, a failed result and a tool's definition."""
    thought = {"type": "thinking", "thinking": "look first", "signature": "c2ln"}
    calls = [{"type": "tool_use", "id": f"toolu.{n}", "name": "read", "input": {"path": f"src/{n}.py"}} for n in (1, 2)]
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
    answers = [
        {"type": "tool_result", "tool_use_id": "toolu.1", "content": "x = 1"},
        {"type": "tool_result", "tool_use_id": "toolu.2", "content": "no such file", "is_error": True},
    ]
    body = {
        "system": "Be brief.",
        "tools": [{"name": "read", "description": "Read a file.", "input_schema": {"type": "object", "properties": {}}}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Compare the two."}, picture]},
            {"role": "assistant", "content": [thought, {"type": "text", "text": "Reading."}, *calls]},
            {"role": "user", "content": answers},
            {"role": "assistant", "content": "Only the first exists."},
            {"role": "user", "content": "Thanks."},
        ],
    }
    path = tmp_path / "session.json"
    path.write_text(json.dumps(body), encoding="utf-8")
    return path


def converted(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> tuple[Any, str]:
    """Standard output as JSON, and standard error, of a conversion that succeeds."""
    assert main(["convert", *arguments]) == 0
    out, err = capfd.readouterr()
    return json.loads(out), err


@pytest.mark.parametrize("wire", [name for name in CODECS if name != "anthropic"])
def test_a_session_becomes_a_legal_body(wire: str, session: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """In every other wire the body is legal, holds instructions, tools, words, picture, calls and results, and no reasoning."""
    body, err = converted([str(session), "--to", wire], capfd)
    assert CODECS[wire].problems(body) == []
    text = json.dumps(body)
    for word in ("Be brief.", "Read a file.", "Compare the two.", "Reading.", "src/1.py", "x = 1", "no such file", PNG):
        assert word in text
    assert "look first" not in text
    assert "1 x reasoning of another model, left out: m1.0" in err
    assert f"5 messages of a messages recording, from anthropic to {wire}" in err


def test_ids_are_made_legal(session: Path, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """An id that the target does not take is rewritten for call and result alike, and named."""
    chat = tmp_path / "chat.json"
    assert main(["convert", str(session), "--to", "openai_chat", "--out", str(chat)]) == 0
    capfd.readouterr()
    body, err = converted([str(chat), "--to", "anthropic"], capfd)
    blocks = [block for message in body["messages"] for block in message["content"] if isinstance(block, dict)]
    ids = [block["id"] for block in blocks if block["type"] == "tool_use"]
    assert [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"] == ids
    assert all("." not in one for one in ids)
    assert "call id not taken there, rewritten" in err


def test_the_same_wire_is_left_as_it_is(session: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A conversion to the wire a session is in changes nothing that is legal, and mends what is not."""
    body, err = converted([str(session), "--to", "anthropic"], capfd)
    assert "2 x call id not taken there, rewritten" in err
    assert anthropic.CODEC.problems(body) == []
    session.write_text(session.read_text(encoding="utf-8").replace("toolu.", "toolu_"), encoding="utf-8")
    body, err = converted([str(session), "--to", "anthropic"], capfd)
    assert body == json.loads(session.read_text(encoding="utf-8"))
    assert " x " not in err


def test_json_names_every_loss(session: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """--json is one line with the body, each loss with its key, and what a provider would refuse."""
    found, _ = converted([str(session), "--to", "gemini", "--json"], capfd)
    assert {"what": "reasoning of another model, left out", "key": "m1.0"} in found["losses"]
    assert (found["format"], found["from"], found["messages"], found["problems"]) == ("gemini", "anthropic", 5, [])


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--to", "gemni"], 2, "did you mean 'gemini'?"),
        ([], 2, "--to"),
        (["--to", "gemini", "--out", "missing/folder.json"], 1, "does not exist"),
        (["--to", "gemini", "--format", "pie"], 2, "not known"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], code: int, words: str, session: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A wrong wire, format or output gives one line naming the remedy, the right exit code, and nothing on standard output."""
    assert main(["convert", str(session), *arguments]) == code
    out, err = capfd.readouterr()
    assert words in err
    assert "Traceback" not in err
    assert out == ""
