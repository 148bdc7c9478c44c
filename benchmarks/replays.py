"""``python -m benchmarks.replays FOLDER``: every readable recording in a folder, replayed in four windows, as a Markdown table."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from sostenuto import SostenutoError
from sostenuto.app import ReplayOptions, replay

WINDOWS = (16_000, 32_000, 60_000, 120_000)
PIN = "Never touch the vault directory."
HEAD = (
    "| session | requests | window | over | invalid | task, newest, pins | files modified / read | cost | re-billed | rewrites per 100 |\n"
    "| --- | ---: | ---: | ---: | ---: | --- | --- | ---: | ---: | ---: |"
)


def rows(path: Path, name: str, *, summarizer: Callable[[str], str] | None) -> Iterator[str]:
    """One table row for each window."""
    for window in WINDOWS:
        figures = replay(path, ReplayOptions(window=window, pins=(PIN,), summarizer=summarizer)).figures
        kept, costs = figures.retention, figures.costs
        must = " / ".join(f"{share:.0%}" for share in (kept.task, kept.latest_user, kept.pins))
        files = " / ".join(f"{share:.0%}" for share in (kept.files_modified, kept.files_read))
        yield (
            f"| {name} | {figures.requests} | {window // 1000}k | {figures.over_window} | {figures.invalid} | {must} | {files} "
            f"| {figures.input_cost_ratio:.2f} | {costs.rebilled / costs.sent:.1%} | {100 * costs.breaks / figures.requests:.1f} |"
        )


def main() -> None:
    """Print the table of a folder."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.replays", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="sub-folders, separated by commas")
    parser.add_argument("--summarizer", choices=("mechanical", "null"), default="mechanical")
    asked = parser.parse_args()
    wanted = set(asked.only.split(",")) if asked.only else None
    print(HEAD)
    for path in sorted(path for path in asked.folder.rglob("*") if path.is_file() and not path.name.endswith(".metadata.json")):
        if wanted is not None and path.parent.name not in wanted:
            continue
        try:
            name = f"{path.parent.name}/{path.name.split('.')[0][-24:]}"
            for row in rows(path, name, summarizer=(lambda prompt: "") if asked.summarizer == "null" else None):
                print(row, flush=True)
        except SostenutoError as error:
            print(f"{path.name}: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
