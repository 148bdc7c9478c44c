"""What does a client's exception say of a refused request, and how small must the next one be? A thin reader above `window.refused`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from sostenuto.errors import UnusableInput
from sostenuto.tokens import usage_of
from sostenuto.window import Refusal, cut_off, refused

_CAUSES: Final = 4  # exceptions that wrap one another
_WORDS: Final = 50_000  # characters of an exception's own text
_BODIES: Final = ("body", "details", "error", "response")  # of openai, anthropic, mistral; google; ollama; botocore, httpx, requests
_CONTENTS: Final = ("text", "content")
_STATUSES: Final = ("status_code", "status", "code", "http_status")
_REASONS: Final = ("finish_reason", "stop_reason", "done_reason", "finishReason", "stopReason")
_STATUS_LINE: Final = re.compile(
    r"\W*(?:client error|http error)?\W*4\d\d\W{1,3}(?:bad request|(?:request entity|payload|content) too large)", re.IGNORECASE
)
"""The words of an exception that repeats the status line of an answer: what the answer itself says was read before."""
_MARGIN: Final = 0.98
"""Part of what would just fit by the provider's own count: the shares of a request do not shrink quite alike."""
_OUTPUT_SHARE: Final = 8  # where the output leaves less than an eighth of the window, no history is short enough

_INSTEAD: Final = {
    "output": "that too much output is asked for: ask for less",
    "rate": "that a rate limit or quota is used up: wait, or ask for more of it",
    "image": "that an image is too large: send a smaller one",
    "malformed": "that the history is malformed: send the messages as prepare returns them, which repairs what is broken",
    "temporary": "that the server cannot answer now: send the same request again later",
}
"""Kind of refusal that no shorter history cures -> what it says, and the remedy."""


def evidence(error: object, *, maximum: int | None, fill: float, window: int) -> Refusal:
    """What shows that a request was too long: an error, an answer cut off at the window's end, or the word of the caller.

    A refusal of the history as malformed is evidence too: another request can be made for it (D19).

    Args:
        error: what came back; None where the caller only knows that the request was refused.
        maximum: tokens the model takes, where the caller knows; it stands above one that an error states.
        fill: the refused request, its output included, as a share of the window.
        window: tokens of the window in force.

    Raises:
        UnusableInput: it shows something else, or nothing; the error's words and the remedy are named (B033).
    """
    found = refusal(error, fill=fill)
    if error is None or (not _is_overflow(found) and stopped_at_edge(error, window)):
        return Refusal("tokens", limit=maximum)
    if found is not None and found.kind == "malformed":
        return found
    if found is not None and found.is_overflow:
        return replace(found, limit=maximum) if maximum is not None and found.kind == "tokens" else found
    raise UnusableInput(
        f"this error does not say that the request was too long{_instead(found)}: {str(error)[:300]}; if you know that it was, "
        "call recover() without the error, or with maximum="
    )


def refusal(error: object, *, fill: float | None = None) -> Refusal | None:
    """What an exception of any client, a response, a body or a text says of a refusal; None where it says nothing. Never raises.

    An exception's body and status count first, then its own words, then what caused it.

    Args:
        error: of openai, anthropic, google, botocore, httpx and their like, or what came over the wire.
        fill: the estimate of the refused request as a share of the window (see `sostenuto.window.refused`).
    """
    try:
        return _first(error, fill=fill)
    except Exception:  # an object may raise on any attribute; an error is never worth a second one
        return None


def overflow(error: object, *, fill: float | None = None) -> Refusal | None:
    """`refusal`, where it says that the request was too long, else None."""
    found = refusal(error, fill=fill)
    return found if _is_overflow(found) else None


def stopped_at_edge(reply: object, window: int) -> bool:
    """True if an answer was cut off because the window was full: it says so, or prompt and answer fill the window (B075)."""
    found = usage_of(reply)
    tokens = (found.input, found.output) if found is not None else (None, None)
    try:
        return any(cut_off(reason, input=tokens[0], output=tokens[1], window=window) for reason in _finish(reply))
    except Exception:  # as above
        return False


def fitting(found: Refusal, *, estimate: int, otherwise: float) -> int:
    """Tokens by our own count that the next request may have (D19): the provider's figures where it gave them, else a share.

    Args:
        found: an overflow.
        estimate: tokens of the refused request.
        otherwise: the share of it to aim at where nothing better is known.
    """
    if found.share:
        return max(1, min(estimate - 1, int(_MARGIN * found.share * estimate), found.limit or estimate))
    if found.limit is not None and found.kind == "tokens" and found.limit < estimate:
        return found.limit
    return max(1, int(otherwise * estimate))


def lowered_output(found: Refusal, *, asked: int | None, estimate: int, least: int, line: float) -> int | None:
    """The output to ask for next, where lowering it comes before cutting the history (D6); None where the history alone gives way.

    Args:
        found: an overflow.
        asked: the output the caller stated; if it stated none, it may send its own again, and a shorter history is the surer cure.
        estimate: tokens of the refused request by our count.
        least: tokens the output is never lowered below.
        line: share of what is left for the input from which a compaction would follow.
    """
    if found.kind != "tokens" or found.is_lower_bound or found.limit is None or found.input is None or found.output is None:
        return None
    is_hopeless = (found.limit - found.output) * _OUTPUT_SHARE < found.limit
    if not asked and not is_hopeless:
        return None
    most = found.limit - int(max(found.input, estimate) / line) - 1
    if most >= least:
        return min(most, asked or most)
    return least if is_hopeless else None


def _is_overflow(found: Refusal | None) -> bool:
    return found is not None and found.is_overflow


def _instead(found: Refusal | None) -> str:
    """What an error says instead, with the remedy."""
    if found is None or found.kind not in _INSTEAD:
        return ""
    most = f"; the most is {found.limit:,}" if found.kind == "output" and found.limit else ""
    return f" but {_INSTEAD[found.kind]}{most}"


def _first(error: object, *, fill: float | None) -> Refusal | None:
    best: Refusal | None = None
    for _ in range(_CAUSES):
        for body, status in _readings(error):
            # what said something else is not silent, whatever is read after it
            found = refused(body, status=status, fill=fill if best is None else None)
            if found is not None and found.kind != "other":
                return found
            best = best or found
        error = getattr(error, "__cause__", None)
        if error is None:
            break
    return best


def _readings(error: object) -> Iterator[tuple[object, int | None]]:
    """What can be read of one error, the surest first, with its status."""
    if error is None or isinstance(error, Mapping | str | bytes | bytearray | list | tuple):
        yield error, None
        return
    status, bodies = _status(error), list(_bodies(error))
    name = {"exception": type(error).__name__} if isinstance(error, BaseException) else {}
    if bodies:
        yield [*bodies, name] if name else bodies, status
    if isinstance(error, BaseException):
        words = _words(error)
        yield ([name, {"message": words}] if words else None), status
    elif status is not None and not bodies:
        yield None, status


def _bodies(error: object) -> Iterator[object]:
    for name in _BODIES:
        value = getattr(error, name, None)
        if isinstance(value, Mapping | list | tuple | str | bytes):
            if value:
                yield value
        elif value is not None:
            yield from _contents(value)
    if not isinstance(error, BaseException):
        yield from _contents(error)


def _contents(response: object) -> Iterator[object]:
    for name in _CONTENTS:
        try:
            value = getattr(response, name, None)
        except Exception:  # a stream that was not read, or is closed
            continue
        if isinstance(value, str | bytes):
            if value:
                # in braces, so that it is taken for a body whatever the status
                yield {"message": value}
            return


def _words(error: BaseException) -> str:
    message = getattr(error, "message", None)
    words = (message if isinstance(message, str) and message else str(error))[:_WORDS]
    return "" if _STATUS_LINE.match(words) else words


def _status(error: object) -> int | None:
    for holder in (error, getattr(error, "response", None)):
        for name in _STATUSES:
            value = getattr(holder, name, None)
            if isinstance(value, int) and not isinstance(value, bool) and 100 <= value < 600:
                return int(value)
    return None


def _finish(reply: object) -> Iterator[object]:
    holders = [reply, _field(reply, "incomplete_details")]
    for name in ("choices", "candidates"):
        listed = _field(reply, name)
        holders += listed[:8] if isinstance(listed, list | tuple) else ()
    for holder in holders:
        for name in (*_REASONS, "reason"):
            reason = _field(holder, name)
            if reason is not None:
                yield reason


def _field(holder: object, name: str) -> Any:
    return holder.get(name) if isinstance(holder, Mapping) else getattr(holder, name, None)
