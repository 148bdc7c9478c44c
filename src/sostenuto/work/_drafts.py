"""Drafts: which paths they may have, and how much of them there may be (origin 9.1, issue Work). Wherever they lie, these rules hold."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from sostenuto.errors import UnusableInput
from sostenuto.work._numbers import NUMBERS

_SHOWN: Final = 80
_UNWRITABLE: Final = frozenset('<>:"|?*\\')
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_PORTS: Final = (*range(10), *"¹²³")
_DEVICES: Final = frozenset({"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in _PORTS)})


@dataclass(frozen=True, slots=True)
class DraftLimits:
    """How much the drafts of one agent may take: bytes of one, how many, bytes of all."""

    file_bytes: int = 5_000_000
    files: int = 2_000
    total_bytes: int = 1_000_000_000


def draft_path(path: object) -> str:
    """`path` in the one form under which its draft is kept: relative, a letter and its accent as one.

    Raises:
        UnusableInput: it cannot be one on every system; the text says why and what would work.
    """
    if not isinstance(path, str) or not path.strip():
        raise UnusableInput("a draft needs a path such as report/outline.md")
    if len(path) > NUMBERS.draft_depth * NUMBERS.draft_segment_bytes:
        raise _refused(path, f"it has {len(path):,} characters")
    one = unicodedata.normalize("NFC", path)
    parts = one.split("/")
    if len(parts) > NUMBERS.draft_depth:
        raise _refused(path, f"it has more than {NUMBERS.draft_depth} parts")
    if why := next(filter(None, map(draft_part_fault, parts)), ""):
        raise _refused(path, why)
    return one


def _refused(path: str, why: str) -> UnusableInput:
    shown = repr(path if len(path) <= _SHOWN else f"{path[:_SHOWN]}...")
    return UnusableInput(f"{shown} cannot be the path of a draft: {why}; use one such as report/outline.md")


def draft_part_fault(part: str) -> str:
    """Why one part of a path, a folder's name or the draft's, cannot be one; "" where it can."""
    if not part:
        return "it begins or ends with a slash, or has two in a row"
    if part[0] == "." or part[-1] == ".":
        return "a part begins or ends with a dot"
    if part != part.strip():
        return "a part begins or ends with a space"
    if len(part) > NUMBERS.draft_segment or len(part.encode("utf-8", "surrogatepass")) > NUMBERS.draft_segment_bytes:
        return f"a part has more than {NUMBERS.draft_segment} characters or {NUMBERS.draft_segment_bytes} bytes"
    if odd := next((letter for letter in part if letter in _UNWRITABLE or unicodedata.category(letter) in _UNSEEN), ""):
        return f"it holds the character {odd!a}, which no file name may have"
    return f"{part[:20]!r} is a name that Windows keeps for a device" if is_device(part) else ""


def is_device(name: str) -> bool:
    """Whether Windows keeps that name, or what stands before its first dot, for a device."""
    return name.partition(".")[0].rstrip(" ").lower() in _DEVICES


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
    for other in sorted(known):
        if other.startswith(f"{path}/"):
            return f"{path} is a folder, of {other}; choose another path, nothing was written"
        if path.startswith(f"{other}/"):
            return f"{other} is a draft and cannot be a folder too; choose another path, nothing was written"
    return ""


def missing(path: str, known: Iterable[str]) -> str:
    """What to say where no draft is: the nearest, or that there are none."""
    listed = sorted(known)
    near = [other for other in listed if other.rpartition("/")[2] == path.rpartition("/")[2]]
    near = near or get_close_matches(path, listed, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else f"there are {len(listed):,}, list them" if listed else "there are none yet"
    return f"there is no draft {path}; {hint}"
