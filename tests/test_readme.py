"""The examples of the README and the documentation are run, and print what is said below them."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

from benchmarks.reference import TARGET, page

ROOT = Path(__file__).resolve().parents[1]


EXAMPLE = re.compile(r"```python\n(.*?)```\n\n(?:```\n(.*?)```)?", re.DOTALL)
EXAMPLES = [
    pytest.param(code, output, id=f"{path.name}-{number}")
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if path.name != "reference.md"  # signatures, no programs
    for number, (code, output) in enumerate(EXAMPLE.findall(path.read_text(encoding="utf-8")))
]


@pytest.mark.parametrize(("code", "output"), EXAMPLES)
def test_an_example_prints_what_is_said_below_it(code: str, output: str) -> None:
    """A Python block of the documentation runs, and prints exactly the block that follows it."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "example", "exec"), {})
    assert printed.getvalue() == output


def test_the_readme_has_an_example() -> None:
    """The README's ten lines are among the examples."""
    assert any(str(example.id).startswith("README") for example in EXAMPLES)


def test_the_reference_is_what_the_docstrings_say() -> None:
    """docs/reference.md is up to date: `python -m benchmarks.reference` would write the same page."""
    assert TARGET.read_text(encoding="utf-8") == page()
