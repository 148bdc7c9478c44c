"""Admission: what is cut before the model has ever seen it (origin 4.3, D41, D49)."""

from __future__ import annotations

import pytest

from sostenuto import Settings
from tests.ladder.made_up import FORMATS, LEFT_OUT, RETRIEVE, Talk, manager, played, results, rungs, sized


def test_d41_a_result_within_the_tail_budget_is_not_cut() -> None:
    """Nothing is cut on arrival unless it is larger than the tail budget (D41)."""
    talk = Talk().user("Do the task").cycle(3_900)
    request = manager(20_000).prepare_sync(talk.messages)
    assert rungs(request) == []


@pytest.mark.parametrize("format", FORMATS)
def test_d41_a_result_over_the_tail_budget_is_cut_to_head_and_tail(format: str) -> None:
    """A result over the tail budget keeps its head and its tail, is cut to that budget, and its key returns it whole (D41)."""
    text = "FIRST LINE\n" + sized(9_000, "middle") + "\nLAST LINE"
    talk = Talk(format).user("Do the task").cycle(text)
    context = manager(20_000)
    request = context.prepare_sync(talk.messages, tools=RETRIEVE)
    shown = next(iter(results(request).values()))
    assert rungs(request) == ["admit"]
    assert shown.startswith("FIRST LINE")
    assert shown.endswith("LAST LINE")
    assert 'recall(key="' in shown
    assert len(shown) <= 4 * 5_000
    (key,) = request.events[0].keys
    assert context.recall(key)[0].text == text


def test_d41_a_size_of_the_callers_own_is_followed() -> None:
    """A result limit that the caller set cuts results above it (D41)."""
    talk = Talk().user("Do the task").cycle(900)
    request = manager(20_000, settings=Settings(result_limit=400)).prepare_sync(talk.messages)
    assert rungs(request) == ["admit"]
    assert request.tokens < 450


def test_d49_a_batch_takes_at_most_half_of_the_room_largest_first() -> None:
    """The results of one batch together take half of the room; the largest are cut to one level and the small ones stay whole (D49)."""
    request = manager(20_000).prepare_sync(Talk().user("Do the task").cycle(3_000, 3_000, 3_000, 300).messages)
    assert rungs(request) == []
    request = manager(20_000).prepare_sync(Talk().user("Do the task").cycle(*[3_500] * 4, 300).messages)
    sizes = [len(text) // 4 for text in results(request).values()]
    assert sum(sizes) <= 10_000
    assert sizes[-1] == 300
    assert max(sizes[:4]) - min(sizes[:4]) < 60


def test_d49_no_result_of_a_batch_falls_below_two_hundred_tokens() -> None:
    """However many results a batch has, each keeps about 200 tokens on arrival (D49)."""
    talk = Talk().user("Do the task").cycle(*[600] * 20)
    request = manager(10_000).prepare_sync(talk.messages)
    assert min(len(text) // 4 for text in results(request).values()) >= 150


def test_a_result_that_was_read_is_no_longer_admitted() -> None:
    """A result that a model has answered is not cut on arrival, even in the first request of a restored history (D11, D49)."""
    talk = Talk().user("Do the task").cycle(2_500).cycle(2_500).cycle(2_500).says("Done.").user("Next, please.")
    request = manager(20_000, settings=Settings(result_limit=2_000)).prepare_sync(talk.messages)
    assert all(LEFT_OUT not in text for text in results(request).values())


def test_a_cut_on_arrival_is_the_form_that_is_sent_ever_after() -> None:
    """The bytes of a result that was cut on arrival are the same in every later request (D48)."""
    talk = Talk().user("Do the task").cycle(6_000).cycle(100).cycle(100)
    requests = played(manager(20_000), talk)
    first = results(requests[1])["c1_0"]
    assert [results(request)["c1_0"] for request in requests[1:]] == [first] * 3
    assert LEFT_OUT in first


def test_attachments_that_nobody_has_seen_are_not_cut_on_arrival() -> None:
    """A result whose attachments alone are larger than one result may be leaves whole; its words are cut beside them, not instead (D11)."""
    document = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0xLjQK"}}
    call = {"type": "tool_use", "id": "c1", "name": "read_pdf", "input": {}}
    for words, whole in (("short", True), ("long words " * 60_000, False)):
        result = {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": words}, document, document, document]}
        history: list[dict[str, object]] = [{"role": "user", "content": "Go"}, {"role": "assistant", "content": [call]}]
        history.append({"role": "user", "content": [result]})
        sent = manager(10_000_000, format="anthropic").prepare_sync(history).arguments["messages"][2]
        assert (sent is history[2]) == whole
        assert [block["type"] for block in sent["content"][0]["content"]].count("document") == 3
