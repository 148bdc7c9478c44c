"""The default rows: tools of the agents whose sessions are recorded, and the usual file servers. One row per tool name."""

from __future__ import annotations

from sostenuto.calls._policy import ToolPolicy, Trait

_READ = Trait(clear="rederivable", reads=True)
_LOOK = Trait(clear="rederivable")
_EDIT = Trait(modifies=True)
_MOVE = Trait(modifies=True, paths=("source", "destination", "source_path", "destination_path", "path", "paths", "target", "from", "to"))
_SHELL = Trait(command=("command", "cmd", "script", "code"))
_FETCH = Trait(clear="rederivable", paths=("url", "uri", "urls"))
_AGENT = Trait(clear="last")
_MEMORY = Trait(clear="last")
_RULES = Trait(clear="never")
_EDITOR = Trait(modifies=True, read_verbs=("view", "read", "cat", "open"))

_NAMES: tuple[tuple[Trait, str], ...] = (
    (_READ, "read read_file readfile view view_file open open_file"),
    (_READ, "cat read_text_file read_media_file notebookread fs_read get_file_contents"),
    (_LOOK, "read_many_files read_multiple_files grep glob ls list_directory list_dir"),
    (_LOOK, "directory_tree list_allowed_directories get_file_info"),
    (_LOOK, "search_files search_file_content grep_search file_search codebase_search find find_file"),
    (_LOOK, "search_dir search_file head tail stat"),
    (_LOOK, "retrieve_tool_result recall git_diff git_log git_status git_show web_search"),
    (_LOOK, "websearch google_web_search toolsearch list_files find_files list_todos"),
    (_EDIT, "edit write multiedit notebookedit notebook_edit create write_file"),
    (_EDIT, "edit_file apply_patch applypatch replace str_replace insert append"),
    (_EDIT, "replace_in_file write_to_file create_file delete_file remove_file create_directory mkdir"),
    (_EDIT, "rm touch search_replace multi_edit"),
    (_MOVE, "mv cp move_file copy_file rename_file move copy"),
    (_MOVE, "rename"),
    (_EDITOR, "str_replace_editor str_replace_based_edit_tool file_editor text_editor edit_anthropic"),
    (_SHELL, "bash shell exec terminal execute_command run_command run_shell_command"),
    (_SHELL, "execute_bash cmd local_shell exec_command"),
    (_SHELL, "shell_command container.exec bashexecution run_terminal_cmd run_in_terminal powershell python"),
    (_SHELL, "execute_ipython_cell"),
    (_FETCH, "webfetch web_fetch fetch fetch_url browser_navigate web_browser_go navigate"),
    (_FETCH, "open_url http_request"),
    (_AGENT, "task agent subagent subagents spawn_agent wait_agent sessions_spawn"),
    (_AGENT, "delegate sessions_history taskoutput agentoutputtool spawn_subagent"),
    (_MEMORY, "memory view_memory read_memory search_memory memory_view memory_search read_memories"),
    (_RULES, "skill load_skill read_skill activate_skill load_rules"),
)

DEFAULT = ToolPolicy({name: trait for trait, names in _NAMES for name in names.split()})
"""The table in force when the caller gives none."""
