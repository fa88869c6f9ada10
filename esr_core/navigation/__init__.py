"""User navigation: one module per model; importing this package declares them all."""

from esr_core.navigation import depth, matrix, none, proximity, routes, steady, structural, summary, t2i
from esr_core.navigation.base import Model

__all__ = ["Model", "depth", "matrix", "none", "proximity", "routes", "steady", "structural", "summary", "t2i"]
