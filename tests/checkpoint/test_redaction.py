"""Secrets out of copies (checkpoint/_redaction.py)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.checkpoint import redacted


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("key AKIAABCDEFGHIJKLMNOP", "AKIAABCD"),
        ("sk-proj-abcdefghijklmnopqrstuv", "abcdefgh"),
        ("ghp_abcdefghijklmnopqrstuvwxyz0123", "abcdefgh"),
        ("Authorization: Bearer abcdef0123456789abcdef", "abcdef0123"),
        ("postgres://app:hunter2@db/x", "hunter2"),
        ("DB_PASSWORD=correcthorse", "correcthorse"),
        ('{"api_key": "0123456789abcdef"}', "0123456789"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nafter", "MIIE"),
        ("-----BEGIN PRIVATE KEY-----\nMIIE", "MIIE"),
    ],
)
def test_secrets_go(text: str, secret: str) -> None:
    """B199: keys, bearer tokens, private key blocks and passwords in addresses are replaced."""
    assert secret not in redacted(text)
    assert "[redacted]" in redacted(text)


@pytest.mark.parametrize(
    "text",
    ["password = os.environ['X']", "https://example.org:8080/a", "token_count: 12", "the secret is out", "sketch", "api_key=get_key()"],
)
def test_ordinary_text_stays(text: str) -> None:
    """Code that looks a secret up, ports and prose are left alone."""
    assert redacted(text) == text


@given(st.text(max_size=200))
def test_redaction_is_total_and_stable(text: str) -> None:
    """Any text is redacted without an error, and a second time changes nothing."""
    assert redacted(redacted(text)) == redacted(text)


@pytest.mark.parametrize("piece", ["a", "-----BEGIN PRIVATE KEY-----", "://a:", "sk-", "password=", "eyJa.", "x_"])
def test_hostile_text_takes_linear_time(piece: str) -> None:
    """Half a megabyte of one piece takes well under the time a quadratic scan would."""
    started = time.process_time()
    redacted(piece * (500_000 // len(piece)))
    assert time.process_time() - started < 5
