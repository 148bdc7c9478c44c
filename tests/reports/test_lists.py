"""The list of the origin's scenarios names tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_every_test_that_the_list_names_exists() -> None:
    """Each `file::name` of ORIGIN.md is a test function of that file."""
    named = re.findall(r"`([\w/]+\.py)::(test_\w+)`", (TESTS / "reports" / "ORIGIN.md").read_text(encoding="utf-8"))
    assert len(named) > 100
    missing = [f"{file}::{name}" for file, name in named if f"def {name}(" not in (TESTS / file).read_text(encoding="utf-8")]
    assert not missing
