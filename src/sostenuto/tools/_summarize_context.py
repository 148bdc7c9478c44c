"""summarize_context: the model's wish that the context be compacted, granted once the batch is complete (D26)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sostenuto.tools._tool import Compact, Context, Output, Tool


def summarize_context() -> Tool:
    """The tool. It changes nothing itself: its answer carries the wish."""

    def run(arguments: Mapping[str, Any], _: Context, /) -> Output:
        said = "The context will be compacted before the next request. What you need word for word later, write down now."
        return Output(said, wish=Compact(arguments.get("focus", "").strip()))

    return Tool(
        "summarize_context",
        "Have the older part of this conversation replaced by a summary, to make room. Useful after a finished step; space is also made by "
        "itself when it is needed.",
        {
            "type": "object",
            "properties": {"focus": {"type": "string", "maxLength": 2_000, "description": "what the summary should attend to"}},
            "required": [],
            "additionalProperties": False,
        },
        run,
        risk="read-only",
    )
