"""Going on with a kept conversation: what another process finds, and what it is told (D32, D33, D34)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sostenuto.engine import amounting
from sostenuto.errors import ConversationInUse, UnknownSetting
from sostenuto.manager import ContextManager
from tests.engine.conversing import CODECS, manager
from tests.engine.wires import cycle, user
from tests.manager.outliving import Written, as_figures, talked


def test_a_process_that_has_nothing_goes_on_with_the_history() -> None:
    """`history` of a conversation taken up from a store is what its host had handed over, and the next request is the same (D32)."""
    store = Written()
    context, handed = talked(store)
    request = context.prepare_sync([*handed, user("Now?", format="openai_chat")])
    store.dies()
    again = manager(2_000, format="openai_chat", store=store, conversation="life")
    assert again.history == [*handed, user("Now?", format="openai_chat")]
    assert again.prepare_sync(again.history).arguments == request.arguments


def test_a_reply_is_written_down_before_its_calls_are_carried_out() -> None:
    """What `note` took in is there after a crash, and its open calls are answered in the next request."""
    store = Written()
    context, handed = talked(store, turns=2)
    reply = cycle(["late"], ["never seen"], format="openai_chat", thought="", said="", nameless=False)[:1]
    assert context.note([*handed, *reply])
    store.dies()
    again = manager(2_000, format="openai_chat", store=store, conversation="life")
    assert again.history == [*handed, *reply]
    request = again.prepare_sync([*again.history, user("Go on.", format="openai_chat")])
    assert CODECS["openai_chat"].problems(request.arguments) == []
    assert "No result was recorded" in json.dumps(request.arguments)


def test_what_is_noted_step_by_step_after_a_change_of_wire_is_written_once() -> None:
    """A reply, its results and the next request, each handed over with all before it, add nothing twice where the caller keeps our list."""
    store = Written()
    talked(store, turns=2)
    store.dies()
    again = manager(2_000, format="anthropic", store=store, conversation="life")
    handed = again.history
    count = len(handed)
    handed.append(user("Now?", format="anthropic"))
    again.prepare_sync(handed)
    for raw in cycle(["late"], ["seen"], format="anthropic", thought="", said="", nameless=False):
        handed.append(raw)
        assert again.note(handed)
    again.prepare_sync(handed)
    store.dies()
    taken = manager(2_000, format="anthropic", store=store, conversation="life").history
    assert taken[count:] == handed[count:]


def test_without_a_store_nothing_is_noted() -> None:
    """`note` is False where nothing outlives the process."""
    assert not manager(2_000).note([user("hello", format="openai_chat")])


def test_a_line_that_is_lost_takes_nothing_else_with_it() -> None:
    """With one record of the transcript gone every other message keeps its key, the edits hold, and the request is valid (B163)."""
    store = Written()
    context, _ = talked(store)
    edits = [edit["active"] for edit in context.snapshot()["edits"]]
    assert any(edits)
    store.dies()
    store.loses(next(record["seq"] for record in store.records().transcript if record.get("ordinal") == 3))
    again = manager(2_000, format="openai_chat", store=store, conversation="life")
    assert [edit["active"] for edit in again.snapshot()["edits"]] == edits
    assert again.recall("m5")[0].text == context.recall("m5")[0].text
    assert "could not be read back" in again.recall("m3")[0].text
    request = again.prepare_sync([*again.history, user("Go on.", format="openai_chat")])
    assert CODECS["openai_chat"].problems(request.arguments) == []


def test_an_edit_that_is_lost_leaves_the_others_their_numbers() -> None:
    """With one record of the edits gone the others keep their numbers, and a new one gets the next."""
    store = Written()
    context, _ = talked(store)
    count = len(context.snapshot()["edits"])
    assert count > 2
    store.dies()
    store.loses(next(record["seq"] for record in store.records().edits if record.get("edit", {}).get("number") == 1), edits=True)
    again = manager(2_000, format="openai_chat", store=store, conversation="life")
    assert [edit["number"] for edit in again.snapshot()["edits"]] == list(range(count))
    assert not again.snapshot()["edits"][1]["active"]


@pytest.mark.parametrize("target", ["anthropic", "gemini", "openai_responses"])
def test_a_conversation_is_taken_up_in_another_wire_and_again(target: str) -> None:
    """Another model in another wire goes on with every key; a crash after that too, and the way back."""
    store = Written()
    context, _ = talked(store, model="openai:gpt-5")
    text = context.recall("m6.0")[0].text
    store.dies()
    for _ in range(2):
        other = manager(2_000, model="anthropic:claude-sonnet-5", format=target, store=store, conversation="life")
        assert other.recall("m6.0")[0].text == text
        request = other.prepare_sync([*other.history, user("Go on.", format=target)])
        assert CODECS[target].problems(request.arguments) == []
        store.dies()
    back = manager(2_000, model="openai:gpt-5", format="openai_chat", store=store, conversation="life")
    request = back.prepare_sync([*back.history, user("And on.", format="openai_chat")])
    assert CODECS["openai_chat"].problems(request.arguments) == []
    assert back.recall("m6.0")[0].text == text


def test_going_on_with_another_model_is_said() -> None:
    """The first request after a change of model carries what the change means."""
    store = Written()
    talked(store, model="openai:gpt-5")
    store.dies()
    other = manager(1_000, model="openai:gpt-4o", store=store, conversation="life")
    notices = other.prepare_sync(other.history).notices
    assert any("gpt-4o" in notice and "window" in notice for notice in notices)


def test_what_cannot_be_written_is_said_once_and_made_up_for() -> None:
    """While the store refuses, requests go on, one notice says so, and the first write that works takes everything with it (D34)."""
    store = Written()
    context, handed = talked(store, turns=3)
    store.refuses = True
    told = []
    for turn in range(3):
        handed.append(user(f"and {turn}", format="openai_chat"))
        told += [notice for notice in context.prepare_sync(list(handed)).notices if "written down" in notice]
    assert len(told) == 1
    store.refuses = False
    handed.append(user("enough", format="openai_chat"))
    context.prepare_sync(list(handed))
    store.dies()
    assert manager(2_000, format="openai_chat", store=store, conversation="life").history == handed


def test_two_writers_exclude_each_other() -> None:
    """A second manager of a conversation is refused until the first is closed (D33)."""
    store = Written()
    context, handed = talked(store, turns=1)
    with pytest.raises(ConversationInUse, match="life"):
        manager(2_000, store=store, conversation="life")
    context.close()
    assert manager(2_000, store=store, conversation="life").history == handed


def test_a_store_needs_a_name() -> None:
    """A store without the name of a conversation is refused with the remedy."""
    with pytest.raises(UnknownSetting, match="conversation="):
        manager(2_000, store=Written())


def test_a_message_that_is_pinned_late_stays_pinned() -> None:
    """A pin that came after its message was written outlives the process."""
    store = Written()
    context, handed = talked(store, turns=2)
    context.pin(handed[2])
    store.dies()
    again = manager(2_000, format="openai_chat", store=store, conversation="life")
    assert [n for n, record in enumerate(again.snapshot()["transcript"]) if record["pinned"]] == [2]


def test_a_step_writes_what_it_added() -> None:
    """The bytes written in a session are at most three times those of its messages, and no step writes the history again (B059)."""
    store = Written()
    _, handed = talked(store, turns=60, window=20_000)
    kept = store.records()
    written = sum(len(json.dumps(record)) for record in (*kept.transcript, *kept.edits))
    assert written <= 3 * len(json.dumps(handed))


def test_the_records_of_a_store_that_lost_everything_are_whole_again() -> None:
    """After what was written is gone, the next step writes the whole conversation, branches included."""
    store = Written()
    context, handed = talked(store)
    handed = [*handed[:-4], user("Another way.", format="openai_chat")]
    context.prepare_sync(list(handed))
    before = as_figures(context)
    store.loses_everything()
    handed.append(user("More.", format="openai_chat"))
    store.refuses = True
    context.prepare_sync(list(handed))
    store.refuses = False
    context._driver.keep()
    snapshot, _ = amounting(store.records())
    assert len(snapshot["transcript"]) == len(before["transcript"]) + 1
    assert len(snapshot["branches"]) == 1
    store.dies()
    assert manager(2_000, format="openai_chat", store=store, conversation="life").history == handed


@pytest.mark.parametrize("format", sorted(CODECS))
def test_a_preface_stands_in_front_and_is_never_kept(format: str) -> None:
    """A preface is in every request of this process, counted, until the next compaction; no log and no other process has it."""
    store = Written()
    context = manager(4_000, format=format, store=store, conversation="life")
    handed = [user("The task: find the fault.", format=format)]
    context.prepare_sync(list(handed))
    context.close()
    again = manager(4_000, format=format, store=store, conversation="life")
    bare = again.prepare_sync(again.history).tokens
    again.preface("Claims of an earlier run, to be verified: all is done.")
    handed = [*again.history, user("Is it?", format=format)]
    request = again.prepare_sync(list(handed))
    assert "Claims of an earlier run" in json.dumps(request.arguments)
    assert CODECS[format].problems(request.arguments) == []
    assert request.tokens >= bare + 13
    for turn in range(40):
        handed += cycle([f"c{turn}"], [f"{turn} " + "evidence " * 60], format=format)
        request = again.prepare_sync(list(handed))
        assert CODECS[format].problems(request.arguments) == []
    assert any(edit.get("cover") for edit in again.snapshot()["edits"])
    assert "Claims of an earlier run" not in json.dumps(request.arguments)
    assert "Claims of an earlier run" not in json.dumps([store.records().transcript, store.records().edits])


def test_the_next_request_can_be_looked_at() -> None:
    """`preview_next` says what a smaller window would mean, and leaves everything as it was."""
    store = Written()
    context, _handed = talked(store, turns=20, window=20_000)
    context.close()
    small = manager(1_500, format="openai_chat", store=store, conversation="life")
    before = as_figures(small)
    found = small.preview_next([*small.history, user("Go on.", format="openai_chat")])
    assert found.tokens_after < found.tokens_before
    assert found.rungs
    assert as_figures(small) == before
    assert small.prepare_sync([*small.history, user("Go on.", format="openai_chat")]).tokens == found.tokens_after


def test_a_conversation_taken_up_can_be_compacted_and_undone_at_once() -> None:
    """Compact, undo and usage need no request before them in this process."""
    store = Written()
    context, _handed = talked(store, turns=30, window=6_000)
    context.close()
    again = manager(6_000, format="openai_chat", store=store, conversation="life")
    assert again.usage().tokens > 0
    assert again.preview().tokens_after < again.preview().tokens_before
    again.compact_sync()
    again.close()
    third = manager(6_000, format="openai_chat", store=store, conversation="life")
    assert third.undo().applied


def test_a_wire_that_shows_late_is_the_wire_of_everything() -> None:
    """Plain words are read again once structure shows which wire they are of, and another process reads them so too (D58)."""
    store = Written()
    context = manager(4_000, store=store, conversation="life")
    handed = [{"role": "user", "content": "The task: find the fault."}]
    context.prepare_sync(list(handed))
    handed += cycle(["c0"], ["found"], format="anthropic", thought="hm")
    context.prepare_sync(list(handed))
    store.dies()
    again = manager(4_000, store=store, conversation="life")
    assert again.history == handed
    request = again.prepare_sync([*again.history, *cycle(["c1"], ["more"], format="anthropic", thought="")])
    assert request.format == "anthropic"
    assert CODECS["anthropic"].problems(request.arguments) == []


def test_a_record_that_makes_no_sense_is_gone_around() -> None:
    """Records of a kind nobody knows, or with a fork beyond the end, change nothing that the others say."""
    store = Written()
    _, handed = talked(store, turns=3)
    store.dies()
    log = store.open("life")
    top = log.expects_from
    assert log.append([{"seq": top, "kind": "of tomorrow"}, {"seq": top + 1, "fork": 999}], [{"seq": top + 2, "active": [77, True]}])
    log.close()
    assert manager(2_000, format="openai_chat", store=store, conversation="life").history == handed


@pytest.mark.parametrize("model", ["openai:gpt-4o", "anthropic:claude-sonnet-5"])
def test_what_is_read_back_weighs_what_it_would_be_counted_as(model: str) -> None:
    """Weights that the log holds are those of a fresh count; with another model's mark, or made up, they are counted again (B169)."""
    store = Written()
    messages = [user("The task: find the fault.", format="openai_chat")]
    for turn in range(8):
        messages += cycle([f"c{turn}"], [f"{turn} " + "evidence, 12.5 % of it " * 9], format="openai_chat")
    context = ContextManager(model, window=9_000, format="openai_chat", store=store, conversation="life")
    context.prepare_sync(list(messages))
    wanted = weights_of(context)
    store.dies()
    assert store.records().transcript[-1]["weighs"][0] != ""
    again = ContextManager(model, window=9_000, format="openai_chat", store=store, conversation="life")
    assert weights_of(again) == wanted
    store.dies()
    other = ContextManager("google:gemini-3-pro", window=9_000, format="openai_chat", store=store, conversation="life")
    fresh = ContextManager("google:gemini-3-pro", window=9_000, format="openai_chat")
    fresh.prepare_sync(list(messages))
    assert weights_of(other) == weights_of(fresh)


@pytest.mark.parametrize("said", [[], ["", 1], [-1, -1], ["1", "2"], [1, 2, 3, 4, 5, 6]])
def test_weights_that_make_no_sense_are_counted_again(said: list[Any]) -> None:
    """Weights that are no numbers, too many or below 0 are not believed."""
    store = Written()
    context = ContextManager("openai:gpt-4o", window=9_000, store=store, conversation="life")
    context.prepare_sync([user("one two three", format="openai_chat")])
    wanted = weights_of(context)
    record = dict(store.records().transcript[-1])
    store.dies()
    store.says_instead(record["seq"], {**record, "weighs": [record["weighs"][0], *said]})
    assert weights_of(ContextManager("openai:gpt-4o", window=9_000, store=store, conversation="life")) == wanted


def weights_of(context: ContextManager) -> list[int]:
    """What every part weighs."""
    engine = context._driver.engine
    assert engine is not None
    return [*engine.state.history.part_weights, *engine.state.history.part_flats]
