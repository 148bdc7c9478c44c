"""The report of a finished replay or demo: what the page is made of is gathered here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sostenuto.app._naming import DEFAULT_MODEL
from sostenuto.app._replaying import Replayed
from sostenuto.app._rulers import counted_with, plain_ruler
from sostenuto.app._wires import CODECS
from sostenuto.formats import openai_chat
from sostenuto.replaying import Costs, Figures, Row, costs, figures, histories

if TYPE_CHECKING:
    from sostenuto.budget import Lines
    from sostenuto.ladder import Settings


def replay_report(replayed: Replayed, *, source: str, settings: Sequence[tuple[str, str]] = (), kept_in: str | None = None) -> str:
    """The page of a replay as HTML. `source` names the recording for people, `settings` are further lines for its list of settings."""
    from sostenuto.reporting import Story, page

    recording, options = replayed.recording, replayed.options
    window = replayed.figures.window
    handed = histories(recording, history=options.history, pins=options.pins)
    return page(
        Story(
            title=source,
            rows=replayed.rows,
            histories=(one.messages for one in handed),
            figures=replayed.figures,
            doing_nothing=replayed.doing_nothing,
            unedited=replayed.unedited,
            codec=CODECS[recording.format],
            by=replayed.by,
            lines=lines_of(options.settings(window) if options.settings else None, budget=window - (options.max_output or 0)),
            written=written(replayed.snapshot()),
            settings=(
                ("Window", f"{window:,} tokens, {replayed.window_source}"),
                ("Counted with", replayed.counted),
                ("Kept free for the reply", f"{options.max_output or 0:,} tokens"),
                ("History", "everything" if options.history == "full" else "as it was sent at the time"),
                *(("Planted pin", pin) for pin in options.pins),
                *settings,
            ),
            asides=replayed.remarks,
            summarized=replayed.summarized,
            kept_in=kept_in,
            version=package_version(),
        )
    )


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """The demo's finished run: its requests, what was handed over for each, and what doing nothing would have been, in tokens."""

    rows: Sequence[Row]
    handed: Sequence[Sequence[Any]]
    unedited: Sequence[int]
    snapshot: Mapping[str, Any]

    def figures(self) -> tuple[Figures, Costs]:
        """The figures of the run, and the costs of doing nothing. The script's own summaries are not in them."""
        codec, by = openai_chat.CODEC, plain_ruler(DEFAULT_MODEL)

        def weigh(message: Any) -> int:
            return by.tokens(by.measure(codec.decode(message)))

        doing_nothing = costs(({"messages": messages} for messages in self.handed), weigh=weigh)
        found = figures(self.rows, doing_nothing=doing_nothing, weigh=weigh, problems=lambda row: codec.problems(row.native))
        return found, doing_nothing

    def verdict(self) -> str:
        """The run in one sentence."""
        from sostenuto.reporting import verdict

        return verdict(self.rows, self.figures()[0], unedited=self.unedited)

    def report(self) -> str:
        """The run as a page of HTML."""
        from sostenuto.reporting import Story, page

        found, doing_nothing = self.figures()
        by = plain_ruler(DEFAULT_MODEL)
        return page(
            Story(
                title="The demo: a scripted model audits the installed package",
                rows=self.rows,
                histories=self.handed,
                figures=found,
                doing_nothing=doing_nothing,
                unedited=self.unedited,
                codec=openai_chat.CODEC,
                by=by,
                lines=lines_of(None, budget=found.window),
                written=written(self.snapshot),
                settings=(
                    ("Window", f"{found.window:,} tokens, chosen by the demo"),
                    ("Counted with", counted_with(by, DEFAULT_MODEL, counter="family", named=True)),
                    ("Summaries", "written by the script; what it reads and writes is not in the cost"),
                ),
                version=package_version(),
            )
        )


def lines_of(settings: Settings | None, *, budget: int) -> Lines:
    """The lines of the rungs in tokens; the usual ones where nothing was set."""
    from sostenuto.ladder import Settings as Defaults

    return (settings or Defaults()).thresholds.lines(budget)


def written(snapshot: Mapping[str, Any]) -> frozenset[str]:
    """The texts of every checkpoint, and of what asks to go on behind it."""
    covers = [edit["cover"] for edit in snapshot["edits"] if edit.get("cover")]
    return frozenset(cover[name] for cover in covers for name in ("text", "continuation"))


def package_version() -> str:
    """The version that is installed; "" for a source tree that is not."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("sostenuto")
    except PackageNotFoundError:
        return ""
