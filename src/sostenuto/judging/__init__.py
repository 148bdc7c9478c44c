"""What does a strategy keep, and what does it cost? One ruler and the same figures for every strategy; pure, strategies are values."""

from sostenuto.judging._canaries import KINDS, Canary, CanaryKind, Sighting, is_shown_as_current, sighted
from sostenuto.judging._fitting import needs, over, sizes
from sostenuto.judging._pairs import broken, unpaired
from sostenuto.judging._probes import Probe, facts, forward_use, in_view, names, probes, reachable
from sostenuto.judging._recovered import Recovered, pointers, recovered
from sostenuto.judging._ruler import Thirds, tokens_of, weighing
from sostenuto.judging._scripted import SCRIPTED, extractive, hostile, null
from sostenuto.judging._session import Run, Sent, Session, session_of
from sostenuto.judging._verdict import Share, Verdict, judged, sizes_untouched, untouched, untouched_costs

__all__ = [
    "KINDS",
    "SCRIPTED",
    "Canary",
    "CanaryKind",
    "Probe",
    "Recovered",
    "Run",
    "Sent",
    "Session",
    "Share",
    "Sighting",
    "Thirds",
    "Verdict",
    "broken",
    "extractive",
    "facts",
    "forward_use",
    "hostile",
    "in_view",
    "is_shown_as_current",
    "judged",
    "names",
    "needs",
    "null",
    "over",
    "pointers",
    "probes",
    "reachable",
    "recovered",
    "session_of",
    "sighted",
    "sizes",
    "sizes_untouched",
    "tokens_of",
    "unpaired",
    "untouched",
    "untouched_costs",
    "weighing",
]
