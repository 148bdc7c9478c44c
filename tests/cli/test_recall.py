"""``sostenuto recall`` on the conversations of an agent."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from sostenuto.app import recallable
from sostenuto.cli import main
from sostenuto.manager import ContextManager
from sostenuto.protocols import KeptResult, Raw
from sostenuto.stores.files import Files
from sostenuto.stores.results import FileResults
from sostenuto.stores.shelf import Shelf


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data home with the conversation ``review`` of the agent ``default``."""
    monkeypatch.setenv("SOSTENUTO_HOME", str(tmp_path))
    said(tmp_path, history())
    return tmp_path


def history(cycles: int = 6) -> list[Raw]:
    """A chat with tool results."""
    made: list[Raw] = [{"role": "user", "content": "Find the fault."}]
    for number in range(cycles):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "read_file", "arguments": f'{{"path": "src/f{number}.py"}}'}}
        made.append({"role": "assistant", "content": None, "tool_calls": [call]})
        made.append({"role": "tool", "tool_call_id": f"c{number}", "content": f"connection {number} refused at 0x7f{number}\n" * 30})
    return made


def said(home: Path, messages: list[Raw], *, agent: str = "default", name: str = "review") -> None:
    """Keep a conversation, or go on with it."""
    context = ContextManager(window=100_000, counter="family", store=Files(home, agent=agent), conversation=name)
    context.prepare_sync(messages)
    context.close()


def files(home: Path) -> dict[str, tuple[bytes, int]]:
    """Everything of the conversation; its index is in the cache."""
    found = [path for path in home.rglob("*") if path.is_file() and "cache" not in path.relative_to(home).parts]
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in found}


def answer(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """What a command prints as JSON."""
    assert main(["recall", *arguments, "--json"]) == 0, capfd.readouterr().err
    found = json.loads(capfd.readouterr().out)
    assert isinstance(found, dict)
    return found


def test_a_conversation_is_searched_and_only_read(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Words, several of them unquoted, give the best find and the others; no file of the conversation changes."""
    before = files(home)
    for _ in range(2):  # the second time from the index alone
        assert main(["recall", "review", "connection", "3", "refused"]) == 0
        out, err = capfd.readouterr()
        assert out.startswith("connection 3 refused")
        assert err.startswith("m8.0  tool result of call c3, about ")
    assert files(home) == before
    assert [hit["key"] for hit in answer(["review", "src/f2.py"], capfd)["hits"]] == ["m5.0"]


@pytest.mark.parametrize(
    ("wanted", "key", "begins"),
    [
        ("m2.0", "m2.0", "connection 0 refused at 0x7f0\n"),
        ("c4", "m10.0", "connection 4 refused"),
        ("m2-m4", "m2-m4", "[m2.0 tool result of call c0]\nconnection 0"),
        ("m0", "m0", "[m0.0 user]\nFind the fault."),
        ("files:read", "files:read", "- src/f5.py\n- src/f4.py"),
        ("whole-1", "whole-1", "a whole result"),
    ],
)
def test_keys_of_every_kind(wanted: str, key: str, begins: str, home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Pieces, messages, ranges, listings, ids of calls and of whole results kept outside are read, before and after the index is there."""
    FileResults(home / "work" / "default" / "review").keep("whole-1", KeptResult("a whole result", "shell", "whole-1"))
    for _ in range(2):
        hit = answer(["review", wanted], capfd)
        assert (hit["key"], len(hit["hits"])) == (key, 1)
        assert hit["text"].startswith(begins)


def test_while_the_index_is_fresh_the_conversation_is_not_read(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A search answers from the index; once something was said, the conversation is read and the new words are found."""
    answer(["review", "connection"], capfd)
    transcript = home / "history" / "default" / "review" / "transcript.jsonl"
    kept = recallable(home, agent="default", conversation="review")
    status, whole = transcript.stat(), transcript.read_bytes()
    transcript.write_bytes(b"#" * len(whole))
    os.utime(transcript, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert recallable(home, agent="default", conversation="review").stamp == kept.stamp
    assert answer(["review", "refused"], capfd)["hits"]
    transcript.write_bytes(whole)
    said(home, [*history(), {"role": "assistant", "content": "Seen."}, {"role": "user", "content": "and the zeppelin"}])
    assert answer(["review", "zeppelin"], capfd)["key"] == "m14.0"


def test_while_somebody_writes_it(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A conversation that is open elsewhere is read as it is; its writer goes on."""
    context = ContextManager(window=100_000, counter="family", store=Files(home), conversation="review")
    context.prepare_sync([*history(), {"role": "assistant", "content": "Seen."}, {"role": "user", "content": "and the zeppelin"}])
    assert answer(["review", "zeppelin"], capfd)["key"] == "m14.0"
    more = [{"role": "assistant", "content": "It flew."}, {"role": "user", "content": "and the airship"}]
    context.prepare_sync([*history(), {"role": "assistant", "content": "Seen."}, {"role": "user", "content": "and the zeppelin"}, *more])
    assert answer(["review", "airship"], capfd)["key"] == "m16.0"
    context.close()


def test_of_another_agent(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """``--agent`` names whose conversation it is."""
    said(home, [{"role": "user", "content": "another matter"}], agent="reviewer")
    assert answer(["--agent", "reviewer", "review", "matter"], capfd)["text"] == "another matter"


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["reviw", "x"], 2, "did you mean 'review'?"),
        (["../review", "x"], 2, "a name has letters"),
        (["--agent", "a/b", "review", "x"], 2, "agent 'a/b'"),
        (["--agent", "nobody", "review", "x"], 2, "add --agent default"),
        (["review"], 2, "is missing"),
        (["review", " "], 2, "is missing"),
        (["--agent", "x", "--keep", "y", "m1"], 2, "give one of them"),
        (["review", "m99"], 1, "no message m99"),
        (["review", "m1.9"], 1, "has parts 0 to 0"),
        (["review", "zebra", "unicorn"], 1, "nothing in it"),
    ],
)
def test_mistakes_are_one_line(arguments: list[str], code: int, says: str, home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """What is wrong is named in one line on stderr, with nothing on stdout."""
    assert main(["recall", *arguments]) == code
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert says in err


def test_in_the_archive(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A conversation that was put away is searched where it lies, and stays there."""
    assert Shelf(home).archive("default", keep=0) == ["review"]
    assert answer(["review", "0x7f5"], capfd)["key"] == "m12.0"
    assert answer(["review", "m2.0"], capfd)["text"].startswith("connection 0")
    assert Shelf(home).listed("default")[0].is_archived


def test_a_damaged_index_is_made_again(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Whatever lies in the place of the index, the search answers without a word about it."""
    index = home / "cache" / "recall" / "default" / "review.sqlite"
    index.parent.mkdir(parents=True)
    for damage in (b"", b"noise" * 1_000):
        index.write_bytes(damage)
        assert answer(["review", "0x7f5"], capfd)["key"] == "m12.0"


def test_what_a_cut_result_held_is_found_in_the_whole(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Words of a whole result that was cut before it came in are found under the id of its call; the piece that came in names the whole;
    what came in whole, and a result that is added later, are found as they are (origin 4.2)."""
    results = FileResults(home / "work" / "default" / "review")
    whole = "\n".join(str(number) for number in range(4_000))
    results.keep("c9", KeptResult(whole, "shell", "c9", None))
    cut = '1\n2\n[... left out here; retrieve_tool_result(tool_call_id="c9") ...]\n3999'
    call = {"id": "c9", "type": "function", "function": {"name": "shell", "arguments": '{"command": "seq 4000"}'}}
    added: list[Raw] = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c9", "content": cut},
    ]
    said(home, [*history(), *added])
    for _ in range(2):
        assert main(["recall", "review", "3777"]) == 0
        out, err = capfd.readouterr()
        assert "3777" in out
        assert err.startswith("c9  whole result of shell, call c9, about ")
    assert main(["recall", "review", "m14.0"]) == 0
    out, err = capfd.readouterr()
    assert (out, "the whole of it: sostenuto recall review c9\n" in err) == (cut, True)
    assert answer(["review", "m14.0"], capfd)["whole"] == "c9"
    assert [hit["key"] for hit in answer(["review", "3999"], capfd)["hits"]] == ["m14.0"], "what came in is not listed twice"
    assert "whole" not in answer(["review", "m2.0"], capfd)
    results.keep("~odd key", KeptResult("a zeppelin over it", "fetch", "x", None))
    assert answer(["review", "zeppelin"], capfd)["key"] == "~odd key"
    assert results.purge()
    assert main(["recall", "review", "3777"]) == 1


def test_deleting_takes_the_indexes_along(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The index of what was said goes with the conversation, that of whole results with them; both lie in the cache alone."""
    FileResults(home / "work" / "default" / "review").keep("c9", KeptResult("a zeppelin", "shell", "c9", None))
    assert answer(["review", "zeppelin"], capfd)["key"] == "c9"
    cache = home / "cache" / "recall" / "default"
    assert {path.name for path in cache.iterdir()} == {"review.sqlite", "review~results.sqlite"}
    assert Shelf(home).sizes()["cache"].files == 2
    Shelf(home).purge("tool-results", 0)
    assert {path.name for path in cache.iterdir()} == {"review.sqlite"}
    Shelf(home).delete("default", "review")
    assert not list(cache.iterdir())
