"""A kept conversation told again from its records: every request is the one that was made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sostenuto.app._inspecting import conversation_page
from sostenuto.app._kept import kept_records
from sostenuto.app._retelling import retold, timeline
from sostenuto.errors import UnusableInput
from sostenuto.manager import ContextManager
from sostenuto.stores.files import Files
from tests.app.kept import MODEL, WINDOW, cycle, opened, reviewed, transcript_file
from tests.reporting.stories import Parsed

Raw = dict[str, Any]


def spoken(home: Path, *, name: str = "review", window: int = WINDOW, cycles: int = 24) -> list[list[Raw]]:
    """Hold a conversation; the messages of every request."""
    manager = opened(home, name=name, window=window)
    said: list[Raw] = [{"role": "user", "content": "Review it."}]
    sent = [manager.prepare_sync(said).arguments["messages"]]
    for number in range(cycles):
        said += cycle(number, lines=80)
        sent.append(manager.prepare_sync(said).arguments["messages"])
    manager.close()
    return sent


def test_every_request_is_told_as_it_was_made(tmp_path: Path) -> None:
    """The messages of each request, nudges included, equal those that were sent, through clears and compactions."""
    sent = spoken(tmp_path)
    told = list(retold(kept_records(tmp_path, agent="default", conversation="review"), conversation="review"))
    assert [one.messages for one in told] == sent
    assert {event.rung for one in told for event in one.happenings} >= {"clear", "compact"}
    assert any(one.nudges for one in told)
    assert [one.restart for one in told] == [True, *[False] * (len(told) - 1)]


def test_untouched_messages_are_the_same_objects_in_every_request(tmp_path: Path) -> None:
    """What was said is one object wherever it stands, so that the page counts it once."""
    spoken(tmp_path)
    told = list(retold(kept_records(tmp_path, agent="default", conversation="review"), conversation="review"))
    last = {id(raw) for raw in told[-1].history}
    assert all(id(raw) in last for one in told for raw in one.history)
    assert sum(id(raw) in last for raw in told[-1].messages) > 3


def test_a_history_that_went_another_way_is_told(tmp_path: Path) -> None:
    """A regenerated tail is an event and a restart, and the requests behind it are those that were made."""
    manager = opened(tmp_path)
    said: list[Raw] = [{"role": "user", "content": "Review it."}, *cycle(0), {"role": "assistant", "content": "Fine."}]
    first = [*said, {"role": "user", "content": "Really?"}]
    other = [*said[:3], {"role": "assistant", "content": "Broken."}, {"role": "user", "content": "Where?"}]
    sent = [manager.prepare_sync(messages).arguments["messages"] for messages in (first, other)]
    manager.close()
    kept = kept_records(tmp_path, agent="default", conversation="review")
    told = list(retold(kept, conversation="review"))
    assert [one.messages for one in told[-2:]] == sent
    assert told[-1].restart
    assert [event.happening.rung for event in timeline(kept, conversation="review")] == ["fork"]


def test_what_was_done_since_the_last_request_is_told_at_the_end(tmp_path: Path) -> None:
    """A compaction by hand, and its undoing, stand behind the last message with their numbers."""
    spoken(tmp_path)
    before = opened(tmp_path)
    before.compact_sync()
    before.undo()
    before.close()
    kept = kept_records(tmp_path, agent="default", conversation="review")
    events = timeline(kept, conversation="review")[-2:]
    assert [event.happening.rung for event in events] == ["compact", "undo"]
    assert {event.key for event in events} == {"m48"}
    assert events[0].edit == events[1].edit
    by_hand, now = list(retold(kept, conversation="review"))[-2:]
    assert [event.rung for event in (*by_hand.happenings, *now.happenings)] == ["compact", "undo"]
    assert len(now.messages) > len(by_hand.messages)


def test_replies_that_came_in_all_at_once_each_had_a_request(tmp_path: Path) -> None:
    """Of an imported history every reply's request is told, and none for a last word that nobody answered."""
    said: list[Raw] = [{"role": "user", "content": "Review it."}]
    for number in range(5):
        said += cycle(number)
    said.append({"role": "assistant", "content": "Done."})
    manager = ContextManager(MODEL, store=Files(tmp_path), conversation="whole")
    assert manager.note(said)
    manager.close()
    told = list(retold(kept_records(tmp_path, agent="default", conversation="whole"), conversation="whole"))
    assert [one.messages for one in told] == [said[:upto] for upto in (1, 3, 5, 7, 9, 11)]


def test_another_wire_in_the_middle_is_told_from_there_on(tmp_path: Path) -> None:
    """After a switch to another wire the requests since then are told, in that wire."""
    manager = opened(tmp_path, window=100_000)
    said: list[Raw] = [{"role": "user", "content": "Review it."}, *cycle(0), {"role": "assistant", "content": "Fine."}]
    manager.prepare_sync(said)
    switched = manager.switch("anthropic:claude-sonnet-4-5", format="anthropic")
    messages = [*(switched.messages or ()), {"role": "user", "content": "And b.py?"}]
    sent = manager.prepare_sync(messages).arguments["messages"]
    manager.close()
    told = list(retold(kept_records(tmp_path, agent="default", conversation="review"), conversation="review"))
    assert [len(one.messages) for one in told] == [len(sent)]
    assert "And b.py?" in str(told[0].messages[-1])
    assert "tool_use" in str(told[0].messages)


def test_the_page_shows_every_request(tmp_path: Path) -> None:
    """All requests are on it, with what was done, the levels of what was sent, and the command that reads an original back."""
    sent = spoken(tmp_path)
    page = Parsed(conversation_page(tmp_path, agent="default", conversation="review"))
    assert len(page.data["tokens"]) == len(sent)
    assert page.data["recalled"] == "review"
    assert {event[0] for events in page.data["events"].values() for event in events} >= {"clear", "compact"}
    levels = {page.data["levels"][level] for level in page.data["messages"]["level"]}
    assert {"whole", "cleared", "written by Sostenuto"} <= levels
    assert "sostenuto recall review KEY" in page.words
    assert "Conversation review of default" in page.words


def test_a_page_holds_no_secret_and_no_markup_of_a_conversation(tmp_path: Path) -> None:
    """Keys are not on it, and what looks like HTML in a message is text."""
    reviewed(tmp_path, cycles=3, task="<script>alert(1)</script> with sk-abcdefghijklmnopqrstuvwx")
    page = conversation_page(tmp_path, agent="default", conversation="review")
    assert "sk-abcdefghij" not in page
    assert "<script>alert" not in page


def test_a_line_that_is_damaged_costs_one_message(tmp_path: Path) -> None:
    """With one line of the transcript unreadable everything else is told, cleared pieces of the lost message included."""
    reviewed(tmp_path)
    path = transcript_file(tmp_path)
    lines = path.read_text().split("\n")
    for number in range(2, 30):
        path.write_text("\n".join([*lines[:number], "{bad", *lines[number + 1 :]]))
        kept = kept_records(tmp_path, agent="default", conversation="review")
        told = list(retold(kept, conversation="review"))
        assert len(told) >= 40
        assert timeline(kept, conversation="review")


@pytest.mark.parametrize(
    "record",
    [
        '{"seq":9000,"edit":{"number":99}}',
        '{"seq":9000,"meta":{"sent_to":"x"}}',
    ],
)
def test_records_that_no_version_writes_are_one_error(record: str, tmp_path: Path) -> None:
    """Such a record among the edits is refused in one line that names the conversation."""
    reviewed(tmp_path)
    with transcript_file(tmp_path).with_name("edits.jsonl").open("a") as file:
        file.write(record + "\n")
    kept = kept_records(tmp_path, agent="default", conversation="review")
    with pytest.raises(UnusableInput, match="'review'"):
        list(retold(kept, conversation="review"))


@pytest.mark.parametrize("record", ['{"seq":9000,"active":[1]}', '{"seq":9000,"meta":7}', '{"seq":9000,"edit":7}'])
def test_a_record_of_an_edit_that_makes_no_sense_is_gone_around(record: str, tmp_path: Path) -> None:
    """Such a record changes no request that is told, and is said in a note."""
    reviewed(tmp_path)
    before = list(retold(kept_records(tmp_path, agent="default", conversation="review"), conversation="review"))
    with transcript_file(tmp_path).with_name("edits.jsonl").open("a") as file:
        file.write(record + "\n")
    kept = kept_records(tmp_path, agent="default", conversation="review")
    assert len(list(retold(kept, conversation="review"))) == len(before)
    assert any("make no sense" in note for note in kept.notes)
