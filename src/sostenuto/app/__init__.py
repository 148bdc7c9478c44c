"""The program's composition root: names the concrete readers, encoders and the manager that the commands run on."""

from sostenuto.app._contest import Contender, Outcome, contenders, installed_peers, outcome, ruler_name
from sostenuto.app._converting import Converted, converted
from sostenuto.app._counting import Counted, counted
from sostenuto.app._home import data_home
from sostenuto.app._models import Answer, Catalogue, Listed, Refreshed, models, refresh
from sostenuto.app._naming import DEFAULT_MODEL
from sostenuto.app._plain_chat import session as recorded_session
from sostenuto.app._replaying import Replayed, ReplayOptions, Watch, replay
from sostenuto.app._reporting import Rehearsed, replay_report
from sostenuto.app._talking import conversation, recalled, weighing
from sostenuto.app._verifying import Verified, entry, peer_names, verify

__all__ = [
    "DEFAULT_MODEL",
    "Answer",
    "Catalogue",
    "Contender",
    "Converted",
    "Counted",
    "Listed",
    "Outcome",
    "Refreshed",
    "Rehearsed",
    "ReplayOptions",
    "Replayed",
    "Verified",
    "Watch",
    "contenders",
    "conversation",
    "converted",
    "counted",
    "data_home",
    "entry",
    "installed_peers",
    "models",
    "outcome",
    "peer_names",
    "recalled",
    "recorded_session",
    "refresh",
    "replay",
    "replay_report",
    "ruler_name",
    "verify",
    "weighing",
]
