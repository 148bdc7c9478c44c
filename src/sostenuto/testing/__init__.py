"""How do I try this without a model? Scripted, recorded and replayed models, servers that answer as real ones do, and what to expect."""

from sostenuto.testing._conformance import MODEL_CHECKS, ModelCheck, Staged
from sostenuto.testing._fakes import FAKE_SERVERS, FakeServer
from sostenuto.testing._http import Received
from sostenuto.testing._recorded import RecordingModel, ReplayModel, fingerprint
from sostenuto.testing._script import Fault, Reply, Script, Step
from sostenuto.testing._scripted import Request, ScriptedModel
from sostenuto.testing._stores import STORE_CHECKS, Placed, StoreCheck

__all__ = [
    "FAKE_SERVERS",
    "MODEL_CHECKS",
    "STORE_CHECKS",
    "FakeServer",
    "Fault",
    "ModelCheck",
    "Placed",
    "Received",
    "RecordingModel",
    "ReplayModel",
    "Reply",
    "Request",
    "Script",
    "ScriptedModel",
    "Staged",
    "Step",
    "StoreCheck",
    "fingerprint",
]
