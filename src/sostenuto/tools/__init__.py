"""What may the model call? Tools as values, the standard ones, what is allowed, and how a batch of calls is carried out.

    tools = standard_tools(folder)                                  # files, search, shell, web, work, compaction
    answers = await run_batch(reply.calls, tools, policy=Policy("low-risk"), handling=Handling(ask=ask))

A person's own tool is a plain typed function: ``tool(function)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sostenuto.doors import door

if TYPE_CHECKING:
    from sostenuto.tools._answer import Answer, Asking, Decided, Ended, Handling
    from sostenuto.tools._approval import Allowed, Ask, Policy, Refused, Weighed, allowed, declined
    from sostenuto.tools._batch import run_batch
    from sostenuto.tools._checking import arguments_of
    from sostenuto.tools._drafts import DraftsInMemory
    from sostenuto.tools._kept import ResultsInMemory
    from sostenuto.tools._making import tool
    from sostenuto.tools._papers import PapersInMemory
    from sostenuto.tools._recall import recall_tools
    from sostenuto.tools._spawn_subagent import Errand, Report, subagent_tool
    from sostenuto.tools._standard import standard_tools
    from sostenuto.tools._tool import Assessed, Compact, Context, Output, Risk, Tool, Touched, results_cleared

__all__ = [
    "Allowed",
    "Answer",
    "Ask",
    "Asking",
    "Assessed",
    "Compact",
    "Context",
    "Decided",
    "DraftsInMemory",
    "Ended",
    "Errand",
    "Handling",
    "Output",
    "PapersInMemory",
    "Policy",
    "Refused",
    "Report",
    "ResultsInMemory",
    "Risk",
    "Tool",
    "Touched",
    "Weighed",
    "allowed",
    "arguments_of",
    "declined",
    "recall_tools",
    "results_cleared",
    "run_batch",
    "standard_tools",
    "subagent_tool",
    "tool",
]

_HOMES = {
    "Allowed": "_approval",
    "Answer": "_answer",
    "Ask": "_approval",
    "Asking": "_answer",
    "Assessed": "_tool",
    "Compact": "_tool",
    "Context": "_tool",
    "Decided": "_answer",
    "DraftsInMemory": "_drafts",
    "Ended": "_answer",
    "Errand": "_spawn_subagent",
    "Handling": "_answer",
    "Output": "_tool",
    "PapersInMemory": "_papers",
    "Policy": "_approval",
    "Refused": "_approval",
    "Report": "_spawn_subagent",
    "ResultsInMemory": "_kept",
    "Risk": "_tool",
    "Tool": "_tool",
    "Touched": "_tool",
    "Weighed": "_approval",
    "allowed": "_approval",
    "arguments_of": "_checking",
    "declined": "_approval",
    "recall_tools": "_recall",
    "results_cleared": "_tool",
    "run_batch": "_batch",
    "standard_tools": "_standard",
    "subagent_tool": "_spawn_subagent",
    "tool": "_making",
}

__getattr__ = door(__name__, _HOMES)
