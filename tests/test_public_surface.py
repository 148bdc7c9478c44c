"""What a user may import, and that importing it costs nothing."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import sostenuto

ROOT = Path(__file__).resolve().parents[1]
SNAPSHOT = Path(__file__).with_name("public_surface.txt")
HEAVY = ("asyncio", "click", "toktok", "splintr", "sqlite3", "importlib.metadata")

ready = pytest.mark.skipif(not hasattr(sostenuto, "ContextManager"), reason="sostenuto.ContextManager does not exist yet")


def _names() -> list[str]:
    return [str(name) for name in vars(sostenuto)["__all__"]]


def _undocumented(name: str, value: object) -> list[str]:
    """`name`, and its public methods, where they say nothing about themselves."""
    if inspect.isroutine(value):
        return [] if value.__doc__ else [name]
    if not inspect.isclass(value):
        return []
    # A dataclass without a docstring is given its signature as one, which says nothing new.
    text = vars(value).get("__doc__") or ""
    methods = [member for member, method in vars(value).items() if inspect.isfunction(method) and member[0] != "_" and not method.__doc__]
    return [*([] if text and not text.startswith(f"{name}(") else [name]), *(f"{name}.{member}" for member in methods)]


@ready
def test_the_export_list_is_sorted() -> None:
    """`sostenuto.__all__` is sorted, constants before types before functions, and repeats nothing."""
    names = [name for name in _names() if not name.startswith("__")]
    assert names == sorted(set(names), key=lambda name: (0 if name.isupper() else 1 if name[0].isupper() else 2, name))


@ready
def test_the_export_list_is_the_one_we_promised() -> None:
    """`sostenuto.__all__` holds exactly the names of tests/public_surface.txt; whoever changes one changes both and the changelog."""
    promised = [line for line in SNAPSHOT.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    assert sorted(_names()) == sorted(promised)


@ready
def test_every_exported_name_exists_and_is_documented() -> None:
    """Every exported class and function carries a docstring of its own, and so do their public methods."""
    silent = [gap for name in _names() for gap in _undocumented(name, getattr(sostenuto, name))]
    assert not silent, silent


@ready
def test_dir_shows_what_is_exported() -> None:
    """`dir(sostenuto)` lists every exported name, so completion finds what is imported late."""
    assert set(_names()) <= set(dir(sostenuto))


def test_an_unknown_name_is_an_attribute_error() -> None:
    """Asking the package for a name it does not have raises AttributeError, as for every module."""
    with pytest.raises(AttributeError, match="no_such_name"):
        getattr(sostenuto, "no_such" + "_name")


def test_importing_the_package_imports_nothing_heavy() -> None:
    """`import sostenuto` alone loads neither asyncio nor the command line nor a tokenizer."""
    script = f"import sys, sostenuto; print([name for name in {HEAVY!r} if name in sys.modules])"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    # -S: an editable install's own start-up files may import what they like.
    ran = subprocess.run([sys.executable, "-S", "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_the_version_has_one_source() -> None:
    """`sostenuto.__version__` is the version that pyproject.toml names."""
    if not hasattr(sostenuto, "__version__"):
        pytest.skip("sostenuto.__version__ does not exist yet")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert sostenuto.__version__ == project["version"]
