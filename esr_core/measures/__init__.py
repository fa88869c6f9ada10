"""The catalogue: one module per family; importing this package declares every measure."""

from esr_core.measures import documents, effort, focused, hixeval, scores  # noqa: F401
from esr_core.measures.catalogue import FAMILIES, SECTIONS, Declaration, Parameter, find
from esr_core.measures.strings import Spec, flat_parameters, parse, same_measure

__all__ = ["FAMILIES", "MEASURES", "SCORES", "SECTIONS", "Declaration", "Parameter", "Spec", "find",
           "flat_parameters", "parse", "same_measure"]

MEASURES = SECTIONS["measure"]
SCORES = SECTIONS["score"]
