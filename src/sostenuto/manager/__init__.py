"""Which parts does a library user get? The composition root of the library: it names the concrete parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sostenuto.doors import door

if TYPE_CHECKING:
    from sostenuto.manager._calibrations import Calibrations
    from sostenuto.manager._fitting import fit
    from sostenuto.manager._manager import ContextManager

__all__ = ["Calibrations", "ContextManager", "fit"]

__getattr__ = door(__name__, {"Calibrations": "_calibrations", "ContextManager": "_manager", "fit": "_fitting"})
