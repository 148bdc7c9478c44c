"""Opening a recorded session: recognised by what is in the file, never by its name (decision D56)."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from os import PathLike, fspath

from sostenuto.errors import UnknownFormat, UnknownSetting, UnusableInput
from sostenuto.recordings import _claude_code, _litellm_log, _messages, _pi, _tau_bench
from sostenuto.recordings._lines import LIMITS, Limits, byte_lines, json_lines, parsed, unusable
from sostenuto.recordings._recording import Exchange, Line, Raw, Recording, Skipped, as_sent, history

__all__ = ["FORMATS", "LIMITS", "Exchange", "Limits", "Raw", "Recording", "Skipped", "as_sent", "history", "open_recording"]


@dataclass(frozen=True, slots=True)
class _Kind:
    name: str
    title: str
    recognises: Callable[[object], bool]
    read: Callable[..., Recording]


# One private file for each kind: none knows another, and this is the one place that knows them all.
# Asked in this order of every record: the kinds with the surest marks first, because nearly everything contains message lists.
_KINDS = (
    _Kind(_claude_code.READER, "Claude Code session", _claude_code.recognises, _claude_code.read),
    _Kind(_pi.READER, "pi session", _pi.recognises, _pi.read),
    _Kind(_litellm_log.READER, "LiteLLM request log", _litellm_log.recognises, _litellm_log.read),
    _Kind(_tau_bench.READER, "tau-bench results", _tau_bench.recognises, _tau_bench.read),
    _Kind(_messages.READER, "list of OpenAI or Anthropic messages", _messages.recognises, _messages.read),
)

FORMATS = tuple(kind.name for kind in _KINDS)

# A session may begin with many snapshots or progress records; further in than this nothing new is expected.
_RECORDS_LOOKED_AT = 1_000


def open_recording(path: str | PathLike[str], *, format: str = "auto", limits: Limits = LIMITS) -> Recording:
    """The session recorded in the file ``path``, which may be gzip.

    Args:
        path: a JSON or JSON lines file.
        format: ``auto``, or one of `FORMATS` to insist on it.
        limits: longest line and file, in bytes.

    Raises:
        UnknownFormat: the content is in no known format, or not in the one insisted on.
        UnknownSetting: ``format`` names none.
        UnusableInput: the file cannot be read; names file, line and remedy.
    """
    kinds = _asked_for(format)
    path = fspath(path)
    torn: list[Skipped] = []
    records = _records(path, torn=torn, limits=limits)
    looked_at: list[Line] = []
    for line in records:
        looked_at.append(line)
        kind = next((one for one in kinds if one.recognises(line[1])), None)
        if kind is not None:
            recording = kind.read(chain(looked_at, records), source=path)
            if not recording.messages:
                raise UnusableInput(f"{path}: looks like a {kind.title} but holds no message; name a recording with a conversation")
            return replace(recording, skipped=(*recording.skipped, *torn))
        if len(looked_at) >= _RECORDS_LOOKED_AT:
            break
    if torn and not looked_at:
        raise unusable(path, "the JSON is cut off in the middle", line=torn[0].line, remedy="copy the file again from its source")
    raise _unknown(path, looked_at, kinds)


def _asked_for(format: str) -> tuple[_Kind, ...]:
    if format == "auto":
        return _KINDS
    kinds = tuple(kind for kind in _KINDS if kind.name == format)
    if not kinds:
        near = difflib.get_close_matches(str(format), FORMATS, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise UnknownSetting(f"format {format!r} is not known; {hint}use auto, {', '.join(FORMATS)}")
    return kinds


def _records(path: str, *, torn: list[Skipped], limits: Limits) -> Iterator[Line]:
    """The records of the file: the lines of a JSONL file, the elements of a JSON array, or one JSON object."""
    lines = byte_lines(path, limits=limits)
    blank: list[tuple[int, bytes]] = []
    first = None
    for first in lines:
        if not first[1].isspace():
            break
        blank.append(first)
    if first is None or not first[1].strip():
        raise UnusableInput(f"{path}: the file is empty; name a recorded session")
    number, data = first
    if data.lstrip()[:1] not in (b"{", b"["):
        seen = ascii(data.strip()[:40].decode("utf-8", "replace"))
        raise UnknownFormat(f"{path}, line {number}: not JSON, it starts with {seen}; {_known(_KINDS)}")
    try:
        value = parsed(data, path=path, line=number)
    except UnusableInput as problem:
        return _document(path, lines, first=first, problem=problem, torn=torn)
    if isinstance(value, list):
        return iter(enumerate(value, start=1))
    return chain([(number, value)], json_lines(path, lines, torn=torn))


def _document(
    path: str, lines: Iterator[tuple[int, bytes]], *, first: tuple[int, bytes], problem: UnusableInput, torn: list[Skipped]
) -> Iterator[Line]:
    """The records of a JSON document written over several lines, whose first line is no JSON by itself."""
    number, data = first
    opening = data.strip()
    rest = next(lines, None)
    # A first line with more than an opening in it, followed by a whole object, is a damaged JSONL file rather than a document.
    if rest is not None and len(opening) > 1 and rest[1].lstrip()[:1] == b"{" and _is_whole(rest[1], path):
        raise problem
    pieces = [data] if rest is None else [data, rest[1]]
    pieces += [more for _, more in lines]
    value = parsed(b"".join(pieces), path=path, line=number)
    return iter(enumerate(value, start=1)) if isinstance(value, list) else iter([(number, value)])


def _is_whole(data: bytes, path: str) -> bool:
    try:
        parsed(data, path=path, line=0)
    except UnusableInput:
        return False
    return True


def _unknown(path: str, looked_at: Iterable[Line], kinds: tuple[_Kind, ...]) -> UnknownFormat:
    value = next((value for _, value in looked_at), None)
    if isinstance(value, dict):
        kind = f" of type {value['type'][:40]!r}" if isinstance(value.get("type"), str) else ""
        seen = f"an object{kind} with the keys {', '.join(ascii(str(key)[:30]) for key in list(value)[:8]) or '(none)'}"
    elif value is None:
        seen = "an empty list"
    else:
        seen = f"a list of {type(value).__name__} values"
    return UnknownFormat(f"{path}: not a recording that is known, it holds {seen}; {_known(kinds)}")


def _known(kinds: tuple[_Kind, ...]) -> str:
    return "known formats: " + ", ".join(f"{kind.name} ({kind.title})" for kind in kinds)
