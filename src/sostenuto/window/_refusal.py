"""What does a provider's refusal say? Too many tokens or bytes, or something no shorter history would cure (D9, B033)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, TypeVar

from sostenuto.window._refusal_wordings import CODES, FIELDS, FIGURES, LOWER_BOUND, PHRASED, WORDINGS, Kind

_T = TypeVar("_T")
_DEPTH: Final = 8
_NODES: Final = 2_000  # values looked at, all in all
_WIDTH: Final = 32  # members from either end of one container
_READ: Final = 60_000  # characters of all texts together
_HEAD, _TAIL = 8_000, 4_000  # characters of one text that are read
_PARSED: Final = 1_000_000  # characters parsed as JSON, all in all
_LEAST, _MOST = 64, 10**9  # a figure outside is an error number or a slip, never a window

_TOO_LARGE: Final = 413
_LIMITED: Final = 429
_FAULT: Final = 500
_DENIED: Final = frozenset((401, 402, 403, 404, 405, 407))
_SPOKEN_OF: Final = frozenset((400, 413, 422))
_MAYBE_TOO_LONG: Final = frozenset((400, 413))
_CLOSE: Final = 0.75
"""Share of the window from which a bare 400 or 413 is taken to say that the request was too long: estimates err by up to a sixth."""
_EDGE: Final = 0.97
"""Share of the window from which an answer that stopped for length is taken to have run into the window's end (B075)."""
_NEAR: Final = 0.9
"""The same for an answer without a word: the prompt alone was near the budget."""
_FOR_LENGTH: Final = frozenset(("length", "maxtokens", "maxoutputtokens", "limit"))
_OUT_OF_WINDOW: Final = frozenset(("modelcontextwindowexceeded",))

_CODED: Final = frozenset(
    (
        "code", "type", "status", "reason", "error_type", "error_code", "__type", "finish_reason", "native_finish_reason",
        "stop_reason", "finishreason", "stopreason", "done_reason", "exception",
    )
)  # fmt: skip
_STATUSES: Final = ("status_code", "statuscode", "httpstatuscode", "status", "code")
_ECHOED: Final = frozenset(
    (
        "content", "text", "reasoning", "reasoning_content", "thinking", "tool_calls", "function_call", "arguments", "parts", "delta",
        "output", "input", "messages", "prompt", "instructions", "system", "tools", "headers",
    )
)  # fmt: skip
"""What a model, a person or the caller said: it may quote an error, and is none."""
_BARE: Final = re.compile(r"\W*(?:(?:http|error|status|code)\W{1,3}){0,3}\d{3}(?: status code)?(?: ?\(?no body\)?)?\W*", re.IGNORECASE)
_MIXED: Final = re.compile(r"[^a-z0-9]")


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a refusal says; figures in tokens (in bytes for `kind` "bytes") as stated, None where unknown.

    Attributes:
        kind: ``"tokens"``, ``"bytes"``: the request was too long. ``"output"``: more output was asked for than the model gives.
            ``"rate"``: too much in too short a time, or a quota is used up. ``"image"``: one image is too large. ``"malformed"``: the
            history is not of the shape the wire demands. ``"temporary"``: the server is loading, busy or at fault. ``"other"``.
        limit: what the model takes; for "output" the most it gives.
        requested: what it was asked to take: the input, or input and output together.
        input, output: the two where both were counted, ``output`` alone for "output".
        is_lower_bound: the count of the input is where the server stopped counting: never to be learned from.
    """

    kind: Kind
    limit: int | None = None
    requested: int | None = None
    input: int | None = None
    output: int | None = None
    is_lower_bound: bool = False

    @property
    def is_overflow(self) -> bool:
        """A shorter history would have been taken."""
        return self.kind in ("tokens", "bytes")

    @property
    def spare(self) -> int | None:
        """Output tokens that fit beside the whole input; None unless lowering the output alone is known to cure the refusal (D6)."""
        if self.kind != "tokens" or self.is_lower_bound or self.limit is None or self.input is None or self.output is None:
            return None
        return self.limit - self.input if self.limit > self.input else None

    @property
    def share(self) -> float | None:
        """The part of the input that fits beside the output asked for, by the provider's own count; None where it gave none."""
        if self.kind != "tokens" or self.is_lower_bound or self.limit is None:
            return None
        if self.input is not None and self.output is not None:
            return max(0, self.limit - self.output) / self.input
        counted = self.requested or self.input
        return self.limit / counted if counted else None


def refused(body: object, /, *, status: int | None = None, fill: float | None = None) -> Refusal | None:
    """Reads the body of an answer; None where neither it nor the status says that a request was refused.

    Structured codes come first, then the table of wordings, then the status (D9). What a model or a person said is not read. Takes
    mappings, lists, text, JSON and event streams as text or bytes, one inside the other; time is bounded whatever is handed over.

    Args:
        body: what came back, None if nothing.
        status: the HTTP status; default: the one the body names.
        fill: the estimate of the request as a share of the window. A 400 or 413 without a word is an overflow only if this is close to 1.
    """
    said = _Said()
    is_fine = status is not None and status < 400
    if not (is_fine and isinstance(body, str | bytes | bytearray) and _is_plain(body)):
        said.take(body)
    status = status if status is not None else said.status
    kind = _kind(said, status, fill=fill)
    return None if kind is None else _figured(kind, said)


def cut_off(finish: object, /, *, input: int | None = None, output: int | None = None, window: int | None = None) -> Refusal | None:
    """Did the window end an answer that came with a 200? None if it did not, or nobody can know.

    Args:
        finish: the reason the provider gives for the end of the answer.
        input, output: tokens it reports.
        window: tokens of the window in force.
    """
    reason = _squeezed(str(getattr(finish, "value", finish))[:80])
    found = Refusal("tokens", input=input, output=output)
    if reason in _OUT_OF_WINDOW:
        return found
    if reason not in _FOR_LENGTH or input is None or not window:
        return None
    if not output:
        return found if input >= _NEAR * window else None
    return found if input + output >= _EDGE * window else None


def _kind(said: _Said, status: int | None, *, fill: float | None) -> Kind | None:
    coded = {CODES[code] for code in said.codes if code in CODES}
    if status == _LIMITED or "rate" in coded:
        return "rate"
    if "tokens" in coded:
        return "tokens"
    if status in _DENIED:
        return "other"
    is_readable = status is None or status < 400 or status in _SPOKEN_OF
    for kind, words in WORDINGS:
        if (is_readable or kind not in PHRASED) and any(words.search(text) for text in said.texts):
            return kind
    if "bytes" in coded or (status == _TOO_LARGE and said.texts):
        return "bytes"
    if "temporary" in coded or (status is not None and status >= _FAULT):
        return "temporary"
    if status is None or status < 400:
        return None
    is_silent = not said.texts and not said.codes
    return "tokens" if is_silent and status in _MAYBE_TOO_LONG and fill is not None and fill >= _CLOSE else "other"


def _figured(kind: Kind, said: _Said) -> Refusal:
    found = dict(said.fields) if kind == "tokens" else {}
    for name, places in FIGURES.get(kind, {}).items():
        if name not in found and (number := _first(said.texts, places)) is not None:
            found[name] = number
    is_lower_bound = kind == "tokens" and any(LOWER_BOUND.search(text) for text in said.texts)
    if kind == "tokens":
        found = _consistent(found)
    return Refusal(kind, **found, is_lower_bound=is_lower_bound)


def _consistent(found: dict[str, int]) -> dict[str, int]:
    """Figures that contradict the refusal are not its figures: what was asked for must be more than the limit."""
    if "output" in found and "input" not in found and found.get("requested", 0) > found["output"]:
        found["input"] = found["requested"] - found["output"]  # several kinds of input, listed one by one
    if found.get("input") == found.get("requested") and "output" in found:
        found.pop("requested", None)  # one and the same number, read twice
    asked = found.get("requested") or found.get("input", 0) + found.get("output", 0)
    if "limit" in found and 0 < asked <= found["limit"] and ("requested" in found or "output" in found):
        return {}
    return found


def _first(texts: list[str], places: tuple[re.Pattern[str], ...]) -> int | None:
    for place in places:
        for text in texts:
            met = place.search(text)
            if met is not None and (number := _believed(int(re.sub("[,_]", "", met.group(1))))) is not None:
                return number
    return None


def _believed(number: int) -> int | None:
    return number if _LEAST <= number <= _MOST else None


@dataclass(slots=True)
class _Said:
    """What a body says, gathered on one bounded walk: its codes, its texts, its figures in fields, the status it names."""

    codes: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    fields: dict[str, int] = field(default_factory=dict)
    status: int | None = None
    status_depth: int = _DEPTH + 1
    nodes: int = _NODES
    parsed: int = _PARSED
    unread: int = _READ

    def take(self, value: object, *, key: str = "", depth: int = 0) -> None:
        """Gathers from a value that stood under `key`, so many containers deep."""
        self.nodes -= 1
        if self.nodes < 0:
            return
        if isinstance(value, str):
            self._take_text(value, key=key, depth=depth)
        elif isinstance(value, bytes | bytearray):
            self._take_text(value[:_PARSED].decode("utf-8", "replace"), key=key, depth=depth)
        elif isinstance(value, int):
            self._take_number(value, key=key, depth=depth)
        elif isinstance(value, Mapping) and depth < _DEPTH:
            self._take_members(value, depth=depth)
        elif isinstance(value, list | tuple) and depth < _DEPTH:
            for item in _ends(value):
                self.take(item, key=key, depth=depth + 1)

    def _take_members(self, value: Mapping[object, object], *, depth: int) -> None:
        is_answer = "done" in value or "choices" in value
        for name, inner in islice(value.items(), 2 * _WIDTH):
            key = name.lower() if isinstance(name, str) and len(name) <= _WIDTH else ""
            if key not in _ECHOED and not (is_answer and key == "response"):
                self.take(inner, key=key, depth=depth + 1)

    def _take_number(self, value: int, *, key: str, depth: int) -> None:
        if isinstance(value, bool):
            return
        if key in FIELDS and _believed(value) is not None:
            self.fields.setdefault(FIELDS[key], value)
        elif key in _STATUSES and 400 <= value < 600 and depth < self.status_depth:
            self.status, self.status_depth = value, depth

    def _take_text(self, text: str, *, key: str, depth: int) -> None:
        if key in _CODED and len(text) <= 80 and " " not in text.strip():
            if text.isascii() and text.isdigit() and len(text) == 3:
                self._take_number(int(text), key=key, depth=depth)
            elif (code := _squeezed(text)) in CODES or (code and key != "exception"):  # most exceptions are called after nothing
                self.codes.append(code)
            return
        if key == "status":
            return  # the phrase that goes with a status
        plain, values = self._unfolded(text[:_PARSED])
        for value in values:
            self.take(value, depth=depth)
        if len(plain) > _HEAD + _TAIL:
            plain = plain[:_HEAD] + "\n" + plain[-_TAIL:]
        if len(plain) <= self.unread and plain.strip() and _BARE.fullmatch(plain[:100]) is None:
            self.texts.append(plain)
            self.unread -= len(plain)

    def _unfolded(self, text: str) -> tuple[str, list[object]]:
        """The words of a text, and the JSON in it: all of it, a line each as in an event stream, or behind an introduction."""
        bare = text.strip()
        if bare[:1] in ("{", "[", '"') and (whole := self._json(bare)) is not None:
            return "", [whole]
        values: list[object] = []
        plain: list[str] = []
        for line in _ends(bare.splitlines()):
            is_event = line.startswith("data:")
            inner = line.removeprefix("data:").strip()
            value = self._json(inner) if inner[:1] == "{" or inner[:2] == "[{" else None
            if value is not None:
                values.append(value)
            elif not is_event:
                plain.append(line)
        if values:
            return "\n".join(plain), values
        at = bare.find("{")
        value = self._json(bare[at:], is_begin=True) if at >= 0 else None
        return (bare[:at], [value]) if isinstance(value, dict) and value else (text, [])

    def _json(self, text: str, *, is_begin: bool = False) -> object:
        """The value of a JSON text, or of its beginning; None if it has none or enough was parsed already."""
        if len(text) > self.parsed:
            return None
        self.parsed -= len(text)
        try:
            return json.JSONDecoder().raw_decode(text)[0] if is_begin else json.loads(text)
        except (ValueError, RecursionError):
            return None


def _ends(items: Sequence[_T]) -> Iterator[_T]:
    yield from items[:_WIDTH]
    yield from items[max(_WIDTH, len(items) - _WIDTH) :]


def _is_plain(body: str | bytes | bytearray) -> bool:
    """Text that is neither JSON nor an event stream: behind a 200 it is an answer."""
    start = body[:200].decode("utf-8", "replace") if isinstance(body, bytes | bytearray) else body[:200]
    return not start.lstrip().startswith(("{", "[", "data:", "event:"))


def _squeezed(code: str) -> str:
    return _MIXED.sub("", code.lower())
