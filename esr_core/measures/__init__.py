"""The catalogue: one module per family; importing this package declares every measure."""

import esr_core.navigation  # noqa: F401
from esr_core.measures import documents, effort, esr, focused, hixeval, inexeval, prum, scores, xcg  # noqa: F401
from esr_core.measures.catalogue import FAMILIES, SECTIONS, Declaration, Parameter, find
from esr_core.measures.strings import Spec, flat_parameters, parse, resolve, same_measure

__all__ = ["FAMILIES", "MEASURES", "SCORES", "SECTIONS", "Declaration", "Parameter", "Spec", "find",
           "flat_parameters", "parse", "resolve", "same_measure"]

MEASURES = SECTIONS["measure"]
SCORES = SECTIONS["score"]
