"""One environment for each library that is compared, made once in a folder of the person's choice."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

PINS = Path(__file__).with_name("peers.txt")
_NAME = re.compile(r"^[A-Za-z0-9._-]+")


def pinned() -> dict[str, list[str]]:
    """Name of each environment, and its pinned requirements."""
    lines = (line.strip() for line in PINS.read_text(encoding="utf-8").splitlines())
    parted = (line.partition(":") for line in lines if line and not line.startswith("#"))
    return {name: wanted.split() for name, _, wanted in parted}


def interpreters(folder: Path | None) -> tuple[dict[str, str], list[str]]:
    """The Python of each distribution, and what could not be made; without a folder there are none."""
    found: dict[str, str] = {}
    problems: list[str] = []
    for name, wanted in pinned().items() if folder is not None else ():
        assert folder is not None
        problem = _make(folder.resolve() / name, wanted)
        if problem:
            problems.append(f"{name}: {problem}")
        found.update((distribution, str(_python(folder.resolve() / name))) for distribution in _distributions(wanted))
    return found, problems


def _make(place: Path, wanted: list[str]) -> str:
    """Make one environment unless its mark says that it holds just this; the reason where it cannot be made, else ""."""
    mark = place / "wanted.txt"
    if mark.is_file() and mark.read_text(encoding="utf-8").split() == wanted and _python(place).exists():
        return ""
    print(f"making {place.name}: {' '.join(wanted)}", file=sys.stderr, flush=True)
    pip = [str(_python(place)), "-m", "pip", "--disable-pip-version-check", "--quiet", "install", *wanted]
    for command in ([sys.executable, "-m", "venv", str(place)], pip):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            return (done.stderr.strip().splitlines() or [f"{command[1]} ended with {done.returncode}"])[-1]
    mark.write_text(" ".join(wanted), encoding="utf-8")
    return ""


def _distributions(wanted: list[str]) -> Iterator[str]:
    for requirement in wanted:
        match = _NAME.match(requirement)
        if match:
            yield match.group()


def _python(place: Path) -> Path:
    return place / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
