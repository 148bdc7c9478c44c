"""OpenClaw sessions: the tree of pi, with a tip that moves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from sostenuto.errors import UnusableInput
from sostenuto.recordings.opening import Recording, as_sent, open_recording
from tests.recordings.damage import DEEP, damaged, nested
from tests.recordings.writing import Raw, jsonl, pi_message, pi_reply, text

HEADER = {"type": "session", "version": 3, "id": "s", "cwd": "/home/x/.openclaw/workspace", "timestamp": "2026-06-29T07:58:36Z"}
PLAIN = HEADER | {"cwd": "/w"}
SNAPSHOT = {"type": "custom", "customType": "model-snapshot", "data": {}}


def _tree(*entries: tuple[Raw, str, str | None]) -> list[Raw]:
    return [entry | {"id": name, "parentId": parent} for entry, name, parent in entries]


def _said(content: str) -> Raw:
    return pi_message(role="user", content=content)


def _leaf(target: str | None, behind: str | None) -> Raw:
    return {"type": "leaf", "targetId": target, "appendParentId": behind, "appendMode": "side"}


SESSION = [
    HEADER,
    *_tree(
        (SNAPSHOT, "1", None),
        (_said("wait for two"), "2", "1"),
        (pi_reply(text("waiting")), "3", "2"),
        (_said("first is back"), "4", "3"),
        (pi_reply(text("one of two")), "5", "4"),
        (_leaf("3", "5"), "6", "5"),
        (_said("second is back"), "7", "5"),
        (pi_reply(text("the other")), "8", "7"),
        (_leaf("3", "8"), "9", "8"),
        (_said("and?"), "10", "8"),
        ({"type": "custom_message", "customType": "openclaw.sessions_yield", "content": "ask them"}, "11", "10"),
        (pi_reply(text("both are")), "12", "11"),
    ),
]


def _opened(tmp_path: Path, records: list[Any], *, reader: str = "openclaw", **how: Any) -> Recording:
    recording = open_recording(jsonl(tmp_path / "session", records), **how)
    assert (recording.reader, recording.format) == (reader, "openai_chat")
    assert recording.used + recording.meta + len(recording.skipped) == len(records)
    return recording


def _contents(recording: Recording) -> list[Any]:
    return [one["content"] for one in recording.messages]


def test_side_branches_are_skipped_by_name(tmp_path: Path) -> None:
    """What was written while the tip stayed behind is no part of the history the model saw later."""
    recording = _opened(tmp_path, SESSION)
    assert _contents(recording) == ["wait for two", "waiting", "and?", "ask them", "both are"]
    assert [(one.line, one.kind) for one in recording.skipped] == [(at, "side_branch") for at in (5, 6, 8, 9)]
    assert [one.upto for one in recording.exchanges] == [1, 4]
    assert recording.exchanges[0].reported == 1_000
    assert recording.model == "anthropic:claude-sonnet-4-5"


def test_a_tip_that_moves_last_is_where_the_history_ends(tmp_path: Path) -> None:
    """A file that ends with a leaf record ends at its target."""
    assert _contents(_opened(tmp_path, SESSION[:7])) == ["wait for two", "waiting"]


@pytest.mark.parametrize("leaf", [_leaf("ghost", "5"), _leaf(None, "5"), {"type": "leaf", "targetId": ["3"], "appendParentId": "5"}])
def test_a_leaf_that_names_nothing_known_is_passed_over(tmp_path: Path, leaf: Raw) -> None:
    """An unknown target changes nothing, and no target at all starts the history anew."""
    records = [*SESSION[:6], leaf | {"id": "6", "parentId": "5"}, *_tree((_said("on"), "7", "6"), (pi_reply(text("yes")), "8", "7"))]
    started_anew = leaf.get("targetId", ...) is None
    before = [] if started_anew else ["wait for two", "waiting", "first is back", "one of two"]
    assert _contents(_opened(tmp_path, records)) == [*before, "on", "yes"]


def test_an_entry_at_the_side_does_not_move_the_tip(tmp_path: Path) -> None:
    """An entry that says it was appended at the side is on no way, and what follows it goes on from the tip."""
    side = _said("aside") | {"appendMode": "side"}
    records = [*SESSION[:4], *_tree((side, "4", "3"), (_said("go on"), "5", "4"), (pi_reply(text("yes")), "6", "5"))]
    assert _contents(_opened(tmp_path, records)) == ["wait for two", "waiting", "go on", "yes"]


def test_an_entry_without_a_parent_field_goes_on_from_the_tip(tmp_path: Path) -> None:
    """A line of an older version in a tree is the continuation of what stands before it."""
    assert _contents(_opened(tmp_path, [*SESSION[:4], _said("old") | {"id": "x"}])) == ["wait for two", "waiting", "old"]


@pytest.mark.parametrize(
    "mark",
    [
        SNAPSHOT,
        {"type": "custom", "customType": "openclaw:bootstrap-context:full", "data": {}},
        {"type": "custom_message", "customType": "openclaw.sessions_yield", "content": "x"},
        {"type": "leaf", "targetId": "2", "appendParentId": "2"},
    ],
)
def test_it_is_told_from_pi_by_what_only_it_writes(tmp_path: Path, mark: Raw) -> None:
    """A session in any folder is OpenClaw's as soon as one of its own records is in it, and pi's as long as none is."""
    entries = _tree((_said("hi"), "2", None), (pi_reply(text("ho")), "3", "2"))
    _opened(tmp_path, [PLAIN, *entries], reader="pi")
    _opened(tmp_path, [PLAIN, *entries, *_tree((mark, "4", "3"))])
    _opened(tmp_path, [PLAIN, *entries, *_tree((mark, "4", "3"))], reader="pi", format="pi")


@pytest.mark.parametrize("cwd", ["/home/x/.openclaw/workspace", "C:\\Users\\x\\.openclaw\\agents"])
def test_its_folder_in_the_header_is_enough(tmp_path: Path, cwd: str) -> None:
    """A session in the program's own folder is recognised by its first line."""
    _opened(tmp_path, [HEADER | {"cwd": cwd}, *_tree((_said("hi"), "1", None), (pi_reply(text("ho")), "2", "1"))])


def test_a_sub_agents_session_is_read_like_any_other(tmp_path: Path) -> None:
    """The session of a sub-agent is its task, its calls with their results, and its answer."""
    call = {"type": "toolCall", "id": "t1", "name": "web_fetch", "arguments": {"url": "u"}}
    found = pi_message(role="toolResult", toolCallId="t1", toolName="web_fetch", content=[text("found")], details={"status": 200})
    records = [
        HEADER,
        *_tree(
            (_said("[Subagent Context] find"), "1", None),
            (pi_reply(call), "2", "1"),
            (found, "3", "2"),
            (pi_reply(text("it is")), "4", "3"),
        ),
    ]
    recording = _opened(tmp_path, records)
    assert [one["role"] for one in recording.messages] == ["user", "assistant", "tool", "assistant"]
    assert recording.messages[2] == {"role": "tool", "tool_call_id": "t1", "content": "found"}


def test_replies_the_program_wrote_are_named(tmp_path: Path) -> None:
    """A copy of what was delivered elsewhere is no reply of a model."""
    mirror = pi_reply(text("delivered"), provider="openclaw", model="delivery-mirror")
    recording = _opened(tmp_path, [*SESSION, *_tree((mirror, "13", "12"))])
    assert [one.kind for one in recording.skipped][-1] == "synthetic"
    assert len(recording.exchanges) == 2


def test_a_compaction_counts_only_on_the_way_to_the_tip(tmp_path: Path) -> None:
    """A compaction on a side branch changes nothing, one on the way sets what was sent."""
    aside = {"type": "compaction", "summary": "NO", "firstKeptEntryId": "5", "tokensBefore": 9}
    taken = {"type": "compaction", "summary": "SUM", "firstKeptEntryId": "10", "tokensBefore": 9}
    more = [*_tree((taken, "13", "12"), (_said("more"), "14", "13"), (pi_reply(text("done")), "15", "14"))]
    branch = [*SESSION[:6], *_tree((aside, "5b", "5")), *SESSION[6:]]
    branch[7] = branch[7] | {"parentId": "5b", "appendParentId": "5"}
    recording = _opened(tmp_path, [*branch, *more])
    sent = as_sent(recording, recording.exchanges[-1])
    assert "SUM" in sent[0]["content"]
    assert [one["content"] for one in sent][1:] == ["and?", "ask them", "both are", "more"]
    assert "NO" not in str(recording)


def test_long_chains_and_many_leaves_are_read_in_linear_time(tmp_path: Path) -> None:
    """Ten thousand side branches from one entry lose no record."""
    records = SESSION[:4]
    for at in range(10_000):
        behind = f"a{at - 1}" if at else "3"
        records = records if at else [*records]
        records += _tree((_said("x"), f"a{at}", behind), (_leaf("3", f"a{at}"), f"l{at}", f"a{at}"))
    assert len(_opened(tmp_path, records).messages) == 2


@given(damaged(SESSION))
def test_no_damage_raises_anything_but_a_clear_error(tmp_path_factory: pytest.TempPathFactory, records: list[Any]) -> None:
    """A damaged session is read with every record accounted for, or refused with a clear error."""
    path = jsonl(tmp_path_factory.mktemp("damaged") / "session", records)
    try:
        recording = open_recording(path)
    except UnusableInput:
        return
    if recording.reader in ("openclaw", "pi"):
        assert recording.used + recording.meta + len(recording.skipped) == len(records)


def test_the_shared_sessions_are_accounted_for(shared: Path) -> None:
    """The recorded parent session follows its tip, its sub-agents are read whole, and every call has its result behind it."""
    found = {path.name[8:12]: open_recording(path) for path in sorted((shared / "transcripts" / "openclaw").glob("*.jsonl"))}
    counts = {name: (len(one.messages), len(one.exchanges), one.meta, len(one.skipped)) for name, one in found.items()}
    assert counts == {"63f1": (6, 3, 4, 0), "8c6a": (6, 3, 4, 0), "a35f": (7, 3, 4, 0), "cfab": (20, 7, 11, 9)}
    assert max(one.reported or 0 for one in found["cfab"].exchanges) == 34_426
    for recording in found.values():
        assert recording.reader == "openclaw"
        for at, message in enumerate(recording.messages):
            names = [call["id"] for call in message.get("tool_calls", ())]
            assert [one.get("tool_call_id") for one in recording.messages[at + 1 : at + 1 + len(names)]] == names


@pytest.mark.parametrize("levels", [800, 5_000])
def test_values_of_many_levels_are_read_or_refused(tmp_path: Path, levels: int) -> None:
    """Values nested as deeply as the interpreter follows are read, and deeper ones are one clear error."""
    records = [
        *SESSION,
        *_tree((pi_reply({"type": "toolCall", "id": DEEP, "arguments": {"a": DEEP}}), "13", "12"), (_leaf(DEEP, DEEP), "14", "13")),
    ]
    try:
        recording = open_recording(nested(tmp_path / "deep", records, levels=levels))
    except UnusableInput:
        assert levels > 800
        return
    assert recording.reader == "openclaw"
