"""Copies of values without the secrets in them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sostenuto.app._redacting import without_secrets
from sostenuto.errors import UnusableInput

KEY = "sk-abcdefghijklmnopqrstuvwx"


@pytest.mark.parametrize(
    ("value", "clean"),
    [
        (f"the key {KEY} is", "the key [redacted] is"),
        ({"password": "hunter2hunter2"}, {"password": "[redacted]"}),
        ({"input": {"api_key": "abcdef123456", "path": "a.py"}}, {"input": {"api_key": "[redacted]", "path": "a.py"}}),
        ([{"arguments": json.dumps({"password": 'abcdef"ghi'})}], [{"arguments": json.dumps({"password": "[redacted]"})}]),
        ({"content": "nothing here"}, {"content": "nothing here"}),
        ({"password": None, "token": 7, "seq": 3}, {"password": None, "token": 7, "seq": 3}),
    ],
)
def test_secrets_are_replaced_and_nothing_else(value: Any, clean: Any) -> None:
    """Keys in texts, values under a telling name, and arguments that are JSON, which stay JSON."""
    assert without_secrets(value) == clean


def test_json_in_a_text_keeps_its_bytes_where_nothing_has_to_go() -> None:
    """Arguments without a secret are the very text they were, spaces and all."""
    text = '{ "path" :  "a.py" }'
    assert without_secrets({"arguments": text})["arguments"] is text


def test_what_is_nested_beyond_reason_is_an_error() -> None:
    """A value that is nested too deeply to be walked is refused in one line."""
    deep: Any = "x"
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(UnusableInput, match="nested too deeply"):
        without_secrets(deep)
    while isinstance(deep, list):
        deep = deep[0]
