"""Every adapter: what goes in comes out while nothing has to be done, and pairs hold once something has."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from sostenuto.peers.known import PEERS, Peer, Terms, installed, round_trip, started

Raw = dict[str, Any]
WITHOUT_LIBRARY = ("nothing", "openai_agents", "strands")
"""Adapters whose messages are plain values, so that the way there and back needs no library."""


def chat(cycles: int = 12) -> list[Raw]:
    """Plain chat with parallel calls, odd arguments, empty texts and several scripts."""
    made: list[Raw] = [
        {"role": "system", "content": "Work in small steps."},
        {"role": "user", "content": "Find the lost rows. Ошибка, 错误 🙂"},
    ]
    for number in range(cycles):
        calls = [_call(f"c{number}_{place}", {"path": f"src/{number}.py", "deep": [1, {"x": None}]}) for place in range(1 + number % 2)]
        made.append({"role": "assistant", "content": "" if number % 3 else f"Step {number}.", "tool_calls": calls})
        made += [{"role": "tool", "tool_call_id": one["id"], "content": f"result {number} " + "words " * 120} for one in calls]
        if number % 5 == 4:
            made += [{"role": "assistant", "content": "Done."}, {"role": "user", "content": f"Next, part {number}."}]
    return made


def _call(number: str, arguments: Raw) -> Raw:
    return {"id": number, "type": "function", "function": {"name": "read_file", "arguments": json.dumps(arguments)}}


def terms(budget: int, *, summary: str = "The rows were lost in src/1.py.") -> Terms:
    """Terms by a third of the characters, with a summarizer that says one sentence."""

    def text(words: str) -> int:
        return -(-len(words) // 3)

    def count(messages: Any) -> int:
        return sum(4 + text(one["content"]) + sum(text(c["function"]["arguments"]) for c in one.get("tool_calls", ())) for one in messages)

    return Terms(budget=budget, count=count, text=text, summarize=lambda prompt: summary)


def increments(messages: list[Raw]) -> Iterator[tuple[int, list[Raw]]]:
    """What is new before each reply."""
    before = 0
    for at, message in enumerate(messages):
        if message["role"] == "assistant":
            yield at, messages[before:at]
            before = at


def need(peer: Peer) -> None:
    """Skip where the library is not importable."""
    if installed(peer) is None:
        pytest.skip(f"{peer.distribution} is not installed; benchmarks/peers.txt says which version is compared")


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_messages_survive_the_way_there_and_back(peer: Peer) -> None:
    """Plain chat comes back equal from the library's own types, arguments to the byte."""
    if peer.module not in WITHOUT_LIBRARY:
        need(peer)
    assert round_trip(peer, chat()) == chat()


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_in_a_vast_budget_the_history_is_sent(peer: Peer) -> None:
    """No strategy that looks at the budget changes anything while there is room for all of it."""
    need(peer)
    if peer.name in ("openai-agents", "strands-sliding"):
        pytest.skip("this strategy counts turns or messages, not tokens")
    send, whole = started(peer, terms(1_000_000)), chat()
    for upto, new in increments(whole):
        assert send(new) == whole[:upto]


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_in_a_small_budget_every_strategy_but_one_sends_less(peer: Peer) -> None:
    """Where the history is several times the budget, whatever acts sends fewer tokens than all of it."""
    need(peer)
    asked, whole = terms(6_000), chat(60)
    send = started(peer, asked)
    sent: Sequence[Any] = []
    for _, new in increments(whole):
        sent = send(new)
    everything = asked.count(whole[: max(at for at, _ in increments(whole))])
    assert (asked.count(sent) < everything) == (peer.name != "nothing")
    assert all(isinstance(message["content"], str) for message in sent)


def test_names_are_unique() -> None:
    """No two strategies are called the same, by name or in a table."""
    assert len({peer.name for peer in PEERS}) == len({peer.title for peer in PEERS}) == len(PEERS)
