"""``python -m benchmarks.reference [--check]``: docs/reference.md, made from the public names, their signatures and docstrings."""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sostenuto

TARGET = Path(__file__).resolve().parents[1] / "docs" / "reference.md"
LONGEST_DEFAULT = 120
"""Characters; a longer default is a table, described where it lives."""
HEAD = """# Reference

Every public name of `sostenuto`, from its own docstrings: `python -m benchmarks.reference` writes this page. D- and B-numbers name the
decision or field report a rule comes from ([ARCHITECTURE.md](../ARCHITECTURE.md) says where they are).
"""


def main() -> int:
    """Write the page, or with --check say whether it is what would be written."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reference", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the page is not up to date")
    if parser.parse_args().check:
        return 0 if TARGET.read_text(encoding="utf-8") == page() else 1
    TARGET.write_text(page(), encoding="utf-8")
    return 0


def page() -> str:
    """The whole page."""
    objects = [(name, getattr(sostenuto, name)) for name in sostenuto.__all__]
    first = ("ContextManager", "fit")
    objects.sort(key=lambda pair: (pair[0] not in first, issubclass_of_error(pair[1]), pair[0].lower()))
    return HEAD + "".join(line for name, thing in objects for line in section(name, thing))


def issubclass_of_error(thing: Any) -> bool:
    """Whether a name is an error: they stand last."""
    return isinstance(thing, type) and issubclass(thing, BaseException)


def section(name: str, thing: Any) -> Iterator[str]:
    """The part of one name."""
    yield f"\n## {name}\n\n"
    if issubclass_of_error(thing):
        bases = ", ".join(base.__name__ for base in thing.__bases__)
        yield f"An error ({bases}).\n\n{prose(thing)}"
        return
    if isinstance(thing, type):
        yield f"```python\n{name}{shown(thing)}\n```\n\n{prose(thing)}"
        for member, value in members(thing):
            yield f"\n### {name}.{member}\n\n"
            yield prose(value) if isinstance(value, property) else f"```python\n{member}{shown(value)}\n```\n\n{prose(value)}"
        return
    yield f"```python\n{name}{shown(thing)}\n```\n\n{prose(thing)}" if callable(thing) else prose(thing)


def members(cls: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties of a class and of the private halves it is made of, in the order of their source.

    What it inherits from an exported class, and plain fields, are left out.
    """
    fields = {field.name for field in dataclasses.fields(cls)} if dataclasses.is_dataclass(cls) else set()
    halves = [base for base in cls.__mro__[1:] if base.__module__.startswith("sostenuto.") and base.__name__ not in sostenuto.__all__]
    for name, value in (entry for home in (cls, *halves) for entry in vars(home).items()):
        held = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        if not name.startswith("_") and name not in fields and (inspect.isfunction(held) or isinstance(held, property)):
            yield name, held


def shown(thing: Any) -> str:
    """A signature, one parameter a line where it is long."""
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return "(…)"
    parameters = [parameter(one) for one in signature.parameters.values() if one.name != "self"]
    star = next((at for at, one in enumerate(signature.parameters.values()) if one.kind is one.KEYWORD_ONLY), None)
    if star is not None:
        parameters.insert(star - ("self" in signature.parameters), "*")
    returned = "" if signature.return_annotation in (signature.empty, "None", None) else f" -> {signature.return_annotation}"
    flat = f"({', '.join(parameters)}){returned}"
    return flat if len(flat) <= 100 else "(\n    " + ",\n    ".join(parameters) + f",\n){returned}"


def parameter(one: inspect.Parameter) -> str:
    """A parameter as its source has it: annotations are texts already."""
    stars = "*" if one.kind is one.VAR_POSITIONAL else "**" if one.kind is one.VAR_KEYWORD else ""
    kind = "" if one.annotation is one.empty else f": {one.annotation}"
    value = repr(one.default) if len(repr(one.default)) <= LONGEST_DEFAULT else "…"
    default = "" if one.default is one.empty else f" = {value}" if kind else f"={value}"
    return f"{stars}{one.name}{kind}{default}"


def prose(thing: Any) -> str:
    """A docstring as Markdown: its sections become headings in bold and lists."""
    lines = (inspect.getdoc(thing) or "(no description)").splitlines()
    out: list[str] = []
    in_section = False
    for line in lines:
        if line.rstrip() in ("Args:", "Attributes:", "Raises:", "Returns:"):
            in_section = True
            out.append(f"**{line.strip().rstrip(':')}**\n")
        elif in_section and line.startswith("    ") and not line.startswith("     "):
            name, colon, rest = line.strip().partition(": ")
            out.append(f"- `{name}`: {rest}" if colon and " " not in name.replace(", ", "") else f"- {line.strip()}")
        elif in_section and line.startswith("     "):
            out.append("  " + line.strip())
        else:
            in_section = in_section and not line.strip()
            out.append(line.replace("``", "`"))
    return textwrap.dedent("\n".join(out)).replace("``", "`").rstrip() + "\n"


if __name__ == "__main__":
    sys.exit(main())
