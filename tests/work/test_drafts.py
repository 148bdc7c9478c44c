"""Which paths drafts may have, and how much there may be of them."""

from __future__ import annotations

import pytest

from sostenuto.errors import UnusableInput
from sostenuto.work import DraftLimits, clash, draft_path, missing, too_large


@pytest.mark.parametrize("path", ["a", "report/outline.md", "a/b/c/d", "été/报告.md", "é" * 120, "no-extension", "a b/c.txt", "x.con"])
def test_plain_paths_stay_as_they_are(path: str) -> None:
    """Names in any script, with spaces inside and up to four parts, are paths of drafts."""
    assert draft_path(path) == path


@pytest.mark.parametrize(
    "path",
    [
        *("", "  ", "/etc/passwd", "a/", "a//b", "..", "../x", "a/../b", ".hidden", "a/.git/x", "a\x00b", "a\nb", "C:\\x", "c:x", "a|b"),
        *("con", "a/NUL.txt", "com1", "a.", "a. /b", "a/ b", "a/b/c/d/e", "x" * 129, "é" * 121, "a/" * 5_000, "a\u202eb", "a\u200db"),
        *(" a", "a ", "\u00a0a", "com¹.md", "\ud800", None, 5),
    ],
)
def test_a_hostile_path_is_refused_with_what_would_work(path: object) -> None:
    """Ways out, hidden names, devices, control and invisible characters, and excess are refused in one line of printable characters."""
    with pytest.raises(UnusableInput) as caught:
        draft_path(path)
    said = str(caught.value)
    assert said.isprintable()
    assert len(said) < 250


def test_a_passed_limit_is_named_with_its_figure() -> None:
    """Bytes of one, how many, bytes of all: each says what there would be and what is the most."""
    limits = DraftLimits(10, 2, 15)
    assert too_large(limits, path="a", size=10, files=2, total=15) == ""
    assert "a would have 11 bytes and 10 is the most" in too_large(limits, path="a", size=11, files=1, total=11)
    assert "3 drafts and 2 is the most" in too_large(limits, path="a", size=1, files=3, total=3)
    assert "16 bytes and 15 is the most" in too_large(limits, path="a", size=6, files=2, total=16)
    assert DraftLimits() == DraftLimits(5_000_000, 2_000, 1_000_000_000)


def test_a_draft_is_no_folder_too() -> None:
    """What is a draft cannot hold others, and what holds others cannot be one."""
    assert "a is a folder, of a/b" in clash("a", ["a/b"])
    assert "a is a draft and cannot be a folder too" in clash("a/b", ["a"])
    assert clash("a", ["a", "ab/c"]) == ""


def test_a_missing_draft_is_answered_with_the_nearest() -> None:
    """The nearest path is said; without one how many there are."""
    assert missing("outlin.md", ["outline.md", "x"]) == "there is no draft outlin.md; did you mean outline.md?"
    assert missing("zzz", ["outline.md"]).endswith("there are 1, list them")
    assert missing("zzz", []).endswith("there are none yet")
