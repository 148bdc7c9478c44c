"""Reports on conversations that outlive their process: what crashes, other writers and slow summaries may not take."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import tracemalloc
from collections.abc import Iterator
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import pytest

from sostenuto import ContextManager
from sostenuto.errors import ConcurrentPrepare, ConversationInUse
from sostenuto.ladder import Event
from sostenuto.messages import Call
from sostenuto.recordings.opening import open_recording
from sostenuto.stores.files import Files
from tests.engine.conversing import CODECS
from tests.ladder.made_up import (
    FORMATS,
    PLACEHOLDER,
    RETRIEVE,
    Quarters,
    Scripted,
    Talk,
    call_ids,
    faults,
    fired,
    manager,
    played,
    results,
    rungs,
    said,
    sized,
    summary,
)
from tests.recordings import writing
from tests.stores.filling import full_disk

NEVER = {"bash": "never"}
LIFE = "life"


@pytest.fixture(autouse=True, scope="module")
def _unflushed() -> Iterator[None]:
    """No power is lost here, so nothing waits for the disk."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda handle: None)
        yield


def kept(home: Path, *, window: int = 10_000, **wishes: Any) -> ContextManager:
    """A manager of the one conversation that is kept there."""
    return manager(window, store=Files(home), conversation=LIFE, tool_policy=NEVER, **wishes)


def crashed(home: Path) -> Path:
    """What would be left of a data home if its process died at this moment."""
    for number in count():
        left = home.with_name(f"{home.name}-left-{number}")
        if not left.exists():
            return Path(shutil.copytree(home, left))
    raise AssertionError("unreachable")


def file_of(home: Path, name: str) -> Path:
    """A file of the one conversation."""
    (found,) = home.rglob(name)
    return found


# ---------------------------------------------------------------- crashes


def test_b165_a_compaction_that_was_half_written_is_made_again(tmp_path: Path) -> None:
    """Killed when a step's messages are written and its checkpoint is not, the next process has the view of before and compacts."""
    home, talk = tmp_path / "home", Talk().user("Do the task")
    context = kept(home)
    edits, request = b"", context.prepare_sync(talk.messages)
    while "compact" not in rungs(request):
        edits = file_of(home, "edits.jsonl").read_bytes()
        request = context.prepare_sync(talk.cycle(700).messages)
    left = crashed(home)
    assert len(edits) < file_of(left, "edits.jsonl").stat().st_size
    file_of(left, "edits.jsonl").write_bytes(edits)
    again = kept(left)
    assert again.history == talk.messages
    assert again.checkpoint == ""
    assert again.prepare_sync(again.history).arguments == request.arguments
    again.close()
    assert kept(left).checkpoint == context.checkpoint


@pytest.mark.parametrize("format", FORMATS)
def test_b167_a_crash_in_a_summary_with_an_open_call_is_gone_on_from(tmp_path: Path, format: str) -> None:
    """Killed while a summary is written and a call is open, the next process has everything, answers the call and compacts."""
    home, talk = tmp_path / "home", Talk(format).user("Do the task").grown(8, 700)
    (pending,) = talk.calls("confirm_payment")
    left: list[Path] = []

    def dying(prompt: str) -> str:
        left.append(crashed(home))
        return summary()

    context = kept(home, format=format, summarizer=dying)
    context.prepare_sync(talk.messages)
    context.compact_sync()
    again = kept(left[0], format=format, summarizer=Scripted())
    assert again.history == talk.messages
    assert again.checkpoint == ""
    request = again.prepare_sync([*again.history, *Talk(format).user("Go on.").messages])
    assert faults(request) == []
    assert pending in call_ids(request)
    assert "compact" in rungs(again.compact_sync())


def test_b169_a_long_log_with_a_checkpoint_near_its_end_is_gone_on_with_in_bounded_memory(tmp_path: Path) -> None:
    """A log many windows long is found and gone on with from its newest checkpoint, in at most two and a half times its own bytes."""
    home, talk = tmp_path / "home", Talk().user("Do the task")
    context = kept(home, window=100_000)
    for _ in range(20):
        context.prepare_sync(talk.grown(20, 6_000).messages)
    context.compact_sync()
    checkpoint = context.checkpoint
    context.close()
    stored = file_of(home, "transcript.jsonl").stat().st_size
    assert stored > 9_000_000
    del context, talk
    tracemalloc.start()
    try:
        again = kept(home, window=100_000)
        request = again.prepare_sync([*again.history, *Talk().user("Go on.").messages])
        assert tracemalloc.get_traced_memory()[1] < 2.5 * stored
    finally:
        tracemalloc.stop()
    assert checkpoint in said(request)
    assert request.tokens < 100_000


def test_lib_33_the_checkpoint_is_in_view_after_a_crash(tmp_path: Path) -> None:
    """Whatever the process had compacted stands in the first request of the next one, with what came since."""
    home, talk = tmp_path / "home", Talk().user("Do the task").grown(14, 700)
    played(kept(home), talk)
    again = kept(crashed(home))
    assert again.checkpoint
    request = again.prepare_sync([*again.history, *Talk().user("And now?").messages])
    assert again.checkpoint in said(request)
    assert "And now?" in said(request)


def test_lib_59_what_is_stored_of_a_compaction_does_not_grow(tmp_path: Path) -> None:
    """Twenty-five compactions after the seventy-fifth take as many bytes as after the twenty-fifth, and the journal stays under its cap."""
    home, talk, steps = tmp_path / "home", Talk().user("Do the task"), [0]
    context = kept(home)
    while len(steps) <= 100:
        request = context.prepare_sync(talk.cycle(700).messages)
        if fired([request], "compact"):
            steps.append(file_of(home, "edits.jsonl").stat().st_size)
    assert steps[100] - steps[75] <= 1.1 * (steps[50] - steps[25])
    assert file_of(home, "edits.jsonl").stat().st_size < file_of(home, "transcript.jsonl").stat().st_size
    assert file_of(home, "journal.jsonl").stat().st_size <= 2 * 1024 * 1024


def test_lib_71_on_a_full_disk_the_run_goes_on_and_everything_is_written_later(tmp_path: Path) -> None:
    """While the disk is full requests are made and the person is told once; the first write with room takes all of it along."""
    home, talk = tmp_path / "home", Talk().user("Do the task").grown(2, 700)
    context = kept(home)
    played(context, talk)
    with full_disk():
        requests = played(context, talk.grown(12, 700), begin=len(talk.messages), tools=RETRIEVE)
        requests += [context.prepare_sync(talk.cycle(700).messages, tools=RETRIEVE) for _ in range(12)]
    assert fired(requests, "compact") + fired(requests, "clear")
    assert sum("cannot be written down" in notice for request in requests for notice in request.notices) == 1
    context.prepare_sync(talk.user("Go on.").messages, tools=RETRIEVE)
    again = kept(crashed(home))
    assert again.history == talk.messages
    assert again.checkpoint == context.checkpoint
    assert again.recall("m2.0")[0].text == context.recall("m2.0")[0].text


# ---------------------------------------------------------------- restored and too large


@pytest.mark.parametrize("tokens", [99_000, 200_000, 400_000])
def test_b173_a_restored_conversation_with_a_large_reserve_gives_a_plan(tmp_path: Path, tokens: int) -> None:
    """Whatever a conversation holds beside a reserve of 128,000 in 272,000 tokens, going on is planned and done, never refused."""
    home, talk = tmp_path / "home", Talk().user("Do the task").grown(tokens // 1_000, 1_000)
    before = kept(home, window=1_000_000)
    before.prepare_sync(talk.messages)
    before.close()
    context = kept(home, window=272_000)
    asked = [*context.history, *Talk().user("Go on.").messages]
    plan = context.preview_next(asked, max_output=128_000)
    request = context.prepare_sync(asked, max_output=128_000)
    assert plan.tokens_after == request.tokens
    assert (plan.tokens_after < plan.tokens_before) is (tokens > 99_000)
    assert request.tokens + 128_000 <= 272_000
    assert faults(request) == []


@pytest.mark.parametrize("summarizer", ["mechanical", "model"])
def test_b175_a_restored_history_is_reduced_before_its_first_request(tmp_path: Path, summarizer: str) -> None:
    """80,000 tokens in a window of 32,000: the plan says so, the first request fits, and so does each prompt of the summarizer."""
    home, talk, writer = tmp_path / "home", Talk().user("Do the task").grown(80, 1_000), Scripted()
    before = kept(home, window=200_000)
    before.prepare_sync(talk.messages)
    before.close()
    context = kept(home, window=32_000, summarizer=writer if summarizer == "model" else "mechanical")
    asked = [*context.history, *Talk().user("Go on.").messages]
    plan = context.preview_next(asked)
    assert plan.tokens_before > 80_000
    assert plan.rungs
    request = context.prepare_sync(asked)
    assert request.tokens <= 32_000
    assert faults(request) == []
    assert "Do the task" in said(request)
    assert bool(writer.prompts) is (summarizer == "model")
    assert all(Quarters()(prompt) < 32_000 for prompt in writer.prompts)


@pytest.mark.parametrize("summarizer", ["mechanical", "model"])
def test_b183_a_full_window_can_be_compacted_by_hand(tmp_path: Path, summarizer: str) -> None:
    """With a history of 99.6 % of the window, and no request before it, a person's compaction succeeds; no prompt passes the window."""
    home, talk, writer = tmp_path / "home", Talk().user("Do the task").grown(40, 1_000), Scripted()
    before = kept(home, window=200_000)
    window = round(before.prepare_sync(talk.messages).tokens / 0.996)
    before.close()
    context = kept(home, window=window, summarizer=writer if summarizer == "model" else "mechanical")
    request = context.compact_sync()
    assert "compact" in rungs(request)
    assert request.tokens < window // 2
    assert faults(request) == []
    assert all(Quarters()(prompt) < window for prompt in writer.prompts)


# ---------------------------------------------------------------- somebody else, or somebody slow


def test_b177_what_arrives_during_a_slow_summary_is_in_the_next_request(tmp_path: Path) -> None:
    """A message appended while a summary is written stands behind the checkpoint, and so it does after a crash; asking in between is
    refused and changes nothing.
    """
    home, talk, late = tmp_path / "home", Talk().user("Do the task").grown(14, 700), Talk().user("Stop at once.").messages

    async def lived() -> ContextManager:
        may_go_on, began = asyncio.Event(), asyncio.Event()

        async def slow(prompt: str) -> str:
            began.set()
            await may_go_on.wait()
            return summary()

        context = kept(home, summarizer=slow)
        running = asyncio.ensure_future(context.prepare(talk.messages))
        await began.wait()
        talk.messages += late
        with pytest.raises(ConcurrentPrepare):
            await context.prepare(talk.messages)
        with pytest.raises(ConcurrentPrepare):
            context.note(talk.messages)
        may_go_on.set()
        request = await running
        assert "Stop at once." not in said(request)
        after = await context.prepare(talk.messages)
        assert context.checkpoint in said(after)
        assert after.arguments["messages"][-1:] == late
        return context

    context = asyncio.run(lived())
    again = kept(crashed(home))
    assert again.history == talk.messages
    assert again.checkpoint == context.checkpoint


def test_b179_a_second_handle_waits_and_then_builds_on_what_the_first_did(tmp_path: Path) -> None:
    """The second writer is refused while the first is there; then an old list of messages with a new one goes on from its checkpoint."""
    home, talk = tmp_path / "home", Talk().user("Do the task").grown(9, 700)
    first = kept(home)
    first.prepare_sync(talk.messages)
    stale = list(talk.messages)
    with pytest.raises(ConversationInUse):
        kept(home)
    first.compact_sync()
    checkpoint = first.checkpoint
    first.close()
    second = kept(home)
    request = second.prepare_sync([*stale, *Talk().user("And now?").messages])
    assert checkpoint in said(request)
    assert len(second.snapshot()["transcript"]) == len(stale) + 1
    assert second.snapshot()["branches"] == []


# ---------------------------------------------------------------- parallel calls


@pytest.mark.parametrize("format", FORMATS)
def test_b185_parallel_calls_stored_as_siblings_keep_their_pairs(format: str) -> None:
    """Three calls of one turn as three messages in a row, their results behind them, stay paired through every local rung."""
    talk, codec = Talk(format).user("Do the task"), CODECS[format]
    for _ in range(8):
        first = len(talk.messages)
        ids = talk.calls("bash", "bash", "bash")
        calls = [part for raw in talk.messages[first:] for part in codec.decode(raw).parts if isinstance(part, Call)]
        talk.messages[first:] = [codec.only(raw, {n}) or raw for raw in talk.messages[first:] for n in range(len(codec.decode(raw).parts))]
        assert len(talk.messages) - first == len(calls) == 3
        for call_id in ids:
            talk.result(call_id, sized(300, call_id))
    context = manager(6_000, format=format, tool_policy=NEVER)
    for request in (context.prepare_sync(talk.messages), context.compact_sync()):
        assert sorted(results(request)) == sorted(call_ids(request))
        assert faults(request) == []


def test_b185_a_session_with_sibling_records_is_pruned_without_a_model(tmp_path: Path) -> None:
    """A session whose parallel calls and results lie in records of their own is read, compacted mechanically and sent with whole pairs."""
    records, parent = [writing.user("u", "Do the task")], "u"
    for turn in range(12):
        for each in "abc":
            block = writing.call(f"t{turn}{each}", file_path=f"/src/{turn}{each}.py")
            records.append(writing.reply(f"r{turn}{each}", f"m{turn}", block, parent=parent))
            parent = f"r{turn}{each}"
        for each in "abc":
            block = {"type": "tool_result", "tool_use_id": f"t{turn}{each}", "content": sized(300, f"t{turn}{each}")}
            records.append(writing.user(f"u{turn}{each}", [block], parent=parent))
            parent = f"u{turn}{each}"
    recording = open_recording(writing.jsonl(tmp_path / "session", records))
    assert not recording.skipped
    context = manager(20_000, format="anthropic")
    context.prepare_sync(list(recording.messages))
    request = context.compact_sync()
    assert "compact" in rungs(request)
    assert sorted(results(request)) == sorted(call_ids(request))
    assert len(results(request)) % 3 == 0
    assert faults(request) == []


def test_b187_a_compaction_above_a_message_leaves_everything_from_it_on(tmp_path: Path) -> None:
    """Of ten units those from the seventh on are sent as they were, in this process and in the next one."""
    home, talk = tmp_path / "home", Talk().user("Do the task").grown(10, 300)
    context = kept(home)
    context.prepare_sync(talk.messages)
    rest = talk.messages[1 + 2 * 6 :]
    request = context.compact_sync(before=f"m{1 + 2 * 6}")
    assert rungs(request) == ["compact"]
    assert request.arguments["messages"][-len(rest) - 1 : -1] == rest
    again = kept(crashed(home))
    assert again.prepare_sync(again.history).arguments["messages"][-len(rest) :] == rest


# ---------------------------------------------------------------- what is told


@pytest.mark.parametrize(("trigger", "by"), [("manual", "model"), ("threshold", "model"), ("overflow", "model"), ("manual", "mechanical")])
def test_b189_one_event_and_one_record_for_each_compaction(tmp_path: Path, trigger: str, by: str) -> None:
    """A compaction is told once: its trigger, tokens before and after, who wrote it and how long that took; the journal has the text."""
    talk = Talk().user("Do the task").grown(14 if trigger == "threshold" else 9, 700)
    events: list[Event] = []
    context = kept(tmp_path, summarizer=Scripted() if by == "model" else "mechanical", on_event=events.append)
    request = context.prepare_sync(talk.messages)
    if trigger == "manual":
        request = context.compact_sync()
    elif trigger == "overflow":
        request = context.recover(maximum=5_000)
    (event,) = [event for event in events if event.rung == "compact"]
    assert (event.detail["trigger"], event.detail["by"]) == (trigger, by)
    assert event.tokens_after < event.tokens_before
    assert (event.seconds > 0) is (by == "model")
    (record,) = context.journal
    assert (record["tokensBefore"], record["tokensAfter"]) == (event.tokens_before, event.tokens_after)
    assert record["summary"] == context.checkpoint
    assert sum("were summarised" in notice for notice in request.notices) == 1


def test_b193_the_window_empties_and_nothing_else_is_reset(tmp_path: Path) -> None:
    """A compaction lowers what the window holds; transcript, journal and numbers of edits only grow, also in the next process."""
    home, talk = tmp_path / "home", Talk().user("Do the task")
    context, figures = kept(home), []
    for _ in range(40):
        context.prepare_sync(talk.cycle(700).messages)
        saved = context.snapshot()
        figures.append((len(saved["transcript"]), len(saved["edits"]), len(context.journal), context.usage().tokens))
    assert all(new[number] >= old[number] for old, new in pairwise(figures) for number in range(3))
    assert any(new[3] < old[3] for old, new in pairwise(figures))
    again = kept(crashed(home))
    assert (len(again.snapshot()["transcript"]), len(again.snapshot()["edits"]), len(again.journal)) == figures[-1][:3]
    assert json.dumps(again.history) == json.dumps(talk.messages)
    assert PLACEHOLDER not in json.dumps(again.history)
