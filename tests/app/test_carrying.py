"""Conversations that leave the data home and come back: in every wire, as our own records, without secrets, never over another one."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from sostenuto.app import exported, imported
from sostenuto.app._wires import CODECS
from sostenuto.errors import ConversationInUse, SostenutoError, UnknownSetting, UnusableInput
from sostenuto.manager import ContextManager
from sostenuto.stores.files import Files
from sostenuto.stores.papers import FilePapers
from sostenuto.stores.shelf import Shelf
from tests.app.kept import TASK, cycle, files_of, opened, reviewed

SECRET = "sk-abcdefghijklmnopqrstuvwx"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A data home with one conversation and its work."""
    place = tmp_path / "home"
    reviewed(place, task=f"{TASK} The key is {SECRET}.")
    FilePapers(place / "work/default/review", home=place).write("todos", [{"content": "mend a.py", "status": "pending"}])
    return place


def written(home: Path, path: Path, **how: Any) -> Path:
    """Write an export to a file, as the command does."""
    found = exported(home, agent="default", conversation="review", **how)
    path.write_text("".join(json.dumps(value) + "\n" for value in found.values))
    return path


def taken(home: Path, path: Path, name: str = "", **how: Any) -> ContextManager:
    """Take a file in, and open what came of it."""
    found = imported(home, path, agent="default", conversation=name, **how)
    return ContextManager(model="openai:gpt-4o", store=Files(home), conversation=found.conversation)


@pytest.mark.parametrize("wire", CODECS)
def test_every_wire_takes_the_whole_conversation(wire: str, home: Path, tmp_path: Path) -> None:
    """The body is legal, holds all that was said, also what left the view, and comes in again as a conversation."""
    found = exported(home, agent="default", conversation="review", to=wire)
    assert found.problems == ()
    text = json.dumps(found.values[0])
    assert all(f"line of file {number} with words" in text for number in range(40))
    assert "# Checkpoint" not in text
    manager = taken(tmp_path / "there", written(home, tmp_path / "body.json", to=wire), "copy")
    assert manager.recall("line of file 39")
    manager.close()


def test_our_own_records_come_back_as_they_were(home: Path, tmp_path: Path) -> None:
    """With its secrets, a log gives a conversation with the same view, the same keys and edits, the same journal and todos."""
    path = written(home, tmp_path / "review.jsonl", to="log", with_secrets=True)
    there = tmp_path / "there"
    found = imported(there, path, agent="default")
    assert (found.conversation, found.reader, found.messages, found.edits) == ("review", "log", 89, 6)
    before, after = opened(home), opened(there)
    assert after.history == before.history
    assert after.usage() == before.usage()
    assert after.levels == before.levels
    assert after.recall("m2.0") == before.recall("m2.0")
    assert list(after.journal) == list(before.journal) != []
    assert after.undo().applied
    papers = FilePapers(there / "work/default/review", home=there)
    assert papers.read("todos")[0]["content"] == "mend a.py"
    before.close()
    after.close()


def test_the_conversation_goes_on_from_a_log(home: Path, tmp_path: Path) -> None:
    """After an import the history is extended, not begun anew, and the request is that of the original."""
    there = tmp_path / "there"
    imported(there, written(home, tmp_path / "review.jsonl", to="log", with_secrets=True), agent="default")
    managers = opened(home), opened(there)
    requests = [manager.prepare_sync([*manager.history, *cycle(99)]) for manager in managers]
    assert requests[0].arguments == requests[1].arguments
    for manager in managers:
        manager.close()


@pytest.mark.parametrize("to", ["log", *CODECS])
def test_secrets_stay_at_home_unless_they_are_asked_for(to: str, home: Path) -> None:
    """Keys are replaced in every kind of export, and are in it with --with-secrets (D59)."""
    assert SECRET not in json.dumps(exported(home, agent="default", conversation="review", to=to).values)
    assert SECRET in json.dumps(exported(home, agent="default", conversation="review", to=to, with_secrets=True).values)


def test_exporting_changes_nothing(home: Path) -> None:
    """No file is touched, whatever it is exported to, also while somebody writes."""
    manager = opened(home)
    before = files_of(home)
    for to in ("log", *CODECS):
        exported(home, agent="default", conversation="review", to=to)
    assert files_of(home) == before
    manager.close()


def test_an_existing_conversation_is_never_written_over(home: Path, tmp_path: Path) -> None:
    """A taken name is refused, in the archive and by case too, and what is there stays as it is."""
    path = written(home, tmp_path / "review.jsonl", to="log")
    chat = written(home, tmp_path / "chat.json", to="openai_chat")
    before = files_of(home)
    for file, name in ((path, ""), (path, "REVIEW"), (chat, "review")):
        with pytest.raises(UnknownSetting, match="already"):
            imported(home, file, agent="default", conversation=name)
    assert files_of(home) == before
    Shelf(home).archive("default", keep=0)
    with pytest.raises(UnknownSetting, match="already"):
        imported(home, path, agent="default")


def test_a_recorded_session_comes_in_under_the_name_of_its_file(tmp_path: Path) -> None:
    """A gzipped list of messages becomes a conversation that is named after the file, can be recalled from, and goes on."""
    said = [{"role": "user", "content": TASK}, *cycle(1), {"role": "assistant", "content": "It is fine."}]
    path = tmp_path / "my session.json.gz"
    path.write_bytes(gzip.compress(json.dumps(said).encode()))
    found = imported(tmp_path / "home", path, agent="default")
    assert (found.conversation, found.reader, found.messages) == ("my-session", "messages", 4)
    manager = opened(tmp_path / "home", name="my-session")
    assert manager.history == said
    assert manager.prepare_sync([*said, {"role": "user", "content": "And now?"}]).arguments["messages"][:4] == said
    manager.close()


def test_a_gzipped_log_comes_in_too(home: Path, tmp_path: Path) -> None:
    """Our own records are known through gzip."""
    path = written(home, tmp_path / "review.jsonl", to="log")
    packed = tmp_path / "review.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert imported(tmp_path / "there", packed, agent="default").messages == 89


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda lines: lines[:50], "of 89 messages"),
        (lambda lines: [*lines[:20], lines[20][:30] + "\n", *lines[21:]], "line 21"),
        (lambda lines: [*lines[:-1], lines[-1][:-5]], "cut off"),
        (lambda lines: [lines[0].replace('"schema": 1', '"schema": 7'), *lines[1:]], "schema 7"),
        (lambda lines: [*lines, '{"said": 7}\n'], "no record of a conversation"),
        (lambda lines: [*lines, '{"done": {"edit": {"number": 50}}}\n'], "cannot read"),
        (lambda lines: [*lines, '{"said": {"ordinal": 999999999999, "raw": {}}}\n'], "cannot be understood"),
        (lambda lines: lines[:1], "no message"),
    ],
)  # fmt: skip
def test_a_damaged_log_is_refused_whole(spoil: Any, says: str, home: Path, tmp_path: Path) -> None:
    """One line says what is wrong with it, and nothing of it is in the data home."""
    path = written(home, tmp_path / "review.jsonl", to="log")
    path.write_text("".join(spoil(path.read_text().splitlines(keepends=True))))
    there = tmp_path / "there"
    with pytest.raises(UnusableInput, match=says):
        imported(there, path, agent="default")
    assert not there.exists() or not files_of(there)


@pytest.mark.parametrize("name", ["../x", "a\0b", "a" * 10_000, "revіew", "CON", ".hidden"])
def test_a_name_that_cannot_be_one_is_refused(name: str, home: Path, tmp_path: Path) -> None:
    """Neither exporting nor importing takes it, nor one that a file says of itself."""
    path = written(home, tmp_path / "review.jsonl", to="log")
    with pytest.raises(UnknownSetting):
        exported(home, agent="default", conversation=name, to="log")
    with pytest.raises(UnknownSetting):
        imported(home, path, agent="default", conversation=name)
    head, *rest = path.read_text().splitlines(keepends=True)
    path.write_text("".join([json.dumps({**json.loads(head), "conversation": name}) + "\n", *rest]))
    with pytest.raises(UnknownSetting):
        imported(home, path, agent="default")


def test_what_is_no_conversation_is_refused(tmp_path: Path) -> None:
    """A missing file, an empty one, a folder and foreign JSON give one error each, and no conversation begins."""
    home = tmp_path / "home"
    (tmp_path / "empty").write_text("")
    (tmp_path / "foreign.json").write_text('{"a": 1}\n')
    for path in (tmp_path / "none", tmp_path / "empty", tmp_path, tmp_path / "foreign.json"):
        with pytest.raises(SostenutoError):
            imported(home, path, agent="default", conversation="x")
    assert not home.exists() or not files_of(home)


def test_a_format_that_is_none_names_the_nearest(home: Path) -> None:
    """A misspelt wire is answered with the right one."""
    with pytest.raises(UnknownSetting, match="did you mean 'anthropic'"):
        exported(home, agent="default", conversation="review", to="antropic")


def test_one_that_is_just_being_opened_is_not_written_over(home: Path, tmp_path: Path) -> None:
    """A name that somebody opened and has written nothing to yet is in use."""
    path = written(home, tmp_path / "review.jsonl", to="log")
    log = Files(home).open("new")
    with pytest.raises((ConversationInUse, UnknownSetting)):
        imported(home, path, agent="default", conversation="new")
    log.close()
