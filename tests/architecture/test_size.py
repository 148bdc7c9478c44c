"""How long a file or function may be and how many arguments go by position."""

from __future__ import annotations

import ast

from tests.architecture.source import FunctionNode, Source, functions, pure_sources, sources

LONGEST_FILE = 400
LONGEST_FUNCTION = 60
BY_POSITION = 2

EVERYTHING = sources("src") + sources("tests") + sources("benchmarks")


def test_no_file_is_longer_than_400_lines() -> None:
    """Every Python file fits into 400 lines."""
    lengths = {source.where: len(source.path.read_text(encoding="utf-8").splitlines()) for source in EVERYTHING}
    assert not {where: lines for where, lines in lengths.items() if lines > LONGEST_FILE}


def test_no_function_is_longer_than_60_lines() -> None:
    """Every function, its docstring included, fits into 60 lines."""
    long = [
        f"{source.where}:{node.lineno} {node.name} has {length} lines"
        for source in EVERYTHING
        for node in functions(source)
        if (length := (node.end_lineno or node.lineno) - node.lineno + 1) > LONGEST_FUNCTION
    ]
    assert not long, long


def _public(source: Source) -> list[tuple[FunctionNode, bool]]:
    """The public functions and methods of a file, each with whether its first argument is the object itself."""
    found: list[tuple[FunctionNode, bool]] = []
    holders: list[tuple[ast.AST, bool]] = [(source.tree, False)]
    for holder, is_class in holders:
        for node in ast.iter_child_nodes(holder):
            if isinstance(node, ast.ClassDef):
                holders.append((node, True))
            elif isinstance(node, FunctionNode) and not node.name.startswith("_"):
                static = any(ast.unparse(decorator) == "staticmethod" for decorator in node.decorator_list)
                found.append((node, is_class and not static))
    return found


def test_public_functions_below_the_line_take_at_most_two_arguments_by_position() -> None:
    """The thing acted on and with what go by position; everything else has its name at the call."""
    many = [
        f"{source.where}:{node.lineno} {node.name}"
        for source in pure_sources()
        for node, bound in _public(source)
        if len(node.args.posonlyargs) + len(node.args.args) - bound > BY_POSITION
    ]
    assert not many, many
