"""Habits of the source and of its tests."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess

import pytest

from tests.architecture.source import ROOT, functions, pure_sources, sources

WORLDLY = frozenset({"open", "print", "input", "breakpoint", "exec", "eval", "__import__"})
CLOCKS = frozenset({"now", "utcnow", "today"})

# In pieces, so that this file may be searched like every other one.
MACHINE = ("/work" + "/main", "/work" + "/shared", "/work/" + ".library", "/opt" + "/pypi", "/opt" + "/wheels")
REGISTRIES = ("pypi" + ".org", "python" + "hosted", "npmjs" + ".org", "index" + "-url", "find" + "-links", "crates" + ".io")
FORBIDDEN = re.compile("|".join(re.escape(word) for word in (*MACHINE, *REGISTRIES)))


def test_below_the_line_nobody_opens_prints_or_asks_the_clock() -> None:
    """Below the line no call of open, print, input, eval or of a date's now and today stands."""
    strays = []
    for source in pure_sources():
        for node in ast.walk(source.tree):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else None
            method = node.func.attr if isinstance(node.func, ast.Attribute) else None
            if name in WORLDLY or method in CLOCKS:
                strays.append(f"{source.where}:{node.lineno} {name or method}()")
    assert not strays, strays


def test_every_test_says_in_one_sentence_what_it_claims() -> None:
    """Every test function has a docstring."""
    silent = [
        f"{source.where}:{node.lineno} {node.name}"
        for source in sources("tests")
        if source.path.name.startswith("test_")
        for node in functions(source)
        if node.name.startswith("test_") and not ast.get_docstring(node)
    ]
    assert not silent, silent


def test_no_test_sleeps() -> None:
    """No test waits for the clock: time.sleep and a bare sleep appear nowhere under tests."""
    sleepers = [
        f"{source.where}:{node.lineno}"
        for source in sources("tests")
        for node in ast.walk(source.tree)
        if (isinstance(node, ast.Attribute) and node.attr == "sleep" and ast.unparse(node.value) == "time")
        or (isinstance(node, ast.ImportFrom) and node.module == "time" and any(alias.name == "sleep" for alias in node.names))
    ]
    assert not sleepers, sleepers


def test_no_tracked_file_names_a_machine_or_a_registry() -> None:
    """No file that git keeps holds a path of the machine it was written on or the address of a package registry."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: what is tracked is unknown")
    asked = [git, "-c", f"safe.directory={ROOT}", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(asked, cwd=ROOT, capture_output=True, check=True).stdout.decode()
    found = []
    for name in filter(None, listed.split("\0")):
        if not (ROOT / name).is_file():
            continue
        text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
        found += [f"{name}: {match.group()}" for match in FORBIDDEN.finditer(text)]
    assert not found, found
