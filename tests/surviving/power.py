"""What a loss of power leaves of a data home: what was flushed, and of the rest as much or as little as the disk had got round to."""

from __future__ import annotations

import fcntl
import json
import os
import stat
from base64 import b64decode, b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

Amount = Literal["none", "half", "all"]
Change = dict[str, Any]
"""One change of the disk: what, at which path or of which file, and the data."""


def traced(trace: Path, *, home: Path) -> None:
    """From now on every change that this process makes below the home is written down, in their order."""
    tracer = _Tracer(os.open(trace, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), home=home)
    for name in ("open", "write", "fsync", "ftruncate", "mkdir", "unlink", "replace"):
        setattr(os, name, getattr(tracer, name))
    os.rename = tracer.replace  # type: ignore[assignment]


class _Tracer:
    """The calls that change the disk, each written down."""

    def __init__(self, out: int, *, home: Path) -> None:
        self._out, self._home = out, home
        self._folders: dict[int, str] = {}
        self._open, self._write, self._fsync, self._ftruncate = os.open, os.write, os.fsync, os.ftruncate
        self._mkdir, self._unlink, self._replace = os.mkdir, os.unlink, os.replace

    def _note(self, **change: Any) -> None:
        self._write(self._out, json.dumps(change).encode() + b"\n")

    def open(self, path: Any, flags: int, *args: Any, **more: Any) -> int:
        """A file that is made."""
        is_new = bool(flags & os.O_CREAT) and not os.path.lexists(path)
        handle = self._open(path, flags, *args, **more)
        status = os.fstat(handle)
        if stat.S_ISDIR(status.st_mode):
            self._folders[handle] = os.fspath(path)
        elif is_new and Path(path).is_relative_to(self._home):
            self._note(made=os.fspath(path), file=status.st_ino)
        return handle

    def write(self, handle: int, data: bytes) -> int:
        """Bytes of a file."""
        status = os.fstat(handle)
        if stat.S_ISREG(status.st_mode):
            appends = fcntl.fcntl(handle, fcntl.F_GETFL) & os.O_APPEND
            place = status.st_size if appends else os.lseek(handle, 0, os.SEEK_CUR)
            self._note(written=status.st_ino, place=place, data=b64encode(data).decode())
        return self._write(handle, data)

    def fsync(self, handle: int) -> None:
        """The bytes of a file, or the names in a folder, are safe."""
        self._fsync(handle)
        status = os.fstat(handle)
        self._note(**({"names": self._folders[handle]} if stat.S_ISDIR(status.st_mode) else {"flushed": status.st_ino}))

    def ftruncate(self, handle: int, size: int) -> None:
        """A file that is cut."""
        self._note(cut=os.fstat(handle).st_ino, size=size)
        self._ftruncate(handle, size)

    def mkdir(self, path: Any, *args: Any, **more: Any) -> None:
        """A folder that is made."""
        self._mkdir(path, *args, **more)
        self._note(folder=os.fspath(path))

    def unlink(self, path: Any, *args: Any, **more: Any) -> None:
        """A name that goes."""
        self._unlink(path, *args, **more)
        self._note(removed=os.fspath(path))

    def replace(self, path: Any, other: Any, *args: Any, **more: Any) -> None:
        """A name that takes the place of another."""
        self._replace(path, other, *args, **more)
        self._note(renamed=os.fspath(path), to=os.fspath(other))


class Disk:
    """A disk that was told of these changes, in their order."""

    def __init__(self, changes: Sequence[Change]) -> None:
        self._data: dict[int, bytearray] = {}
        self._safe: dict[int, bytes] = {}
        self._names: dict[str, int | None] = {}  # None for a folder
        self._safe_names: dict[str, int | None] = {}
        for change in changes:
            self._take(change)

    def _take(self, change: Change) -> None:
        if "made" in change:
            self._names[change["made"]] = change["file"]
            self._data[change["file"]] = bytearray()
            self._safe[change["file"]] = b""
        elif "folder" in change:
            self._names[change["folder"]] = None
        elif "removed" in change:
            self._names.pop(change["removed"], None)
        elif "renamed" in change and change["renamed"] in self._names:
            self._names[change["to"]] = self._names.pop(change["renamed"])
        elif "names" in change:
            self._safe_names = {path: file for path, file in self._safe_names.items() if os.path.dirname(path) != change["names"]}
            self._safe_names |= {path: file for path, file in self._names.items() if os.path.dirname(path) == change["names"]}
        else:
            self._change(change)

    def _change(self, change: Change) -> None:
        """Of the bytes of a file; one that was not made below the home is none of ours."""
        if change.get("flushed") in self._data:
            self._safe[change["flushed"]] = bytes(self._data[change["flushed"]])
        elif change.get("cut") in self._data:
            del self._data[change["cut"]][change["size"] :]
        elif change.get("written") in self._data:
            place, data = change["place"], b64decode(change["data"])
            self._data[change["written"]][place : place + len(data)] = data

    def left(self, home: Path, *, of: Path, data: Amount, names: Literal["none", "all"]) -> None:
        """Put into `home` what is left of the home that was at `of`: so much of the bytes, and of the names, that were not flushed."""
        home.mkdir(exist_ok=True)
        kept = self._names if names == "all" else self._safe_names
        for path, file in sorted(kept.items(), key=lambda pair: pair[0].count("/")):
            if not Path(path).is_relative_to(of):
                continue
            place = home / Path(path).relative_to(of)
            if not place.parent.is_dir():
                continue  # its folder is gone too
            place.mkdir(exist_ok=True) if file is None else place.write_bytes(self._bytes(file, data))

    def _bytes(self, file: int, amount: Amount) -> bytes:
        safe, now = self._safe[file], bytes(self._data[file])
        if amount == "all" or len(now) < len(safe) or not now.startswith(safe):
            return safe if amount == "none" else now
        return now[: len(safe) + {"none": 0, "half": (len(now) - len(safe)) // 2}[amount]]
