"""Doors, corridors and names."""

from __future__ import annotations

import ast
import importlib

import pytest

from tests.architecture.source import CORRIDORS, Source, doors, sources, targets

VAGUE = frozenset({"utils", "util", "helpers", "helper", "common", "shared", "core", "base", "misc"})
ROOMS = tuple(door for door in doors() if door.room not in CORRIDORS)
PASSAGES = tuple(door for door in doors() if door.room in CORRIDORS)


def _exports(door: Source) -> list[str] | None:
    """The literal `__all__` of a door, or None."""
    for node in door.tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target if isinstance(node, ast.AnnAssign) else None
        if isinstance(target, ast.Name) and target.id == "__all__" and isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
            return [str(name) for name in ast.literal_eval(node.value)]
    return None


def _order(name: str) -> tuple[int, str]:
    """Constants, then types, then functions, each from A to Z: the order ruff's RUF022 keeps."""
    return (0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2), name


@pytest.mark.parametrize("door", ROOMS, ids=lambda door: door.room)
def test_a_rooms_door_is_a_sorted_list_of_what_may_leave(door: Source) -> None:
    """The `__init__.py` of a room has a literal, sorted `__all__` without repetitions, and every name in it exists."""
    exports = _exports(door)
    assert exports is not None, f"{door.where} has no literal __all__"
    assert exports == sorted(set(exports), key=_order), f"{door.where}: __all__ is not sorted or repeats a name"
    module = importlib.import_module(door.name)
    missing = [name for name in exports if not hasattr(module, name)]
    assert not missing, f"{door.where} lists what it does not have: {missing}"


@pytest.mark.parametrize("door", PASSAGES, ids=lambda door: door.room)
def test_a_corridor_is_empty_at_its_entrance(door: Source) -> None:
    """The `__init__.py` of a corridor holds nothing but, at most, its docstring."""
    body = [node for node in door.tree.body if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))]
    assert not body, f"{door.where} must be empty"


@pytest.mark.parametrize("door", PASSAGES, ids=lambda door: door.room)
def test_neighbours_in_a_corridor_do_not_know_each_other(door: Source) -> None:
    """No file of a corridor imports a public file of it; the private ones are the floor that all of them stand on."""
    files = tuple(source for source in sources("src") if source.room == door.room)
    public = frozenset(source.name for source in files if not source.path.name.startswith("_"))
    strays = {source.where: sorted(met) for source in files if (met := targets(source, public))}
    assert not strays, strays


def test_no_module_has_a_name_that_says_nothing() -> None:
    """No module, public or private, is called utils, helpers, common, shared, core or base."""
    vague = [source.where for source in sources("src") if VAGUE & {part.strip("_") for part in source.name.split(".")}]
    assert not vague, vague


def test_every_file_of_the_package_says_what_it_is() -> None:
    """Every file that holds code starts with a docstring."""
    silent = [source.where for source in sources("src") if source.tree.body and not ast.get_docstring(source.tree)]
    assert not silent, silent
