"""Fingerprints and keys: what makes a message the same, and how pieces are addressed (D46, D47)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.formats.anthropic import CODEC as ANTHROPIC
from sostenuto.formats.openai_chat import CODEC as OPENAI_CHAT
from sostenuto.messages import (
    Call,
    Media,
    Message,
    Opaque,
    Pinned,
    Result,
    Text,
    Thinking,
    chained,
    fingerprint,
    frozen_copy,
    key_of,
    parse_key,
    pinned,
    range_key,
)
from tests.strategies import anthropic, openai_chat

ORDINALS = st.integers(0, 10**9)


@given(ORDINALS, st.integers(0, 10**6))
def test_keys_are_read_back(ordinal: int, index: int) -> None:
    """A key gives its ordinal and index back."""
    assert parse_key(key_of(ordinal, index)) == (ordinal, index, None)
    assert parse_key(key_of(ordinal)) == (ordinal, None, None)


@given(ORDINALS, ORDINALS)
def test_ranges_are_read_back(first: int, last: int) -> None:
    """A range gives both ends back; one of a single message is that message's key."""
    assert parse_key(range_key(first, last)) == (first, None, None if first == last else last)


def test_a_key_may_be_in_capitals() -> None:
    """The case of the letters of a key does not matter."""
    assert (parse_key("M2.0"), parse_key("M2-M4")) == ((2, 0, None), (2, None, 4))


@pytest.mark.parametrize("text", ["", "m", "m1.", "m1.2-m3", "x1", "m1-3", "m-1", "m1 m2", "files:read", "m" + "1" * 10_000, "m²"])
def test_other_text_is_no_key(text: str) -> None:
    """Anything that is not exactly a key is none, however long."""
    assert parse_key(text) is None


@given(st.text())
def test_no_text_makes_the_reader_of_keys_fail(text: str) -> None:
    """Any text is a key or none; reading it never raises."""
    parse_key(text)


def with_noise(raw: dict[str, Any]) -> dict[str, Any]:
    """The same message as another host would carry it: markers, ids, times, usage."""
    noisy = json.loads(json.dumps(raw))
    noisy.update(timestamp=1, usage={"input_tokens": 3}, uuid="u", status="done")
    content = noisy.get("content")
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("type") in ("text", "tool_use", "tool_result"):
            block["cache_control"] = {"type": "ephemeral"}
    return dict(reversed(noisy.items()))


@given(anthropic.messages)
def test_a_message_is_known_however_carried(raw: dict[str, Any]) -> None:
    """Cache markers, times, usage, status and the order of fields leave an Anthropic fingerprint as it is."""
    assert fingerprint(ANTHROPIC.decode(with_noise(raw))) == fingerprint(ANTHROPIC.decode(raw))


@given(openai_chat.messages)
def test_a_chat_message_is_known_however_carried(raw: dict[str, Any]) -> None:
    """The same for chat messages."""
    assert fingerprint(OPENAI_CHAT.decode(with_noise(raw))) == fingerprint(OPENAI_CHAT.decode(raw))


def test_what_makes_another_message() -> None:
    """Role, words, call names, arguments, ids, result texts and media tell messages apart; reasoning does not."""
    prints = [
        Message("user", (Text("a"),)),
        Message("assistant", (Text("a"),)),
        Message("user", (Text("b"),)),
        Message("user", (Text("a"), Text("b"))),
        Message("user", (Text("ab"),)),
        Message("assistant", (Call("1", "f", "{}"),)),
        Message("assistant", (Call("2", "f", "{}"),)),
        Message("assistant", (Call("1", "g", "{}"),)),
        Message("assistant", (Call("1", "f", '{"a": 1}'),)),
        Message("tool", (Result("1", "x"),)),
        Message("tool", (Result("1", "y"),)),
        Message("tool", (Result("1", "x", media=(Media("image", "d"),)),)),
        Message("user", (Media("image", "d"),)),
        Message("user", (Media("image", "e"),)),
    ]
    assert len({fingerprint(message) for message in prints}) == len(prints)
    thought = Message("assistant", (Thinking("hm", "c2ln"), Text("a")))
    assert fingerprint(thought) == fingerprint(prints[1])


def test_arguments_are_compared_as_json() -> None:
    """Spaces and the order of fields in arguments make no other message; text that is no JSON is compared as text."""
    one, other = Call("1", "f", '{"a":1, "b":[2]}'), Call("1", "f", '{"b": [2], "a": 1}')
    assert fingerprint(Message("assistant", (one,))) == fingerprint(Message("assistant", (other,)))
    assert fingerprint(Message("assistant", (Call("1", "f", "{"),))) != fingerprint(Message("assistant", (Call("1", "f", "{ "),)))


@pytest.mark.parametrize("text", ["\ud83d", "[" * 100_000, "\x00", ""])
def test_odd_text_has_a_fingerprint(text: str) -> None:
    """Lone surrogates, deep JSON and nothing at all are data."""
    assert len(fingerprint(Message("assistant", (Text(text), Call("1", "f", text))))) == 16


def test_a_chain_depends_on_the_order() -> None:
    """The guard of a history changes with every message and with their order."""
    one, other = fingerprint(Message("user", (Text("a"),))), fingerprint(Message("user", (Text("b"),)))
    assert chained(chained(b"", one), other) != chained(chained(b"", other), one) != one


def test_a_frozen_copy_sees_changes_in_place() -> None:
    """A copy equals its original until the original is changed in place, at any depth."""
    raw = {"role": "user", "content": [{"type": "text", "text": "a"}]}
    copy = frozen_copy(raw)
    assert copy == raw
    raw["content"][0]["text"] = "b"  # type: ignore[index]
    assert copy != raw


def test_a_pinned_message_is_a_dictionary() -> None:
    """A pin changes the type and nothing else."""
    raw = {"role": "user", "content": "keep"}
    marked = pinned(raw)
    assert marked == raw
    assert isinstance(marked, Pinned)
    assert json.dumps(marked) == json.dumps(raw)


def test_fingerprints_are_those_that_snapshots_hold() -> None:
    """The bytes never change: guards of edits and rewritten messages that were written down must fit."""
    message = Message(
        "assistant",
        (
            Text("Straße \ud83d 🙂"),
            Thinking("quiet", "seal"),
            Call("c1", "read", '{"b": 1, "a": "é"}'),
            Result("c1", "two\nlines", True, (Media("image", "abc"),)),
            Media("pdf", "def"),
            Opaque("empty", ""),
        ),
    )
    assert fingerprint(message).hex() == "7c3930564af0b28b5e1430804005b9d1"
