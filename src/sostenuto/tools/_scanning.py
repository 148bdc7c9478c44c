"""Looking for a pattern in files, as a program of its own: a pattern that never comes to an end can be stopped that way.

Reads one JSON object from standard input (`main` names its fields). Writes lines as ripgrep does with ``--null``: the path, a NUL, the
number of the line, a colon, the line. Status 2 and a line on standard error where the pattern is none. Imports nothing of this package,
so that it starts at once.
"""

from __future__ import annotations

import codecs
import contextlib
import fnmatch
import json
import os
import re
import sys
from collections.abc import Iterator
from typing import BinaryIO

_WIDE = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def main() -> int:
    """Carry out the request on standard input; the exit status."""
    asked = json.load(sys.stdin)
    flags = re.MULTILINE | (re.IGNORECASE if asked["ignore_case"] else 0)
    try:
        pattern = re.compile(re.escape(asked["pattern"]) if asked["literal"] else asked["pattern"], flags)
    except (re.error, OverflowError, RecursionError) as error:
        print(f"{error}", file=sys.stderr)
        return 2
    out = sys.stdout.buffer
    for path in _files(asked["top"], asked["glob"], frozenset(asked["passed_over"])):
        _scan(path, pattern, asked["largest"], out)
    out.flush()
    return 0


def _files(top: str, glob: str, passed_over: frozenset[str]) -> Iterator[str]:
    """The files at or below `top` whose name fits, by their paths; links are not followed."""
    if os.path.isfile(top):
        yield top
        return
    waiting = [top]
    while waiting:
        path = waiting.pop()
        name = os.path.basename(path)
        if path == top or (os.path.isdir(path) and not os.path.islink(path)):
            if path == top or name not in passed_over:
                with contextlib.suppress(OSError):
                    waiting += [os.path.join(path, entry) for entry in sorted(os.listdir(path), reverse=True)]
        elif os.path.isfile(path) and not os.path.islink(path) and (not glob or fnmatch.fnmatchcase(name, glob)):
            yield path


def _scan(path: str, pattern: re.Pattern[str], largest: int, out: BinaryIO) -> None:
    try:
        if os.path.getsize(path) > largest:
            return
        with open(path, "rb") as file:
            raw = file.read()
    except OSError:
        return
    wide = next((name for mark, name in _WIDE if raw.startswith(mark)), "")
    if not wide and b"\0" in raw:
        return
    text = raw.decode(wide or "utf-8", "surrogateescape" if not wide else "replace").removeprefix("\ufeff")
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else [], start=1):
        if pattern.search(line):
            head = f"{path}\0{number}:"
            out.write((head + line + "\n").encode("utf-8", "surrogateescape"))


if __name__ == "__main__":
    sys.exit(main())
