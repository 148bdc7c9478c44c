"""What a person may ask of a conversation: undo, redo, preview, recall, usage, switch, pins, tools (D28, D39, D41, D46, D47, D62)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sostenuto.engine import Request
from sostenuto.errors import UnknownFormat, UnknownKey, UnknownSetting, UnusableInput
from sostenuto.ladder import Settings
from sostenuto.manager import ContextManager
from sostenuto.protocols import Raw
from tests.engine.conversing import Quarters


def manager(window: int = 4_000, **wishes: Any) -> ContextManager:
    """A manager that counts in quarters."""
    return ContextManager(window=window, counter=Quarters(), **{"format": "openai_chat", **wishes})


def cycle(number: int, text: str, *, call_id: str = "") -> list[Raw]:
    """A chat cycle: one call and its result."""
    one = call_id or f"call_{number}"
    function = {"name": "read_file", "arguments": json.dumps({"path": f"src/m{number}.py"})}
    return [
        {"role": "assistant", "content": None, "tool_calls": [{"id": one, "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": one, "content": text},
    ]


def worked(cycles: int, *, size: int = 300) -> list[Raw]:
    """A task and cycles whose results hold `size` tokens each."""
    out: list[Raw] = [{"role": "user", "content": "Find where the offset is lost."}]
    for number in range(cycles):
        out += cycle(number, f"line {number} " + "x = 1 " * (size * 4 // 6))
    return out


def talked(turns: int) -> list[Raw]:
    """A task and turns of words."""
    out: list[Raw] = [{"role": "user", "content": "Find where the offset is lost."}]
    for turn in range(turns):
        out += [
            {"role": "assistant", "content": f"Step {turn}. " + "It is not here. " * 20},
            {"role": "user", "content": f"Look on, {turn}."},
        ]
    return out


def grown(context: ContextManager, history: list[Raw], **asked: Any) -> list[Request]:
    """One request per message of the caller's."""
    lengths = [n + 1 for n, raw in enumerate(history) if raw["role"] in ("user", "tool")]
    return [context.prepare_sync(history[:length], **asked) for length in lengths]


def rungs(requests: list[Request]) -> list[str]:
    """The rungs of all events."""
    return [event.rung for request in requests for event in request.events]


# ---------------------------------------------------------------- undo, redo, preview


def test_undo_of_a_clear_brings_the_results_back_and_holds_the_rung() -> None:
    """After undo the cleared results are sent whole, and clearing waits until the fill is above the compaction line (D62)."""
    context, history = manager(8_000, settings=Settings(voluntary=1.0)), worked(14, size=450)
    for length in range(3, len(history) + 1, 2):
        if "clear" in rungs([context.prepare_sync(history[:length])]):
            break
    history = history[:length]
    done = context.undo()
    assert done.applied
    request = context.prepare_sync(history)
    assert all(one is other for one, other in zip(request.arguments["messages"], history, strict=False))
    assert "clear" not in rungs([request])
    assert request.tokens == done.tokens


def test_redo_is_the_way_back() -> None:
    """Undo and redo give the request there was before."""
    context, history = manager(), worked(10)
    before = grown(context, history)[-1]
    context.undo()
    assert context.redo().applied
    assert context.prepare_sync(history).arguments == before.arguments


def test_undo_that_does_not_fit_changes_nothing() -> None:
    """An undo whose view is over the budget says what it needs and leaves all as it is."""
    context, history = manager(4_000), talked(48)
    grown(context, history)
    before = context.snapshot()
    said = context.undo()
    assert not said.applied
    assert f"{said.tokens:,}" in said.text
    assert context.snapshot() == before


def test_only_the_newest_cover_can_be_undone() -> None:
    """An older checkpoint lies under a newer one: undo names the one to take back first."""
    context, history = manager(1_500), talked(40)
    grown(context, history)
    covers = [edit["number"] for edit in context.snapshot()["edits"] if edit.get("cover") and edit["active"]]
    assert len(covers) >= 2
    said = context.undo(covers[0])
    assert not said.applied
    assert str(covers[-1]) in said.text


def test_undo_of_nothing() -> None:
    """With nothing done there is nothing to undo or redo, and both say so."""
    context = manager()
    assert not context.undo().applied
    context.prepare_sync(talked(1))
    assert not context.undo().applied
    assert not context.redo().applied
    assert not context.undo(17).applied


def test_an_undone_cover_is_made_again_only_when_asked_for_or_needed() -> None:
    """A compaction that was undone stays undone below the next rung; a person's wish overrides the hold (D62)."""
    context, history = manager(20_000), talked(80)
    context.prepare_sync(history)
    assert context.compact_sync().events[-1].rung == "compact"
    assert context.undo().applied
    whole = context.prepare_sync(history)
    assert len(whole.arguments["messages"]) == len(history)
    assert any(event.rung == "compact" for event in context.compact_sync().events)


def test_preview_changes_nothing_and_tells_the_truth() -> None:
    """Preview names tokens and keys of what compact then does, and changes neither request nor state."""
    context, history = manager(20_000), talked(80)
    request = context.prepare_sync(history)
    before = context.snapshot()
    seen = context.preview()
    assert context.snapshot() == before
    assert context.prepare_sync(history) is request
    done = context.compact_sync()
    keys = tuple(key for event in done.events for key in event.keys)
    assert (seen.tokens_before, seen.keys) == (request.tokens, keys)
    assert seen.tokens_after <= done.tokens < seen.tokens_before


def test_compact_before_a_point() -> None:
    """`before` limits a compaction to the messages before it; all from there on stay as they are."""
    context, history = manager(20_000), talked(80)
    context.prepare_sync(history)
    request = context.compact_sync(before="m21")
    kept = history[21:]
    assert all(any(raw is sent for sent in request.arguments["messages"]) for raw in kept)
    assert request.events[-1].keys == ("m0-m20",)
    with pytest.raises(UnusableInput, match="no key"):
        context.compact_sync(before="no key")


# ---------------------------------------------------------------- recall


def test_recall_gives_originals_and_finds_words() -> None:
    """A key gives the exact original, a range all of its messages, words the keys that hold them; other keys say what there is."""
    context, history = manager(), worked(10)
    grown(context, history)
    assert context.recall("m2.0")[0].text == history[2]["content"]
    assert context.recall("m2")[0].text.endswith(history[2]["content"])
    assert all(raw["content"] in context.recall("m1-m4")[0].text for raw in history[1:5] if raw["content"])
    assert "m4.0" in [hit.key for hit in context.recall("line 1 ")]
    assert context.recall("call_3")[0].text == history[8]["content"]
    assert "src/m2.py" in context.recall("files:read")[0].text
    for key in ("m999", "m2.7", "m9-m3", "m2~0"):
        with pytest.raises(UnknownKey):
            context.recall(key)
    assert context.recall("no such words") == ()


def test_a_call_id_that_is_used_twice_lists_its_candidates() -> None:
    """A reused call id is answered with the keys of its results (D47)."""
    context = manager()
    context.prepare_sync([{"role": "user", "content": "go"}, *cycle(1, "one", call_id="c"), *cycle(2, "two", call_id="c")])
    with pytest.raises(UnknownKey, match=r"m2\.0.*m4\.0"):
        context.recall("c")


def test_what_a_fork_left_behind_is_recallable() -> None:
    """After a regenerated tail the old branch is read under the key of the fork's event and found by its words (D46)."""
    context, history = manager(), talked(3)
    context.prepare_sync(history)
    other = [*history[:5], {"role": "assistant", "content": "Another answer."}, {"role": "user", "content": "Good."}]
    event = context.prepare_sync(other).events[0]
    assert event.rung == "fork"
    assert history[5]["content"] in context.recall(event.keys[0])[0].text
    assert [hit.key for hit in context.recall("Step 2.")] == ["m5.0~0"]
    assert context.recall("m5.0~0")[0].text == history[5]["content"]
    restored = ContextManager.restore(json.loads(json.dumps(context.snapshot())), counter=Quarters())
    assert restored.recall("m5.0~0")[0].text == history[5]["content"]


def test_what_the_host_rewrote_is_recallable_and_breaks_no_edit() -> None:
    """A result the host replaced in place keeps its edits, also across a crash, and its first text is read under the event's key."""
    context, history = manager(), worked(10)
    grown(context, history)
    first = history[2]["content"]
    history[2] = {**history[2], "content": "[removed by the host]"}
    request = context.prepare_sync(history)
    [event] = [event for event in request.events if event.rung == "rewritten"]
    assert first in context.recall(event.keys[0])[0].text
    assert all(edit["active"] for edit in context.snapshot()["edits"])
    restored = ContextManager.restore(json.loads(json.dumps(context.snapshot())), counter=Quarters())
    assert all(edit["active"] for edit in restored.snapshot()["edits"])
    assert first in restored.recall(event.keys[0])[0].text


def test_what_the_host_changed_in_place_is_recallable() -> None:
    """A message that the caller changed inside its own object is still read as it was."""
    context = manager()
    history: list[Raw] = [{"role": "user", "content": [{"type": "text", "text": "the first wording"}]}, *talked(2)[1:]]
    context.prepare_sync(history)
    history[0]["content"][0]["text"] = "the second wording"
    event = context.prepare_sync(history).events[0]
    assert "the first wording" in context.recall(event.keys[0])[0].text


def test_messages_the_host_left_out_stay_recallable() -> None:
    """A host that drops its oldest messages loses neither them nor the task."""
    context, history = manager(), talked(8)
    context.prepare_sync(history)
    request = context.prepare_sync(history[9:])
    assert "absent" in rungs([request])
    assert context.recall("m3.0")[0].text == history[3]["content"]
    assert any(raw.get("content") == history[0]["content"] for raw in request.arguments["messages"])


# ---------------------------------------------------------------- tools


@pytest.mark.parametrize("format", ["openai_chat", "anthropic"])
def test_the_tools_page_back_what_left(format: str) -> None:
    """The definitions are in the caller's format; a call is answered in it, page by page, framed as data."""
    context = manager(format=format)
    text = "".join(f"row {number} of the table\n" for number in range(4_000))
    context.prepare_sync([{"role": "user", "content": text}])
    names = [tool["name"] if format == "anthropic" else tool["function"]["name"] for tool in context.tools()]
    assert names == ["recall", "retrieve_tool_result"]
    got, offset = "", 0
    while offset < len(text):
        given = {"key": "m0.0", "offset": offset}
        answer = context.answer(
            {"type": "tool_use", "id": "t1", "name": "recall", "input": given}
            if format == "anthropic"
            else {"id": "t1", "type": "function", "function": {"name": "recall", "arguments": json.dumps(given)}}
        )
        said = answer["content"][0]["content"] if format == "anthropic" else answer["content"]  # type: ignore[index]
        page = [line for line in said.splitlines() if line.startswith("row")]
        assert page
        offset += len(text[offset:]) if "this is the end" in said else int(said.rpartition("next: offset=")[2].rstrip("]")) - offset
        got += "x"
    assert len(got) > 1


def test_calls_of_other_tools_are_not_ours() -> None:
    """`answer` gives None for a call of another tool, and a failed result for bad arguments of ours."""
    context = manager()
    assert context.answer({"id": "1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}) is None
    for arguments in ("{}", "not json", '{"key": "m99"}', '{"key": "m0", "offset": -1}', '{"key": "m0", "offset": "x"}', "[1]"):
        answer = context.answer({"id": "1", "type": "function", "function": {"name": "recall", "arguments": arguments}})
        assert answer is not None
        assert answer["content"]


def test_placeholders_name_a_tool_only_if_it_was_handed_over() -> None:
    """Without our tools a placeholder says to run the tool again; with them it names one and a key that works (D41)."""
    plain, with_tools = manager(), manager()
    history = worked(10)
    said = str([request.arguments for request in grown(plain, history)])
    assert "recall(" not in said
    assert "retrieve_tool_result(" not in said
    named = str([request.arguments for request in grown(with_tools, history, tools=with_tools.tools())])
    assert 'recall(key="m2.0")' in named


# ---------------------------------------------------------------- usage, switch, pins


def test_usage_adds_up() -> None:
    """The components of usage are the tokens of the request, and the largest pieces have keys that recall answers (A.3)."""
    context, history = manager(), worked(6)
    assert context.usage().tokens == 0
    request = context.prepare_sync(history, system="Be brief.")
    seen = context.usage()
    assert seen.tokens == request.tokens == sum(seen.components.values())
    assert len(seen.largest) == 10
    assert all(context.recall(key) for key, _ in seen.largest)
    assert [tokens for _, tokens in seen.largest] == sorted((tokens for _, tokens in seen.largest), reverse=True)


def test_switch_to_a_smaller_window_cuts_with_the_next_request() -> None:
    """After a switch the old edits stand, the new window holds, and the next request fits it."""
    context, history = manager(20_000), talked(40)
    context.prepare_sync(history)
    said = context.switch("openai:gpt-4", window=1_500, counter=Quarters())
    assert said.window == 1_500
    assert "summarised" in said.plan
    request = context.prepare_sync(history)
    assert request.tokens <= 1_500
    back = context.switch("openai:gpt-4.1", window=20_000, counter=Quarters())
    assert back.tokens < 1_500


def test_a_pin_set_later_holds_from_the_next_request_on() -> None:
    """A message pinned after it was sent is the caller's own object in every later request."""
    context, history = manager(2_000), talked(40)
    context.prepare_sync(history[:5])
    context.pin(history[3])
    for length in range(7, len(history), 2):
        assert any(raw is history[3] for raw in context.prepare_sync(history[:length]).arguments["messages"])


def test_pins_by_text_and_rules() -> None:
    """Texts, a predicate, and messages that hold a standing rule are pinned; the rule is in every checkpoint."""
    history = talked(40)
    history.insert(1, {"role": "user", "content": "Never touch the vendor folder."})
    for wishes in ({"pin": ["Look on, 3."]}, {"pin": lambda raw: raw["content"] == "Look on, 3."}, {"rules": ["Look on, 3."]}):
        request = manager(2_000, **wishes).prepare_sync(history)
        assert any(raw["content"] == "Look on, 3." for raw in request.arguments["messages"])


def test_values_that_cannot_be_used_are_named() -> None:
    """Each wrong setting gives one error that names the value."""
    for wishes, error in (
        ({"format": "xml"}, UnknownFormat),
        ({"summarizer": "magic"}, UnknownSetting),
        ({"cache": "always"}, UnknownSetting),
        ({"window": 0}, UnknownSetting),
        ({"window": True}, UnknownSetting),
        ({"counter": "abacus"}, UnknownSetting),
        ({"pin": 3}, UnknownSetting),
    ):
        with pytest.raises(error, match="|".join(str(value) for value in wishes.values())):
            ContextManager(**wishes)
    for messages in ("text", {"role": "user"}, None):
        with pytest.raises(UnusableInput, match="list of messages"):
            manager().prepare_sync(messages)  # type: ignore[arg-type]


@pytest.mark.parametrize("snapshot", [{}, {"format": "xml", "meta": {}}, {"schema": 9, "format": "anthropic", "meta": {}}, [], None])
def test_what_is_no_snapshot_is_refused(snapshot: Any) -> None:
    """Anything that is not a snapshot of this schema gives one clear error."""
    with pytest.raises(UnusableInput):
        ContextManager.restore(snapshot)
