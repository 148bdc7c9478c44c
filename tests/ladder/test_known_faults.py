"""Faults the origin still had, one test each (origin 14.2; the number is in the name)."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from sostenuto import ContextManager
from tests.ladder.made_up import FORMATS, LEFT_OUT, Quarters, Scripted, Talk, call_ids, faults, fired, manager, played, results, said, sized

NEVER = {"bash": "never"}


@pytest.mark.parametrize("format", FORMATS)
def test_fault_1_a_run_with_one_user_turn_can_be_trimmed(format: str) -> None:
    """An autonomous run has one user message; whole cycles of it give way, and recovery makes it smaller too."""
    context = manager(4_000, format=format, tool_policy=NEVER)
    requests = played(context, Talk(format).user("Do the task").grown(30, 400))
    assert all(request.tokens <= 4_000 for request in requests)
    assert context.recover({"error": {"code": "context_length_exceeded", "message": ""}}).tokens < requests[-1].tokens


class Letters(Quarters):
    """Another model's weigher: a token is one letter."""

    name = "letters"

    def __call__(self, text: str, /) -> int:
        return len(text)


def test_fault_2_a_count_belongs_to_its_model() -> None:
    """After a switch every message is counted by the new model's way, not by what was remembered of the old one."""
    talk = Talk().user(sized(1_000))
    context = manager(100_000, format="openai_chat")
    before = context.prepare_sync(talk.messages).tokens
    context.switch("other:model", window=100_000, counter=Letters())
    after = context.prepare_sync(talk.messages).tokens
    assert 3.9 * before < after < 4.1 * before


def test_fault_3_images_do_not_drag_the_ratio() -> None:
    """A report for a history full of images leaves the estimate of plain text as it was."""
    data = base64.b64encode(b"\x89PNG" + bytes(3_000)).decode()
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
    words = {"type": "text", "text": "Look at all of these, please. " * 200}
    messages: list[dict[str, Any]] = [{"role": "user", "content": [words, *[image] * 20]}]
    plain = [{"role": "user", "content": "These are plain words of English. " * 300}]
    seen, fresh = (ContextManager("anthropic:claude-x", counter="family", format="openai_chat", window=200_000) for _ in range(2))
    request = seen.prepare_sync(messages)
    seen.record({"prompt_tokens": request.tokens, "completion_tokens": 5})
    more = seen.prepare_sync([*messages, {"role": "assistant", "content": "Yes."}, *plain]).tokens - request.tokens
    assert more == pytest.approx(fresh.prepare_sync(plain).tokens, rel=0.1)


def test_fault_4_the_overhead_follows_the_tools_of_this_request() -> None:
    """Tools that are loaded later are counted at once, and no longer when they are gone."""
    one = [{"type": "function", "function": {"name": "a", "description": sized(500), "parameters": {}}}]
    two = [*one, {"type": "function", "function": {"name": "b", "description": sized(900), "parameters": {}}}]
    context, talk = manager(100_000), Talk().user("Hi")
    first = context.prepare_sync(talk.messages, tools=one)
    context.record({"prompt_tokens": first.tokens, "completion_tokens": 1})
    second = context.prepare_sync(talk.messages, tools=two)
    assert 900 <= second.tokens - first.tokens <= 960
    assert context.prepare_sync(talk.messages, tools=one).tokens == first.tokens


def test_fault_5_a_compaction_that_frees_little_is_not_repeated() -> None:
    """With a large fixed part the model is not asked for a summary request after request."""
    model, system = Scripted(), {"role": "system", "content": sized(7_700)}
    talk = Talk().user("Go").grown(30, 60)
    context = manager(10_000, summarizer=model, tool_policy=NEVER)
    requests = [context.prepare_sync([system, *talk.messages[:number]]) for number in range(1, len(talk.messages) + 1, 2)]
    assert len(model.prompts) <= 8
    assert all(request.tokens <= 10_000 for request in requests)


def test_fault_6_a_message_larger_than_the_summarizers_window_is_cut_for_it() -> None:
    """One huge message is shown to the summarizer as head and tail, within its window."""
    model = Scripted()
    talk = Talk().user("Go").cycle(3_500).grown(9, 700)
    played(manager(10_000, summarizer=model, summarizer_window=2_000, tool_policy=NEVER), talk)
    assert model.prompts
    assert all(len(prompt) // 4 <= 2_000 for prompt in model.prompts)


def test_fault_9_a_failed_read_is_not_reported_as_done() -> None:
    """A result that is a JSON object with an error key, or carries the wire's error flag, counts as failed in the progress note."""
    talk = Talk("anthropic").user("Go").grown(10, 700)
    talk.cycle('{"error": "no such file"}', name="read_file", arguments={"path": "missing.py"})
    talk.cycle("denied", name="read_file", arguments={"path": "secret.py"}, failed=True)
    talk.cycle(300, name="read_file", arguments={"path": "there.py"})
    context = manager(10_000, format="anthropic", tool_policy=NEVER)
    context.prepare_sync(talk.messages)
    note = said(context.compact_sync()).split("[PROGRESS")[-1]
    assert "there.py" in note.split("Last action")[0]
    assert "missing.py" not in note
    assert "secret.py" not in note


@pytest.mark.parametrize("format", FORMATS)
def test_fault_10_a_compaction_inside_a_batch_keeps_the_batch(format: str) -> None:
    """Two calls, one answered: a compaction now keeps both calls, and the second result finds its call."""
    talk = Talk(format).user("Go").grown(8, 700)
    ids = talk.calls("bash", "summarize_context")
    talk.result(ids[0], "first answer")
    context = manager(10_000, format=format, tool_policy=NEVER)
    context.prepare_sync(talk.messages)
    request = context.compact_sync()
    assert set(ids) <= set(call_ids(request))
    after = context.prepare_sync(talk.result(ids[1], "second answer").messages)
    assert results(after)[ids[0]] == "first answer"
    assert results(after)[ids[1]] == "second answer"
    assert faults(after) == []


def test_fault_11_one_counter_measures_the_tail_and_everything_else() -> None:
    """The tail is measured by the counter in force: with a counter four times as dear, a quarter of the cycles is kept."""
    kept: list[int] = []
    for weigher, window in ((Quarters(), 40_000), (Letters(), 160_000)):
        context = ContextManager(window=window, counter=weigher, tool_policy=NEVER, format="openai_chat")
        context.prepare_sync(Talk().user("Go").grown(10, 2_000).messages)
        kept.append(len(results(context.compact_sync())))
    assert kept[0] == kept[1]


def test_fault_16_every_figure_is_of_one_counter() -> None:
    """What `usage` shows is what the request says it takes, nudges apart."""
    context = manager(100_000)
    request = context.prepare_sync([{"role": "system", "content": "Be kind."}, *Talk().user("Go").grown(5, 300).messages])
    assert context.usage().tokens == request.tokens


def test_fault_19_our_own_messages_count_as_no_turn() -> None:
    """Continuations and nudges neither open turns nor become requests: the first and the newest stay the person's."""
    context = manager(6_000, tool_policy=NEVER)
    talk = Talk().user("FIRST").grown(30, 400).says("Done.").user("NEWEST").grown(30, 400)
    requests = played(context, talk)
    assert fired(requests, "compact") + fired(requests, "trim") >= 2
    assert all("FIRST" in said(request) for request in requests)
    assert "NEWEST" in said(requests[-1])
    assert LEFT_OUT not in said(requests[-1])
