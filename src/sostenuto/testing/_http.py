"""HTTP on loopback for the fakes: one thread, a free port, no keeping alive."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from sostenuto.testing._answers import Answer

_POLL_S = 0.01


@dataclass(frozen=True, slots=True)
class Received:
    """A request that came: its path as it was sent, headers with names in small letters, the body parsed where it is JSON."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any = field(default=None)


class Listening:
    """A server that gives every request to a function, until it is closed."""

    def __init__(self, answered: Callable[[Received], Answer]) -> None:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._serve()

            def do_POST(self) -> None:
                self._serve()

            def _serve(self) -> None:
                self.close_connection = True
                size = int(self.headers.get("Content-Length") or 0)
                headers = {name.lower(): value for name, value in self.headers.items()}
                try:
                    _send(self, answered(Received(self.command, self.path, headers, _parsed(self.rfile.read(size)))))
                except ConnectionError:  # the client has gone, which is its right
                    return

            def log_message(self, format: str, *args: Any) -> None:
                del format, args  # a fake says nothing on the standard error

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(_POLL_S,), daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _send(handler: BaseHTTPRequestHandler, answer: Answer) -> None:
    handler.send_response(answer.status)
    handler.send_header("Content-Type", answer.content_type)
    handler.send_header("Connection", "close")
    for name, value in answer.headers.items():
        handler.send_header(name, value)
    if answer.pieces is None:
        handler.send_header("Content-Length", str(len(answer.body)))
        handler.end_headers()
        handler.wfile.write(answer.body[: len(answer.body) // 2] if answer.breaks else answer.body)
        return
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    for piece in answer.pieces:
        handler.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        handler.wfile.flush()
    if not answer.breaks:
        handler.wfile.write(b"0\r\n\r\n")


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return body.decode("utf-8", "replace") if body else None
