"""Where a session asks."""

from __future__ import annotations

from sostenuto.judging import session_of
from tests.judging.sessions import PIN


def test_a_request_stands_before_each_reply() -> None:
    """A session asks before every assistant message that has something before it, planted rules counted in."""
    found = session_of("s", [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}], pins=[PIN])
    assert [message["content"] for message in found.messages] == ["a", PIN, "b"]
    assert found.requests == (2,)
    assert session_of("s", [{"role": "assistant", "content": "b"}]).requests == ()
