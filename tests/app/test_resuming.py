"""What a run that goes on is told first: claims of an earlier run, never more than was written down, and never kept (origin 8.3, A.8)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sostenuto.agent import Event
from sostenuto.stores.papers import FilePapers
from sostenuto.stores.shelf import Shelf
from sostenuto.testing import Reply
from sostenuto.work import HEADING, STATE, TODOS, Todo, WorkState, state_value, todos_value
from tests.app.kept import TASK, files_of, reviewed, transcript_file
from tests.app.test_running import performed

SUMMARY = "\n\n".join(
    [
        "## Goal\nFind the number.",
        "## Constraints & Preferences\n(none)",
        "## Covered So Far\nbig.txt",
        "## Progress\n### Done\nThe number is 4711.\n### In Progress\n(none)\n### Blocked\n(none)",
        "## Key Decisions\n(none)",
        "## Next Steps\nSay it.",
        "## Critical Context\nIt stands in big.txt.",
    ]
)


def first_request(home: Path, *, conversation: str = "review", prompt: str = "Go on.") -> list[dict[str, Any]]:
    """The messages of the first request of a run that goes on with a conversation, without the instructions."""
    _, model = performed(home, ["Done."], conversation=conversation, prompt=prompt)
    return [*model.requests[0].messages[1:]]


def told_first(messages: list[dict[str, Any]]) -> str:
    """The preamble at their head; "" where there is none, and nowhere else is one."""
    assert not any(HEADING in str(raw["content"]) for raw in messages[1:])
    text = str(messages[0]["content"])
    return text if text.startswith(HEADING) else ""


def test_what_was_written_down_stands_before_the_history(tmp_path: Path) -> None:
    """With journal and history the preamble is first, as words of the assistant, then comes the history (A.8, line 17)."""
    said = reviewed(tmp_path, cycles=90)
    messages = first_request(tmp_path)
    assert "Record 1" in told_first(messages)
    assert messages[0]["role"] == "assistant"
    assert messages[-1] == {"role": "user", "content": "Go on."}
    assert said[-1] in messages


def test_without_its_history_a_killed_run_is_told_from_the_journal(tmp_path: Path) -> None:
    """Where nothing of the history was saved the preamble stands alone before what the person says (A.8, line 17)."""
    reviewed(tmp_path)
    shutil.rmtree(tmp_path / "history")
    messages = first_request(tmp_path)
    assert "Record 1" in told_first(messages)
    assert messages[1:] == [{"role": "user", "content": "Go on."}]


def test_without_a_journal_the_history_stands_alone(tmp_path: Path) -> None:
    """A conversation that was never compacted goes on without a preamble, and a new one begins without (A.8, line 17)."""
    assert first_request(tmp_path, conversation="new", prompt="Begin.") == [{"role": "user", "content": "Begin."}]
    messages = first_request(tmp_path, conversation="new")
    assert [raw["content"] for raw in messages] == ["Begin.", "Done.", "Go on."]


def test_a_preamble_is_never_kept(tmp_path: Path) -> None:
    """However often a conversation goes on, no file of it holds one, and each run is told one (A.8, line 17)."""
    reviewed(tmp_path, cycles=90)
    for _ in range(3):
        assert told_first(first_request(tmp_path))
    assert not any(HEADING.encode() in data for data in files_of(tmp_path).values())


def test_a_run_killed_at_its_first_compaction_leaves_what_it_had_found(tmp_path: Path) -> None:
    """What the summary had established is told to the next run as a claim, and nothing that no record holds is claimed (A.8, line 19)."""
    (tmp_path / "big.txt").write_text("some words of a large file\n" * 400)
    left = tmp_path.with_name("left")
    number = iter(range(200))

    def script(arguments: Mapping[str, Any]) -> Reply | str:
        if len(arguments["messages"]) == 1:
            return SUMMARY
        step = next(number)
        if list(tmp_path.glob("work/*/*/journal.jsonl")) and not left.exists():
            shutil.copytree(tmp_path, left)
        words = "What was read there is described at length. " * 40
        return (
            Reply(words, calls=[("read_file", {"path": "big.txt", "start_line": step + 1, "end_line": step + 5})]) if step < 60 else "Done."
        )

    performed(tmp_path, script, conversation="c", prompt="Find it.", flags={"maxSubagentDepth": 0})
    (journal,) = left.glob("work/*/*/journal.jsonl")
    shutil.rmtree(left / "history")  # nothing of the history was saved
    told = told_first(first_request(left, conversation="c"))
    assert "> The number is 4711." in told
    assert "claims, not facts" in " ".join(told.split())
    written = str([record.get("summary") for record in map(json.loads, journal.read_text().splitlines())])
    claimed = [line[2:].strip() for line in told.splitlines() if line.startswith("> ")]
    assert claimed
    assert all(repr(line)[1:-1] in written for line in claimed if "cut here" not in line)


def test_with_work_state_alone_the_open_items_are_named_and_nothing_unchecked_is_done(tmp_path: Path) -> None:
    """A run that finds nothing but state and todos is told what is open, and that nobody has checked the rest (A.8, line 20)."""
    papers = FilePapers(tmp_path / "work" / "default" / "c", home=tmp_path)
    papers.write(STATE, state_value(WorkState(goal="Ship the parser", next_step="run the tests")))
    todos = [Todo("write the lexer", "completed", verified_by="its tests"), Todo("write the parser", "completed"), Todo("write the docs")]
    papers.write(TODOS, todos_value(todos))
    told = told_first(first_request(tmp_path, conversation="c"))
    assert "Ship the parser" in told
    assert "[ ] write the docs" in told
    (parser,) = [line for line in told.splitlines() if "write the parser" in line]
    assert "nobody has checked it" in parser
    assert "write the lexer" not in told
    assert not transcript_file(tmp_path, name="c").read_bytes().count(HEADING.encode())


def test_a_conversation_is_one_record_however_often_it_goes_on(tmp_path: Path) -> None:
    """The first run makes it, each later one sees the whole of it and adds to it, its begin stays, and others are apart (A.8, line 18)."""
    first_request(tmp_path, conversation="c", prompt="One.")
    (made,) = Shelf(tmp_path).listed("default")
    first_request(tmp_path, conversation="d", prompt="Apart.")
    assert [raw["content"] for raw in first_request(tmp_path, conversation="c", prompt="Two.")] == ["One.", "Done.", "Two."]
    seen = [raw["content"] for raw in first_request(tmp_path, conversation="c", prompt="Three.")]
    assert seen == ["One.", "Done.", "Two.", "Done.", "Three."]
    assert sorted(one.conversation for one in Shelf(tmp_path).listed("default")) == ["c", "d"]
    (now,) = (one for one in Shelf(tmp_path).listed("default") if one.conversation == "c")
    assert (now.started, now.title) == (made.started, made.title)
    assert [raw["content"] for raw in first_request(tmp_path, conversation="d", prompt="Again.")] == ["Apart.", "Done.", "Again."]


def test_a_conversation_too_large_for_the_window_goes_on_with_a_plan(tmp_path: Path) -> None:
    """B173, B175: under a smaller ceiling the person hears first what will be cleared or summarised, and the first request fits."""
    reviewed(tmp_path)
    events: list[Event] = []
    flags = {"llm.maxContextTokens": 5_000}
    ran, model = performed(tmp_path, lambda _: "Done.", events=events, conversation="review", prompt="Go on.", flags=flags)
    assert ran.outcome.text == "Done."
    told = [str(event.detail["text"]) for event in events if event.kind == "notice"]
    (plan,) = [line for line in told if "goes on in a window of 5,000 tokens" in line]
    assert "The next request takes the context from" in plan
    assert "Rungs: compact; a summarizer reads about 3," in plan
    assert plan.endswith("tokens, price unknown.")
    (first, *_) = [event.detail for event in events if event.kind == "request"]
    assert first["tokens"] <= 5_000
    assert TASK in str(model.requests[-1].messages)
