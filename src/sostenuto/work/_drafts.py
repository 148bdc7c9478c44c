"""Drafts: which paths they may have, and how much of them there may be (origin 9.1, issue Work)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from sostenuto.errors import UnusableInput
from sostenuto.work._numbers import NUMBERS

_SHOWN: Final = 100
_UNWRITABLE: Final = re.compile(r'[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff\\:*?"<>|]')
_RESERVED: Final = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?$", re.I)


@dataclass(frozen=True, slots=True)
class DraftLimits:
    """How much the drafts of one agent may take: bytes of one, how many, bytes of all."""

    file_bytes: int = 5 * 1024 * 1024
    files: int = 2_000
    total_bytes: int = 1024 * 1024 * 1024


def draft_path(path: object) -> str:
    """`path` as drafts are kept under it: relative, its parts joined by single slashes.

    Raises:
        UnusableInput: it cannot be one on every system; the text says why and what would work.
    """
    if not isinstance(path, str) or not path.strip():
        raise UnusableInput("a draft needs a path such as report/outline.md")
    shown = ascii(path[:80])[:_SHOWN]
    parts = path.strip().split("/")
    if len(path) > NUMBERS.draft_depth * (NUMBERS.draft_segment + 1) or len(parts) > NUMBERS.draft_depth:
        raise UnusableInput(f"{shown} is too deep or too long: at most {NUMBERS.draft_depth} parts of {NUMBERS.draft_segment} characters")
    for part in parts:
        why = _fault(part)
        if why:
            raise UnusableInput(f"{shown} cannot be the path of a draft: {why}; use one such as report/outline.md")
    return "/".join(parts)


def _fault(part: str) -> str:
    if not part:
        return "it begins or ends with a slash, or has two in a row"
    if part.startswith("."):
        return "a part begins with a dot"
    if part[-1] in ". " or part[0] == " ":
        return "a part begins or ends with a space, or ends with a dot"
    if len(part.encode("utf-8", "surrogatepass")) > NUMBERS.draft_segment:
        return f"a part has more than {NUMBERS.draft_segment} bytes"
    if _UNWRITABLE.search(part):
        return "it holds a character that no file name may have"
    return f"{part[:20]!a} is a name that some systems keep for devices" if _RESERVED.match(part) else ""


def too_large(limits: DraftLimits, *, path: str, size: int, files: int, total: int) -> str:
    """Why drafts may not come to this, "" where they may.

    Args:
        path: of the draft that is written.
        size: the bytes it would have.
        files: how many drafts there would be.
        total: the bytes all would have.
    """
    if size > limits.file_bytes:
        return f"{path} would have {size:,} bytes and {limits.file_bytes:,} is the most for one draft; nothing was written"
    if files > limits.files:
        return f"there would be {files:,} drafts and {limits.files:,} is the most; delete some first, nothing was written"
    if total > limits.total_bytes:
        return f"all drafts would have {total:,} bytes and {limits.total_bytes:,} is the most; delete some first, nothing was written"
    return ""


def clash(path: str, known: Iterable[str]) -> str:
    """Why a draft cannot stand at a path beside those there are, "" where it can: what is a draft is no folder too."""
    for other in known:
        if other.startswith(f"{path}/"):
            return f"{path} is a folder, of {other}; choose another path, nothing was written"
        if path.startswith(f"{other}/"):
            return f"{other} is a draft and cannot be a folder too; choose another path, nothing was written"
    return ""


def missing(path: str, known: Iterable[str]) -> str:
    """What to say where no draft is: the nearest, or that there are none."""
    listed = list(known)
    near = get_close_matches(path, listed, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else f"there are {len(listed):,}, list them" if listed else "there are none yet"
    return f"there is no draft {path}; {hint}"
