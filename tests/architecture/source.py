"""The project's own source as these tests look at it: files, their syntax trees, their rooms and what they import."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "sostenuto"
CORRIDORS = frozenset({"formats", "recordings", "encoders", "catalogues", "peers", "stores", "providers", "integrations"})
LAST_PURE = "protocols"

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Source:
    """One Python file: where it lies, its dotted name and its syntax tree."""

    path: Path
    name: str
    tree: ast.Module

    @property
    def where(self) -> str:
        """The path as a person would type it."""
        return self.path.relative_to(ROOT).as_posix()

    @property
    def room(self) -> str:
        """The room of a file of the package: `ladder` for `sostenuto.ladder._plan`, empty for the package's own door."""
        return ".".join(self.name.split(".")[1:2])

    @property
    def package(self) -> str:
        """The package that relative imports of this file start from."""
        return self.name if self.path.name == "__init__.py" else self.name.rpartition(".")[0]


@cache
def sources(folder: str) -> tuple[Source, ...]:
    """Every Python file below `folder` ("src", "tests", "benchmarks"); none if there is no such folder."""
    base = ROOT / folder
    found = sorted(path for path in base.rglob("*.py") if "__pycache__" not in path.parts)
    return tuple(Source(path, _dotted(path.relative_to(base)), ast.parse(path.read_text(encoding="utf-8"))) for path in found)


def _dotted(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def ranks() -> tuple[tuple[str, ...], ...]:
    """The rooms by rank, lowest first, as the import contracts in pyproject.toml have them."""
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    layers = next(contract["layers"] for contract in linter["contracts"] if contract["id"] == "ranks")
    return tuple(tuple(room.strip(" ()") for room in layer.split("|")) for layer in reversed(layers))


@cache
def pure_rooms() -> frozenset[str]:
    """The rooms below the line, whether they exist yet or not."""
    line = next(rank for rank, rooms in enumerate(ranks()) if LAST_PURE in rooms)
    return frozenset(room for rooms in ranks()[: line + 1] for room in rooms)


def pure_sources() -> tuple[Source, ...]:
    """Every file below the line."""
    return tuple(source for source in sources("src") if source.room in pure_rooms())


def doors() -> tuple[Source, ...]:
    """The `__init__.py` of every room, corridors included."""
    return tuple(source for source in sources("src") if source.path.name == "__init__.py" and source.name.count(".") == 1)


def functions(source: Source) -> Iterator[FunctionNode]:
    """Every function of a file, nested ones and methods included."""
    return (node for node in ast.walk(source.tree) if isinstance(node, FunctionNode))


def imported(source: Source) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    """Line, absolute module and names of every import of a file, wherever in the file it stands."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, _absolute(source, node), tuple(alias.name for alias in node.names)


def targets(source: Source, names: frozenset[str]) -> set[str]:
    """Those of `names` that a file imports; `from room import _file` counts as the file."""
    found: set[str] = set()
    for _, module, members in imported(source):
        deeper = {f"{module}.{member}" for member in members} & names
        found |= deeper or ({module} & names)
    return found - {source.name}


def _absolute(source: Source, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    above = source.package.split(".")
    base = above[: len(above) - node.level + 1]
    return ".".join([*base, *([node.module] if node.module else [])])


def for_types_only(tree: ast.Module) -> frozenset[int]:
    """The lines of `tree` that stand under `if TYPE_CHECKING:`."""
    guards = (node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
    return frozenset(line for guard in guards for kept in guard.body for line in range(kept.lineno, (kept.end_lineno or kept.lineno) + 1))
