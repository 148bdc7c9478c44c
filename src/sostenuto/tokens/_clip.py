"""Where to cut a text so that its two ends cost at most so many tokens, in linear time."""

from __future__ import annotations

from collections.abc import Callable

_CHUNK = 2_048  # characters weighed at a time: small enough to search in, large enough to be quick
_LINE_SHARE = 4  # a line end in the last quarter of a piece is near enough to cut at


def clipped(text: str, count: Callable[[str], int], /, *, head: int, tail: int) -> tuple[str, str]:
    """The two ends of `text`; see `Ruler.clip`. `count` gives the tokens of a text."""
    if len(text) <= _CHUNK and count(text) <= head + tail:
        return text, ""
    first = _longest(text, count, budget=head)
    if first == len(text):
        return text, ""
    rest = text[first:]
    last = _longest(rest, count, budget=tail, from_end=True)
    if last == len(rest):
        return text, ""
    return _to_line_end(text[: _whole_pair(text, first)]), _from_line_start(rest[_whole_pair(rest, len(rest) - last, forward=True) :])


def _longest(text: str, count: Callable[[str], int], *, budget: int, from_end: bool = False) -> int:
    """Characters of the longest start (or end) that costs at most `budget`: whole chunks first, then a search in one."""

    def piece(length: int) -> str:
        return text[len(text) - length :] if from_end else text[:length]

    length, spent = 0, 0
    while length < len(text) and spent <= budget:
        chunk = piece(min(length + _CHUNK, len(text)))
        chunk = chunk[: len(chunk) - length] if from_end else chunk[length:]
        cost = count(chunk)
        if spent + cost > budget:
            length += _searched(chunk, count, budget=budget - spent, from_end=from_end)
            break
        length, spent = length + len(chunk), spent + cost
    return _fitting(piece, count, length=length, budget=budget)


def _searched(chunk: str, count: Callable[[str], int], *, budget: int, from_end: bool) -> int:
    low, high = 0, len(chunk)
    while low < high:
        middle = (low + high + 1) // 2
        part = chunk[len(chunk) - middle :] if from_end else chunk[:middle]
        low, high = (middle, high) if count(part) <= budget else (low, middle - 1)
    return low


def _fitting(piece: Callable[[int], str], count: Callable[[str], int], *, length: int, budget: int) -> int:
    """Counting a whole may give a little more than counting its chunks: give way until it fits, a few percent at a time."""
    while length > 0 and count(piece(length)) > budget:
        length = min(length - 1, length * 31 // 32)
    return length


def _whole_pair(text: str, at: int, *, forward: bool = False) -> int:
    """A cut that does not part a high surrogate from the low one behind it."""
    if 0 < at < len(text) and "\ud800" <= text[at - 1] <= "\udbff" and "\udc00" <= text[at] <= "\udfff":
        return at + 1 if forward else at - 1
    return at


def _to_line_end(head: str) -> str:
    end = head.rfind("\n", len(head) - len(head) // _LINE_SHARE) + 1
    return head[:end] if end else head


def _from_line_start(tail: str) -> str:
    start = tail.find("\n", 0, len(tail) // _LINE_SHARE) + 1
    return tail[start:] if start else tail
