"""manage_scratchpad: drafts of an agent, their limits and pages (issue Work)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sostenuto.tools import Answer, DraftsInMemory, standard_tools
from sostenuto.work import DraftLimits
from tests.tools.working import carried, numbered


def asked(*wanted: dict[str, Any], drafts: DraftsInMemory | None = None) -> tuple[Answer, ...]:
    """The answers to calls of the tool, one after the other."""
    return carried(numbered(*[("manage_scratchpad", one) for one in wanted]), standard_tools(Path("."), drafts=drafts))


def test_drafts_are_written_extended_read_listed_and_deleted() -> None:
    """Every action does what it says, with the bytes that are there then."""
    answers = asked(
        {"action": "list"},
        {"action": "write", "draft": "report/outline.md", "content": "# Été\n"},
        {"action": "append", "draft": "report/outline.md", "content": "1. one\n"},
        {"action": "append", "draft": "b", "content": "x"},
        {"action": "read", "draft": "report/outline.md"},
        {"action": "list"},
        {"action": "write", "draft": "b", "content": ""},
        {"action": "read", "draft": "b"},
        {"action": "delete", "draft": "b"},
        {"action": "list"},
    )
    assert [answer.ended for answer in answers] == ["done"] * 10
    assert [answer.text for answer in answers] == [
        "There are no drafts.",
        "Wrote report/outline.md: 8 bytes now.",
        "Appended to report/outline.md: 15 bytes now.",
        "Appended to b: 1 bytes now.",
        "# Été\n1. one\n",
        "2 drafts, 16 bytes together:\nb (1 bytes)\nreport/outline.md (15 bytes)",
        "Wrote b: 0 bytes now.",
        "[b is empty]",
        "Deleted b.",
        "1 draft, 15 bytes together:\nreport/outline.md (15 bytes)",
    ]


def test_a_long_draft_is_read_in_pages() -> None:
    """Going on at the offset that each page names gives the whole, and an offset past the end is told with the length."""
    whole = "".join(f"line {n}\n" for n in range(9_000))
    drafts = DraftsInMemory()
    drafts.write("a", whole)
    read, offset = "", 0
    while offset < len(whole):
        (answer,) = asked({"action": "read", "draft": "a", "offset": offset}, drafts=drafts)
        body, _, footer = answer.text.rpartition("\n[characters ")
        assert f"of {len(whole):,};" in footer
        read += body
        offset += len(body)
    assert read == whole
    (past,) = asked({"action": "read", "draft": "a", "offset": len(whole)}, drafts=drafts)
    assert past.ended == "failed"
    assert f"a has {len(whole):,} characters" in past.text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"action": "read"}, "read needs draft"),
        ({"action": "write", "draft": "a"}, "write needs content"),
        ({"action": "append"}, "append needs draft and content"),
        ({"action": "read", "draft": "outlin.md"}, "did you mean outline.md?"),
        ({"action": "delete", "draft": "zz"}, "there is no draft zz"),
        ({"action": "write", "draft": "../x", "content": ""}, "cannot be the path of a draft"),
        ({"action": "read", "draft": "/etc/passwd"}, "cannot be the path of a draft"),
        ({"action": "write", "draft": "outline.md/x", "content": ""}, "outline.md is a draft and cannot be a folder too"),
        ({"action": "move", "draft": "x"}, 'action must be one of "list", "read"'),
    ],
)
def test_what_cannot_be_done_says_why(arguments: dict[str, Any], words: str) -> None:
    """A missing argument, an unknown action, a path that is none or leads nowhere: one line, and nothing was written."""
    drafts = DraftsInMemory()
    drafts.write("outline.md", "x")
    (answer,) = asked(arguments, drafts=drafts)
    assert not answer.succeeded
    assert words in answer.text
    assert drafts.listed() == [("outline.md", 1)]


def test_over_a_limit_the_write_fails_with_the_figure() -> None:
    """The model is told what there would be and what is the most."""
    drafts = DraftsInMemory(DraftLimits(files=1))
    written, refused = asked(*({"action": "write", "draft": path, "content": ""} for path in "ab"), drafts=drafts)
    assert (written.ended, refused.ended) == ("done", "failed")
    assert "2 drafts and 1 is the most" in refused.text


def test_the_scratchpad_is_shared_by_those_it_is_handed_to() -> None:
    """Two sets of tools with the same drafts read what the other wrote: an agent and its sub-agents."""
    drafts = DraftsInMemory()
    asked({"action": "write", "draft": "a", "content": "found it"}, drafts=drafts)
    assert asked({"action": "read", "draft": "a"}, drafts=drafts)[0].text == "found it"
