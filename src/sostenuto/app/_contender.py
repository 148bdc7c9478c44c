"""The process of one contender: a session and its terms on standard input, every request it makes on standard output.

A library is imported here and nowhere else; nothing here may reach a network.
"""

from __future__ import annotations

import json
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib import import_module
from typing import Any, NoReturn

from sostenuto.app._own import OWN, own
from sostenuto.app._rulers import openai_weigher
from sostenuto.judging import SCRIPTED, weighing
from sostenuto.peers._terms import Terms
from sostenuto.peers.known import PEERS, Peer, installed
from sostenuto.replaying import Metered
from sostenuto.tokens import Weigher

SAID = 300
"""Characters of an exception's words that are told."""
