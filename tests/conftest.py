"""What every test may ask for: the Hypothesis profile of this run and the folder of shared recordings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "normal")

# "normal" tries the same 50 cases on every machine and every day; "long" looks for new ones.
settings.register_profile("normal", max_examples=50, deadline=None, derandomize=True)
settings.register_profile("long", max_examples=10_000, deadline=None, suppress_health_check=list(HealthCheck))
settings.load_profile(PROFILE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the tests marked `long` to `make long`."""
    if PROFILE == "long":
        return
    reason = pytest.mark.skip(reason="long: `make long` runs it")
    for item in items:
        if item.get_closest_marker("long"):
            item.add_marker(reason)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of recorded sessions and checks, which is not part of this project."""
    folder = Path(os.environ.get("SOSTENUTO_SHARED") or ROOT.parent / "shared")
    if not folder.is_dir():
        pytest.skip(f"no shared recordings: {folder} is not a folder; set SOSTENUTO_SHARED to the one that holds them")
    return folder
