"""A small models.dev catalogue, and a server on this machine that gives out what a test wants."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

API: dict[str, Any] = {
    "openai": {
        "id": "openai",
        "models": {
            "gpt-5": {
                "limit": {"context": 400_000, "input": 250_000, "output": 128_000},
                "cost": {"input": 1, "output": 9, "cache_read": 0.1},
                "last_updated": "2026-11-20",
            },
            "gpt-99": {
                "limit": {"context": 2_000_000, "output": 128_000},
                "cost": {"input": 1, "output": 9, "tiers": [{"input": 2, "output": 18, "tier": {"type": "context", "size": 500_000}}]},
                "last_updated": "2026-11-25",
            },
            "dall-e": {"limit": {"context": 4_096}, "modalities": {"output": ["image"]}},
        },
    },
    "newhost": {"models": {"gpt-99": {"limit": {"context": 100_000}}, "broken": {"limit": None}}},
}
ENCODED = json.dumps(API).encode()


class Server(ThreadingHTTPServer):
    """One that waits for its last answer when it is closed."""

    daemon_threads = False


@contextlib.contextmanager
def serving(answers: dict[str, tuple[int, dict[str, str], bytes]]) -> Iterator[str]:
    """The address of a server on the loopback interface; path -> status, headers, body. Without Content-Length its own is sent."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers, body = answers.get(self.path, (404, {}, b""))
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            return

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
