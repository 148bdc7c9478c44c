"""What unseen sessions broke: each of these failed before the mending."""

from __future__ import annotations

from typing import Any

import pytest

from sostenuto import ContextManager

Raw = dict[str, Any]
PIXELS = "data:image/png;base64," + "A" * 4000
LONG = "alpha beta gamma delta epsilon "


def calling(number: int, path: str, result: Any, *, words: str | None = None, name: str = "Edit") -> list[Raw]:
    """One tool cycle."""
    function = {"name": name, "arguments": f'{{"path": "{path}"}}'}
    call = {"id": f"c{number}", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": words, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": result},
    ]


def text(request: Any) -> str:
    """Everything that is sent, as one text."""
    return str(request.arguments["messages"])


def test_an_attachment_that_goes_alone_leaves_its_key() -> None:
    """A result whose text stays whole but whose picture is left out on admission names its key."""
    manager = ContextManager(window=8_000, counter="o200k", format="openai_chat")
    blocks = [{"type": "text", "text": LONG * 90}, {"type": "image_url", "image_url": {"url": PIXELS}}]
    many = [part for number in range(4) for part in calling(number, f"/a/{number}", blocks)]
    batch = {"role": "assistant", "content": None, "tool_calls": [call for m in many[::2] for call in m["tool_calls"]]}
    request = manager.prepare_sync([{"role": "user", "content": "task"}, batch, *many[1::2]])
    for place, message in enumerate(request.arguments["messages"][2:6], start=2):
        assert "image_url" in str(message) or f"m{place}.0" in text(request) or "left out" in str(message)


def test_covered_paths_outlive_a_huge_newest_message() -> None:
    """A pasted message that fills the window does not push the paths out of the checkpoint (D22)."""
    manager = ContextManager(window=32_000, counter="o200k", format="openai_chat")
    history: list[Raw] = [{"role": "user", "content": "task"}]
    for number in range(20):
        history += calling(number, f"/src/module_{number}.py", LONG * 150)
        manager.prepare_sync(history)
    history += [{"role": "assistant", "content": "ready"}, {"role": "user", "content": "paste: " + LONG * 9_000}]
    sent = text(manager.prepare_sync(history))
    assert all(f"/src/module_{number}.py" in sent for number in range(20))


def test_the_task_behind_a_pinned_first_message_stays() -> None:
    """The first message that is no pin is the task, also where a pin stands before it."""
    manager = ContextManager(window=8_000, counter="o200k", format="openai_chat", pin=["RULE"])
    history: list[Raw] = [{"role": "user", "content": "RULE"}, {"role": "user", "content": "THE TASK"}]
    for number in range(40):
        history += calling(number, f"/a/{number}", LONG * 60, words=LONG * 20)
        if number % 9 == 8:
            history += [{"role": "assistant", "content": "ok"}, {"role": "user", "content": f"next {number}"}]
        roles = [m["content"] for m in manager.prepare_sync(history).arguments["messages"] if m["role"] == "user"]
        assert "THE TASK" in roles


def test_words_of_the_newest_reply_are_cut_when_nothing_else_can_be() -> None:
    """A reply longer than the window does not end the conversation."""
    manager = ContextManager(window=8_000, counter="o200k", format="openai_chat")
    history: list[Raw] = [{"role": "user", "content": "task"}, *calling(1, "/a/1", "ok", words=LONG * 4_000)]
    request = manager.prepare_sync(history)
    assert request.tokens <= 8_000
    assert "m1.0" in text(request)


def test_a_huge_task_does_not_make_every_request_a_rewrite() -> None:
    """A first message of more than half the window gives way once, instead of a rewrite every other request (D12, D52)."""
    manager = ContextManager(window=32_000, counter="o200k", format="openai_chat")
    history: list[Raw] = [{"role": "user", "content": "TASK " + LONG * 3_400}]
    rewrites = 0
    for number in range(40):
        history += calling(number, f"/a/{number}", LONG * 250)
        request = manager.prepare_sync(history)
        rewrites += any(event.rung in ("clear", "compact", "trim") for event in request.events)
        assert "TASK alpha" in text(request)
    assert rewrites <= 8


@pytest.mark.parametrize("window", [8_000, 16_000])
def test_a_cut_task_keeps_its_beginning_in_every_script(window: int) -> None:
    """400 characters of the first message stay, also where a character takes two tokens."""
    manager = ContextManager(window=window, counter="o200k", format="openai_chat")
    task = "".join(chr(0x4E00 + number * 37 % 20_000) for number in range(20_000))
    history: list[Raw] = [{"role": "user", "content": task}, *calling(1, "/a/1", LONG * 2_000)]
    for number in range(2, 12):
        assert task[:400] in text(manager.prepare_sync(history))
        history += calling(number, f"/a/{number}", LONG * 200)
