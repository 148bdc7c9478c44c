"""``python -m benchmarks.sweep [FOLDER]``: the defaults of the ladder, each varied alone, by what it costs and keeps.

The project's own generated sessions, and the recordings of FOLDER if given, are replayed in four windows with the mechanical
summarizer. For each value of a setting: input cost (doing nothing is 1, D52) at the median and in the worst run, rewrites per 100
requests, paths of files in view and user requests in view in the worst request. A run that never passes the first line says
nothing about a setting and is left out. The result is a Markdown table a setting; the value in force is marked.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.sessions import SIZES, session
from sostenuto import Settings, SostenutoError
from sostenuto.app import ReplayOptions, replay
from sostenuto.cli._settings import engine_settings

WINDOWS = (16_000, 32_000, 60_000, 120_000)
VALUES: dict[str, Sequence[str]] = {
    "gain": ("0", "0.05", "0.10", "0.15", "0.25", "0.35"),
    "voluntary": ("0.05", "0.15", "0.30", "1"),
    "tail": ("0.10", "0.15", "0.20", "0.30"),
    "ledger": ("0.05", "0.10", "0.15", "0.25", "0.40"),
    "compact": ("0.70", "0.75", "0.80", "0.90"),
    "warn": ("0.60", "0.65", "0.70", "0.75"),
    "trim": ("0.90", "0.95", "0.98"),
}
"""Setting -> the values tried; the default is among them or is added."""
HEAD = "| value | runs | cost, median | cost, worst | rewrites per 100 | files in view, worst | requests in view, worst |"


class Run(NamedTuple):
    """One session in one window."""

    cost: float
    rewrites: float
    files: float
    requests: float


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sweep", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", help="recordings to replay beside the generated sessions")
    parser.add_argument("--only", default="", help=f"settings, separated by commas: {', '.join(VALUES)}")
    parser.add_argument("--seeds", type=int, default=2, help="generated sessions of each size (default 2)")
    asked = parser.parse_args()
    wanted = asked.only.split(",") if asked.only else list(VALUES)
    with tempfile.TemporaryDirectory() as held:
        paths = [*generated(Path(held), seeds=asked.seeds), *(recorded(asked.folder) if asked.folder else ())]
        busy = [(path, window) for path in paths for window in WINDOWS if is_busy(path, window)]
        print(f"{len(busy)} runs of {len({path for path, _ in busy})} sessions pass the first line somewhere.\n")
        for name in wanted:
            print(f"### {name}\n\n{HEAD}\n| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
            for value in VALUES[name]:
                print(row(value, measured(busy, name, value), is_default=is_default(name, value)), flush=True)
            print()
    return 0


def generated(folder: Path, *, seeds: int) -> Iterator[Path]:
    """Sessions of every size, as files."""
    for size in SIZES:
        for seed in range(1, seeds + 1):
            path = folder / f"{size}-{seed}.json"
            path.write_text(json.dumps(session(size, seed=seed)), encoding="utf-8")
            yield path


def recorded(folder: Path) -> list[Path]:
    """Recordings of a folder, those too short to pass a line included: `is_busy` leaves them out."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.endswith((".metadata.json", ".md")))


def is_busy(path: Path, window: int) -> bool:
    """Whether a session passes the first line of the ladder in this window, so that settings can make a difference."""
    try:
        return bool(replay(path, ReplayOptions(window=window)).figures.rungs)
    except SostenutoError as error:
        print(f"{path.name}: {error}", file=sys.stderr)
        return False


def measured(busy: Sequence[tuple[Path, int]], name: str, value: str) -> list[Run]:
    """Every run with one setting changed; a value that the other lines forbid gives none."""
    found = []
    for path, window in busy:
        try:
            options = ReplayOptions(window=window, settings=lambda tokens: engine_settings([(name, value)], window=tokens))
            figures = replay(path, options).figures
        except SostenutoError:
            continue
        kept, costs = figures.retention, figures.costs
        files = min(kept.files_read, kept.files_modified)
        found.append(Run(figures.input_cost_ratio, 100 * costs.breaks / figures.requests, files, kept.user_requests))
    return found


def row(value: str, runs: Sequence[Run], *, is_default: bool) -> str:
    """One line of a table."""
    shown = f"**{value}**" if is_default else value
    if not runs:
        return f"| {shown} | 0 | | | | | |"
    cost = [run.cost for run in runs]
    rewrites = statistics.mean(run.rewrites for run in runs)
    files, requests = min(run.files for run in runs), min(run.requests for run in runs)
    return f"| {shown} | {len(runs)} | {statistics.median(cost):.3f} | {max(cost):.2f} | {rewrites:.1f} | {files:.0%} | {requests:.0%} |"


def is_default(name: str, value: str) -> bool:
    """Whether the ladder uses this value unless it is told otherwise."""
    settings = Settings()
    held = getattr(settings.thresholds, name, None) or getattr(settings, {"tail": "tail_share", "ledger": "ledger_share"}.get(name, name))
    return abs(float(held) - float(value)) < 1e-9


if __name__ == "__main__":
    sys.exit(main())
