"""OpenAI Responses items: single ones, the steps a conversation is made of, and ways in which they arrive broken."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

from tests.strategies.texts import (
    arguments,
    broken_arguments,
    extra_fields,
    objects,
    odd_texts,
    pictures,
    sometimes,
    texts,
    tool_names,
)

Raw = dict[str, Any]
History = list[Raw]
Draw = Any

_input_text = st.builds(lambda text: {"type": "input_text", "text": text}, texts)
_image = st.builds(lambda data: {"type": "input_image", "detail": "auto", "image_url": f"data:image/png;base64,{data}"}, pictures)
_other_block = st.sampled_from(
    (
        {"type": "input_image", "image_url": "https://example.org/a.png"},
        {"type": "input_image", "file_id": "file-abc"},
        {"type": "input_file", "filename": "plan.pdf", "file_data": "data:application/pdf;base64,JVBERi0xLjQK"},
        {"type": "input_file", "file_url": "https://example.org/plan.pdf"},
        {"type": "input_audio", "input_audio": {"data": "UklGRgAAAABXQVZF", "format": "wav"}},
        {"type": "from_the_future", "payload": [1, {"b": "c"}]},
    )
)
_output_text = st.builds(
    lambda text, more: {"type": "output_text", "text": text, **more},
    texts,
    sometimes(st.just({"annotations": [{"type": "url_citation", "start_index": 0, "end_index": 2, "url": "https://example.org"}]})),
)
_message = sometimes(st.just({"type": "message"}), one_in=2)

user_content = st.one_of(texts, st.lists(st.one_of(_input_text, _image, _other_block), min_size=1, max_size=4))
result_content = st.one_of(texts, st.lists(st.one_of(_input_text, _image), min_size=1, max_size=3))

users: st.SearchStrategy[Raw] = st.builds(
    lambda content, kind, extra: {**kind, "role": "user", "content": content, **extra}, user_content, _message, sometimes(extra_fields)
)
systems: st.SearchStrategy[Raw] = st.builds(
    lambda role, content, kind: {**kind, "role": role, "content": content},
    st.sampled_from(("system", "developer")),
    st.one_of(texts, st.lists(_input_text, min_size=1, max_size=2)),
    _message,
)
spoken: st.SearchStrategy[Raw] = st.one_of(
    st.builds(lambda text: {"role": "assistant", "content": text}, texts),
    st.builds(
        lambda n, blocks, more: {
            "type": "message",
            "id": f"msg_{n}",
            "status": "completed",
            "role": "assistant",
            "content": blocks,
            **more,
        },
        st.integers(1, 999),
        st.lists(st.one_of(_output_text, st.just({"type": "refusal", "refusal": "no"})), min_size=1, max_size=3),
        sometimes(st.just({"phase": "final_answer"})),
    ),
)
reasoning: st.SearchStrategy[Raw] = st.builds(
    lambda n, held: {"type": "reasoning", "id": f"rs_{n}", **held},
    st.integers(1, 999),
    st.one_of(
        st.builds(lambda text: {"summary": [{"type": "summary_text", "text": text}]}, texts),
        st.builds(lambda text: {"summary": [], "content": [{"type": "reasoning_text", "text": text}]}, texts),
        st.just({"summary": [{"type": "summary_text", "text": "in short"}], "encrypted_content": "Z0FBQUFB"}),
        st.just({"summary": [], "encrypted_content": "Z0FBQUFB"}),
    ),
)
of_the_server = st.sampled_from(
    (
        {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "tides"}},
        {"type": "file_search_call", "id": "fs_1", "status": "completed", "queries": ["tides"], "results": None},
        {"type": "code_interpreter_call", "id": "ci_1", "status": "completed", "code": "1+1", "container_id": "c", "outputs": []},
        {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": "iVBORw0KGgo="},
        {"type": "mcp_list_tools", "id": "mcpl_1", "server_label": "docs", "tools": []},
        {"type": "mcp_call", "id": "mcp_1", "server_label": "docs", "name": "find", "arguments": "{}", "output": "found"},
        {"type": "tool_search_call", "id": "tsc_1", "call_id": None, "execution": "server", "arguments": {"paths": ["crm"]}},
        {"type": "tool_search_output", "id": "tso_1", "call_id": None, "execution": "server", "tools": []},
        {"type": "compaction", "id": "cmp_1", "encrypted_content": "Z0FBQUFB"},
        {"type": "from_the_future", "id": "ff_1", "payload": [1, {"b": "c"}]},
    )
)
others = st.sampled_from(
    (
        {"type": "additional_tools", "role": "developer", "tools": [{"type": "function", "name": "refund"}]},
        {"type": "mcp_approval_request", "id": "mcpr_1", "server_label": "docs", "name": "find", "arguments": "{}"},
        {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True},
        {"type": "item_reference", "id": "msg_1"},
        {"type": "compaction_summary", "encrypted_content": "Z0FBQUFB"},
    )
)
_action = st.builds(lambda words: {"type": "exec", "command": words, "env": {}}, st.lists(texts, max_size=2))
_outcome = st.sampled_from(({"type": "exit", "exit_code": 0}, {"type": "exit", "exit_code": 2}, {"type": "timeout"}))
_chunks = st.lists(
    st.builds(lambda text, outcome: {"stdout": text, "stderr": "", "outcome": outcome}, texts, _outcome), min_size=1, max_size=2
)


def _screen(data: str) -> Raw:
    return {"type": "computer_screenshot", "image_url": f"data:image/png;base64,{data}"}


_ASKED: dict[str, st.SearchStrategy[Raw]] = {
    "function_call": st.builds(lambda name, given: {"name": name, "arguments": given}, tool_names, arguments),
    "custom_tool_call": st.builds(lambda name, given: {"name": name, "input": given}, tool_names, texts),
    "local_shell_call": st.builds(lambda action: {"action": action, "status": "completed"}, _action),
    "shell_call": st.builds(lambda words: {"action": {"commands": words}}, st.lists(texts, max_size=2)),
    "apply_patch_call": st.builds(
        lambda diff: {"operation": {"type": "update_file", "path": "a.py", "diff": diff}, "status": "completed"}, texts
    ),
    "computer_call": st.just({"action": {"type": "screenshot"}, "pending_safety_checks": [], "status": "completed"}),
}
_ANSWERED: dict[str, st.SearchStrategy[Raw]] = {
    "function_call": st.builds(lambda output: {"output": output}, result_content),
    "custom_tool_call": st.builds(lambda output: {"output": output}, result_content),
    "local_shell_call": st.builds(lambda output: {"output": output}, texts),
    "shell_call": st.builds(lambda output: {"output": output}, _chunks),
    "apply_patch_call": st.builds(lambda status, text: {"status": status, "output": text}, st.sampled_from(("completed", "failed")), texts),
    "computer_call": st.builds(lambda data: {"output": _screen(data)}, pictures),
}
call_kinds = st.one_of(st.just("function_call"), st.sampled_from(sorted(_ASKED)))


@st.composite
def calls(draw: Draw, call_id: str, *, kind: str | None = None) -> Raw:
    """One call item, half of them functions."""
    chosen = kind or draw(call_kinds)
    number = draw(sometimes(st.builds(lambda n: {"id": f"fc_{n}"}, st.integers(1, 999)), one_in=2))
    return {"type": chosen, "call_id": call_id, **draw(_ASKED[chosen]), **number, **draw(sometimes(extra_fields))}


@st.composite
def results(draw: Draw, call_id: str, *, kind: str | None = None) -> Raw:
    """The output item that answers a call of `kind`."""
    chosen = kind or draw(call_kinds)
    return {"type": f"{chosen}_output", "call_id": call_id, **draw(_ANSWERED[chosen]), **draw(sometimes(extra_fields))}


answers: st.SearchStrategy[History] = st.builds(
    lambda led, said: [*led, said], st.lists(st.one_of(reasoning, of_the_server), max_size=3), spoken
)
"""An assistant's turn without calls of ours: perhaps reasoning and what the server ran, then words."""


@st.composite
def cycles(draw: Draw, ids: Sequence[str]) -> History:
    """An assistant's turn with calls and one output for each, in any order."""
    led = draw(st.lists(st.one_of(reasoning, of_the_server, spoken), max_size=3))
    kinds = {call_id: draw(call_kinds) for call_id in ids}
    made = [draw(calls(call_id, kind=kinds[call_id])) for call_id in ids]
    return [*led, *made, *[draw(results(call_id, kind=kinds[call_id])) for call_id in draw(st.permutations(list(ids)))]]


messages: st.SearchStrategy[Raw] = st.one_of(
    users, systems, spoken, reasoning, of_the_server, others, calls("call_1"), results("call_1"), calls("call_2"), results("call_2")
)
"""Any single well-formed item."""


def _lose(draw: Draw, history: History, at: int) -> None:
    del history[at]


def _repeat(draw: Draw, history: History, at: int) -> None:
    history.insert(at + 1, copy.deepcopy(history[at]))


def _swap(draw: Draw, history: History, at: int) -> None:
    history[at - 1], history[at] = history[at], history[at - 1]


def _interrupt(draw: Draw, history: History, at: int) -> None:
    history.insert(at, {"role": draw(st.sampled_from(("user", "assistant"))), "content": "wait"})


def _orphan(draw: Draw, history: History, at: int) -> None:
    history.insert(at, {"type": "function_call_output", "call_id": "nobody", "output": "found"})


def _reword(draw: Draw, history: History, at: int) -> None:
    for field in ("content", "output"):
        if field in history[at]:
            history[at][field] = draw(st.one_of(odd_texts, st.sampled_from((None, []))))


def _rename(draw: Draw, history: History, at: int) -> None:
    if "call_id" in history[at]:
        history[at]["call_id"] = draw(st.sampled_from(("call_1", "", "a.b:c/1", "x" * 80, None)))


def _garble(draw: Draw, history: History, at: int) -> None:
    if "arguments" in history[at]:
        history[at]["arguments"] = draw(st.one_of(broken_arguments, objects, objects.map(json.dumps)))


def _retype(draw: Draw, history: History, at: int) -> None:
    history[at]["type"] = draw(st.sampled_from(("function_call", "function_call_output", "reasoning", "message", "odd")))


BREAKS: tuple[Callable[[Draw, History, int], None], ...] = (
    _lose,
    _repeat,
    _swap,
    _interrupt,
    _orphan,
    _reword,
    _rename,
    _garble,
    _retype,
)


@st.composite
def broken(draw: Draw, strategy: st.SearchStrategy[History]) -> History:
    """A history of `strategy` with one to four things wrong; it may come out sound."""
    history: History = copy.deepcopy(draw(strategy))
    for _ in range(draw(st.integers(1, 4))):
        if history:
            draw(st.sampled_from(BREAKS))(draw, history, draw(st.integers(0, len(history) - 1)))
    return history
