"""What today's libraries and servers do wrong, measured (R1 to R8, R16, R17, silent truncation): the right behaviour."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sostenuto import ContextManager
from tests.ladder.made_up import (
    FORMATS,
    LEFT_OUT,
    PLACEHOLDER,
    Scripted,
    Talk,
    call_ids,
    faults,
    fired,
    manager,
    played,
    results,
    said,
    summary,
    thoughts,
)

NEVER = {"bash": "never"}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("fill", [500, 1_000])
def test_r1_r2_r3_unread_results_are_never_cleared(format: str, fill: int) -> None:
    """Of eight parallel results that just came back none is blanked before the model has read it."""
    request = manager(20_000, format=format).prepare_sync(Talk(format).user("Do the task").cycle(*[fill] * 8).messages)
    assert PLACEHOLDER not in said(request)
    assert len(results(request)) == 8
    assert fill == 1_000 or LEFT_OUT not in said(request)


@pytest.mark.parametrize("answer", ["", summary()[:200], "I can't help with that."], ids=["empty", "cut", "refusal"])
def test_r5_r6_a_bad_summary_is_refused(answer: str) -> None:
    """An empty, cut or refused summary never stands for history; the request shrinks all the same."""
    requests = played(manager(10_000, summarizer=Scripted(answer), tool_policy=NEVER), Talk().user("Do the task").grown(12, 700))
    assert fired(requests, "summary") == 1
    assert fired(requests, "compact") == 1
    assert "Do the task" in said(requests[-1])


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("window", [1_500, 3_000, 6_000])
def test_r7_r8_no_orphan_and_the_task_is_there_at_every_limit(format: str, window: int) -> None:
    """Six cycles of two parallel calls at three limits: no orphan at any of them, the task in all."""
    talk = Talk(format).user("THE TASK: count the files")
    for _ in range(6):
        talk.cycle(600, 600)
    request = manager(window, format=format).prepare_sync(talk.messages)
    assert sorted(results(request)) == sorted(call_ids(request))
    assert faults(request) == []
    assert "THE TASK: count the files" in said(request)
    assert request.tokens <= window


def test_r16_no_signed_thinking_stands_behind_an_edited_prefix() -> None:
    """Where thinking is bound to its prefix, none that was signed after the first changed message is sent."""
    from sostenuto import Profile

    talk = Talk("anthropic").user("Go").grown(9, 700, thinking="Hm.").says("Done.").user("Next.")
    request = manager(10_000, format="anthropic", profile=Profile(prefix_bound_thinking=True)).prepare_sync(talk.messages)
    first_changed = min(n for n, m in enumerate(request.arguments["messages"]) if PLACEHOLDER in str(m))
    after = str(request.arguments["messages"][first_changed:])
    assert "'thinking'" not in after
    assert thoughts(request) == ["sig1"]


@pytest.mark.parametrize(
    ("server", "counted"),
    [
        ("ollama", lambda sent: sent if sent < 4_096 else 2_050),
        ("vllm", lambda sent: min(sent, 4_095)),
        ("sglang", lambda sent: min(sent, 4_091)),
        ("lmstudio", lambda sent: min(sent, 4_096)),
    ],
)
def test_what_a_server_cuts_in_silence_is_found_out(server: str, counted: Callable[[int], int]) -> None:
    """B035: half of the window (Ollama), one less (vLLM), the cache's (SGLang) or all of it: later requests stay within what was served."""
    context = ContextManager(f"{server}:m", window=32_768, format="openai_chat", counter="o200k")
    history: list[dict[str, Any]] = [{"role": "user", "content": "Begin."}]
    notices: list[str] = []
    for turn in range(40):
        request = context.prepare_sync(history)
        notices += request.notices
        context.record({"prompt_tokens": counted(request.tokens), "completion_tokens": 9})
        history += [{"role": "assistant", "content": "On."}, {"role": "user", "content": f"Turn {turn}: " + "some more words " * 100}]
    assert any("silently" in notice for notice in notices)
    assert context.window.source == "learned"
    assert context.prepare_sync(history).tokens <= context.window.tokens <= 4_096
