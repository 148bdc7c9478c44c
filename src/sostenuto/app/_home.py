"""Where the program keeps what is its user's: ``$SOSTENUTO_HOME``, else the platform's data folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sostenuto.errors import UnusableInput, reason

VARIABLE = "SOSTENUTO_HOME"
CALIBRATION = "calibration.json"
"""The file in it with what was learned about models."""
_NAME = "sostenuto"


def data_home(environment: Mapping[str, str], *, platform: str) -> Path:
    """The data home for an environment on a platform (`sys.platform`); nothing is made or read."""
    if given := environment.get(VARIABLE, "").strip():
        return Path(given).expanduser()
    if platform == "win32":
        return Path(environment.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / _NAME
    if platform == "darwin":
        return Path.home() / "Library" / "Application Support" / _NAME
    data = environment.get("XDG_DATA_HOME", "")
    # a relative one is to be ignored, says the convention it comes from
    return (Path(data) if Path(data).is_absolute() else Path.home() / ".local" / "share") / _NAME


def work_folder(home: Path, /, *, agent: str, conversation: str) -> Path:
    """Where the work of a conversation lies, be it at hand or in the archive. Both names have been checked by whoever asks."""
    return home / "work" / agent / conversation


def readable_home(home: Path, /) -> Path:
    """The data home itself, where it can be looked into; one that is not there yet is empty.

    Raises:
        UnusableInput: it is no folder, or may not be read.
    """
    try:
        next(iter(home.iterdir()), None)
    except FileNotFoundError:
        return home
    except OSError as error:
        raise UnusableInput(
            f"{home}: the data home cannot be read ({reason(error)}); mend that, or name another folder in {VARIABLE}"
        ) from None
    return home
