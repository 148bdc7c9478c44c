"""What imports must look like, where import-linter cannot see it."""

from __future__ import annotations

import graphlib
import sys
import tomllib

from tests.architecture.source import PACKAGE, ROOT, for_types_only, imported, pure_rooms, pure_sources, sources, targets


def test_no_two_files_import_each_other_even_through_others_or_for_types() -> None:
    """The files of the package, with imports in functions and for type checkers counted, have no import cycle."""
    names = frozenset(source.name for source in sources("src"))
    graph = {source.name: targets(source, names) for source in sources("src")}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        raise AssertionError("import cycle: " + " -> ".join(reversed(error.args[1]))) from None


def test_private_files_are_imported_only_within_their_room() -> None:
    """Whoever imports a file `_name.py` lives in the same room, or is the package's own door for a file beside it."""
    strays = []
    for source in sources("src"):
        for line, module, members in imported(source):
            for target in {module, *(f"{module}.{member}" for member in members)} & {other.name for other in sources("src")}:
                parent, _, last = target.rpartition(".")
                private = last.startswith("_") and not last.startswith("__")
                if private and not f"{source.name}.".startswith(f"{parent}."):
                    strays.append(f"{source.where}:{line} imports {target}")
    assert not strays, strays


def test_below_the_line_only_the_standard_library_is_imported() -> None:
    """A file below the line imports the standard library and this package, nothing that has to be installed."""
    allowed = sys.stdlib_module_names | {PACKAGE}
    strays = [
        f"{source.where}:{line} imports {module}"
        for source in pure_sources()
        for line, module, _ in imported(source)
        if module.partition(".")[0] not in allowed
    ]
    assert not strays, strays


def test_asyncio_is_imported_only_where_it_runs() -> None:
    """No file imports asyncio at module level: it costs half of the start-up budget and synchronous callers never need it."""
    strays = []
    for source in sources("src"):
        types = for_types_only(source.tree)
        top = {node.lineno for node in source.tree.body}
        strays += [
            f"{source.where}:{line}"
            for line, module, _ in imported(source)
            if module.partition(".")[0] == "asyncio" and line in top and line not in types
        ]
    assert not strays, strays


def test_the_no_input_output_contract_covers_every_room_below_the_line() -> None:
    """The list of pure rooms in the import contract is the list of the rooms that exist below the line."""
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    pure = next(contract for contract in linter["contracts"] if contract["id"] == "pure")
    covered = {name.removeprefix(f"{PACKAGE}.") for name in pure["source_modules"]}
    existing = {source.room for source in pure_sources()}
    assert existing <= covered, f"add to the contract `pure` in pyproject.toml: {sorted(existing - covered)}"
    assert covered <= pure_rooms(), f"not below the line: {sorted(covered - pure_rooms())}"
