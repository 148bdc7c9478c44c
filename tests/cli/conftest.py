"""The commands' tests see no terminal of whoever runs them."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _usual_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Width and locale are the usual ones."""
    for name in ("COLUMNS", "LC_ALL", "LC_CTYPE", "LANG", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
