"""Files the commands write: whole or not at all, and never over something that is not ours."""

from __future__ import annotations

import json
import os
import shlex
import stat
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from sostenuto.errors import UnusableInput, reason

FOLDER_MODE, FILE_MODE = 0o700, 0o600
KEPT = ("transcript.jsonl", "edits.jsonl", "meta.json")
"""The files of a kept replay, the last one last: only with it is the folder complete."""
MARK = "sostenuto-kept-replay"
"""How the meta file of a kept replay names itself; without it a folder is somebody else's."""


def encoded(value: object) -> bytes:
    """`value` as one line of JSON in UTF-8; lone surrogates are written as escapes."""
    try:
        return json.dumps(value, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(value).encode() + b"\n"


def check_writable(path: Path, *, other_than: Path | None) -> None:
    """Raise UnusableInput where `path` cannot be written, click.UsageError where it is the input; called before the work."""
    if path.is_dir():
        raise UnusableInput(f"{path}: is a folder; name a file to write")
    folder = path.parent
    if not folder.is_dir():
        raise UnusableInput(f"{path}: the folder {folder} does not exist; create it or name another file")
    if other_than is not None and path.exists() and other_than.exists() and path.samefile(other_than):
        raise click.UsageError(f"{path}: is the file being read; name another file to write")
    special = path.exists() and not path.is_file()
    if special and not os.access(path, os.W_OK):
        raise UnusableInput(f"{path}: cannot be written (no permission); name a file in a folder you may write")
    if not special:
        _try_out(Path(os.path.realpath(path)).parent, name=path)


def write_lines(path: Path, values: Iterable[object], *, mode: int | None = None) -> None:
    """Write one JSON value a line, by a temporary neighbour that replaces `path` when everything is in it.

    A pipe or device is written straight. `mode` sets the file's permissions; without it the usual ones apply.
    """
    _write(path, map(encoded, values), mode=mode)


def write_page(path: Path, text: str) -> None:
    """Write a page in UTF-8, in the same way: whole or not at all."""
    _write(path, (text.encode(),), mode=None)


def _write(path: Path, chunks: Iterable[bytes], *, mode: int | None) -> None:
    try:
        _replace(Path(os.path.realpath(path)), chunks, mode=mode)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error  # never the temporary file's name


def _replace(target: Path, chunks: Iterable[bytes], *, mode: int | None) -> None:
    if target.exists() and not target.is_file():
        with target.open("wb") as stream:
            stream.writelines(chunks)
        return
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.writelines(chunks)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(name, _usual_mode(target) if mode is None else mode)
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def check_keepable(folder: Path, *, source: str) -> None:
    """Raise where a replay of `source` cannot be kept in `folder`.

    UnusableInput: it is no folder or cannot be written. click.UsageError: it holds foreign files, or the replay of another
    source, which would be lost.
    """
    if not folder.exists():
        parent = next(p for p in [folder.absolute(), *folder.absolute().parents] if p.exists())
        if not parent.is_dir():
            raise UnusableInput(f"{folder}: cannot be created ({parent} is no folder); name a folder you may write")
        _try_out(parent, name=folder)
        return
    if not folder.is_dir():
        raise UnusableInput(f"{folder}: is a file; name a folder for the transcript and its edits")
    if not any(folder.iterdir()):
        _try_out(folder, name=folder)
        return
    head = _head(folder)
    if head is None:
        raise click.UsageError(f"{folder}: holds files that are not a kept replay; name an empty or new folder")
    if head.get("source") != source:
        other = str(head.get("source") or "")
        raise click.UsageError(
            f"{folder}: keeps the replay of {other if os.path.isabs(other) else 'another session'}, which would be lost; "
            f"name another folder, or remove this one first: rm -r {shlex.quote(str(folder))}"
        )
    _try_out(folder, name=folder)


def keep(folder: Path, snapshot: Mapping[str, Any], *, source: str) -> None:
    """Leave a snapshot's transcript and edits in `folder` (0700, files 0600), replacing an earlier replay of `source` only."""
    check_keepable(folder, source=source)
    folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    folder.chmod(FOLDER_MODE)
    transcript, edits, meta = (folder / name for name in KEPT)
    rest = {name: value for name, value in snapshot.items() if name not in ("transcript", "edits")}
    counts = {"entries": len(snapshot["transcript"]), "edits": len(snapshot["edits"])}
    write_lines(transcript, snapshot["transcript"], mode=FILE_MODE)
    write_lines(edits, snapshot["edits"], mode=FILE_MODE)
    write_lines(meta, [{"kind": MARK, "source": source, **counts, "snapshot": rest}], mode=FILE_MODE)


def kept(folder: Path) -> dict[str, Any]:
    """The snapshot that `keep` left in `folder`.

    Raises UnusableInput naming the file, the line and the remedy where it is missing or damaged.
    """
    command = f"sostenuto replay FILE --keep {shlex.quote(str(folder))}"
    if not folder.is_dir():
        raise UnusableInput(f"{folder}: no such folder; make one with: {command}")
    missing = [name for name in KEPT if not (folder / name).is_file()]
    if missing:
        raise UnusableInput(f"{folder}: no kept replay ({missing[0]} is missing); make one with: {command}")
    transcript, edits, meta = (folder / name for name in KEPT)
    heads = _read(meta)
    head = heads[0] if heads else None
    if not isinstance(head, dict) or head.get("kind") != MARK or not isinstance(head.get("snapshot"), dict):
        raise UnusableInput(f"{meta}: not written by sostenuto replay --keep; run the replay again")
    snapshot = {**head["snapshot"], "transcript": _read(transcript), "edits": _read(edits)}
    for path, name, expected in ((transcript, "transcript", head.get("entries")), (edits, "edits", head.get("edits"))):
        if len(snapshot[name]) != expected:
            raise UnusableInput(f"{path}: has {len(snapshot[name])} records where {expected} were kept; run the replay again")
    return snapshot


def _read(path: Path) -> list[Any]:
    values = []
    with path.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            try:
                values.append(json.loads(line))
            except (ValueError, RecursionError):
                raise UnusableInput(f"{path} line {number}: not JSON; run sostenuto replay --keep again") from None
    return values


def _head(folder: Path) -> dict[str, Any] | None:
    """What the meta file of a kept replay says; None where the folder is somebody else's."""
    try:
        heads = _read(folder / KEPT[-1])
    except (OSError, UnusableInput):
        return None
    return heads[0] if len(heads) == 1 and isinstance(heads[0], dict) and heads[0].get("kind") == MARK else None


def _try_out(folder: Path, *, name: Path) -> None:
    """Make and remove a file in `folder`: permissions alone do not tell. Raises UnusableInput naming `name`."""
    try:
        handle, made = tempfile.mkstemp(prefix=".sostenuto-", dir=folder)
    except OSError as error:
        why = "no permission" if isinstance(error, PermissionError) else reason(error)
        raise UnusableInput(f"{name}: cannot be written in {folder} ({why}); name a place you may write") from None
    os.close(handle)
    os.unlink(made)


def _usual_mode(path: Path) -> int:
    """The mode an existing file has, else what the process's mask leaves of 0666."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
