"""Attachments under a byte limit: the oldest give way to their descriptions, those of the newest user message never (B065, B069)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sostenuto.ladder._edit import Form, Place
from sostenuto.ladder._run import Run
from sostenuto.messages import Media, Part, Result, Text


def stripped(run: Run) -> Run:
    """The run without its oldest attachments: half of their bytes after a refusal, or what lies over the byte limit that was set."""
    limit = run.settings.byte_limit
    if not run.facts.strip_media and limit is None:
        return run
    held = list(_attachments(run))
    total = sum(size for _, _, size in held)
    allowed = total // 2 if run.facts.strip_media else (limit or 0)
    forms: list[Form] = []
    for place, form, size in held:
        if total <= allowed:
            break
        forms.append((place, form))
        total -= size
    if not forms:
        return run
    before, edit = run.total, run.edit("clear", "attachments over the byte limit", forms=forms)
    run = run.with_edit(edit).event("clear", before=before, reason=edit.cause, keys=edit.keys)
    if run.facts.strip_media:
        # the refusal was about bytes: the tokens were never too many
        run = replace(run, facts=replace(run.facts, forced=None))
    return run.notice(f"{len(forms)} older attachments are no longer sent: the endpoint takes too few bytes.")


def _attachments(run: Run) -> Iterator[tuple[Place, Part, int]]:
    """Attachments in view, oldest first, with what stands for them and their bytes."""
    history = run.history
    newest = history.users[-1] if history.users else -1
    for number in range(run.view.start, len(history.units)):
        if number == newest or number in history.standing:
            continue
        for place in history.units[number].parts:
            key = (place.ordinal, place.index)
            if run.view.levels.get(key, 0) >= 2:
                continue
            part = place.part
            if isinstance(part, Media):
                yield key, Text(f"[{part.label or part.kind} left out: too many bytes; its key is {place.key}]"), max(1, part.size)
            elif isinstance(part, Result) and part.media:
                note = f"{part.text}\n[attachments left out: too many bytes; their key is {place.key}]".lstrip()
                yield key, replace(part, text=note, media=()), sum(max(1, media.size) for media in part.media)
