"""Cassettes in YAML: the same as in JSON, whatever the notation holds."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from sostenuto.errors import UnusableInput
from sostenuto.recordings.opening import open_recording
from tests.recordings.traffic import ADDRESSES, ANTHROPIC, CHAT, conversation
from tests.recordings.writing import document


def _yaml(path: Path, value: Any) -> str:
    library = pytest.importorskip("yaml", reason="no YAML library here (extra yaml)")
    path.write_text(library.safe_dump(value, allow_unicode=True), encoding="utf-8")
    return str(path)


def _yaml_text(path: Path, text: str) -> str:
    pytest.importorskip("yaml", reason="no YAML library here (extra yaml)")
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("form", ADDRESSES)
@pytest.mark.parametrize("zipped", [True, False])
def test_yaml_and_json_are_read_alike(tmp_path: Path, form: str, zipped: bool) -> None:
    """The same exchanges give the same recording in both notations, zipped or not."""
    cassette = {"version": 1, "interactions": conversation(form)}
    path = Path(_yaml(tmp_path / "c", cassette))
    if zipped:
        path.write_bytes(gzip.compress(path.read_bytes()))
    found, expected = open_recording(path), open_recording(document(tmp_path / "j", cassette))
    assert (found.messages, found.exchanges, found.skipped) == (expected.messages, expected.exchanges, expected.skipped)


@pytest.mark.parametrize("start", ["", "# recorded\n", "---\n", "%YAML 1.1\n---\n", "version: 1\n", "\n\n"])
def test_a_yaml_cassette_is_recognised_by_its_first_lines(tmp_path: Path, start: str) -> None:
    """Comments, a document mark and the version may stand before the exchanges."""
    library = pytest.importorskip("yaml", reason="no YAML library here (extra yaml)")
    text = start + library.safe_dump({"interactions": conversation(CHAT)})
    assert open_recording(_yaml_text(tmp_path / "c.md", text)).reader == "cassette"


def test_yaml_bodies_may_be_bytes(tmp_path: Path) -> None:
    """A body kept as YAML binary, packed or not, is read."""
    exchanges = conversation(CHAT)
    for at, one in enumerate(exchanges):
        data = json.dumps(one["response"].pop("parsed_body")).encode()
        one["response"]["body"] = {"string": gzip.compress(data) if at else data}
    assert open_recording(_yaml(tmp_path / "c", {"interactions": exchanges})).messages[-1]["content"] == "reply 4"


def test_plain_words_of_yaml_keep_their_type(tmp_path: Path) -> None:
    """Numbers, truth values and nothing are what JSON would make of them, and every other plain word stays text."""
    values = "[1, -2.5, 1e3, true, null, ~, yes, 2024-01-01, 0x1F, 012, 1_000, 'true', .inf, " + "9" * 2_000 + "]"
    text = json.dumps({"interactions": conversation(ANTHROPIC, tools="VALUES")}, indent=1).replace('"VALUES"', values)
    lines = text.splitlines()[1:-1]
    recording = open_recording(_yaml_text(tmp_path / "c", "interactions: " + "\n".join(lines).split(":", 1)[1]))
    expected = [1, -2.5, 1000.0, True, None, None, "yes", "2024-01-01", "0x1F", "012", "1_000", "true", ".inf", "9" * 2_000]
    assert recording.tools == expected


def test_aliases_repeat_what_they_name(tmp_path: Path) -> None:
    """Values that are shared in a cassette are read wherever they are named."""
    shared = conversation(CHAT)
    headers = {"content-type": ["application/json"]}
    for one in shared:
        one["request"]["headers"] = one["response"]["headers"] = headers
    path = _yaml(tmp_path / "c", {"interactions": shared})
    assert "*id" in Path(path).read_text(encoding="utf-8")
    assert open_recording(path).used == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("interactions:\n- [a\n- b: }\n", r"line \d: not YAML \("),
        ("interactions:\n- request: {a: 1}\n  b: *nothing\n", r"line 3: (\*nothing names nothing|not YAML)"),
        ("interactions: &a\n- *a\n", r"line 2: \*a names nothing before it"),
        ("interactions:\n- ? [a]\n  : 1\n", "line 2: a key is no text"),
        ("interactions:\n" + "".join("  " * at + "- \n" for at in range(1, 300)), "nested deeper than 200 levels"),
        ("interactions: " + "[" * 5_000 + "]" * 5_000, r"nested deeper than 200 levels|not YAML"),
        ("interactions:\n- \x07\n", r"not YAML \("),
        ("interactions:\n- !!python/object/apply:os.system ['touch x']\n", "holds no message"),
        ("interactions: []\n", "holds no message"),
    ],
)
def test_bad_yaml_gets_one_clear_line(tmp_path: Path, text: str, expected: str) -> None:
    """Everything that is no usable cassette is one line with file, what and remedy, and nothing in it is ever run."""
    path = _yaml_text(tmp_path / "c", text)
    with pytest.raises(UnusableInput, match=expected) as caught:
        open_recording(path)
    assert "\n" not in str(caught.value)
    assert ";" in str(caught.value)


@pytest.mark.parametrize("leaf", ["[x, x]", "'" + "x" * 1_000 + "'"])
def test_alias_bombs_are_refused(tmp_path: Path, leaf: str) -> None:
    """Aliases of aliases that would stand for millions of values or characters are one clear error."""
    levels = "".join(f"  l{at}: &l{at} [{', '.join([f'*l{at - 1}'] * 10)}]\n" for at in range(1, 10))
    path = _yaml_text(tmp_path / "c", f"interactions:\n- l0: &l0 {leaf}\n{levels}")
    with pytest.raises(UnusableInput, match="the aliases repeat too much; write the file without aliases"):
        open_recording(path)


def test_a_missing_yaml_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a YAML library the error names the extra, and JSON cassettes are read all the same."""
    monkeypatch.setitem(sys.modules, "yaml", None)
    monkeypatch.setitem(sys.modules, "ruamel", None)
    monkeypatch.setitem(sys.modules, "ruamel.yaml", None)
    path = tmp_path / "c"
    path.write_text("interactions:\n- request: {}\n", encoding="utf-8")
    with pytest.raises(UnusableInput, match=r"needs a YAML library; install sostenuto\[yaml\]"):
        open_recording(path)
    assert open_recording(document(tmp_path / "j", {"interactions": conversation(CHAT)})).used == 3
