"""A YAML text as plain values, with whichever YAML library is installed (extra ``yaml``).

Values are put together here from the parser's events, so nothing in a file is ever constructed by its tag, no nesting exhausts the stack,
and aliases may repeat what they name only up to a bound. Words such as ``yes`` stay text, keys are always text.
"""

from __future__ import annotations

import base64
import binascii
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sostenuto.errors import UnusableInput

_DEPTH = 200
"""Levels; a request body has about ten, and what is read here is walked by recursion elsewhere."""

_REPEATED = 10_000_000
"""Values and characters all aliases of a file may stand for together."""

_WORDS: dict[str, bool | None] = {"": None, "~": None, "null": None, "Null": None, "NULL": None}
_WORDS |= dict.fromkeys(("true", "True", "TRUE"), True) | dict.fromkeys(("false", "False", "FALSE"), False)
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,999})\Z")
_FRACTION = re.compile(r"[-+]?(?:[0-9]{1,999}\.[0-9]{0,999}|\.[0-9]{1,999}|[0-9]{1,999}(?=[eE]))(?:[eE][-+]?[0-9]{1,4})?\Z")
_TAG = "tag:yaml.org,2002:"


def yaml_documents(text: str, *, path: str) -> Iterator[Any]:
    """The documents of a YAML text as dicts, lists, texts, numbers, truth values, ``None`` and bytes.

    Raises:
        UnusableInput: no YAML library is installed, the text is no YAML, nests or repeats itself beyond all use; names the line.
    """
    library = _library(path)
    building = _Building(path)
    try:
        for event in library.events(text):
            kind = type(event).__name__
            if kind == "DocumentEndEvent":
                yield building.document
                building = _Building(path)
            else:
                building.take(kind, event)
    except library.error as problem:
        mark = getattr(problem, "problem_mark", None) or getattr(problem, "context_mark", None)
        where = f"{path}, line {mark.line + 1}" if mark is not None else path
        what = " ".join(str(getattr(problem, "problem", None) or "not readable as text").split())
        raise UnusableInput(f"{where}: not YAML ({what[:80]}); restore the file from its source") from None


@dataclass(frozen=True, slots=True)
class _Library:
    events: Any
    error: type[Exception]


def _library(path: str) -> _Library:
    """PyYAML, with its C parser where there is one, else ruamel.yaml."""
    found: Any
    try:
        found = importlib.import_module("yaml")
        loader = getattr(found, "CSafeLoader", found.SafeLoader)
        return _Library(lambda text: found.parse(text, Loader=loader), found.YAMLError)
    except ImportError:
        pass
    try:
        found = importlib.import_module("ruamel.yaml")
        return _Library(lambda text: found.YAML(typ="safe").parse(text), found.YAMLError)
    except ImportError:
        raise UnusableInput(f"{path}: a YAML file needs a YAML library; install sostenuto[yaml]") from None


@dataclass(slots=True)
class _Open:
    """A list or mapping that is still being read, with the name and weight it began at."""

    value: list[Any] | dict[str, Any]
    anchor: str | None
    began: int
    key: str | None = None


@dataclass(slots=True)
class _Building:
    path: str
    document: Any = None
    _stack: list[_Open] = field(default_factory=list)
    _named: dict[str, tuple[Any, int]] = field(default_factory=dict)
    _weight: int = 0
    _repeated: int = 0

    def take(self, kind: str, event: Any) -> None:
        if kind == "ScalarEvent":
            value = _scalar(event)
            self._weigh(event, value, 1 + len(event.value))
            self._put(value, event, text=event.value)
        elif kind in ("SequenceStartEvent", "MappingStartEvent"):
            if len(self._stack) >= _DEPTH:
                raise self._unusable(event, f"nested deeper than {_DEPTH} levels", remedy="delete the entry")
            self._weight += 1
            value = [] if kind == "SequenceStartEvent" else {}
            self._stack.append(_Open(value, event.anchor, self._weight))
        elif kind in ("SequenceEndEvent", "MappingEndEvent"):
            closed = self._stack.pop()
            if closed.anchor:
                self._named[closed.anchor] = closed.value, 1 + self._weight - closed.began
            self._put(closed.value, event, text=None)
        elif kind == "AliasEvent":
            self._repeat(event)

    def _weigh(self, event: Any, value: Any, weight: int) -> None:
        self._weight += weight
        if event.anchor:
            self._named[event.anchor] = value, weight

    def _repeat(self, event: Any) -> None:
        if event.anchor not in self._named:
            raise self._unusable(event, f"*{event.anchor} names nothing before it", remedy="restore the file from its source")
        value, weight = self._named[event.anchor]
        self._weight += weight
        self._repeated += weight
        if self._repeated > _REPEATED:
            raise self._unusable(event, "the aliases repeat too much", remedy="write the file without aliases")
        self._put(value, event, text=value if isinstance(value, str) else None)

    def _put(self, value: Any, event: Any, *, text: str | None) -> None:
        if not self._stack:
            self.document = value
            return
        holder = self._stack[-1]
        if isinstance(holder.value, list):
            holder.value.append(value)
        elif holder.key is not None:
            holder.value[holder.key] = value
            holder.key = None
        elif text is None:
            raise self._unusable(event, "a key is no text", remedy="restore the file from its source")
        else:
            holder.key = text

    def _unusable(self, event: Any, what: str, *, remedy: str) -> UnusableInput:
        return UnusableInput(f"{self.path}, line {event.start_mark.line + 1}: {what}; {remedy}")


def _scalar(event: Any) -> Any:
    tag = event.tag or ""
    text: str = event.value
    if tag == _TAG + "binary":
        return _decoded(text)
    is_plain = event.style in (None, "") and (not tag or tag in {_TAG + name for name in ("null", "bool", "int", "float")})
    if not is_plain:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.match(text):
        return int(text)
    return float(text) if _FRACTION.match(text) else text


def _decoded(text: str) -> bytes | str:
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return text
