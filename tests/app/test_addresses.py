"""A model that is named by the address of its server alone."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from sostenuto.app._addresses import at_address
from sostenuto.errors import EndpointFailed, UnknownSetting
from sostenuto.testing import FakeServer


@contextmanager
def listing(value: Any) -> Iterator[str]:
    """A server that answers everything with this JSON; its address."""

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            del format, args

    with HTTPServer(("127.0.0.1", 0), Answering) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("kind", "model"),
    [("llamacpp", "llamacpp:m"), ("vllm", "vllm:m"), ("sglang", "sglang:m"), ("openai", "server:m"), ("lmstudio", "server:m")],
)
def test_the_kind_is_what_the_server_says(kind: str, model: str) -> None:
    """A server that names its kind is asked in that kind's manner, any other in the plain one."""
    with FakeServer(kind, model="m") as server:
        found = asyncio.run(at_address(server.base_url))
        assert (found.model, found.base_url) == (model, server.base_url)


def test_several_models_are_listed_with_what_to_type() -> None:
    """Of several none is taken: they are named, and so is the way to name one."""
    cards = [{"id": f"m{number}", "owned_by": "vllm"} for number in range(10)]
    with listing({"data": cards}) as address, pytest.raises(UnknownSetting) as caught:
        asyncio.run(at_address(address))
    said = str(caught.value)
    assert "m0, m1, m2, m3, m4, m5, m6, m7 and 2 more" in said
    assert f"VLLM_BASE_URL={address} sostenuto run --model vllm:m0" in said


@pytest.mark.parametrize("value", [{}, [], {"data": [{"id": 3}, "x"]}, {"data": None}, "text"])
def test_what_lists_no_model_is_none(value: Any) -> None:
    """Whatever else answers there is said to list no model."""
    with listing(value) as address, pytest.raises(EndpointFailed, match="lists no model"):
        asyncio.run(at_address(address))


@pytest.mark.parametrize("address", ["http://", "http://[", "https:// /v1"])
def test_what_is_no_address_is_wrong_usage(address: str) -> None:
    """A text that only begins like an address is refused in one line."""
    with pytest.raises((UnknownSetting, EndpointFailed)):
        asyncio.run(at_address(address))
