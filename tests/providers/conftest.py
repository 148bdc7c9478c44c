"""What the tests of providers stand on: no waiting between tries, and a real llama.cpp server where its packages are installed."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import stamina

from tests.providers.byte_model import write_byte_model

Serve = Callable[..., str]
"""Starts a real server (window, and further settings of its parameters) and says where it listens."""


@pytest.fixture(autouse=True)
def _unhurried() -> Iterator[None]:
    """Nobody waits between two tries, however long the wait would be; how many tries there are stays as it is."""
    with stamina.set_testing(True, attempts=100, cap=True):
        yield


@pytest.fixture(scope="session")
def byte_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A GGUF file with random weights in which one byte is one token."""
    for name in ("gguf", "numpy", "xllamacpp"):
        try:
            importlib.import_module(name)
        except ImportError:
            pytest.skip(f"no real llama.cpp server: the package {name} is not installed")
    path = tmp_path_factory.mktemp("models") / "byte-random.gguf"
    write_byte_model(path, trained=16_384)
    return path


@pytest.fixture
def serve(byte_model: Path) -> Iterator[Serve]:
    """Starts real llama.cpp servers, which end with the test."""
    machinery: Any = importlib.import_module("xllamacpp")
    running: list[Any] = []

    def started(window: int, **settings: Any) -> str:
        wanted = machinery.CommonParams()
        wanted.model.path, wanted.n_ctx, wanted.n_parallel = str(byte_model), window, 1
        wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = 1
        wanted.hostnames, wanted.port = ["127.0.0.1"], 0
        wanted.endpoint_props, wanted.warmup, wanted.verbosity = True, False, 0
        wanted.model_alias = {"byte-random"}
        for name, value in settings.items():
            setattr(wanted, name, value)
        running.append(machinery.Server(wanted))
        return f"{running[-1].listening_address}/v1"

    yield started
    running.clear()
