"""The program's composition root: names the concrete readers, encoders and the manager that the commands run on."""

from sostenuto.app._converting import Converted, converted
from sostenuto.app._counting import Counted, counted
from sostenuto.app._home import data_home
from sostenuto.app._models import Answer, Catalogue, Listed, Refreshed, models, refresh
from sostenuto.app._naming import DEFAULT_MODEL
from sostenuto.app._replaying import Replayed, ReplayOptions, Watch, replay
from sostenuto.app._reporting import Rehearsed, replay_report
from sostenuto.app._talking import conversation, recalled, weighing
from sostenuto.app._verifying import Verified, peer_names, verify

__all__ = [
    "DEFAULT_MODEL",
    "Answer",
    "Catalogue",
    "Converted",
    "Counted",
    "Listed",
    "Refreshed",
    "Rehearsed",
    "ReplayOptions",
    "Replayed",
    "Verified",
    "Watch",
    "conversation",
    "converted",
    "counted",
    "data_home",
    "models",
    "peer_names",
    "recalled",
    "refresh",
    "replay",
    "replay_report",
    "verify",
    "weighing",
]
