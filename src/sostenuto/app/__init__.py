"""The program's composition root: names the concrete readers, encoders and the manager that the commands run on.

What a command does not use is never loaded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sostenuto.doors import door

if TYPE_CHECKING:
    from sostenuto.app._carrying import LOG, Exported, Imported, exported, imported
    from sostenuto.app._contest import Contender, Outcome, contenders, installed_peers, outcome, ruler_name
    from sostenuto.app._context import Change, Compacted, Context, Loss, Other, Rewritten, Whose, compacted, context, previewed, undone
    from sostenuto.app._converting import Converted, converted
    from sostenuto.app._counting import Counted, counted
    from sostenuto.app._data import DATA_KINDS, Copied, amounts, copy_data, purge
    from sostenuto.app._doctor import Finding, examined
    from sostenuto.app._home import data_home
    from sostenuto.app._inspecting import Inspected, conversation_page, inspected
    from sostenuto.app._models import Answer, Catalogue, Listed, Refreshed, models, refresh
    from sostenuto.app._naming import DEFAULT_MODEL
    from sostenuto.app._parking import Verdict
    from sostenuto.app._plain_chat import recorded_session
    from sostenuto.app._providers import doubt_about, model_named, spoken_by
    from sostenuto.app._recalling import KeptConversation, recallable, recalled_from, whole_of
    from sostenuto.app._replaying import Replayed, ReplayOptions, Watch, replay
    from sostenuto.app._reporting import Rehearsed, replay_report
    from sostenuto.app._retelling import RUNGS, Event
    from sostenuto.app._running import Models, Ran, Wish, perform
    from sostenuto.app._shelf import Amount, Entry, Finds, conversations, delete_conversation, listed_conversation, searched
    from sostenuto.app._surroundings import small_model_installs
    from sostenuto.app._talking import conversation, recalled, weighing
    from sostenuto.app._terms import NO_AGENT, chosen_tools, limits_of
    from sostenuto.app._transcripts import Piece, Said
    from sostenuto.app._verifying import Verified, entry, peer_names, verify
    from sostenuto.app._welcome import Reachable, Surroundings, surroundings
    from sostenuto.app._worktable import Work, clear_work, work

__all__ = [
    "DATA_KINDS",
    "DEFAULT_MODEL",
    "LOG",
    "NO_AGENT",
    "RUNGS",
    "Amount",
    "Answer",
    "Catalogue",
    "Change",
    "Compacted",
    "Contender",
    "Context",
    "Converted",
    "Copied",
    "Counted",
    "Entry",
    "Event",
    "Exported",
    "Finding",
    "Finds",
    "Imported",
    "Inspected",
    "KeptConversation",
    "Listed",
    "Loss",
    "Models",
    "Other",
    "Outcome",
    "Piece",
    "Ran",
    "Reachable",
    "Refreshed",
    "Rehearsed",
    "ReplayOptions",
    "Replayed",
    "Rewritten",
    "Said",
    "Surroundings",
    "Verdict",
    "Verified",
    "Watch",
    "Whose",
    "Wish",
    "Work",
    "amounts",
    "chosen_tools",
    "clear_work",
    "compacted",
    "contenders",
    "context",
    "conversation",
    "conversation_page",
    "conversations",
    "converted",
    "copy_data",
    "counted",
    "data_home",
    "delete_conversation",
    "doubt_about",
    "entry",
    "examined",
    "exported",
    "imported",
    "inspected",
    "installed_peers",
    "limits_of",
    "listed_conversation",
    "model_named",
    "models",
    "outcome",
    "peer_names",
    "perform",
    "previewed",
    "purge",
    "recallable",
    "recalled",
    "recalled_from",
    "recorded_session",
    "refresh",
    "replay",
    "replay_report",
    "ruler_name",
    "searched",
    "small_model_installs",
    "spoken_by",
    "surroundings",
    "undone",
    "verify",
    "weighing",
    "whole_of",
    "work",
]

_HOMES = {
    "Amount": "_shelf",
    "Answer": "_models",
    "Catalogue": "_models",
    "Change": "_context",
    "Compacted": "_context",
    "Contender": "_contest",
    "Context": "_context",
    "Converted": "_converting",
    "Copied": "_data",
    "Counted": "_counting",
    "DATA_KINDS": "_data",
    "DEFAULT_MODEL": "_naming",
    "Entry": "_shelf",
    "Event": "_retelling",
    "Exported": "_carrying",
    "Finding": "_doctor",
    "Finds": "_shelf",
    "Imported": "_carrying",
    "Inspected": "_inspecting",
    "KeptConversation": "_recalling",
    "LOG": "_carrying",
    "Listed": "_models",
    "Loss": "_context",
    "Models": "_running",
    "NO_AGENT": "_terms",
    "Other": "_context",
    "Outcome": "_contest",
    "Piece": "_transcripts",
    "RUNGS": "_retelling",
    "Ran": "_running",
    "Reachable": "_welcome",
    "Refreshed": "_models",
    "Rehearsed": "_reporting",
    "ReplayOptions": "_replaying",
    "Replayed": "_replaying",
    "Rewritten": "_context",
    "Said": "_transcripts",
    "Surroundings": "_welcome",
    "Verdict": "_parking",
    "Verified": "_verifying",
    "Watch": "_replaying",
    "Whose": "_context",
    "Wish": "_running",
    "Work": "_worktable",
    "amounts": "_data",
    "chosen_tools": "_terms",
    "clear_work": "_worktable",
    "compacted": "_context",
    "contenders": "_contest",
    "context": "_context",
    "conversation": "_talking",
    "conversation_page": "_inspecting",
    "conversations": "_shelf",
    "converted": "_converting",
    "copy_data": "_data",
    "counted": "_counting",
    "data_home": "_home",
    "delete_conversation": "_shelf",
    "doubt_about": "_providers",
    "entry": "_verifying",
    "examined": "_doctor",
    "exported": "_carrying",
    "imported": "_carrying",
    "inspected": "_inspecting",
    "installed_peers": "_contest",
    "limits_of": "_terms",
    "listed_conversation": "_shelf",
    "model_named": "_providers",
    "models": "_models",
    "outcome": "_contest",
    "peer_names": "_verifying",
    "perform": "_running",
    "previewed": "_context",
    "purge": "_data",
    "recallable": "_recalling",
    "recalled": "_talking",
    "recalled_from": "_recalling",
    "recorded_session": "_plain_chat",
    "refresh": "_models",
    "replay": "_replaying",
    "replay_report": "_reporting",
    "ruler_name": "_contest",
    "searched": "_shelf",
    "small_model_installs": "_surroundings",
    "spoken_by": "_providers",
    "surroundings": "_welcome",
    "undone": "_context",
    "verify": "_verifying",
    "weighing": "_talking",
    "whole_of": "_recalling",
    "work": "_worktable",
}

__getattr__ = door(__name__, _HOMES)
