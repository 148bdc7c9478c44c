"""Texts in files: how they are encoded, and how they are written so that a failure leaves the old file whole."""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from sostenuto.errors import ToolFailed
from sostenuto.results import Provenance
from sostenuto.tools._paths import Place, placed, shown_path
from sostenuto.tools._tool import Assessed, Risk, Touched

LARGEST_EDIT = 10 * 1024 * 1024
"""Bytes of a file that may be edited: it is read whole."""
SAMPLE = 65_536
"""Bytes from the start of a file by which its encoding is told."""
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"))
_WIDE_MARKS = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


@dataclass(frozen=True, slots=True)
class Written:
    """How a file is written: its encoding and the mark at its start (b"" for none)."""

    encoding: str = "utf-8"
    mark: bytes = b""


def written(sample: bytes) -> Written | None:
    """How a file is written, by its first bytes; None where it is no text."""
    for mark, encoding in _MARKS + _WIDE_MARKS:
        if sample.startswith(mark):
            return Written(encoding, mark)
    if b"\0" in sample:
        return None
    for encoding in ("utf-8", "cp1252"):
        try:
            codecs.getincrementaldecoder(encoding)().decode(sample)
            return Written(encoding)
        except UnicodeDecodeError:
            continue
    return Written("latin-1")


def regular(place: Place, *, root: Path) -> os.stat_result:
    """What the system says of a file that is there and is a file.

    Raises:
        ToolFailed: it is missing, a folder, or something that is no file.
    """
    shown = shown_path(place.real, root=root)
    try:
        found = place.real.stat()
    except OSError as error:
        raise ToolFailed(f"{shown} cannot be read ({_why(error)}); look with list_files or find_files") from None
    if stat.S_ISDIR(found.st_mode):
        raise ToolFailed(f"{shown} is a folder; list_files shows what is in it")
    if not stat.S_ISREG(found.st_mode):
        raise ToolFailed(f"{shown} is no regular file (a device, a pipe or a socket) and is not opened")
    return found


def text_in(place: Place, *, root: Path) -> tuple[str, Written]:
    """The whole text of a file, line ends as they are, and how it is written.

    Raises:
        ToolFailed: it cannot be read, is no text, or is too large to be edited.
    """
    size = regular(place, root=root).st_size
    shown = shown_path(place.real, root=root)
    if size > LARGEST_EDIT:
        raise ToolFailed(f"{shown} has {size:,} bytes; files up to {LARGEST_EDIT:,} can be edited. Change it with a command")
    try:
        raw = place.real.read_bytes()
    except OSError as error:
        raise ToolFailed(f"{shown} cannot be read ({_why(error)})") from None
    how = written(raw[:SAMPLE])
    if how is None:
        raise ToolFailed(f"{shown} is binary ({size:,} bytes) and cannot be edited as text")
    for encoding in dict.fromkeys((how.encoding, "cp1252", "latin-1")):
        try:
            return raw[len(how.mark) :].decode(encoding), Written(encoding, how.mark)
        except UnicodeDecodeError:
            if how.mark:
                break
    raise ToolFailed(f"{shown} starts as {how.encoding} but is not that throughout; it is not edited, so that nothing in it breaks")


def put_text(place: Place, text: str, *, root: Path, how: Written) -> None:
    """Write a file whole, beside the old one first, so that a failure leaves the old one as it was. Its mode stays.

    Raises:
        ToolFailed: it cannot be written, or its encoding has no such letter.
    """
    shown = shown_path(place.real, root=root)
    try:
        raw = how.mark + text.encode(how.encoding)
    except UnicodeEncodeError as error:
        letter = text[error.start]
        raise ToolFailed(
            f"{shown} is written in {how.encoding}, which has no {letter!a} (character {error.start:,}); leave it out"
        ) from None
    beside = place.real.parent / f".{place.real.name[:40]}.{uuid4().hex[:12]}"
    try:
        place.real.parent.mkdir(parents=True, exist_ok=True)
        mode = stat.S_IMODE(place.real.stat().st_mode) if place.real.exists() else None
        with beside.open("xb") as file:
            file.write(raw)
        if mode is not None:
            beside.chmod(mode)
        beside.replace(place.real)
    except OSError as error:
        with suppress(OSError):
            beside.unlink()
        raise ToolFailed(f"{shown} cannot be written ({_why(error)}); it is as it was") from None


def assessed_path(arguments: Mapping[str, Any], *, root: Path, risk: Risk, default: str = "") -> Assessed:
    """How dangerous it is to go to the path of a call: outside the working directory it is high, and writing into ``.git`` is too.

    Raises:
        ToolFailed: no file can have such a path.
    """
    place = placed(str(arguments.get("path", default)), root=root)
    if not place.inside:
        through = " through a link" if _looks_inside(place.given, root) else ""
        return Assessed(
            "high-risk", f"{place.given} leads{through} to {place.real}, outside the working directory", frozenset([place.grant])
        )
    if risk != "read-only" and ".git" in (part.lower() for part in place.real.relative_to(root.resolve()).parts):
        return Assessed("high-risk", f"{place.given} is in the repository's own folder, where files can become commands")
    return Assessed(risk)


def _looks_inside(given: str, root: Path) -> bool:
    plain, home = os.path.normpath(root.resolve() / given), str(root.resolve())
    return plain == home or plain.startswith(home + os.sep)


def touched_path(arguments: Mapping[str, Any], *, root: Path, writes: bool) -> Touched:
    """What a call with a path touches.

    Raises:
        ToolFailed: no file can have such a path.
    """
    names = frozenset([str(placed(str(arguments.get("path", "")), root=root).real)])
    return Touched(writes=names) if writes else Touched(reads=names)


def source_of(place: Place) -> Provenance | None:
    """Whose words a file holds: those of a file inside are the project's own, one outside is a stranger."""
    return None if place.inside else Provenance("local-file", str(place.real))


def _why(error: OSError) -> str:
    return error.strerror or type(error).__name__
