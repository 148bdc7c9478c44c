"""The lists of scenarios and reports name tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_every_report_on_what_outlives_a_process_has_a_test() -> None:
    """Each of B153 to B193, and each library item about them, is named in a test file."""
    texts = [path.read_text(encoding="utf-8").lower() for path in TESTS.rglob("test_*.py")]
    wanted = [f"b{number}" for number in range(153, 194, 2)] + [f"lib_{number}_" for number in (33, 59, 67, 69, 71)]
    assert not [each for each in wanted if not any(each in text for text in texts)]


def test_every_test_that_the_list_names_exists() -> None:
    """Each `file::name` of ORIGIN.md is a test function of that file."""
    named = re.findall(r"`([\w/]+\.py)::(test_\w+)`", (TESTS / "reports" / "ORIGIN.md").read_text(encoding="utf-8"))
    assert len(named) > 100
    missing = [f"{file}::{name}" for file, name in named if f"def {name}(" not in (TESTS / file).read_text(encoding="utf-8")]
    assert not missing
