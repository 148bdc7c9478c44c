"""Which parts does a library user get? The composition root of the library: it names the concrete parts."""

from sostenuto.manager._calibrations import Calibrations
from sostenuto.manager._fitting import fit
from sostenuto.manager._manager import ContextManager

__all__ = ["Calibrations", "ContextManager", "fit"]
