"""``python -m benchmarks``: every budget of speed and memory, measured in one run and shown as measured over budget."""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import counting, memory, preparing, starting
from benchmarks.measured import Measured, markdown

SIZES = [100, 1_000, 10_000, 100_000]


def main() -> int:
    """Measure, print the table, and write it where ``--out`` says."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--out", type=Path, help="a path without suffix: PATH.json and PATH.md are written (default: nothing is)")
    parser.add_argument("--only", choices=("prepare", "count", "start", "memory"), action="append", help="some of it")
    parser.add_argument("--most", type=int, default=SIZES[-1], help="messages of the longest history (default: 100,000)")
    asked = parser.parse_args()
    sizes = [size for size in SIZES if size <= asked.most]
    parts: dict[str, Callable[[], Iterator[Measured]]] = {
        "start": starting.rows,
        "count": counting.rows,
        "prepare": lambda: preparing.rows(sizes),
        "memory": lambda: memory.rows(sizes[-1]),
    }
    rows: list[Measured] = []
    for name, part in parts.items():
        if asked.only and name not in asked.only:
            continue
        for row in part():
            rows.append(row)
            print(f"{row.what}: {row.measured:,.1f} {row.unit}", file=sys.stderr)
    table = markdown(rows)
    print(table)
    over = [row for row in rows if row.ratio is not None and row.ratio > 1]
    print(f"Python {platform.python_version()}; {len(over)} of {len(rows)} figures over their budget")
    print("".join(f"  {row.what}\n" for row in over), end="")
    if asked.out is not None:
        asked.out.parent.mkdir(parents=True, exist_ok=True)
        asked.out.with_suffix(".md").write_text(table, encoding="utf-8")
        figures = {"python": platform.python_version(), "figures": [row.entry for row in rows]}
        asked.out.with_suffix(".json").write_text(json.dumps(figures, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
