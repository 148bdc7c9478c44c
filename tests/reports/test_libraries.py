"""Reports on Python libraries, by their number (`lib_19` is number 19 of the list "Python libraries")."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import pytest

from sostenuto import ContextManager, Settings
from sostenuto.messages import Result
from sostenuto.protocols import Kept, Log, Record
from tests.engine.conversing import CODECS
from tests.ladder.made_up import (
    FORMATS,
    LEFT_OUT,
    PLACEHOLDER,
    RETRIEVE,
    Quarters,
    Scripted,
    Talk,
    call_ids,
    faults,
    fired,
    manager,
    noticed,
    played,
    results,
    rungs,
    said,
    sized,
    summary,
)

NEVER = {"bash": "never"}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("width", [2, 3])
def test_lib_1_and_3_every_result_at_a_cut_has_its_call(format: str, width: int) -> None:
    """Whatever is kept of a batch of calls, every result that is sent has its call, in every window."""
    talk = Talk(format).user("Do the task")
    for _ in range(8):
        talk.cycle(*[200] * width)
    for window in (1_500, 2_500, 4_000):
        request = manager(window, format=format).prepare_sync(talk.messages)
        assert sorted(results(request)) == sorted(call_ids(request))
        assert faults(request) == []


def test_lib_5_and_9_a_call_without_its_result_is_not_summarised_away() -> None:
    """A call that waits for a confirmation is kept in the tail while it is the newest, whatever is compacted."""
    talk = Talk().user("Do the task").grown(8, 700)
    (pending,) = talk.calls("confirm_payment")
    context = manager(10_000, tool_policy=NEVER)
    context.prepare_sync(talk.messages)
    assert pending in call_ids(context.compact_sync())


def test_lib_11_and_25_a_summary_is_text_of_the_schema() -> None:
    """A summarizer that answers with a tool call or with a limit notice is refused, and the mechanical checkpoint is text only."""
    for answer in ('{"name": "read_file", "arguments": {"path": "a"}}', "You have reached your usage limit. Resets at 5pm."):
        requests = played(manager(10_000, summarizer=Scripted(answer), tool_policy=NEVER), Talk().user("Go").grown(12, 700))
        assert fired(requests, "summary") == 1
        assert answer not in said(requests[-1])


def test_lib_13_and_65_blocks_of_a_kind_we_do_not_know_stay_where_they_are() -> None:
    """A provider's own compaction block is sent once, in place, as the object that came in."""
    block = {"type": "compaction", "content": "opaque state", "future_field": 1}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": [block, {"type": "text", "text": "Hello."}]},
        {"role": "user", "content": "Go on."},
    ]
    request = manager(10_000, format="anthropic").prepare_sync(messages)
    assert request.arguments["messages"][1] is messages[1]
    assert json.dumps(request.arguments).count("opaque state") == 1


@pytest.mark.parametrize("format", FORMATS)
def test_lib_15_an_orphan_is_repaired_every_time_and_reported_once(format: str) -> None:
    """An orphan result in a stored history never reaches a request, and is reported when it is first seen (A.6)."""
    talk = Talk(format).user("Do the task").says("Well.")
    talk.messages += CODECS[format].results([(None, 0, Result("gone", "an orphan", name="read"))])
    talk.user("Go on.").says("Yes.").user("More.").says("Yes.").user("Last.")
    requests = played(manager(10_000, format=format), talk)
    assert all("an orphan" not in said(request) for request in requests)
    assert fired(requests, "repair") == 1


def test_lib_19_and_r4_a_task_and_six_large_results_are_really_summarised() -> None:
    """A task and six results of 8,000 characters in a small window: the summarizer is asked with the text, in chunks if it must."""
    model = Scripted(summary("read six files"))
    talk = Talk().user("Do the task").grown(6, 2_000, name="read_file", arguments={"path": "a.py"})
    requests = played(manager(8_000, summarizer=model, tool_policy={"read_file": "never"}), talk)
    assert model.prompts
    assert "result c1_0" in "".join(model.prompts)
    assert "read six files" in said(requests[-1])


def test_lib_21_and_23_the_summarizers_input_is_cut_to_its_window() -> None:
    """A history many times the summarizer's window is read in pieces, each of which fits."""
    model = Scripted()
    talk = Talk().user("Do the task").grown(50, 2_000)
    manager(60_000, summarizer=model, summarizer_window=8_000, tool_policy=NEVER).prepare_sync(talk.messages)
    assert len(model.prompts) > 5
    assert all(len(prompt) // 4 <= 8_000 for prompt in model.prompts)


def test_lib_27_pasted_text_is_kept_or_has_a_pointer() -> None:
    """A large paste of the person's is in every request, whole or as head and tail with a key that returns it."""
    paste = "PASTE-BEGIN " + sized(2_000, "pasted") + " PASTE-END"
    context = manager(6_000, tool_policy=NEVER)
    requests = played(context, Talk().user(paste).grown(40, 300))
    assert all("PASTE-BEGIN" in said(request) and "PASTE-END" in said(request) for request in requests)
    assert context.recall("m0.0")[0].text == paste


def test_lib_29_thinking_is_not_transcribed_for_the_summarizer() -> None:
    """No thinking reaches the summarizer's prompt."""
    model = Scripted()
    talk = Talk("anthropic").user("Go").grown(12, 700, thinking="SECRET THOUGHT")
    played(manager(10_000, format="anthropic", summarizer=model, tool_policy=NEVER), talk)
    assert model.prompts
    assert all("SECRET THOUGHT" not in prompt for prompt in model.prompts)


def test_lib_31_checkpoints_do_not_grow_from_compaction_to_compaction() -> None:
    """After many compactions the checkpoint is about as large as after a few."""
    requests = played(manager(10_000, tool_policy=NEVER), Talk().user("Do the task").grown(120, 700))
    landed = [event.tokens_after for request in requests for event in request.events if event.rung == "compact"]
    assert len(landed) >= 10
    assert landed[-1] <= landed[2] + 500


def test_lib_33_a_checkpoint_survives_saving_and_loading() -> None:
    """A snapshot taken after a compaction gives the same next request in a new process."""
    talk = Talk().user("Do the task").grown(14, 700)
    context = manager(10_000, tool_policy=NEVER)
    played(context, talk)
    restored = ContextManager.restore(json.loads(json.dumps(context.snapshot())), counter=Quarters(), tool_policy=NEVER)
    talk.cycle(20)
    assert restored.prepare_sync(talk.messages).arguments == context.prepare_sync(talk.messages).arguments


def test_lib_35_tools_and_system_are_counted() -> None:
    """Forty tool schemas and a system prompt are part of the request's tokens."""
    tools = [{"type": "function", "function": {"name": f"tool{n}", "description": "x" * 1_000, "parameters": {}}} for n in range(40)]
    system = {"role": "system", "content": sized(500)}
    request = manager(100_000).prepare_sync([system, {"role": "user", "content": "Hi"}], tools=tools)
    assert request.tokens >= 10_000 + 500


@pytest.mark.parametrize("format", FORMATS)
def test_lib_37_calls_and_thinking_are_counted(format: str) -> None:
    """A call with long arguments counts, and so does thinking that is sent again."""
    talk = Talk(format).user("Go").cycle(10, arguments={"text": sized(300)}, thinking=sized(200) if format == "anthropic" else "")
    assert manager(10_000, format=format).prepare_sync(talk.messages).tokens >= (500 if format == "anthropic" else 300)


def test_lib_39_and_41_one_huge_newest_result_is_cut_and_its_body_kept() -> None:
    """A result larger than the window is cut on arrival; the whole of it is returned under its key."""
    text = sized(120_000, "huge")
    context = manager(20_000)
    request = context.prepare_sync(Talk().user("Do the task").cycle(text).messages)
    assert request.tokens <= 20_000
    assert LEFT_OUT in said(request)
    assert context.recall("m2.0")[0].text == text


def test_lib_43_input_and_output_together_stay_in_the_window() -> None:
    """The request and the output it may ask for never pass the window together."""
    for fill in (170_000, 180_225, 190_000):
        talk = Talk().user("Go").says("Yes.").user(sized(fill))
        request = manager(196_608).prepare_sync(talk.messages, max_output=16_384)
        assert request.max_output is not None
        assert request.tokens + request.max_output <= 196_608


def test_lib_45_the_line_is_measured_on_what_would_be_sent() -> None:
    """Once cleared, ten more calls below the line clear nothing: the view is measured, not the raw history."""
    talk = Talk().user("Do the task").grown(9, 700)
    context = manager(10_000, settings=Settings(voluntary=1.0))
    assert fired(played(context, talk), "clear") == 1
    known = len(talk.messages)
    assert fired(played(context, talk.grown(10, 60), begin=known), "clear") == 0


def test_lib_47_and_r17_a_server_that_cuts_silently_raises_an_alarm_and_teaches_nothing() -> None:
    """A report far below the estimate while the request grew is told as a silent cut, and later requests stay within what was served."""
    context = ContextManager("ollama:some-model", window=65_536, counter="family", format="openai_chat", tool_policy=NEVER)
    talk = Talk().user("Do the task").grown(4, 4_000)
    estimates: list[int] = []
    notices: list[str] = []
    for _ in range(10):
        request = context.prepare_sync(talk.messages)
        notices += request.notices
        estimates.append(request.tokens)
        context.record({"prompt_tokens": min(request.tokens, 32_768), "completion_tokens": 20})
        talk.grown(1, 6_000)
    assert any("served" in notice or "silent" in notice or "dropped" in notice or "cut" in notice for notice in notices)
    assert context.prepare_sync(talk.messages).tokens <= 33_000


def test_lib_51_and_53_endless_condensation_is_stopped() -> None:
    """An irreducible prompt over the line is not condensed request after request, and the reason is told."""
    pinned = sized(7_600, "pinned rules")
    requests = played(manager(10_000, pin=[pinned], tool_policy=NEVER), Talk().user("Go").user(pinned).grown(40, 120))
    assert fired(requests, "compact") <= len(requests) / 4
    assert noticed(requests, "Summarising frees little") == 1


def test_lib_55_a_tool_heavy_history_really_shrinks() -> None:
    """Two hundred tool cycles without a user turn stay under the compaction line after every rewrite."""
    requests = played(manager(20_000), Talk().user("Do the task").grown(200, 400))
    assert max(request.tokens for request in requests) <= 0.95 * 20_000
    assert requests[-1].tokens <= 0.85 * 20_000


def test_lib_57_what_left_the_context_is_named_for_whoever_removes_duplicates() -> None:
    """After a compaction the event's keys cover the old read, and the second read is sent whole."""
    talk = Talk().user("Go").cycle("THE FILE\n" * 300, name="read_file", arguments={"path": "a.py"}).grown(12, 700)
    context = manager(10_000)
    requests = played(context, talk)
    assert any(event.keys for request in requests for event in request.events if event.rung in ("clear", "compact"))
    known = len(talk.messages)
    again = played(context, talk.cycle("THE FILE\n" * 300, name="read_file", arguments={"path": "a.py"}), begin=known)[-1]
    assert results(again)["c14_0"] == "THE FILE\n" * 300


def test_lib_61_the_prefix_is_the_same_from_request_to_request() -> None:
    """Lines that change from turn to turn stand at the tail only: without a rewrite each request extends the last one's bytes."""
    requests = played(manager(30_000), Talk().user("Do the task").grown(12, 700))
    for one, other in pairwise(requests):
        if not rungs(other):
            shared = json.dumps(one.arguments["messages"])[:-1]
            assert json.dumps(other.arguments["messages"]).startswith(shared)


def test_lib_67_no_marker_names_a_tool_that_was_not_handed_over() -> None:
    """Without `recall` among the tools no placeholder, clip or checkpoint tells the model to call it."""
    talk = Talk().user("Do the task").cycle(6_000).grown(20, 700)
    for tools, named in ((None, False), (RETRIEVE, True)):
        requests = played(manager(12_000), talk, tools=tools)
        assert any("recall" in said(request) for request in requests) is named


def test_lib_69_evidence_is_cut_never_paraphrased() -> None:
    """Every line of a clipped result is a line of the original or the note."""
    text = "\n".join(f"src/{n}.py:{n}: match number {n}" for n in range(3_000))
    request = manager(10_000).prepare_sync(Talk().user("grep it").cycle(text).messages)
    lines = set(text.split("\n"))
    shown = results(request)["c1_0"].split("\n")
    odd = [line for line in shown if line not in lines]
    assert 1 <= len(odd) <= 3
    assert sum(LEFT_OUT in line for line in odd) == 1


class FullDisk:
    """A store, and its one log, that cannot keep anything."""

    conversation = "full"
    expects_from = 0

    def open(self, conversation: str, /) -> Log:
        """Itself."""
        return self

    def read(self) -> Kept:
        """Nothing."""
        return Kept()

    def append(self, transcript: Sequence[Record], edits: Sequence[Record], /) -> bool:
        """Nothing is written."""
        raise OSError("no space left on device")

    def journalled(self) -> Sequence[Record]:
        """Nothing."""
        return ()

    def close(self) -> None:
        """Nothing to let go of."""

    def keep(self, items: Mapping[str, str], /) -> frozenset[str]:
        """Nothing is kept."""
        raise OSError("no space left on device")

    def journal(self, record: Record, /) -> bool:
        """Nothing is written."""
        raise OSError("no space left on device")


def test_lib_71_with_a_full_disk_nothing_claims_to_be_stored_and_the_run_goes_on() -> None:
    """A store that fails fails no request; placeholders name no way back that is not there, and this process still recalls the text."""
    talk = Talk().user("Do the task").grown(12, 700)
    context = manager(10_000, store=FullDisk(), conversation="full")
    requests = played(context, talk, tools=RETRIEVE)
    cleared = [text for text in results(requests[-1]).values() if PLACEHOLDER in text]
    assert cleared
    assert all("recall" not in text for text in cleared)
    assert context.recall("m2.0")[0].text == sized(700, "result c1_0")
