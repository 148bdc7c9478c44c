"""What did the user set? Settings files, agents and workflows (rank 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sostenuto.doors import door

if TYPE_CHECKING:
    from sostenuto.config._agents import Agent, agent_file, agent_ids, agent_in, check_id, delete_agent, read_agent, write_agent
    from sostenuto.config._layers import (
        Configured,
        Layer,
        configured,
        global_file,
        layer_of,
        own_file,
        project_file,
        with_setting,
        write_setting,
    )
    from sostenuto.config._reading import fault_of, json_object, parsed, settings_in, shown, suggestion
    from sostenuto.config._table import EACH, KEYS, POLICIES, REASONING, Key, Kind, Place, entry_of
    from sostenuto.config._workflows import Workflow, read_workflow, workflow_file
    from sostenuto.config._writing import moved_aside, write_json

__all__ = [
    "EACH",
    "KEYS",
    "POLICIES",
    "REASONING",
    "Agent",
    "Configured",
    "Key",
    "Kind",
    "Layer",
    "Place",
    "Workflow",
    "agent_file",
    "agent_ids",
    "agent_in",
    "check_id",
    "configured",
    "delete_agent",
    "entry_of",
    "fault_of",
    "global_file",
    "json_object",
    "layer_of",
    "moved_aside",
    "own_file",
    "parsed",
    "project_file",
    "read_agent",
    "read_workflow",
    "settings_in",
    "shown",
    "suggestion",
    "with_setting",
    "workflow_file",
    "write_agent",
    "write_json",
    "write_setting",
]

_HOMES = {
    "Agent": "_agents",
    "Configured": "_layers",
    "EACH": "_table",
    "KEYS": "_table",
    "Key": "_table",
    "Kind": "_table",
    "Layer": "_layers",
    "POLICIES": "_table",
    "Place": "_table",
    "REASONING": "_table",
    "Workflow": "_workflows",
    "agent_file": "_agents",
    "agent_ids": "_agents",
    "agent_in": "_agents",
    "check_id": "_agents",
    "configured": "_layers",
    "delete_agent": "_agents",
    "entry_of": "_table",
    "fault_of": "_reading",
    "global_file": "_layers",
    "json_object": "_reading",
    "layer_of": "_layers",
    "moved_aside": "_writing",
    "own_file": "_layers",
    "parsed": "_reading",
    "project_file": "_layers",
    "read_agent": "_agents",
    "read_workflow": "_workflows",
    "settings_in": "_reading",
    "shown": "_reading",
    "suggestion": "_reading",
    "with_setting": "_layers",
    "workflow_file": "_workflows",
    "write_agent": "_agents",
    "write_json": "_writing",
    "write_setting": "_layers",
}

__getattr__ = door(__name__, _HOMES)
