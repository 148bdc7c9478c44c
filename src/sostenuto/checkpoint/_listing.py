"""A claim of the ledger in full, for the keys that stand in a checkpoint for what was not printed (D47)."""

from __future__ import annotations

from sostenuto.checkpoint import _schema as schema
from sostenuto.checkpoint._claims import Claims, claims
from sostenuto.checkpoint._items import path_claims, request_forms
from sostenuto.checkpoint._ledger import Ledger
from sostenuto.checkpoint._redaction import redacted


def listing(ledger: Ledger, name: str) -> str | None:
    """All of one claim, one item a line; ``(none)`` for an empty claim, None for a name that is no key of one.

    The keys are ``files:read``, ``files:modified``, ``files:failed``, ``requests``, ``commands``, ``values`` and ``running``.
    """
    lines = _listed(claims(ledger), name)
    return None if lines is None else "\n".join(lines) or schema.NONE


def _listed(content: Claims, name: str) -> list[str] | None:
    match name:
        case "files:read" | "files:modified":
            title = "Modified:" if name == "files:modified" else "Read or inspected:"
            return [item.forms[0] for claim in path_claims(content, ranges=True) if claim.title == title for item in claim.items]
        case "files:failed":
            return [f"- {path}" for path in content.attempted]
        case "requests":
            return [request_forms(asked, state)[0] for asked, state in content.requests]
        case "commands":
            runs = sorted([*content.commands.values(), *content.failed.values()], key=lambda deed: (deed.ordinal, deed.key))
            return [f"- {redacted(d.facts.command or d.name)} (exit {_shown(d.facts.exit_status)}, {d.key})" for d in runs]
        case "values":
            return [f"- {redacted(value)} ({key})" for value, key in content.values.items()]
        case "running":
            return [f"- {ident}: {deed.name} ({deed.key})" for ident, deed in content.running.items()]
    return None


def _shown(status: int | None) -> str:
    return "unknown" if status is None else str(status)
