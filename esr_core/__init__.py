"""ESR Explorer's metric package: focused-retrieval evaluation as plain arrays and frames.

>>> import esr_core as esr
>>> study = esr.load("demo_data/starter")
>>> study.evaluate(["AiP", "AgP(score=F(beta=0.25))"]).means.shape
(5, 2)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["DataError", "EsrError", "MeasureError", "NotComputable", "Study", "UsageError", "load", "measures"]

if TYPE_CHECKING:
    from esr_core import measures
    from esr_core.errors import DataError, EsrError, MeasureError, NotComputable, UsageError
    from esr_core.loading import load
    from esr_core.study import Study

_HOME = {"load": "loading", "Study": "study", "DataError": "errors", "EsrError": "errors", "MeasureError": "errors",
         "NotComputable": "errors", "UsageError": "errors"}


def __getattr__(name: str) -> Any:
    """Import on first use: the command line starts faster than pandas loads."""
    import importlib

    if name == "measures":
        return importlib.import_module("esr_core.measures")
    if name in _HOME:
        return getattr(importlib.import_module(f"esr_core.{_HOME[name]}"), name)
    raise AttributeError(f"module 'esr_core' has no attribute '{name}'")
