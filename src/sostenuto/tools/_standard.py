"""The tools that every agent may be given."""

from __future__ import annotations

from pathlib import Path

from sostenuto.protocols import Drafts, Papers
from sostenuto.tools._addresses import Resolver, resolved
from sostenuto.tools._drafts import DraftsInMemory
from sostenuto.tools._edit_file import edit_file, multi_edit
from sostenuto.tools._find_files import find_files
from sostenuto.tools._grep import grep, installed_ripgrep
from sostenuto.tools._http_request import http_request
from sostenuto.tools._list_files import list_files
from sostenuto.tools._papers import PapersInMemory
from sostenuto.tools._read_file import read_file
from sostenuto.tools._scratchpad import manage_scratchpad
from sostenuto.tools._shell import shell
from sostenuto.tools._summarize_context import summarize_context
from sostenuto.tools._todos import list_todos, manage_todos
from sostenuto.tools._tool import Tool
from sostenuto.tools._web_fetch import web_fetch
from sostenuto.tools._work_state import update_work_state
from sostenuto.tools._write_file import write_file


def standard_tools(
    cwd: Path, *, papers: Papers | None = None, drafts: Drafts | None = None, resolver: Resolver = resolved
) -> tuple[Tool, ...]:
    """Files, search, shell, web, work state, todos, scratchpad and compaction, for one conversation.

    What reads back results comes from `recall_tools`, sub-agents from `subagent_tool`.

    Args:
        cwd: the working directory: paths are relative to it, and what lies outside is high risk.
        papers: where work state and todos are kept; default: this process. They belong to one conversation: a sub-agent, whose task is
            another one, gets papers of its own, so that it neither sees nor changes those of the run above it.
        drafts: where the scratchpad is kept; default: this process. It belongs to the agent: hand the same one to its sub-agents, which
            read and write it too, so that what is too long for an answer can be handed over there.
        resolver: finds the machines behind a host's name.
    """
    kept = papers if papers is not None else PapersInMemory()
    return (
        read_file(cwd),
        write_file(cwd),
        edit_file(cwd),
        multi_edit(cwd),
        list_files(cwd),
        find_files(cwd),
        grep(cwd, ripgrep=installed_ripgrep()),
        shell(cwd),
        web_fetch(resolver),
        http_request(resolver),
        manage_todos(kept),
        list_todos(kept),
        update_work_state(kept),
        manage_scratchpad(drafts if drafts is not None else DraftsInMemory()),
        summarize_context(),
    )
