"""Opening a recorded session: recognised by what is in the file, never by its name (decision D56)."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from os import PathLike, fspath

from sostenuto.errors import UnknownFormat, UnknownSetting, UnusableInput
from sostenuto.recordings import (
    _aider,
    _atif,
    _cassette,
    _claude_code,
    _codex,
    _gemini_cli,
    _inspect,
    _litellm_log,
    _messages,
    _openclaw,
    _pi,
    _swe_agent,
    _tau_bench,
)
from sostenuto.recordings._inspect_archive import MAGIC, archived
from sostenuto.recordings._lines import LIMITS, Limits, broken, byte_lines, going_on, json_lines, parsed, text_lines, unusable
from sostenuto.recordings._recording import Exchange, Line, Raw, Recording, Skipped, as_sent, history

__all__ = ["FORMATS", "LIMITS", "Exchange", "Limits", "Raw", "Recording", "Skipped", "as_sent", "history", "open_recording"]


@dataclass(frozen=True, slots=True)
class _Kind:
    name: str
    title: str
    recognises: Callable[[object], bool]
    read: Callable[..., Recording]
    refines: str | None = None
    """The kind this one is built on: where that is recognised, the records that follow may still say that it is this."""


@dataclass(frozen=True, slots=True)
class _TextKind:
    """A kind of file that does not start as JSON does: asked once with the first lines of its text, read from all of them.

    Lines keep their line ends. ``read`` is called with the numbered lines, blank ones included, and ``source``.
    """

    name: str
    title: str
    recognises: Callable[[Sequence[str]], bool]
    read: Callable[..., Recording]


_INSPECT = _Kind(_inspect.READER, "Inspect evaluation log", _inspect.recognises, _inspect.read)

# One private file for each kind: none knows another, and this is the one place that knows them all.
# Asked in this order of every record: the kinds with the surest marks first, because nearly everything contains message lists.
_KINDS = (
    _Kind(_claude_code.READER, "Claude Code session", _claude_code.recognises, _claude_code.read),
    _Kind(_codex.READER, "Codex CLI rollout", _codex.recognises, _codex.read),
    _Kind(_gemini_cli.READER, "Gemini CLI session", _gemini_cli.recognises, _gemini_cli.read),
    _Kind(_openclaw.READER, "OpenClaw session", _openclaw.recognises, _openclaw.read, refines=_pi.READER),
    _Kind(_pi.READER, "pi session", _pi.recognises, _pi.read),
    _Kind(_cassette.READER, "VCR cassette", _cassette.recognises, _cassette.read),
    _Kind(_litellm_log.READER, "LiteLLM request log", _litellm_log.recognises, _litellm_log.read),
    _Kind(_swe_agent.READER, "SWE-agent trajectory", _swe_agent.recognises, _swe_agent.read),
    _Kind(_atif.READER, "ATIF trajectory", _atif.recognises, _atif.read),
    _INSPECT,
    _Kind(_tau_bench.READER, "tau-bench results", _tau_bench.recognises, _tau_bench.read),
    _Kind(_messages.READER, "list of messages, items or contents of a wire", _messages.recognises, _messages.read),
)

# The same for text, asked in this order. A kind that is written both ways stands in both tables under one name.
_TEXT_KINDS = (
    _TextKind(_cassette.READER, "VCR cassette", _cassette.recognises_text, _cassette.read_text),
    _TextKind(_aider.READER, "aider chat history", _aider.recognises, _aider.read),
)

_TITLES = {kind.name: kind.title for kind in _KINDS} | {kind.name: kind.title for kind in _TEXT_KINDS}
FORMATS = tuple(_TITLES)

# A session may begin with many snapshots or progress records; further in than this nothing new is expected.
_RECORDS_LOOKED_AT = 1_000
# A text says what it is in its first lines.
_LINES_LOOKED_AT = 100


def open_recording(
    path: str | PathLike[str], *, format: str = "auto", limits: Limits = LIMITS, skip_broken_lines: bool = False
) -> Recording:
    """The session recorded in the file ``path``, which may be gzip.

    Args:
        path: a JSON or JSON lines file, a text of a known kind, or a zip archive as Inspect writes it.
        format: ``auto``, or one of `FORMATS` to insist on it.
        limits: longest line and file, in bytes.
        skip_broken_lines: lines of a JSON lines file that cannot be read become ``skipped`` of kind ``torn``, instead of an error.

    Raises:
        UnknownFormat: the content is in no known format, or not in the one insisted on.
        UnknownSetting: ``format`` names none.
        UnusableInput: the file cannot be read; names file, line and remedy.
    """
    _check_is_known(format)
    path = fspath(path)
    blank: list[tuple[int, bytes]] = []
    lines = byte_lines(path, limits=limits)
    first = None
    for first in lines:
        if not first[1].isspace():
            break
        blank.append(first)
    if first is None or not first[1].strip():
        raise UnusableInput(f"{path}: the file is empty; name a recorded session")
    if first[1].startswith(MAGIC):
        return _opened_archive(path, format=format, limits=limits)
    if first[1].lstrip()[:1] in (b"{", b"["):
        return _opened_records(path, first, lines, format=format, skip_broken=skip_broken_lines)
    return _opened_text(path, chain(blank, [first], lines), format=format)


def _check_is_known(format: str) -> None:
    if format != "auto" and format not in FORMATS:
        near = difflib.get_close_matches(str(format), FORMATS, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise UnknownSetting(f"format {format!r} is not known; {hint}use auto, {', '.join(FORMATS)}")


def _opened_records(
    path: str, first: tuple[int, bytes], lines: Iterator[tuple[int, bytes]], *, format: str, skip_broken: bool
) -> Recording:
    kinds = [kind for kind in _KINDS if format in ("auto", kind.name)]
    torn: list[Skipped] = []
    records = _records(path, first, lines, torn=torn, skip_broken=skip_broken)
    looked_at: list[Line] = []
    for line in records:
        looked_at.append(line)
        kind = next((one for one in kinds if one.recognises(line[1])), None)
        if kind is not None:
            kind = _refined(kind, kinds, looked_at, records)
            recording = _read(kind, chain(looked_at, records), path=path)
            return replace(recording, skipped=(*recording.skipped, *torn))
        if len(looked_at) >= _RECORDS_LOOKED_AT:
            break
    if torn and not looked_at:
        raise unusable(path, "the JSON is cut off in the middle", line=torn[0].line, remedy="copy the file again from its source")
    raise UnknownFormat(f"{path}: not a recording that is known, it holds {_seen(looked_at)}; {_known(format)}")


def _refined(kind: _Kind, kinds: Iterable[_Kind], looked_at: list[Line], records: Iterator[Line]) -> _Kind:
    """The kind that is built on this one, if a record further on can only come from that."""
    finer = [one for one in kinds if one.refines == kind.name]
    while finer and len(looked_at) < _RECORDS_LOOKED_AT:
        found = next((one for one in finer if one.recognises(looked_at[-1][1])), None)
        if found is not None:
            return found
        following = next(records, None)
        if following is None:
            break
        looked_at.append(following)
    return kind


def _opened_text(path: str, lines: Iterator[tuple[int, bytes]], *, format: str) -> Recording:
    text = text_lines(path, lines)
    looked_at = list(islice(text, _LINES_LOOKED_AT))
    start = [line for _, line in looked_at]
    kind = next((one for one in _TEXT_KINDS if format in ("auto", one.name) and one.recognises(start)), None)
    if kind is None:
        number, line = next((one for one in looked_at if one[1].strip()), (1, ""))
        raise UnknownFormat(f"{path}, line {number}: not JSON, it starts with {line.strip()[:40]!a}; {_known(format)}")
    return _read(kind, chain(looked_at, text), path=path)


def _opened_archive(path: str, *, format: str, limits: Limits) -> Recording:
    if format not in ("auto", _INSPECT.name):
        raise UnknownFormat(f"{path}: a zip archive, which no {format} is; unpack it, or use {_INSPECT.name} if it is an {_INSPECT.title}")
    return _read(_INSPECT, archived(path, limits=limits), path=path)


def _read(kind: _Kind | _TextKind, records: Iterable[object], *, path: str) -> Recording:
    try:
        recording = kind.read(records, source=path)
    except RecursionError:
        raise unusable(path, "the JSON is nested too deeply", remedy="delete what is nested so") from None
    if not recording.messages:
        raise UnusableInput(f"{path}: looks like a {kind.title} but holds no message; name a recording with a conversation")
    return recording


def _records(
    path: str, first: tuple[int, bytes], lines: Iterator[tuple[int, bytes]], *, torn: list[Skipped], skip_broken: bool
) -> Iterator[Line]:
    """The records of the file: the lines of a JSONL file, the elements of a JSON array, or one JSON object."""
    number, data = first
    try:
        value = parsed(data.rstrip(b"\r\n"), path=path, line=number)
    except UnusableInput as problem:
        return _document(path, lines, first=first, problem=problem, torn=torn, skip_broken=skip_broken)
    if isinstance(value, list):
        return iter(enumerate(value, start=1))
    return chain([(number, value)], json_lines(path, lines, torn=torn, skip_broken=skip_broken))


def _document(
    path: str,
    lines: Iterator[tuple[int, bytes]],
    *,
    first: tuple[int, bytes],
    problem: UnusableInput,
    torn: list[Skipped],
    skip_broken: bool,
) -> Iterator[Line]:
    """The records of a JSON document written over several lines, whose first line is no JSON by itself."""
    number, data = first
    opening = data.strip()
    rest = next(lines, None)
    # A first line with more than an opening in it, followed by a whole object, is a damaged JSONL file rather than a document.
    if rest is not None and len(opening) > 1 and rest[1].lstrip()[:1] == b"{" and _is_whole(rest[1], path):
        if not skip_broken:
            raise going_on(problem)
        torn.append(broken(problem, path=path, line=number))
        return json_lines(path, chain([rest], lines), torn=torn, skip_broken=True)
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


def _seen(looked_at: Iterable[Line]) -> str:
    value = next((value for _, value in looked_at), None)
    if value is None:
        return "an empty list"
    if not isinstance(value, dict):
        return f"a list of {type(value).__name__} values"
    kind = f" of type {value['type'][:40]!r}" if isinstance(value.get("type"), str) else ""
    return f"an object{kind} with the keys {', '.join(ascii(str(key)[:30]) for key in list(value)[:8]) or '(none)'}"


def _known(format: str) -> str:
    return "known formats: " + ", ".join(f"{name} ({title})" for name, title in _TITLES.items() if format in ("auto", name))
