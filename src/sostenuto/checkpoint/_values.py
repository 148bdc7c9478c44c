"""Exact values in running text: addresses, ids, hashes, amounts with units, error lines (D22). Linear in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sostenuto.checkpoint._numbers import NUMBERS

_UNITS = (
    "ms|us|µs|ns|s|sec|secs|seconds|min|minutes|h|hours|days|B|KB|kB|MB|GB|TB|KiB|MiB|GiB|bytes"
    "|tokens|rows|px|Hz|kHz|MHz|GHz|rpm|°C|km|kg|%"
)
_VALUE = re.compile(
    r"(?<![A-Za-z0-9_])(?=[A-Za-z0-9$€£])(?:"
    r"https?://[^\s\"'<>`\\)\]}]{4,300}"
    r"|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"
    r"|[0-9a-f]{7,64}\b"
    r"|[A-Z][A-Z0-9]{1,9}-[0-9]{1,8}\b"
    r"|[a-z][a-z0-9]{1,20}(?:[_-][A-Za-z0-9]{1,40}){1,5}\b"
    r"|[A-Z0-9]{5,20}\b"
    r"|[$€£][0-9][0-9,]{0,15}(?:\.[0-9]{1,6})?"
    rf"|(?<!\.)[0-9][0-9,]{{0,15}}(?:\.[0-9]{{1,6}})? ?(?:{_UNITS})(?![A-Za-z0-9_]))"
)
_ERROR = re.compile(r"Error|error:|error\[|Exception|FAILED|FAIL:|fatal:|panic:|Traceback|cannot |not found")
_DIGIT = re.compile(r"[0-9]")
_SPAN = re.compile(r"`([^`\n]{4,300})`")
_EDGES = " \t\r>*-#`'\"|"


def _is_exact(token: str) -> bool:
    # lower-case words joined by hyphens, plain numbers and plain capitals are language, not values
    return token.startswith("http") or (_DIGIT.search(token) is not None and not token.isdigit())


def tokens(text: str) -> Iterator[str]:
    """The exact values in `text`, in order, with repeats; only its head and tail are searched when it is very long."""
    for piece in _searched(text):
        for match in _VALUE.finditer(piece):
            token = match.group().rstrip(".,;:")
            if _is_exact(token):
                yield token


def error_lines(text: str) -> Iterator[str]:
    """Lines that report an error, without their indentation; at most 200 of them."""
    left = NUMBERS.error_lines
    for piece in _searched(text):
        at = 0
        while left and (match := _ERROR.search(piece, at)):
            start, end = piece.rfind("\n", at, match.start()) + 1, piece.find("\n", match.end())
            start, end = max(start, at), len(piece) if end < 0 else end
            stripped = piece[start:end].strip(_EDGES) if end - start <= 2 * NUMBERS.error else ""
            if len(stripped) >= 8:
                yield stripped
                left -= 1
            at = end + 1


def quoted(text: str) -> Iterator[str]:
    """Lines and code spans of `text` in the form `error_lines` gives, to see whether an error line is used again."""
    for piece in _searched(text):
        for line in piece.splitlines():
            if 8 <= len(line) <= 3 * NUMBERS.error:
                yield line.strip(_EDGES)
        for match in _SPAN.finditer(piece):
            yield match.group(1).strip(_EDGES)


def _searched(text: str) -> tuple[str, ...]:
    if len(text) <= NUMBERS.scan_head + NUMBERS.scan_tail:
        return (text,)
    return text[: NUMBERS.scan_head], text[-NUMBERS.scan_tail :]


def last_error(text: str) -> str:
    """The line of a failed result that says most: its last error line, else its last line; one line, bounded."""
    found = ""
    lines = [line.strip() for line in text[-NUMBERS.error_scan :].splitlines() if line.strip()]
    for line in reversed(lines):
        if _ERROR.search(line):
            found = line
            break
    chosen = found or (lines[-1] if lines else "")
    return chosen if len(chosen) <= NUMBERS.error else chosen[: NUMBERS.error - 1] + "…"
