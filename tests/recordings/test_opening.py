"""Recognition by content, accounting, and one clear line for every bad input."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.errors import UnknownFormat, UnknownSetting, UnusableInput
from sostenuto.recordings.opening import FORMATS, LIMITS, open_recording
from tests.recordings.writing import call, document, jsonl, pi_message, reply, result, shared_recordings, text, user

RECORDINGS = shared_recordings()
SESSION = [user("u1", "task"), reply("a1", "m1", call("t1"), parent="u1"), user("u2", [result("t1")], parent="a1")]

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "text", "x", "role", "content"]), inner, max_size=3),
    max_leaves=6,
)
_NAMES = ["u1", "a1", "t1", None]
blocks = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "image", "tool_use", "tool_result", "thinking", "toolCall"])},
    optional={name: st.sampled_from(_NAMES) | values for name in ("id", "tool_use_id", "text", "thinking", "arguments", "data")},
)
contents = values | st.lists(blocks, max_size=3)
odd_records = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["user", "assistant", "system", "message", "session", "compaction", "attachment"]) | values,
        "message": st.fixed_dictionaries(
            {}, optional={"role": st.sampled_from(["user", "assistant", "toolResult", "tool"]) | values, "content": contents, "id": values}
        ),
        "role": st.sampled_from(["user", "assistant", "tool"]),
        "content": contents,
        "uuid": st.sampled_from(_NAMES) | values,
        "parentUuid": st.sampled_from(_NAMES) | values,
        "id": st.sampled_from(_NAMES) | values,
        "parentId": st.sampled_from(_NAMES) | values,
        "traj": values,
        "messages": values,
        "response": values,
        "isCompactSummary": st.booleans(),
        "subtype": st.just("compact_boundary"),
    },
)


def _error(path: Path | str, **fields: Any) -> str:
    with pytest.raises(UnusableInput) as caught:
        open_recording(path, **fields)
    message = str(caught.value)
    assert "\n" not in message
    assert Path(path).name in message
    assert ";" in message, "no remedy"
    return message


@pytest.mark.skipif(not RECORDINGS, reason="no shared transcripts here (set SOSTENUTO_SHARED)")
@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.name)
def test_shared_recordings_account_for_every_record(path: Path) -> None:
    """Used, meta and skipped records of a shared recording add up to its records, and every reply is an assistant message."""
    recording = open_recording(path)
    data = path.read_bytes()
    raw = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    if recording.reader in ("claude_code", "pi"):
        records = sum(1 for line in raw.splitlines() if line.strip())
    else:
        value = json.loads(raw)
        records = len(value.get("traj") or value["messages"]) + ("response" in value)
    assert recording.used + recording.meta + len(recording.skipped) == records
    assert all(recording.messages[one.upto]["role"] == "assistant" for one in recording.exchanges)
    assert len(recording.exchanges) == sum(message["role"] == "assistant" for message in recording.messages)


@pytest.mark.parametrize("name", ["x.jsonl", "x.md", "x.json.gz"])
@pytest.mark.parametrize("zipped", [True, False])
def test_the_name_of_a_file_says_nothing(tmp_path: Path, name: str, zipped: bool) -> None:
    """A session is recognised under any name, zipped or not."""
    assert open_recording(jsonl(tmp_path / name, SESSION, zipped=zipped)).reader == "claude_code"


def test_a_byte_order_mark_and_blank_lines_are_passed_over(tmp_path: Path) -> None:
    """A UTF-8 mark and blank lines change nothing."""
    path = tmp_path / "session"
    path.write_bytes(b"\xef\xbb\xbf\n  \n" + "\n\n".join(json.dumps(one) for one in SESSION).encode())
    assert open_recording(path).used == 3


def test_a_torn_last_line_is_named(tmp_path: Path) -> None:
    """A JSONL file whose writer was killed is read up to its last whole line, and the rest is skipped by name."""
    path = tmp_path / "session"
    path.write_bytes(Path(jsonl(path, SESSION)).read_bytes() + '{"type": "user", "message": {"content": "ä'.encode()[:-1])
    recording = open_recording(path)
    assert recording.used == 3
    assert [(one.line, one.kind) for one in recording.skipped] == [(4, "torn")]


def test_a_broken_line_in_the_middle_is_an_error_with_its_number(tmp_path: Path) -> None:
    """A line that stops in the middle, and is not the last, is named with its number, also when it is the first."""
    lines = [json.dumps(one) for one in SESSION]
    path = tmp_path / "session"
    path.write_text("\n".join([lines[0], lines[1][:40], lines[2]]), encoding="utf-8")
    assert "line 2: the JSON is cut off" in _error(path)
    path.write_text("\n".join([lines[0][:40], lines[1], lines[2]]), encoding="utf-8")
    assert "line 1: the JSON is cut off" in _error(path)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "empty"),
        (b" \n\n ", "empty"),
        (b"# a chat in Markdown\n", "not JSON, it starts with '# a chat"),
        (b"records:\n- 1\n", "not JSON, it starts with 'records:'"),
        (b'[{"role": "user", "content": "hi"}, {"ro', "cut off"),
        (b'{\n"messages": [\n{"role": "user",\n "content": "hi', "line 4: the JSON is cut off"),
        (b'{"role": "user", "content": "\xff"}\n{}\n', "line 1: not UTF-8"),
        ('[{"role": "user", "content": "hi"}]'.encode("utf-16"), "UTF-16"),
        ('[{"role": "user", "content": "hi"}]'.encode("utf-16-le"), "UTF-16"),
        ('[{"role": "user", "content": "hi"}]'.encode("utf-32"), "UTF-32"),
        (b"[" * 100_000 + b"\n" + b"]" * 100_000, "nested too deeply"),
        (b'[{"role": "user", "content": ' + b"9" * 5_000 + b"}]", "thousands of digits"),
        (gzip.compress(b'[{"role": "user", "content": "hi"}]' * 50)[:-20], "gzip data is cut off"),
        (b"\x1f\x8bnot gzip at all", "gzip data is cut off or damaged"),
        (b"[]", "an empty list"),
        (b"[1, 2]", "a list of int values"),
        (b'{"steps": []}', "an object with the keys 'steps'"),
        (b'{"type": "run_item", "payload": {}}\n{"a": 1}\n', "an object of type 'run_item'"),
        (b'{"type": "response_item", "payload": {}}\n{"a": 1}\n', "holds no message"),
        (b'{"type": "file-history-snapshot", "snapshot": {}}\n', "holds no message"),
    ],
)
def test_bad_content_gets_one_clear_line(tmp_path: Path, data: bytes, expected: str) -> None:
    """Everything that is no usable recording is one line with file, what and remedy."""
    path = tmp_path / "bad"
    path.write_bytes(data)
    assert expected in _error(path)


def test_an_unknown_format_lists_the_known_ones(tmp_path: Path) -> None:
    """The error of an unknown format names every known one."""
    with pytest.raises(UnknownFormat) as caught:
        open_recording(document(tmp_path / "x", {"samples": []}))
    assert all(name in str(caught.value) for name in FORMATS)


def test_missing_files_and_folders_are_named(tmp_path: Path) -> None:
    """A missing file and a folder are told apart."""
    assert "no such file" in _error(tmp_path / "nothing")
    assert "is a folder" in _error(tmp_path)
    with pytest.raises(UnusableInput, match=r"no such file|not a usable path"):
        open_recording("a\0b")


def test_a_format_can_be_insisted_on(tmp_path: Path) -> None:
    """A named format is used or refused, and an unknown name gets a suggestion."""
    path = jsonl(tmp_path / "x", SESSION)
    assert open_recording(path, format="claude_code").reader == "claude_code"
    with pytest.raises(UnknownFormat, match="tau_bench"):
        open_recording(path, format="tau_bench")
    with pytest.raises(UnknownSetting, match="did you mean 'claude_code'"):
        open_recording(path, format="claude-code")


@pytest.mark.parametrize("zipped", [True, False])
def test_lines_and_files_have_a_longest_length(tmp_path: Path, zipped: bool) -> None:
    """A line or file over its limit is one clear error with the number of the line."""
    path = jsonl(tmp_path / "x", [*SESSION, user("u3", "x" * 5_000)], zipped=zipped)
    assert "line 4: the line is longer" in _error(path, limits=replace(LIMITS, line=2_000))
    assert "the file is longer" in _error(path, limits=replace(LIMITS, file=1_000))


def test_a_line_of_20_mb_is_read(tmp_path: Path) -> None:
    """A line of 20 MB under the limit is read whole."""
    path = jsonl(tmp_path / "x", [*SESSION, user("u3", "x" * 20_000_000, parent="u2")])
    assert len(open_recording(path).messages[-1]["content"]) == 20_000_000


@pytest.mark.long
def test_a_line_of_200_mb_stays_within_bounded_memory(tmp_path: Path) -> None:
    """A zipped line of 200 MB is refused with less memory than three times the longest permitted line."""
    path = tmp_path / "x"
    with gzip.open(path, "wb", compresslevel=1) as stream:
        stream.write(json.dumps(SESSION[0]).encode() + b'\n{"type": "user", "message": "')
        for _ in range(200):
            stream.write(b"x" * 1_000_000)
        stream.write(b'"}\n' + json.dumps(SESSION[1]).encode())
    tracemalloc.start()
    try:
        assert "line 2: the line is longer than 100 MB" in _error(path)
        assert tracemalloc.get_traced_memory()[1] < 3 * LIMITS.line
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "build",
    [
        lambda n: [user(f"u{i}", f"prompt {i}", parent="a1") for i in range(n)],
        lambda n: [reply(f"a{i}", "m1", call(f"t{i}"), parent="a1") for i in range(n)],
        lambda n: [user(f"u{i}", [result("t1")], parent="a1") for i in range(n)],
        lambda n: [user(f"u{i}", "x", parent=f"u{i - 1}") for i in range(n)],
        lambda n: [{"type": "progress", "uuid": f"p{i}", "parentUuid": f"p{i - 1}"} for i in range(n)],
    ],
)
def test_many_records_are_accounted_for(tmp_path: Path, build: Callable[[int], list[Any]]) -> None:
    """Ten thousand siblings, blocks of one reply, results of one call or links of one chain lose no record."""
    records = [*SESSION, *build(10_000)]
    recording = open_recording(jsonl(tmp_path / "x", records))
    assert recording.used + recording.meta + len(recording.skipped) == len(records)


@given(st.lists(odd_records | values, max_size=8))
def test_no_content_raises_anything_but_a_clear_error(tmp_path_factory: pytest.TempPathFactory, records: list[Any]) -> None:
    """Records of any content are read and accounted for under every opening record, or refused with a clear error."""
    path = tmp_path_factory.mktemp("odd") / "x"
    for first in (SESSION[0], {"type": "session", "id": "s", "cwd": "/"}, pi_message(role="user", content=[text("hi")]), None):
        lines = [*([first] if first else []), *records]
        path.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
        try:
            recording = open_recording(path)
        except UnusableInput:
            continue
        if recording.reader in ("claude_code", "pi"):
            assert recording.used + recording.meta + len(recording.skipped) == len(lines)


@pytest.mark.parametrize("at", [0, 1, 3])
def test_broken_lines_can_be_skipped(at: int, tmp_path: Path) -> None:
    """With skip_broken_lines a broken line, the first one too, is named with its number and all others are read; without it raises."""
    lines = [json.dumps({"role": role, "content": role}) for role in ("user", "assistant", "user", "assistant")]
    path = tmp_path / "broken.jsonl"
    path.write_bytes(
        b"\n".join([*(line.encode() for line in lines[:at]), b'{"role": \xff', *(line.encode() for line in lines[at:])]) + b"\n"
    )
    recording = open_recording(path, skip_broken_lines=True)
    assert len(recording.messages) == 4
    assert [(one.line, one.kind) for one in recording.skipped] == [(at + 1, "torn")]
    with pytest.raises(UnusableInput, match=f"line {at + 1}: not UTF-8 .*--skip-broken-lines"):
        open_recording(path)
