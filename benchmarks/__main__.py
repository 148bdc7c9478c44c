"""``python -m benchmarks``: budgets of speed and memory, the comparison with other libraries, and the canaries, in one run.

Written into a folder as JSON, Markdown and a page that needs nothing beside itself.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from benchmarks import canaries, comparison, counting, environments, keeping, memory, page, preparing, running, searching, starting
from benchmarks.measured import Measured
from benchmarks.measured import markdown as speed_table
from sostenuto.app import Outcome, entry, ruler_name

SIZES = [100, 1_000, 10_000, 100_000]
PARTS = ("start", "count", "prepare", "run", "search", "keep", "memory", "canaries", "compare")
OUT = Path("build", "bench")
ROOT = Path(__file__).resolve().parents[1]


@dataclass
class Found:
    """Everything one run measured."""

    speed: list[Measured] = field(default_factory=list)
    sightings: list[canaries.Seen] = field(default_factory=list)
    standing: dict[str, float] = field(default_factory=dict)
    compared: list[tuple[comparison.Task, Outcome]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def main() -> int:
    """Measure what is asked for, print the tables, and leave all of it in the folder."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT, help="the folder for bench.json, bench.md and bench.html (default: build/bench)")
    parser.add_argument("--only", choices=PARTS, action="append", help="some of it")
    parser.add_argument("--most", type=int, default=SIZES[-1], help="messages of the longest history (default: 100,000)")
    parser.add_argument(
        "--peers", type=Path, help="a folder for the libraries to compare with; what benchmarks/peers.txt pins is installed there once"
    )
    asked = parser.parse_args()
    started = time.monotonic()
    found = Found()
    chosen = tuple(asked.only or PARTS)
    interpreters, problems = environments.interpreters(asked.peers)
    found.remarks += problems
    _speed(found, chosen, sizes=[size for size in SIZES if size <= asked.most])
    if "canaries" in chosen:
        _canaries(found, interpreters)
    if "compare" in chosen:
        _compare(found, interpreters)
    _leave(found, asked.out, seconds=time.monotonic() - started)
    return 0


def _speed(found: Found, chosen: Sequence[str], *, sizes: list[int]) -> None:
    parts: Mapping[str, Callable[[], Iterator[Measured]]] = {
        "start": starting.rows,
        "count": counting.rows,
        "prepare": lambda: preparing.rows(sizes),
        "run": running.rows,
        "search": lambda: searching.rows(sizes[-1]),
        "keep": lambda: keeping.rows(sizes[-1]),
        "memory": lambda: memory.rows(sizes[-1]),
    }
    for name, part in parts.items():
        for row in part() if name in chosen else ():
            found.speed.append(row)
            _say(f"{row.what}: {row.measured:,.1f} {row.unit}")


def _canaries(found: Found, interpreters: Mapping[str, str]) -> None:
    for one in chain(canaries.seen(), canaries.others(interpreters)):
        found.sightings.append(one)
        _say(f"canaries, {one.summarizer}, {one.trial}: {one.sighting.in_view:.0%} in view")
    found.standing = canaries.kept()


def _compare(found: Found, interpreters: Mapping[str, str]) -> None:
    shared = Path(os.environ.get("SOSTENUTO_SHARED") or ROOT.parent / "shared")
    if not (shared / "transcripts").is_dir():
        found.remarks.append("No folder of recorded sessions is at hand: only generated ones were compared.")
    wanted = comparison.tasks(shared if (shared / "transcripts").is_dir() else None, interpreters)
    if {task.contender.name for task in wanted} == {"sostenuto", "nothing"}:
        found.remarks.append("No other library is installed: give --peers FOLDER and they are installed there, apart from everything else.")
    for number, (task, one) in enumerate(comparison.outcomes(wanted), start=1):
        found.compared.append((task, one))
        cost = f"cost {one.verdict.cost:.2f}" if one.verdict is not None else one.problem
        _say(f"{number} of {len(wanted)}: {task.session.name}, {task.contender.label}: {cost}")


def _leave(found: Found, folder: Path, *, seconds: float) -> None:
    parts = list(_markdown(found, seconds))
    text = "\n".join(parts)
    print(text)
    folder.mkdir(parents=True, exist_ok=True)
    figures = {
        "python": platform.python_version(),
        "ruler": ruler_name(),
        "seconds": round(seconds, 1),
        "remarks": found.remarks,
        "figures": [row.entry for row in found.speed],
        "canaries": [one.entry for one in found.sightings],
        "over_all_rounds": found.standing,
        "comparison": comparison.entries(found.compared, entry),
    }
    (folder / "bench.md").write_text(text, encoding="utf-8")
    (folder / "bench.json").write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / "bench.html").write_text(page.page(parts, made=found.compared, canaries=found.sightings), encoding="utf-8")
    _say(f"written to {folder}: bench.json, bench.md, bench.html")


def _markdown(found: Found, seconds: float) -> Iterator[str]:
    if found.speed:
        over = [row for row in found.speed if row.ratio is not None and row.ratio > 1]
        yield f"## Speed and memory\n\n{speed_table(found.speed)}\n{len(over)} of {len(found.speed)} figures over their budget\n"
    if found.sightings:
        yield f"## Canaries\n\n{canaries.markdown(found.sightings, found.standing)}"
    if found.compared:
        said = f"Counted with {ruler_name()}; median / worst session, shares in percent."
        yield f"## Comparison\n\n{said}\n\n{comparison.markdown(found.compared)}"
    listed = "".join(f"- {remark}\n" for remark in found.remarks)
    yield f"Python {platform.python_version()}, {seconds / 60:.1f} minutes\n" + (f"\n{listed}" if listed else "")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
