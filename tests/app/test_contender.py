"""The process of a contender reaches nobody."""

from __future__ import annotations

import subprocess
import sys

TRIES = """
import socket
from sostenuto.app._contender import _stay_offline
_stay_offline()
for reach in (
    lambda: socket.create_connection(("127.0.0.1", 9)),
    lambda: socket.socket().connect(("127.0.0.1", 9)),
    lambda: socket.getaddrinfo("localhost", 80),
):
    try:
        reach()
    except OSError as error:
        print(error)
import asyncio
print(asyncio.run(asyncio.sleep(0, "an event loop still runs")))
"""


def test_a_contender_cannot_reach_a_network() -> None:
    """Connecting and looking up a name are refused, while an event loop still works."""
    done = subprocess.run([sys.executable, "-c", TRIES], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["there is no network in a comparison"] * 3 + ["an event loop still runs"]
