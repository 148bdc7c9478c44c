"""The floor of the ladder: what is always sent, how space is given out, when a request is refused (A.5, D10, D16-D18, D50)."""

from __future__ import annotations

import pytest

from sostenuto import FixedPartTooLarge
from tests.ladder.made_up import FORMATS, LEFT_OUT, Talk, call_ids, faults, manager, noticed, played, results, rungs, said, sized

NEVER = {"bash": "never"}


def test_within_limits_nothing_changes() -> None:
    """Within the budget the very objects of the caller are sent and nothing is reported (A.5)."""
    talk = Talk().user("Do the task").grown(5, 100)
    request = manager(10_000).prepare_sync(talk.messages)
    assert request.events == ()
    assert all(a is b for a, b in zip(request.arguments["messages"], talk.messages, strict=True))


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("window", [1_500, 3_000, 6_000, 12_000])
def test_a_run_with_one_user_message_always_fits(format: str, window: int) -> None:
    """A long tool loop behind a single request is brought under any window, legal, with the task and its newest cycle (5.2, A.5, D16)."""
    talk = Talk(format).user("Do the task").grown(40, 300)
    request = manager(window, format=format, tool_policy=NEVER).prepare_sync(talk.messages)
    assert request.tokens <= window
    assert faults(request) == []
    assert "Do the task" in said(request)
    assert call_ids(request)[-1] == "c40_0"


@pytest.mark.parametrize("format", FORMATS)
def test_a_batch_is_kept_or_dropped_as_one(format: str) -> None:
    """Of every assistant message with calls all results are there, or none of it is (A.5)."""
    talk = Talk(format).user("Do the task")
    for _ in range(12):
        talk.cycle(300, 300, 300)
    for request in played(manager(5_000, format=format), talk):
        assert sorted(call_ids(request)) == sorted(results(request))


def test_a_tiny_budget_keeps_the_system_text() -> None:
    """The system message is byte-equal however small the window is (A.5, invariant 3)."""
    system = {"role": "system", "content": sized(400, "you are careful")}
    request = manager(2_000).prepare_sync([system, *Talk().user("Do the task").grown(20, 300).messages])
    assert request.arguments["messages"][0] is system
    assert request.tokens <= 2_000


def test_d17_what_is_trimmed_leaves_a_digest() -> None:
    """Trimming is never silent: a checkpoint of what was dropped stands in the request, and the originals have a key (D17)."""
    talk = Talk().user(sized(7_700, "huge request")).cycle(20, name="read_file", arguments={"path": "src/engine.py"}).grown(30, 40)
    context = manager(10_000)
    requests = played(context, talk)
    (trimmed,) = [request for request in requests if "trim" in rungs(request)]
    assert "src/engine.py" in said(trimmed)
    (event,) = [event for event in trimmed.events if event.rung == "trim"]
    assert "c1_0" not in results(trimmed)
    assert context.recall(event.keys[0])[0].text


def test_d18_a_read_result_is_cut_before_an_unread_one() -> None:
    """When both cannot stay whole, results that were read give way before those that were not (D18)."""
    talk = Talk().user("Do the task").cycle(1_500).cycle(1_500).cycle(1_500)
    request = manager(4_000, tool_policy=NEVER).prepare_sync(talk.messages)
    newest = results(request)["c3_0"]
    others = [text for call_id, text in results(request).items() if call_id != "c3_0"]
    assert request.tokens <= 4_000
    assert all(len(text) <= len(newest) for text in others)


def test_d18_the_newest_unit_stays_whole_while_the_request_fits() -> None:
    """With room for the unread batch, it is sent whole and older units go (D18)."""
    talk = Talk().user("Do the task").grown(8, 500).cycle(800, 800)
    request = manager(4_200, tool_policy=NEVER).prepare_sync(talk.messages)
    assert LEFT_OUT not in results(request)["c9_0"] + results(request)["c9_1"]
    assert request.tokens <= 4_200


def test_d50_an_oversized_request_keeps_its_head_and_its_tail() -> None:
    """A user message above a quarter of the room is cut to head and tail with a key, as the last thing that is cut (D50)."""
    text = "BEGIN " + sized(9_000, "pasted") + " END"
    context = manager(6_000)
    request = context.prepare_sync(Talk().user(text).messages)
    (sent,) = (m for m in request.arguments["messages"] if "BEGIN" in m["content"])
    assert request.tokens <= 6_000
    assert sent["content"].startswith("BEGIN")
    assert sent["content"].rstrip().endswith("END")
    key = next(key for event in request.events for key in event.keys)
    assert context.recall(key)[0].text == text


def test_d50_the_first_and_the_newest_request_are_always_there() -> None:
    """Whatever else goes, the first and the newest request of the person are in the request (D50, invariant 3)."""
    talk = Talk().user("FIRST: do the task").grown(20, 300).says("Done.").user("NEWEST: and this").grown(20, 300)
    for window in (1_600, 3_000, 9_000):
        request = manager(window).prepare_sync(talk.messages)
        assert "FIRST: do the task" in said(request)
        assert "NEWEST: and this" in said(request)
        assert request.tokens <= window


def test_d50_the_arguments_of_the_newest_calls_are_cut_inside_their_strings() -> None:
    """In need, arguments of the newest calls are cut inside JSON strings: short values stay, the JSON stays JSON (D50)."""
    talk = Talk().user("Do the task").cycle(20, name="write_file", arguments={"path": "src/a.py", "content": sized(9_000, "code")})
    request = manager(4_000).prepare_sync(talk.messages)
    assert request.tokens <= 4_000
    assert faults(request) == []
    call = next(m for m in request.arguments["messages"] if m.get("tool_calls"))["tool_calls"][0]["function"]["arguments"]
    assert '"path": "src/a.py"' in call
    assert "left out" in call


def test_d50_what_can_never_fit_is_refused_with_each_component() -> None:
    """System and tools larger than the window are refused at once, with each component's tokens (D10, D50)."""
    tools = [{"type": "function", "function": {"name": "big", "description": sized(1_500), "parameters": {}}}]
    with pytest.raises(FixedPartTooLarge) as caught:
        manager(2_000).prepare_sync([{"role": "system", "content": sized(900)}, *Talk().user("Hi").messages], tools=tools)
    assert caught.value.components["system"] >= 900
    assert caught.value.components["tools"] >= 1_500
    assert "1,5" in str(caught.value)


def test_d50_a_refused_request_changes_nothing() -> None:
    """After a refusal the conversation is as it was: a smaller fixed part is taken at once (D63)."""
    context = manager(2_000)
    with pytest.raises(FixedPartTooLarge):
        context.prepare_sync([{"role": "system", "content": sized(2_500)}, *Talk().user("Hi").messages])
    request = context.prepare_sync([{"role": "system", "content": "Be kind."}, *Talk().user("Hi").messages])
    assert request.events == ()


def test_d10_a_fixed_part_over_the_compaction_line_is_said_at_the_start() -> None:
    """System and tools above the compaction line are named with their tokens, once, in the first request (D10, B001)."""
    system = {"role": "system", "content": sized(8_500)}
    talk = Talk().user("Hi").says("Hello.").user("How are you?").says("Well.").user("Good.")
    context = manager(10_000)
    requests = [context.prepare_sync([system, *talk.messages[:number]]) for number in (1, 3, 5)]
    assert noticed(requests[:1], "system 8,5") == 1
    assert noticed(requests, "system 8,5") == 1
    assert noticed(requests, "Nothing is old enough") == 0


def test_d51_the_first_two_requests_of_an_estimated_model_trim_earlier() -> None:
    """Without an exact count the trim line is 90 % until two reports were seen (D51)."""
    from sostenuto import ContextManager

    talk = Talk().user("Do the task").grown(30, 1_000)
    for reports, most in ((0, 0.90), (2, 0.95)):
        context = ContextManager("anthropic:claude-x", window=20_000, counter="family", format="openai_chat", tool_policy=NEVER)
        for _ in range(reports):
            first = context.prepare_sync(talk.messages[:1])
            context.record({"prompt_tokens": first.tokens, "completion_tokens": 5})
        assert context.prepare_sync(talk.messages).tokens <= most * 20_000 + 150


def test_d45_a_trim_is_told_with_messages_tokens_and_key() -> None:
    """When messages leave without a summary the person is told how many, how many tokens, and where to find them (D45)."""
    requests = played(manager(10_000), Talk().user(sized(7_700, "huge request")).grown(30, 40))
    trims = [notice for request in requests for notice in request.notices if notice.startswith("Trimmed without a summary")]
    assert trims
    assert all(" messages, about " in notice and "under m0" in notice for notice in trims)


def test_a_checkpoint_that_would_stand_for_nothing_is_not_written() -> None:
    """Where everything older stays whole anyway, a request between the compaction and the trim line goes out as it is."""
    talk = Talk().user(sized(9_200, "long")).says("Yes.").user("Go on.")
    request = manager(10_000).prepare_sync(talk.messages)
    assert "trim" not in rungs(request)
    assert all(a is b for a, b in zip(request.arguments["messages"], talk.messages, strict=False))
