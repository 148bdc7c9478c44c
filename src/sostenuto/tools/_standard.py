"""The tools that every agent may be given."""

from __future__ import annotations

from pathlib import Path

from sostenuto.tools._addresses import Resolver, resolved
from sostenuto.tools._edit_file import edit_file, multi_edit
from sostenuto.tools._find_files import find_files
from sostenuto.tools._grep import grep, installed_ripgrep
from sostenuto.tools._http_request import http_request
from sostenuto.tools._list_files import list_files
from sostenuto.tools._read_file import read_file
from sostenuto.tools._shell import shell
from sostenuto.tools._summarize_context import summarize_context
from sostenuto.tools._todos import Todos, TodosInMemory, list_todos, manage_todos
from sostenuto.tools._tool import Tool
from sostenuto.tools._web_fetch import web_fetch
from sostenuto.tools._write_file import write_file


def standard_tools(cwd: Path, *, todos: Todos | None = None, resolver: Resolver = resolved) -> tuple[Tool, ...]:
    """Files, search, shell, web, todos and compaction, for one conversation.

    What reads back results comes from `recall_tools`, sub-agents from `subagent_tool`.

    Args:
        cwd: the working directory: paths are relative to it, and what lies outside is high risk.
        todos: where the list of todos is kept; default: this process.
        resolver: finds the machines behind a host's name.
    """
    kept = todos if todos is not None else TodosInMemory()
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
        summarize_context(),
    )
